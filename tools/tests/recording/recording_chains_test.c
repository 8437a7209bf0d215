// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples with call chains, and the callers that functions get from them. */
#include "command.h"
#include "happening.h"
#include "ktap.h"

#include <pmscope/perfdata.h>

#include <string.h>

#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN)

static struct pmscope_recording *open_chain(struct bytes *b, uint64_t type,
					    const uint64_t *words, size_t nr,
					    bool chains)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options), .chains = chains, .no_trace = true};
	struct pmscope_recording *r = NULL;
	struct bytes body = {};

	perfdata_begin(b);
	perfdata_set_sample_type(b, type);
	for (size_t i = 0; i < nr; i++)
		put(&body, words[i], 8);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	bytes_fini(&body);
	perfdata_end(b);
	EXPECT_EQ(pmscope_recording_open(b->data, b->size, &options, &r), 0);
	return r;
}

#define OPEN(b, type, words, chains) \
	open_chain(b, type, words, sizeof(words) / sizeof((words)[0]), chains)

TEST(addresses_without_the_marks_between)
{
	static const uint64_t words[] = {PERFDATA_ID,
					 5,
					 (uint64_t)PERF_CONTEXT_KERNEL,
					 0xffff800080001000,
					 (uint64_t)PERF_CONTEXT_USER,
					 0x400100,
					 0x400200};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	r = OPEN(&b, TYPE, words, true);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	EXPECT_EQ(s.kind, PMSCOPE_SAMPLE_CHAIN);
	ASSERT_EQ(s.nr_chain, 3U);
	EXPECT_EQ(s.chain[0], 0xffff800080001000U);
	EXPECT_EQ(s.chain[1], 0x400100U);
	EXPECT_EQ(s.chain[2], 0x400200U);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->other_samples, 0U);
	EXPECT_EQ(pmscope_recording_losses(r)->unread_chains, 0U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* The chain comes behind the values of a single counter. */
TEST(chain_behind_a_count)
{
	static const uint64_t words[] = {PERFDATA_ID, 77, 1, 0x400100};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	r = OPEN(&b, TYPE | PERF_SAMPLE_READ, words, true);
	ASSERT_EQ(pmscope_recording_next(r, &s), 1);
	ASSERT_EQ(s.nr_chain, 1U);
	EXPECT_EQ(s.chain[0], 0x400100U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

TEST(chains_are_counted_unless_asked_for)
{
	static const uint64_t words[] = {PERFDATA_ID, 1, 0x400100};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	r = OPEN(&b, TYPE, words, false);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_EQ(pmscope_recording_losses(r)->other_samples, 0U);
	EXPECT_EQ(pmscope_recording_losses(r)->unread_chains, 1U);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

/* What report and script say on standard error or in the head. */
static void expect_said(const struct bytes *b, const char *options,
			const char *words, bool said)
{
	static char text[65536];

	EXPECT_EQ(command_pmscope_text(b, options, text, sizeof(text)), 0);
	if (!strstr(text, words) == said)
		ktap_note("%s: %s", options, text);
	EXPECT_EQ(strstr(text, words) != NULL, said);
}

TEST(report_tells_chains_from_other_samples)
{
	static const char chains[] =
		"2 call chains (record -g): the field 'callers' shows them\n";
	static const char others[] = "samples of other events";
	static const uint64_t words[] = {PERFDATA_ID, 1, 0x400100};
	struct bytes b = {}, body = {};

	perfdata_begin(&b);
	perfdata_set_sample_type(&b, TYPE);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put(&body, words[i], 8);
	put_record(&b, PERF_RECORD_SAMPLE, 0, &body);
	put_record(&b, PERF_RECORD_SAMPLE, 0, &body);
	bytes_fini(&body);
	perfdata_end(&b);
	expect_said(&b, "report 2>/dev/null", chains, true);
	expect_said(&b, "report 2>/dev/null", others, false);
	expect_said(&b, "report --timeline 2>/dev/null", chains, true);
	expect_said(&b, "script 2>&1 >/dev/null", chains, true);
	expect_said(&b, "report --sort=callers 2>/dev/null", chains, false);
	expect_said(&b, "report --sort=callers 2>/dev/null", others, false);
	expect_said(&b, "report --format=jsonl 2>/dev/null",
		    "\"other_samples\":0,", true);
	expect_said(&b, "report --format=jsonl 2>/dev/null",
		    "\"call_chains\":2", true);
	bytes_fini(&b);
}

/* More addresses than there are; or no number at all. */
TEST(damaged_chains)
{
	static const uint64_t numbers[] = {2, 3, UINT64_MAX / 8, UINT64_MAX};
	static const uint64_t none[] = {PERFDATA_ID};
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint64_t words[] = {PERFDATA_ID, numbers[i], 0x400100};

		r = OPEN(&b, TYPE, words, true);
		EXPECT_EQ(pmscope_recording_next(r, &s), 0);
		EXPECT_TRUE(strstr(pmscope_recording_error(r),
				   "lacks its call chain"));
		pmscope_recording_free(r);
		bytes_fini(&b);
		b = (struct bytes){};
	}
	r = OPEN(&b, TYPE, none, true);
	EXPECT_EQ(pmscope_recording_next(r, &s), 0);
	EXPECT_TRUE(strstr(pmscope_recording_error(r), "lacks its call chain"));
	pmscope_recording_free(r);
	bytes_fini(&b);
}

KTAP_MAIN
