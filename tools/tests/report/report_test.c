// SPDX-License-Identifier: GPL-2.0-or-later
/* The counts of report, compared with counts over the rows of script. */
#include "command.h"

#define RECORDS	  20000
#define MAX_NAMES 128
#define MIDR_N1	  0x410fd0c0
#define MIDR_N2	  0x410fd490

struct tally {
	char names[MAX_NAMES][32];
	unsigned long counts[MAX_NAMES];
	size_t nr;
};

static void count(struct tally *t, const char *name, unsigned long more)
{
	size_t i = 0;

	while (i < t->nr && strcmp(t->names[i], name))
		i++;
	ASSERT_TRUE(i < MAX_NAMES && strlen(name) < sizeof(t->names[0]));
	if (i == t->nr)
		strcpy(t->names[t->nr++], name);
	t->counts[i] += more;
}

/* Words are "NAME" or "NAME=COUNT", with '|' between. */
static void count_words(struct tally *t, char *text)
{
	for (char *word = strtok(text, "|\n"); word;
	     word = strtok(NULL, "|\n")) {
		char *equals = strchr(word, '=');

		if (equals)
			*equals = '\0';
		count(t, word, equals ? strtoul(equals + 1, NULL, 10) : 1);
	}
}

static unsigned long counted(const struct tally *t, const char *name)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->names[i], name))
			return t->counts[i];
	return 0;
}

/* Of the last two columns of all lines except the header. */
static void tally_of(const struct bytes *b, const char *arguments,
		     struct tally *events, struct tally *sources)
{
	FILE *pipe = command_pmscope_reads(b, arguments);
	char line[8192], *source, *event;
	bool header = true;

	ASSERT_TRUE(pipe);
	memset(events, 0, sizeof(*events));
	memset(sources, 0, sizeof(*sources));
	for (; fgets(line, sizeof(line), pipe); header = false) {
		if (header)
			continue;
		source = strrchr(line, ',');
		ASSERT_TRUE(source);
		*source++ = '\0';
		event = strrchr(line, ',');
		count_words(events, event ? event + 1 : line);
		count_words(sources, source);
	}
	EXPECT_EQ(pclose(pipe), 0);
}

static void expect_same(const struct tally *tally, const struct tally *model)
{
	EXPECT_EQ(tally->nr, model->nr);
	for (size_t i = 0; i < model->nr; i++)
		EXPECT_EQ(counted(tally, model->names[i]), model->counts[i]);
}

/* Records with one of @kinds sets of events; half of them with a source. */
static void put_kinds(struct bytes *b, unsigned int kinds, uint64_t seed)
{
	for (unsigned int i = 0; i < RECORDS; i++) {
		uint64_t events = random_below(&seed, kinds);

		PUT_ADDRESS(b, PC,
			    random_below(&seed, 2) * (UINT64_C(5) << 61));
		PUT_EVENTS(b, 2, events << 1);
		if (random_below(&seed, 2))
			PUT_SOURCE(b, 1, random_below(&seed, 10));
		put_timestamp(b, i);
	}
}

static void compare(unsigned int kinds)
{
	static const char *const reports[] = {
		"report --raw --format=csv --threads=1",
		"report --raw --format=csv --threads=2",
		"report --raw --format=csv --sort=el",
		"report --raw --format=csv --sort=event,sym",
	};
	struct tally events, sources, model, source_model;
	BYTES b = {};

	put_kinds(&b, kinds, stream_seed(1));
	tally_of(&b, "script --raw --format=csv -F time,events,source", &model,
		 &source_model);
	EXPECT_EQ(source_model.nr, 10U);
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
		tally_of(&b, reports[i], &events, &sources);
		expect_same(&events, &model);
		expect_same(&sources, &source_model);
	}
}

CASE(few_kinds_of_records, compare(20));

/* More than report has numbers for. */
CASE(many_kinds_of_records, compare(5000));

/* On CPUs with these MIDRs, two records each that set bit 12. */
static void put_bit_12(struct bytes *b, uint64_t first, uint64_t second)
{
	const uint64_t cpus[2][4] = {{0, first, 10}, {1, second, 10}};
	BYTES trace = {};

	perfdata_begin(b);
	put_auxtrace_info_v2(b, cpus, 2, 3);
	for (uint64_t time = 1; time <= 2; time++) {
		PUT_EVENTS(&trace, 2, 1 << 12);
		put_timestamp(&trace, time);
	}
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		put_auxtrace(b, cpu, cpu, UINT32_MAX, &trace);
	perfdata_end(b);
}

/* One CPU's name would be applied to the other's events. */
TEST(events_of_cpus_that_name_them_differently)
{
	static const struct {
		uint64_t first, second;
		const char *name;
	} pairs[] = {
		{MIDR_N1, MIDR_N1, "LATE-PREFETCH=4"},
		{MIDR_N1, MIDR_N2, ",IMPDEF:12=4"},
		{MIDR_N2, MIDR_N1, ",IMPDEF:12=4"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		BYTES b = {};
		char text[1024];

		put_bit_12(&b, pairs[i].first, pairs[i].second);
		EXPECT_EQ(command_pmscope_text(&b,
					       "report --sort=el --format=csv",
					       text, sizeof(text)),
			  0);
		EXPECT_TRUE(strstr(text, pairs[i].name));
	}
}
