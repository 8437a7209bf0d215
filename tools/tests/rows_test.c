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

static void compare(const struct activity *activity)
{
	char file[] = "/tmp/pmscope-rows-XXXXXX";
	struct bytes b = {}, rows = {}, lines = {};
	int fd = mkstemp(file);

	put_activity(&b, activity);
	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(write(fd, b.data, b.size), (ssize_t)b.size);
	close(fd);
	run(&rows, "-F " FIELDS, NO_EVENTS, file);
	run(&lines, "", FLATTEN, file);
	unlink(file);
	EXPECT_TRUE(rows.size > 100 * RECORDS);
	ASSERT_EQ(rows.size, lines.size);
	EXPECT_MEMEQ(rows.data, lines.data, rows.size);
	bytes_fini(&b);
	bytes_fini(&rows);
	bytes_fini(&lines);
}

TEST(records_of_few_kinds)
{
	compare(&(struct activity){
		.seed = stream_seed(1), .records = RECORDS, .rare = 1000});
}

/* Any packets in any order, while threads and mappings change. */
TEST(records_of_all_kinds)
{
	compare(&(struct activity){.seed = stream_seed(2),
				   .records = RECORDS,
				   .rare = 100,
				   .wild = 3});
}

KTAP_MAIN
