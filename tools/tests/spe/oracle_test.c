// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packet lines against those of perf report -D, and samples against those
 * of perf script, on random packets, random records and random bytes.
 * PMSCOPE_SEED repeats a failed run. The perf is that of PMSCOPE_PERF, or of
 * this host, which may be too old for some of it.
 */
#include "command.h"

#include <pmscope/perfdata.h>

#define LINE_MAX_SIZE 512

/*
 * Since when perf has the words pmscope prints, for what changed after 6.1:
 * names of operations, events above bit 18 and the numbers of the rest, PBT.
 */
#define NEW_WORDS_SINCE 619

/* PMSCOPE_PERF is a newer perf than the host's own, if set. */
static const char *perf(void)
{
	const char *given = getenv("PMSCOPE_PERF");

	return given && *given ? given : "perf";
}

static int perf_version(void)
{
	char command[4096];
	int major = 0, minor = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "%s version 2>/dev/null", perf());
	pipe = popen(command, "r");

	if (!pipe)
		return 0;
	if (fscanf(pipe, "perf version %d.%d", &major, &minor) != 2)
		major = 0;
	pclose(pipe);
	return 100 * major + minor;
}

#define NEED_NEW_WORDS()                                                 \
	do {                                                             \
		if (perf_version() < NEW_WORDS_SINCE)                    \
			SKIP("no perf 6.19 or newer: set PMSCOPE_PERF"); \
	} while (0)

/* Operations whose words are the same since 6.1. */
static uint8_t old_operation(uint64_t *state, unsigned int *class)
{
	static const uint8_t atomics[] = {0x06, 0x0a, 0x12, 0x16};

	*class = 1 + random_below(state, 2);
	if (*class == PMSCOPE_OPERATION_BRANCH)
		return random_below(state, 4);
	if (random_below(state, 2))
		return atomics[random_below(state, 4)] | random_below(state, 2);
	return (random_below(state, 2) ? 0x04 : 0x00) | random_below(state, 2);
}

/* For a class 0 payload without subclass, perf prints the previous text. */
static bool perf_has_words(unsigned int class, uint8_t value)
{
	return class != PMSCOPE_OPERATION_OTHER || !(value & 0xf8) ||
	       (value & 0x09) == 0x08;
}

static void put_random_operation(struct bytes *b, uint64_t *state, bool words)
{
	unsigned int class = random_below(state, 4);
	uint8_t value = random_next(state) >> 56;

	if (!words)
		value = old_operation(state, &class);
	else if (!perf_has_words(class, value))
		value &= 0x07;
	put_packet(b, PMSCOPE_PACKET_OPERATION, class, 1, value);
}

static void put_random_packet(struct bytes *b, uint64_t *state, bool words)
{
	uint64_t value = random_next(state);

	switch (random_below(state, 9)) {
	case 0:
		put_zeros(b, random_below(state, 40));
		break;
	case 1:
		put(b, 1, 1); /* END */
		break;
	case 2:
		put_timestamp(b, value);
		break;
	case 3:
		put_packet(b, PMSCOPE_PACKET_EVENTS, 0,
			   1 << random_below(state, words ? 4 : 3),
			   words ? value : value & 0xfff);
		break;
	case 4:
		put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0,
			   1 << random_below(state, 4), value);
		break;
	case 5:
		put_packet(b, PMSCOPE_PACKET_CONTEXT, random_below(state, 4), 4,
			   value);
		break;
	case 6:
		put_random_operation(b, state, words);
		break;
	case 7:
		put_packet(b, PMSCOPE_PACKET_ADDRESS,
			   random_below(state, words ? 32 : 4), 8, value);
		break;
	case 8:
		put_packet(b, PMSCOPE_PACKET_COUNTER, random_below(state, 32),
			   2, value);
		break;
	}
}

/* The output of perf for a file, with @arguments before "-i". */
static FILE *perf_reads(const struct bytes *file, const char *arguments)
{
	char command[4096];

	snprintf(command, sizeof(command), "2>/dev/null %s --no-pager %s",
		 perf(), arguments);
	return command_reads(file, command);
}

/* Offsets of packets have eight hexadecimal digits, those of records four. */
static bool is_packet_line(const char *line)
{
	return !strncmp(line, ".  ", 3) && strcspn(line, ":") >= 11;
}

/* perf prints numbers from 2^63 on as negative. */
static void make_unsigned(char *line)
{
	static const char *const names[] = {" TS -", " DATA-SOURCE -"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *at = strstr(line, names[i]);

		if (!at)
			continue;
		at += strlen(names[i]) - 1;
		sprintf(at, "%llu\n",
			(unsigned long long)strtoll(at, NULL, 10));
	}
}

