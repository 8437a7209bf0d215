// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fleet of hosts with a recording each, varied by seed: the recipes of the
 * guide (Documentation/guide/fleet) find what is planted in it, and two engines
 * give the same rows.
 */
#include "command.h"

#include <pmscope/events.h>

#define HOSTS		 1000
#define FEW_HOSTS	 100 /* without PMSCOPE_SLOW */
#define RACK		 20  /* hosts in one */
#define SAMPLES		 250
#define PMU_TYPE	 10
#define PID		 100
#define TEXT		 UINT64_C(0x400000)
#define FUNCTION(i)	 (TEXT + 0x1000 + 0x100 * (i))
#define SHARED_LINE	 UINT64_C(0x7f0000001040)
#define WEEK_AGO	 7
#define FEATURE_HOSTNAME 3
#define COMMAND_SIZE	 (2 * PATH_MAX)

#define SLOW_FUNCTION 2	 /* in the new build */
#define SLOW_HOST     33 /* all its latencies are long */
#define FAR_RACK      1	 /* with much remote memory */
#define SHARING_HOST  16 /* two threads write one line */
#define LONE_HOST     44 /* of no rack, with more remote memory */

/* The functions of /opt/service, 256 bytes each from 0x1000 on. */
static const char source[] = ".text\n"
			     ".macro function name\n"
			     ".balign 256\n"
			     ".globl \\\\name\n"
			     ".type \\\\name, @function\n"
			     "\\\\name: .skip 256, 0\n"
			     ".size \\\\name, . - \\\\name\n"
			     ".endm\n"
			     "function handle\n"
			     "function parse\n"
			     "function lookup\n"
			     "function reply\n";

static char directory[] = "/tmp/pmscope-fleet-XXXXXX";

__attribute__((format(printf, 1, 2))) static bool run(const char *fmt, ...)
{
	char command[COMMAND_SIZE], in[COMMAND_SIZE + sizeof(directory) + 8];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	snprintf(in, sizeof(in), "cd %s && %s", directory, command);
	return !system(in);
}

static bool build_service(unsigned int week, unsigned int id)
{
	return run("mkdir -p week%u/opt && printf '%s' >service.s && "
		   "cc -shared -nostdlib -Wl,-Ttext-segment=0 "
		   "-Wl,-z,separate-code "
		   "-Wl,--build-id=0x$(printf '%02x%%.0s' $(seq 20)) "
		   "-o week%u/opt/service service.s",
		   week, source, id, week);
}

static bool is_new(unsigned int host)
{
	return host % 2;
}

static bool is_far(unsigned int host)
{
	return host / RACK == FAR_RACK;
}

/* Cycles: the mean is 40, with a long tail. */
static uint32_t latency_of(uint64_t *random, unsigned int host,
			   unsigned int function)
{
	uint32_t cycles = 10 + random_below(random, 61);

	if (!random_below(random, 20))
		cycles += random_below(random, 100);
	if (is_new(host) && function == SLOW_FUNCTION)
		cycles *= 2;
	return host == SLOW_HOST ? 4 * cycles : cycles;
}

static void put_access(struct bytes *trace, uint64_t *random, unsigned int host,
		       unsigned int i)
{
	unsigned int function = random_below(random, 4);
	unsigned int thread = i % 3 == 0;
	bool shares = host == SHARING_HOST && !(i % 5);
	bool is_store = !random_below(random, 4);
	uint64_t va = 0x7f0000100000 + 0x10000 * thread +
		      64 * random_below(random, 1000);
	uint16_t events = 0x1e;

	if (shares)
		va = SHARED_LINE + 8 * thread;
	if (random_below(random, 100) < (host == LONE_HOST ? 90
					 : is_far(host)	   ? 40
							   : 5))
		events |= 1 << PMSCOPE_EVENT_REMOTE_ACCESS;
	PUT_ADDRESS(trace, PC,
		    UINT64_C(1) << 63 | (FUNCTION(function) +
					 4 * random_below(random, 60)));
	PUT_CONTEXT(trace, 0, PID + thread);
	PUT_OPERATION(trace, LOAD_STORE, is_store);
	PUT_ADDRESS(trace, VA, va);
	PUT_COUNTER(trace, TOTAL, latency_of(random, host, function));
	PUT_EVENTS(trace, 2, events);
	put_timestamp(trace, 1000 + 10 * i);
}

