// SPDX-License-Identifier: GPL-2.0-or-later
/* What report counts, beside what is counted of the rows of script. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"
#include "random.h"
#include "stream.h"

#include <pmscope/packet.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS	  20000
#define MAX_NAMES 128

/* How often each word stood in a line. */
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

/* Of the last two columns of all lines but the header. */
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

		put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
			   random_below(&seed, 2) * (UINT64_C(5) << 61));
		put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, events << 1);
		if (random_below(&seed, 2))
			put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0, 1,
				   random_below(&seed, 10));
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
	struct bytes b = {};

	put_kinds(&b, kinds, stream_seed(1));
	tally_of(&b, "script --raw --format=csv -F time,events,source", &model,
		 &source_model);
	EXPECT_EQ(source_model.nr, 10U);
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		tally_of(&b, reports[i], &events, &sources);
		expect_same(&events, &model);
		expect_same(&sources, &source_model);
	}
	bytes_fini(&b);
}

TEST(few_kinds_of_records)
{
	compare(20);
}

/* More than report has numbers for. */
TEST(many_kinds_of_records)
{
	compare(5000);
}

KTAP_MAIN