static bool next_line(FILE *pipe, char *line)
{
	while (fgets(line, LINE_MAX_SIZE, pipe))
		if (is_packet_line(line)) {
			make_unsigned(line);
			return true;
		}
	return false;
}

static void compare(const struct bytes *trace, uint64_t midr)
{
	char ours[PMSCOPE_PACKET_LINE_MAX + 1], theirs[LINE_MAX_SIZE];
	const uint64_t cpu[1][4] = {{0, midr, 10}};
	BYTES file = {};
	size_t at = 0, length;
	FILE *pipe;

	perfdata_begin(&file);
	if (midr)
		put_auxtrace_info_v2(&file, cpu, 1, 3);
	else
		put_auxtrace_info(&file, TYPE_ARM_SPE);
	put_auxtrace(&file, 0, 0, -1, trace);
	perfdata_end(&file);
	pipe = perf_reads(&file, "report -D");
	ASSERT_TRUE(pipe);
	while (at < trace->size) {
		int ret =
			pmscope_packet_line(trace->data + at, trace->size - at,
					    at, midr, ours, &length);

		ours[length] = '\0';
		at += ret > 0 ? ret : 1;
		if (!next_line(pipe, theirs))
			strcpy(theirs, "(end)");
		if (strcmp(ours, theirs)) {
			EXPECT_STREQ(ours, theirs);
			break;
		}
	}
	EXPECT_FALSE(next_line(pipe, theirs));
	pclose(pipe);
}

static void compare_tool(const struct bytes *file)
{
	char ours[LINE_MAX_SIZE], theirs[LINE_MAX_SIZE];
	FILE *perf = perf_reads(file, "report -D");
	FILE *tool = command_pmscope_reads(file, "script --packets");
	unsigned int nr = 0;

	ASSERT_TRUE(perf && tool);
	for (; next_line(tool, ours); nr++) {
		ASSERT_TRUE(next_line(perf, theirs));
		ASSERT_TRUE(!strcmp(ours, theirs));
	}
	EXPECT_TRUE(nr);
	EXPECT_FALSE(next_line(perf, theirs));
	pclose(perf);
	pclose(tool);
}

/* From the start of the file; its areas need not be aligned there. */
TEST(alignment_as_perf_counts_it)
{
	uint64_t state = stream_seed(20261125);
	BYTES trace = {};

	if (perf_version() < 601)
		SKIP("no perf 6.1 or newer on this host");
	for (int i = 0; i < 500; i++) {
		put(&trace, 0x20 | random_below(&state, 4), 2);
		for (int nr = 16 + random_below(&state, 9); nr; nr--)
			put(&trace, 1, 1); /* END: zeros would join */
	}
	for (int shift = 0; shift < 4; shift++) {
		BYTES file = {};

		perfdata_begin(&file);
		for (int i = 0; i < shift; i++)
			put_record(&file, PMSCOPE_RECORD_FINISHED_ROUND, 0,
				   &(struct bytes){});
		put_auxtrace_info(&file, TYPE_ARM_SPE);
		put_auxtrace(&file, 0, 0, -1, &trace);
		perfdata_end(&file);
		compare_tool(&file);
	}
}

TEST(random_packets_as_perf_reads_them)
{
	int version = perf_version();
	uint64_t state = stream_seed(20240607);
	BYTES trace = {};

	if (version < 601)
		SKIP("no perf 6.1 or newer on this host");
	ktap_note("perf %d.%d, %s words", version / 100, version % 100,
		  version >= NEW_WORDS_SINCE ? "all" : "unchanged");
	for (int i = 0; i < 20000; i++)
		put_random_packet(&trace, &state, version >= NEW_WORDS_SINCE);
	compare(&trace, 0);
}

/* A byte that begins an operation, an event, an address or an extension. */
static bool has_newer_words(uint8_t byte)
{
	return (byte & 0xcf) == 0x42 || (byte & 0xfc) == 0x48 ||
	       (byte & 0xfc) == 0x20 || (byte & 0xf8) == 0xb0;
}

/* Nearly all of it is invalid: where does each decoder continue? */
TEST(random_bytes_as_perf_reads_them)
{
	int version = perf_version();
	uint64_t state = stream_seed(20240607);
	BYTES trace = {};

	if (version < 601)
		SKIP("no perf 6.1 or newer on this host");
	while (trace.size < 50000) {
		uint8_t byte = random_next(&state) >> 56;

		if (byte == 0x48 ||
		    (version < NEW_WORDS_SINCE && has_newer_words(byte)))
			continue;
		put(&trace, byte, 1);
	}
	compare(&trace, 0);
}

/* Operations for which perf prints the previous packet's text are left out. */
static void give_words(struct bytes *b)
{
	for (size_t i = 0; i + 1 < b->size; i++)
		if (b->data[i] == 0x48 && !perf_has_words(0, b->data[i + 1]))
			b->data[i + 1] = 0;
}

