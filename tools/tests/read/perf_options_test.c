// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that perf has, and which samples they select. */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <pmscope/perfdata.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 16384
#define SECOND	  UINT64_C(1000000000)

/* Samples at 1, 2, 3 and 4 s: two in /opt/one, one in /opt/two, one in neither.
 */
static void record_four(struct bytes *b)
{
	begin(b);
	comm_at(b, 0, "a", 1, 1, 1);
	map_at(b, 0x1000, "/opt/one", 2, 1);
	map_at(b, 0x5000, "/opt/two", 3, 1);
	load_at(b, 0, 1, 0x1100, 1 * SECOND);
	load_at(b, 0, 1, 0x1200, 2 * SECOND);
	load_at(b, 0, 1, 0x5100, 3 * SECOND);
	load_at(b, 0, 1, 0x9100, 4 * SECOND);
	perfdata_end(b);
}

/* How many samples report and script say with @options; -1: refused. */
static int samples_of(const struct bytes *b, const char *options)
{
	char text[TEXT_SIZE], command[256], *at;
	int samples, lines = 0;

	snprintf(command, sizeof(command), "report --format=jsonl %s", options);
	if (command_pmscope_text(b, command, text, sizeof(text)))
		return -1;
	at = strstr(text, "\"samples\":");
	samples = at ? atoi(at + strlen("\"samples\":")) : -1;
	snprintf(command, sizeof(command), "script -F time %s", options);
	if (command_pmscope_text(b, command, text, sizeof(text)))
		return -1;
	for (at = text; (at = strchr(at, '\n')); at++)
		lines++;
	EXPECT_EQ(lines, samples);
	return samples;
}

TEST(time_is_in_seconds)
{
	BYTES b = {};

	record_four(&b);
	EXPECT_EQ(samples_of(&b, ""), 4);
	EXPECT_EQ(samples_of(&b, "--time=2,3"), 2);
	EXPECT_EQ(samples_of(&b, "--time=1.5,"), 3);
	EXPECT_EQ(samples_of(&b, "--time=,1.999999999"), 1);
	EXPECT_EQ(samples_of(&b, "--time=2.000000001,4"), 2);
	EXPECT_EQ(samples_of(&b, "--time=2"), 3);
	EXPECT_EQ(samples_of(&b, "'--filter=time>2s,time<4s'"), 1);
	EXPECT_EQ(samples_of(&b, "'--filter=time>2000ms'"), 2);
	EXPECT_EQ(samples_of(&b, "--time=, 2>/dev/null"), -1);
	EXPECT_EQ(samples_of(&b, "--time=a,b 2>/dev/null"), -1);
	EXPECT_EQ(samples_of(&b, "--time=1,2,3 2>/dev/null"), -1);
	EXPECT_EQ(samples_of(&b, "--time=1s,2 2>/dev/null"), -1);
}

TEST(dsos_are_names_of_files)
{
	BYTES b = {};

	record_four(&b);
	EXPECT_EQ(samples_of(&b, "-d one"), 2);
	EXPECT_EQ(samples_of(&b, "--dsos=/opt/one"), 2);
	EXPECT_EQ(samples_of(&b, "--dsos=one,/opt/two"), 3);
	EXPECT_EQ(samples_of(&b, "-d on"), 0);
	EXPECT_EQ(samples_of(&b, "-d one --time=,1"), 1);
	EXPECT_EQ(samples_of(&b, "-d one, 2>/dev/null"), -1);
	EXPECT_EQ(samples_of(&b, "-d a,b,c,d"), 0);
	EXPECT_EQ(samples_of(&b, "-d a,b,c,d,e 2>/dev/null"), -1);
}

/* The same without and with equality, so that each pair has all samples. */
TEST(below_and_above_complete_each_other)
{
	static const char *const terms[] = {"time>%d000ms", "time<=%d000ms",
					    "time<%d000ms", "time>=%d000ms"};
	BYTES b = {};

	record_four(&b);
	for (int at = 0; at < 6; at++) {
		int samples[4];

		for (int i = 0; i < 4; i++) {
			char term[32], option[64];

			snprintf(term, sizeof(term), terms[i], at);
			snprintf(option, sizeof(option), "'--filter=%s'", term);
			samples[i] = samples_of(&b, option);
		}
		EXPECT_EQ(samples[0], at > 4 ? 0 : at ? 4 - at : 4);
		EXPECT_EQ(samples[0] + samples[1], 4);
		EXPECT_EQ(samples[2] + samples[3], 4);
		EXPECT_EQ(samples[1] - samples[2], at >= 1 && at <= 4);
	}
}

KTAP_MAIN
