// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of columns, which remember much from row to row, beside the lines of
 * JSON that script prints without -F, which remember no more than symbols.
 */
#include "activity.h"
#include "ktap.h"
#include "stream.h"

#include <stdlib.h>
#include <unistd.h>

#define RECORDS 20000

/* All that SPE records have, in the order of the lines. */
#define FIELDS                                                             \
	"type,time,ticks,cpu,pid,tid,comm,el,ns,pc,sym,symoff,dso,op,"     \
	"op_text,va,pa,target,previous_target,events,lat_total,lat_issue," \
	"lat_xlat,source,source_name,context_el1,context_el2,offset"

/* Rows have a list where a record has no events, and no text for none. */
#define NO_EVENTS "sed -e 's/\"events\":\\[\\],//'"

/* The objects of a line have one column for each member. */
#define FLATTEN                                                            \
	NO_EVENTS                                                          \
	" -e 's/\"op\":{\"class\":\\([^{}]*\\)}/\"op\":\\1/'"              \
	" -e 's/,\"text\":/,\"op_text\":/'"                                \
	" -e 's/\"latencies\":{\\([^{}]*\\)}/\\1/'"                        \
	" -e 's/\"total\":/\"lat_total\":/; s/\"issue\":/\"lat_issue\":/'" \
	" -e 's/\"xlat\":/\"lat_xlat\":/'"                                 \
	" -e 's/\"source\":{\"code\":\\([^{}]*\\)}/\"source\":\\1/'"       \
	" -e '/\"source\":/s/,\"name\":/,\"source_name\":/'"               \
	" -e 's/\"context\":{\\([^{}]*\\)}/\\1/'"                          \
	" -e 's/\"el1\":/\"context_el1\":/; s/\"el2\":/\"context_el2\":/'" \
	" -e 's/\"op_text\":\"\",//'"

static void run(struct bytes *out, const char *options, const char *filter,
		const char *file)
{
	const char *given = getenv("PMSCOPE");
	char line[4096 + 2048], part[4096];
	FILE *pipe;
	size_t n;

	snprintf(line, sizeof(line),
		 "%s script --format=jsonl %s -i %s 2>/dev/null | "
		 "grep '\"spe\"' | %s",
		 given ? given : PMSCOPE_TESTS "/../../build/bin/pmscope",
		 options, file, filter);
	pipe = popen(line, "r");
	ASSERT_TRUE(pipe);
	while ((n = fread(part, 1, sizeof(part), pipe)))
		bytes_add(out, part, n);
	pclose(pipe);
}

/* Prints the recording in two ways that must give at least @size same bytes. */
static void compare(const struct activity *activity, const char *options,
		    const char *filter, const char *other_options,
		    const char *other_filter, size_t size)
{
	char file[] = "/tmp/pmscope-rows-XXXXXX";
	struct bytes b = {}, one = {}, other = {};
	int fd = mkstemp(file);

	put_activity(&b, activity);
	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(write(fd, b.data, b.size), (ssize_t)b.size);
	close(fd);
	run(&one, options, filter, file);
	run(&other, other_options, other_filter, file);
	unlink(file);
	EXPECT_TRUE(one.size > size);
	ASSERT_EQ(one.size, other.size);
	EXPECT_MEMEQ(one.data, other.data, one.size);
	bytes_fini(&b);
	bytes_fini(&one);
	bytes_fini(&other);
}

static void compare_rows(const struct activity *activity)
{
	compare(activity, "-F " FIELDS, NO_EVENTS, "", FLATTEN, 100 * RECORDS);
}

TEST(records_of_few_kinds)
{
	compare_rows(&(struct activity){
		.seed = stream_seed(1), .records = RECORDS, .rare = 1000});
}

/* Any packets in any order, while threads and mappings change. */
TEST(records_of_all_kinds)
{
	compare_rows(&(struct activity){.seed = stream_seed(2),
					.records = RECORDS,
					.rare = 100,
					.wild = 3});
}

/* Columns that perf has, too, are those of ours. */
TEST(names_of_perf)
{
	const struct activity all = {.seed = stream_seed(5),
				     .records = RECORDS,
				     .rare = 100,
				     .wild = 3};

	compare(&all, "-F type,ip,phys_addr,weight", "cat",
		"-F type,pc,pa,lat_total",
		"sed -e 's/\"pc\":/\"ip\":/; s/\"pa\":/\"phys_addr\":/'"
		" -e 's/\"lat_total\":/\"weight\":/'",
		RECORDS);
	compare(&all, "-F type,addr,ns", "cat", "-F type,va,target,ns",
		"sed -e 's/\\(\"va\":[^,]*\\),\"target\":[^,}]*/\\1/'"
		" -e 's/\"va\":/\"addr\":/; s/\"target\":/\"addr\":/'",
		RECORDS);
}

/* What a filter by names remembers holds until threads or mappings change. */
TEST(records_of_one_file)
{
	compare(&(struct activity){.seed = stream_seed(3),
				   .records = RECORDS,
				   .rare = 100},
		"--filter=dso=/n1", "cat", "", "grep '\"dso\":\"/n1\"'",
		RECORDS);
}

TEST(records_of_one_thread)
{
	compare(&(struct activity){.seed = stream_seed(4),
				   .records = RECORDS,
				   .rare = 100},
		"--filter=comm=/n1,dso!=/n2", "cat", "",
		"grep '\"comm\":\"/n1\"' | grep -v '\"dso\":\"/n2\"'", RECORDS);
}

KTAP_MAIN