static void compare_streams(unsigned int damage, uint64_t midr)
{
	uint64_t state = stream_seed(20240608);
	BYTES trace = {};

	put_stream(&trace, &state, 300000);
	corrupt(&trace, &state, damage);
	give_words(&trace);
	compare(&trace, midr);
}

TEST(records_of_all_packets_as_perf_reads_them)
{
	NEED_NEW_WORDS();
	compare_streams(0, 0);
}

TEST(damaged_records_as_perf_reads_them)
{
	NEED_NEW_WORDS();
	compare_streams(3000, 0);
}

/* With the events that only some CPUs have. */
TEST(packets_of_a_known_cpu_as_perf_reads_them)
{
	NEED_NEW_WORDS();
	compare_streams(0, NEOVERSE_N1);
}

TEST(skewed_streams_as_perf_reads_them)
{
	uint64_t state = stream_seed(20261122);

	NEED_NEW_WORDS();
	for (int i = 0; i < 4; i++) {
		BYTES trace = {};

		put_skewed_stream(&trace, &state, 60000);
		compare(&trace, i & 1 ? NEOVERSE_N1 : 0);
	}
}

#define NR_SAMPLES 3000
#define TASK	   1000

/* An address at EL0, EL1 or EL2, Non-secure. */
static uint64_t some_address(uint64_t *state)
{
	uint64_t el = random_below(state, 3);

	return UINT64_C(1) << 63 | el << 61 | (el ? UINT64_C(0xff) << 48 : 0) |
	       (random_next(state) & UINT64_C(0x7fffffffffff));
}

/* In its own order, with other packets that perf does not print. */
static void put_sample(struct bytes *b, uint64_t *state, uint64_t ticks)
{
	unsigned int first = random_below(state, 5);
	bool branch = random_below(state, 2);

	for (unsigned int i = 0; i < 5; i++)
		switch ((first + i) % 5) {
		case 0:
			put_packet(b, PMSCOPE_PACKET_ADDRESS, 0, 8,
				   some_address(state));
			break;
		case 1:
			if (branch)
				put_packet(b, PMSCOPE_PACKET_ADDRESS, 1, 8,
					   some_address(state));
			break;
		case 2:
			put_packet(b, PMSCOPE_PACKET_COUNTER, 0, 2,
				   random_next(state) & 0xfff);
			put_zeros(b, random_below(state, 9));
			break;
		case 3:
			PUT_CONTEXT(b, 1, TASK);
			PUT_EVENTS(b, 2, random_next(state) & 0xfff);
			break;
		case 4:
			put_packet(b, PMSCOPE_PACKET_OPERATION, branch ? 2 : 1,
				   1, random_below(state, 2));
			put_packet(b, PMSCOPE_PACKET_COUNTER, 1, 2,
				   random_next(state));
			break;
		}
	put_timestamp(b, ticks);
}

/* Data, as PERF_RECORD_MMAP. */
static void put_old_mmap(struct bytes *file, const struct where *where)
{
	BYTES body = {};

	PUT(&body, 4, where->pid, where->tid);
	PUT(&body, 8, 0x600000, 0x2000, 0x1000);
	bytes_add(&body, "/opt/old", sizeof("/opt/old"));
	put_zeros(&body, 7);
	put_side_band(file, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA, &body,
		      where);
}

static void put_samples(struct bytes *file, const struct bytes *trace)
{
	static const struct where where = {TASK, TASK, 1, 0};

	perfdata_begin(file);
	perfdata_attr(file)->sample_type = PERFDATA_SAMPLE_TYPE |
					   PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
					   PERF_SAMPLE_WEIGHT;
	put_time_conv(file, 0, 1, 0);
	put_auxtrace_info(file, TYPE_ARM_SPE);
	put_comm(file, 0, "test", &where);
	put_old_mmap(file, &where);
	put_mmap2(file, 0x400000, 0x1000, 0x3000, "/opt/test", &where);
	put_mmap2_of(file, 0x500000, 0x1000, "/opt/other", 0xab, 20, &where);
	put_auxtrace(file, 0, 0, -1, trace);
	perfdata_end(file);
}

/* The rows of -F; an unknown field is empty, where perf prints zero. */
static void expect_row(const char *row, const char *line)
{
	unsigned long long seconds, ns, tid, addr, weight, ip;
	char expected[LINE_MAX_SIZE];
	int n;

	ASSERT_EQ(sscanf(line, "%llu %llu.%llu: %llx %llu %llx", &tid, &seconds,
			 &ns, &addr, &weight, &ip),
		  6);
	n = snprintf(expected, sizeof(expected), "%llu,%llu,0x%llx,", tid,
		     seconds * 1000000000 + ns, ip);
	if (addr)
		n += snprintf(expected + n, sizeof(expected) - n, "0x%llx",
			      addr);
	snprintf(expected + n, sizeof(expected) - n, ",%llu\n", weight);
	EXPECT_STREQ(row, expected);
}