static void put_host(struct bytes *b, unsigned int host)
{
	static const uint64_t cpus[][4] = {{0, NEOVERSE_N1, PMU_TYPE, 0}};
	struct where where = {PID, PID, 1, 0};
	uint64_t random = 1000 + host;
	BYTES trace = {}, name = {};
	char text[64] = "";

	perfdata_begin(b);
	put_auxtrace_info_v2(b, cpus, 1, 4);
	put_time_conv(b, 0, 1, 0);
	put_comm(b, 0, "service", &where);
	put_mmap2_of(b, TEXT, 0x2000, "/opt/service",
		     is_new(host) ? 0xb2 : 0xa1, 20, &where);
	where.tid = PID + 1;
	put_fork(b, PID, PID, &where);
	put_comm(b, 0, "logger", &where);
	for (unsigned int i = 0; i < SAMPLES; i++)
		put_access(&trace, &random, host, i);
	put_auxtrace(b, 0, 0, NO_ID, &trace);
	perfdata_end(b);
	snprintf(text, sizeof(text), "rack%02u-host%03u", host / RACK, host);
	if (host == LONE_HOST)
		strcpy(text, "lone");
	put(&name, sizeof(text), 4);
	bytes_add(&name, text, sizeof(text));
	perfdata_put_feature(b, FEATURE_HOSTNAME, &name);
}

static bool write_host(unsigned int host)
{
	char path[sizeof(directory) + 64];
	struct timespec times[2] = {};
	BYTES b = {};
	FILE *file;
	bool good;

	times[0].tv_sec = times[1].tv_sec =
		1790000000 - (is_new(host) ? 0 : WEEK_AGO * 86400);
	snprintf(path, sizeof(path), "%s/week%u-%u.data", directory,
		 is_new(host), host);
	put_host(&b, host);
	file = fopen(path, "w");
	good = file && fwrite(b.data, 1, b.size, file) == b.size;
	if (file)
		good = !fclose(file) && good;
	return good && !utimensat(AT_FDCWD, path, times, 0);
}

static bool export_all(void)
{
	return run("for week in 0 1; do ls week$week-*.data | xargs -P%ld -I{} "
		   "%s export --format=parquet --symbols --addresses "
		   "--label=zone=a --label=week=$week "
		   "--symfs=week$week -o lake {} || exit; done",
		   sysconf(_SC_NPROCESSORS_ONLN), command_pmscope());
}

static void expect_answer(const char *line, const char *recipe,
			  const char *rows)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s same %s", recipe, rows);
	if (strncmp(line, recipe, strlen(recipe)) != 0)
		return;
	if (strncmp(line, wanted, strlen(wanted)) != 0)
		ktap_note("%s", line);
	EXPECT_EQ(strncmp(line, wanted, strlen(wanted)), 0);
}

static void expect_answers(FILE *pipe)
{
	static char line[1 << 16];
	unsigned int same = 0;

	while (fgets(line, sizeof(line), pipe)) {
		same += strstr(line, " same ") != NULL;
		expect_answer(line, "regressions.sql",
			      "[[\"/opt/service\",\"lookup\",");
		expect_answer(line, "outliers.sql", "[[\"rack01-host033\",");
		expect_answer(line, "remote.sql", "[[\"lone\",");
		EXPECT_TRUE(strncmp(line, "remote.sql", 10) != 0 ||
			    strstr(line, "],[\"rack01\","));
		expect_answer(line, "services.sql", "[[\"service\",");
		if (!strncmp(line, "equal ", 6))
			EXPECT_STREQ(line, "equal []\n");
		if (!strncmp(line, "racks ", 6))
			EXPECT_STREQ(line, "racks [[\"7\",\"40\",7.5],"
					   "[\"c\",\"10\",0],"
					   "[\"d\",\"10\",0]]\n");
		expect_answer(line, "false-sharing.sql",
			      "[[\"rack00-host016\",100,139637976731712,");
		expect_answer(line, "percentiles.sql", "[[\"/opt/service\",");
		expect_answer(line, "top.sql",
			      "[[\"b2b2b2b2b2b2b2b2b2b2b2b2b2b"
			      "2b2b2b2b2b2b2\",");
	}
	EXPECT_EQ(same, 7U);
}

static unsigned int nr_hosts(void)
{
	const char *slow = getenv("PMSCOPE_SLOW");

	return slow && *slow ? HOSTS : FEW_HOSTS;
}

PLAIN_TEST(recipes_find_what_is_planted)
{
	const char *consumers = getenv("PMSCOPE_CONSUMERS");
	char command[COMMAND_SIZE];
	FILE *pipe;

	if (!consumers)
		SKIP("no engines: set PMSCOPE_CONSUMERS");
	ASSERT_TRUE(mkdtemp(directory));
	ASSERT_TRUE(build_service(0, 0xa1));
	ASSERT_TRUE(build_service(1, 0xb2));
	for (unsigned int host = 0; host < nr_hosts(); host++)
		ASSERT_TRUE(write_host(host));
	ASSERT_TRUE(export_all());
	snprintf(command, sizeof(command),
		 "cd %s && node %s/export/fleet.mjs %s "
		 "%s/../../Documentation/guide/fleet",
		 directory, PMSCOPE_TESTS, consumers, PMSCOPE_TESTS);
	pipe = popen(command, "r");
	ASSERT_TRUE(pipe);
	expect_answers(pipe);
	EXPECT_EQ(pclose(pipe), 0);
	EXPECT_TRUE(run("rm -r %s", directory));
}
