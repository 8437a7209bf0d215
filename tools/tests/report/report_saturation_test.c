// SPDX-License-Identifier: GPL-2.0-or-later
/* Latencies at the limit of a CPU's counters, in reports. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"

#include <pmscope/packet.h>

#include <string.h>

#define TYPE_ARM_SPE 4
#define TEXT_SIZE    8192
#define AT_LIMIT     " total latencies are at the counter's limit of "

static const uint64_t latencies[][4] = {
	{4095, 4095, 100, 4095},   /* of counters with 12 bits */
	{65535, 4095, 65534, 4095} /* and with 16 */
};

#define NR_CPUS	   (sizeof(latencies) / sizeof(latencies[0]))
#define NR_RECORDS (sizeof(latencies[0]) / sizeof(latencies[0][0]))

/* The last record of each CPU has no address. */
static void put_trace(struct bytes *b, uint32_t cpu)
{
	BYTES trace = {};

	for (size_t i = 0; i < NR_RECORDS; i++) {
		put_packet(&trace, PMSCOPE_PACKET_COUNTER,
			   PMSCOPE_COUNTER_TOTAL, 2, latencies[cpu][i]);
		if (i + 1 < NR_RECORDS)
			put_packet(&trace, PMSCOPE_PACKET_ADDRESS,
				   PMSCOPE_ADDRESS_VA, 8, 0x9000);
		put_timestamp(&trace, 1 + i);
	}
	put_auxtrace(b, cpu, cpu, UINT32_MAX, &trace);
}

/* The output of report with @options for @cpus from @first on. */
static void report(char *text, const char *options, uint32_t first,
		   uint32_t cpus)
{
	BYTES b = {};
	char arguments[128];

	perfdata_begin(&b);
	put_auxtrace_info(&b, TYPE_ARM_SPE);
	put_time_conv(&b, 0, 1, 0);
	for (uint32_t cpu = first; cpu < first + cpus; cpu++)
		put_trace(&b, cpu);
	perfdata_end(&b);
	snprintf(arguments, sizeof(arguments), "report %s 2>&1", options);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, TEXT_SIZE), 0);
}

TEST(counters_of_12_and_of_16_bits)
{
	static const char *const options[] = {"--sort=op",
					      "--sort=op --threads=1",
					      "--sort=op --format=csv",
					      "--sort=cpu --threads=2",
					      "--timeline",
					      "--timeline --format=csv"};
	char text[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		report(text, options[i], 0, NR_CPUS);
		EXPECT_TRUE(strstr(text, " 3" AT_LIMIT "4095;"));
		EXPECT_TRUE(strstr(text, " 1" AT_LIMIT "65535;"));
	}
	report(text, "--sort=op --format=jsonl", 0, NR_CPUS);
	EXPECT_TRUE(strstr(text, "\"saturated\":4,"));
	report(text, "--timeline --format=jsonl", 0, NR_CPUS);
	EXPECT_TRUE(strstr(text, "\"saturated\":4"));
}

TEST(only_those_that_cache_lines_count)
{
	char text[TEXT_SIZE];

	report(text, "--cachelines", 0, NR_CPUS);
	EXPECT_TRUE(strstr(text, ", 2 samples without\n"));
	EXPECT_TRUE(strstr(text, " 2" AT_LIMIT "4095;"));
	EXPECT_TRUE(strstr(text, " 1" AT_LIMIT "65535;"));
	report(text, "--cachelines --format=jsonl", 0, NR_CPUS);
	EXPECT_TRUE(strstr(text, "\"saturated\":3"));
}

/* The width of the counters follows from all samples. */
TEST(filters_make_no_limit)
{
	static const char *const options[] = {
		"--sort=op --filter='lat<=5000'",
		"--cachelines --filter='lat<=5000'",
		"--timeline --filter='lat<=5000'"};
	char text[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		report(text, options[i], 1, 1);
		EXPECT_FALSE(strstr(text, AT_LIMIT));
	}
	report(text, "--sort=op --filter='lat>=4000'", 0, NR_CPUS);
	EXPECT_TRUE(strstr(text, " 3" AT_LIMIT "4095;"));
	report(text, "--sort=op --filter='lat>=4096'", 0, NR_CPUS);
	EXPECT_FALSE(strstr(text, "4095"));
	EXPECT_TRUE(strstr(text, " 1" AT_LIMIT "65535;"));
}

KTAP_MAIN