/* perf prints targets of branches only, in the place of @address. */
static void compare_samples(const struct bytes *trace, const char *address,
			    unsigned int least)
{
	unsigned int nr = 0;
	char row[LINE_MAX_SIZE], line[LINE_MAX_SIZE];
	BYTES file = {};
	FILE *ours, *theirs;

	put_samples(&file, trace);
	snprintf(line, sizeof(line),
		 "script --format=csv -F tid,time,ip,%s,weight", address);
	ours = command_pmscope_reads(&file, line);
	theirs = perf_reads(&file, "script --itrace=i1i --ns "
				   "-F tid,time,ip,addr,weight");
	ASSERT_TRUE(ours && theirs);
	ASSERT_TRUE(fgets(row, sizeof(row), ours));
	EXPECT_TRUE(!strncmp(row, "tid,time,ip,", 12));
	for (; fgets(row, sizeof(row), ours); nr++) {
		ASSERT_TRUE(fgets(line, sizeof(line), theirs));
		expect_row(row, line);
	}
	EXPECT_GE(nr, least);
	EXPECT_TRUE(!fgets(line, sizeof(line), theirs));
	pclose(ours);
	pclose(theirs);
}

TEST(records_as_perf_script_samples_them)
{
	uint64_t state = stream_seed(20240609);
	BYTES trace = {};

	NEED_NEW_WORDS();
	for (unsigned int i = 0; i < NR_SAMPLES; i++)
		put_sample(&trace, &state, 1000 + 10 * i);
	compare_samples(&trace, "addr", NR_SAMPLES);
}

/* Branches of all kinds, and what is none; some with the branch before. */
static void put_jump(struct bytes *b, uint64_t *state, uint64_t ticks)
{
	bool branch = random_below(state, 4);

	PUT_ADDRESS(b, PC, some_address(state));
	if (branch && random_below(state, 4))
		PUT_ADDRESS(b, TARGET, some_address(state));
	if (random_below(state, 2))
		PUT_ADDRESS(b, PREVIOUS, some_address(state));
	put_packet(b, PMSCOPE_PACKET_OPERATION,
		   branch ? PMSCOPE_OPERATION_BRANCH
			  : PMSCOPE_OPERATION_LOAD_STORE,
		   1, random_below(state, branch ? 32 : 2));
	PUT_CONTEXT(b, 1, TASK);
	PUT_EVENTS(b, 4, random_next(state) & 0x100c3);
	put_packet(b, PMSCOPE_PACKET_COUNTER, 0, 2, random_next(state));
	put_timestamp(b, ticks);
}

static void join_words(char *line)
{
	char *to = line, *save, *word = strtok_r(line, " \n", &save);

	for (; word; word = strtok_r(NULL, " \n", &save)) {
		size_t length = strlen(word);

		if (to > line)
			*to++ = ' ';
		memmove(to, word, length);
		to += length;
	}
	*to = '\0';
}

static bool next_words(FILE *pipe, char *line)
{
	if (!fgets(line, LINE_MAX_SIZE, pipe))
		return false;
	join_words(line);
	return true;
}

TEST(branches_as_perf_script_prints_them)
{
	char ours[LINE_MAX_SIZE], theirs[LINE_MAX_SIZE];
	uint64_t state = stream_seed(20261128);
	BYTES trace = {}, file = {};
	unsigned int nr = 0;
	FILE *tool, *pipe;

	NEED_NEW_WORDS();
	for (unsigned int i = 0; i < NR_SAMPLES; i++)
		put_jump(&trace, &state, 1000 + 10 * i);
	put_samples(&file, &trace);
	tool = command_pmscope_reads(&file,
				     "script --show-mmap-events -F ip,brstack");
	pipe = perf_reads(&file, "script --itrace=i1il2 --show-mmap-events "
				 "-F ip,brstack");
	ASSERT_TRUE(tool && pipe);
	for (; next_words(tool, ours); nr++) {
		ASSERT_TRUE(next_words(pipe, theirs));
		ASSERT_STREQ(ours, theirs);
	}
	EXPECT_EQ(nr, NR_SAMPLES + 3U);
	EXPECT_FALSE(next_words(pipe, theirs));
	pclose(tool);
	pclose(pipe);
}

TEST(skewed_records_as_perf_script_samples_them)
{
	uint64_t state = stream_seed(20261122);

	NEED_NEW_WORDS();
	for (int i = 0; i < 2; i++) {
		BYTES trace = {};

		put_skewed_stream(&trace, &state, 100000);
		compare_samples(&trace, "target", 1);
	}
}
