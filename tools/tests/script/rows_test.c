// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of script, which remembers texts between records, compared with
 * lines that are built anew for each record.
 */
#include "command.h"
#include "scenario.h"

#include "script/script.h"

#define RECORDS 20000

/* All that SPE records have. */
#define FIELDS                                                             \
	"type,time,ticks,cpu,pid,tid,comm,el,ns,pc,sym,symoff,dso,op,"     \
	"op_text,va,pa,target,previous_target,events,lat_total,lat_issue," \
	"lat_xlat,counts,source,source_name,context_el1,context_el2,offset"

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
	BYTES b = {}, one = {}, other = {};
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
}

static void put_line(struct bytes *lines, const struct plan *plan,
		     struct view *view)
{
	static char text[1 << 16];
	char *end;

	ASSERT_TRUE(parts_room(plan->parts, plan->nr_parts, view) + PLAN_END <
		    sizeof(text));
	end = parts_put(text, plan->format, plan->parts, plan->nr_parts, view);
	end = plan_end(plan, text, end);
	bytes_add(lines, text, end - text);
}

static void put_lines(struct bytes *lines, const struct bytes *b,
		      enum print_format format, const char *fields)
{
	struct pmscope_symbols *symbols = pmscope_symbols_new(NULL);
	struct pmscope_recording *r = NULL;
	struct pmscope_sample sample;
	struct named_field named[FIELDS_MAX];
	struct plan plan;
	struct view view;
	int nr = 0;

	if (fields)
		nr = fields_parse("test", fields, FIELD_COLUMN, FIELDS_MAX,
				  named);
	ASSERT_TRUE(nr >= 0);
	plan_make(&plan, format, named, nr, false);
	ASSERT_EQ(pmscope_recording_open(b->data, b->size, NULL, &r), 0);
	while (pmscope_recording_next(r, &sample) > 0) {
		view_fill(&view, &sample, r, symbols);
		put_line(lines, &plan, &view);
	}
	pmscope_recording_free(r);
	pmscope_symbols_free(symbols);
}

static void compare_lines(const struct bytes *b, enum print_format format,
			  const char *fields, const char *arguments)
{
	static char text[32 << 20];
	BYTES lines = {};
	char *begin = text;

	command_pmscope_text(b, arguments, text, sizeof(text));
	put_lines(&lines, b, format, fields);
	if (format == PRINT_CSV)
		begin = strchr(text, '\n') + 1;
	EXPECT_TRUE(lines.size > 100 * RECORDS);
	EXPECT_EQ(strlen(begin), lines.size);
	EXPECT_MEMEQ(begin, lines.data, lines.size);
}

static void compare_rows(const struct activity *activity)
{
	BYTES b = {};

	put_activity(&b, activity);
	compare_lines(&b, PRINT_JSONL, NULL, "script --format=jsonl");
	compare_lines(&b, PRINT_CSV, NULL, "script --format=csv");
	compare_lines(&b, PRINT_TEXT, NULL, "script");
	compare_lines(&b, PRINT_JSONL, FIELDS,
		      "script --format=jsonl -F " FIELDS);
}

CASE(records_of_few_kinds,
     compare_rows(&(struct activity){
	     .seed = stream_seed(1), .records = RECORDS, .rare = 1000}));

/* Any packets in any order, while threads and mappings change. */
CASE(records_of_all_kinds,
     compare_rows(&(struct activity){.seed = stream_seed(2),
				     .records = RECORDS,
				     .rare = 100,
				     .wild = 3}));

/* Columns that perf also has equal perf's. */
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

/*
 * Results of a filter by names are remembered until threads or mappings change.
 */
CASE(records_of_one_file,
     compare(&(struct activity){.seed = stream_seed(3),
				.records = RECORDS,
				.rare = 100},
	     "--filter=dso=/n1", "cat", "", "grep '\"dso\":\"/n1\"'", RECORDS));

CASE(records_of_one_thread,
     compare(&(struct activity){.seed = stream_seed(4),
				.records = RECORDS,
				.rare = 100},
	     "--filter=comm=/n1,dso!=/n2", "cat", "",
	     "grep '\"comm\":\"/n1\"' | grep -v '\"dso\":\"/n2\"'", RECORDS));

/* A filter removes rows and keeps the order of the others. */
CASE(rows_of_one_thread, compare(&(struct activity){.seed = stream_seed(8),
						    .records = RECORDS,
						    .rare = 100,
						    .wild = 3},
				 "-F type,comm,ticks,offset --filter=comm=/n1",
				 "cat", "-F type,comm,ticks,offset",
				 "grep '\"comm\":\"/n1\"'", RECORDS / 10));

#define MAX_FIELDS 32

/* One field of all rows; or several, separated by commas. */
static void run_fields(struct bytes *out, const struct bytes *b,
		       const char *fields)
{
	char arguments[1024], part[4096];
	FILE *pipe;
	size_t n;

	snprintf(arguments, sizeof(arguments),
		 "script --format=csv -F %s 2>/dev/null", fields);
	pipe = command_pmscope_reads(b, arguments);
	ASSERT_TRUE(pipe);
	while ((n = fread(part, 1, sizeof(part), pipe)))
		bytes_add(out, part, n);
	EXPECT_EQ(pclose(pipe), 0);
}

/*
 * The fields of each row side by side, each from its own run; quotes stand for
 * an empty one.
 */
static void join(struct bytes *rows, const struct bytes *columns, size_t nr)
{
	size_t at[MAX_FIELDS] = {}, length;

	while (at[0] < columns[0].size)
		for (size_t i = 0; i < nr; i++) {
			const char *cell = (char *)columns[i].data + at[i];

			length = strcspn(cell, "\n");
			bytes_add(rows, cell,
				  strncmp(cell, "\"\"\n", 3) ? length : 0);
			bytes_add(rows, i + 1 < nr ? "," : "\n", 1);
			at[i] += length + 1;
		}
}

static size_t split(char *fields, const char **names)
{
	size_t nr = 0;

	for (char *p = strtok(fields, ","); p; p = strtok(NULL, ","))
		names[nr++] = p;
	return nr;
}

static void compare_fields(const struct bytes *b, const char **names, size_t nr)
{
	struct bytes columns[MAX_FIELDS] = {}, rows = {}, joined = {};
	char list[sizeof(FIELDS)] = "";

	for (size_t i = 0; i < nr; i++) {
		run_fields(&columns[i], b, names[i]);
		bytes_add(&columns[i], "", 1);
		columns[i].size--;
		strcat(strcat(list, i ? "," : ""), names[i]);
	}
	run_fields(&rows, b, list);
	join(&joined, columns, nr);
	EXPECT_EQ(rows.size, joined.size);
	EXPECT_MEMEQ(rows.data, joined.data, rows.size);
	for (size_t i = 0; i < nr; i++)
		bytes_fini(&columns[i]);
	bytes_fini(&rows);
	bytes_fini(&joined);
}

/* Some of all fields, in any order. */
static void compare_any(const struct bytes *b, uint64_t *state)
{
	const char *names[MAX_FIELDS], *name;
	char fields[] = FIELDS;
	size_t nr = split(fields, names);

	for (size_t i = 1; i < nr; i++) {
		size_t j = random_below(state, i + 1);

		name = names[i];
		names[i] = names[j];
		names[j] = name;
	}
	compare_fields(b, names, 2 + random_below(state, nr - 1));
}

TEST(fields_in_any_order)
{
	uint64_t state = stream_seed(9);
	const struct activity activity = {
		.seed = state, .records = RECORDS, .rare = 300, .wild = 20};
	BYTES b = {};

	put_activity(&b, &activity);
	for (int i = 0; i < 6; i++)
		compare_any(&b, &state);
}

/* Two kinds of records; in one a field between the numbers differs. */
TEST(kinds_that_take_turns)
{
	static const uint64_t levels[] = {0, UINT64_C(1) << 61};
	const char *names[MAX_FIELDS];
	BYTES b = {}, trace = {};
	char fields[] = "time,el,ticks,tid";

	for (unsigned int i = 0; i < RECORDS; i++) {
		PUT_ADDRESS(&trace, PC, 0x401000 | levels[i & 1]);
		put_timestamp(&trace, 20000 + i);
	}
	perfdata_begin(&b);
	put_time_conv(&b, 0, 1, 0);
	put_auxtrace_info(&b, 4);
	put_auxtrace(&b, 0, 0, -1, &trace);
	perfdata_end(&b);
	compare_fields(&b, names, split(fields, names));
}

/* The same number, now of this level and now of that. */
TEST(contexts_of_two_levels)
{
	static char text[1 << 17], expected[1 << 17];
	char *p = expected;
	BYTES b = {};

	p += sprintf(p, "context_el1,context_el2,offset\n");
	for (unsigned int i = 0; i < 4000; i++) {
		p += sprintf(p, i & 1 ? ",7,%zu\n" : "7,,%zu\n", b.size);
		put_packet(&b, PMSCOPE_PACKET_CONTEXT, i & 1, 4, 7);
		put(&b, 1, 1);
	}
	EXPECT_EQ(command_pmscope_text(&b,
				       "script --raw --format=csv "
				       "-F context_el1,context_el2,offset",
				       text, sizeof(text)),
		  0);
	EXPECT_STREQ(text, expected);
}

/* Each record without packets is a row, too. */
TEST(records_of_nothing)
{
	char text[4096], expected[4096] = "type,pc,offset\n";
	BYTES b = {};

	for (int i = 0; i < 20; i++) {
		put(&b, 1, 1);
		sprintf(expected + strlen(expected), "spe,,%d\n", i);
	}
	EXPECT_EQ(command_pmscope_text(
			  &b, "script --raw --format=csv -F type,pc,offset",
			  text, sizeof(text)),
		  0);
	EXPECT_STREQ(text, expected);
}

STEP_OF(put_some)
{
	put_activity(&sc->b, &(struct activity){.seed = stream_seed(6),
						.records = RECORDS,
						.rare = 1000});
	sc->ended = true;
}

#define KEPT_OUT(view)                                                 \
	COMMAND("report --format=jsonl --filter='time>=10001' " view), \
		HAS("\"filtered\":10000")

/* Times from 1 on, the same in each view. */
SCENARIO(filter_by_time_in_each_view, RAW, CALL(put_some),
	 KEPT_OUT("--threads=1"), KEPT_OUT("--threads=2"),
	 KEPT_OUT("--cachelines"), KEPT_OUT("--timeline"));

/* Two processes use the same address: the CSV of its lines. */
#define TASK(pid) COMM(1, pid, pid, "task")
#define LINES_OF(va, first, second)                                   \
	TASK(first), TASK(second), T_LOAD_OF(10, first, 0x1000, va),  \
		T_LOAD_OF(11, second, 0x1000, va), AREA(0, 0, 0, -1), \
		COMMAND("report --cachelines --format=csv")

SCENARIO(memory_of_the_kernel_is_that_of_all_processes,
	 LINES_OF(0xffff00009000, 10, 11), TIMES(2, "\n0x"), ANEW,
	 LINES_OF(0x00ff800000009000, 10, 11), TIMES(1, "\n0x"));

static char *kept;

STEP_IS(keep, kept = strdup(sc->out));

STEP_OF(expect_kept)
{
	EXPECT_STREQ(sc->out, kept);
	free(kept);
}

/* Which of them is seen first depends on how many threads look. */
SCENARIO(order_of_lines_that_are_alike, LINES_OF(0x9000, 10, 11), CALL(keep),
	 ANEW, LINES_OF(0x9000, 11, 10), CALL(expect_kept));

/*
 * Bit 12 is LATE-PREFETCH on a Neoverse N1, and has no name on an unknown CPU.
 */
#define BIT_12(cpu)                                                \
	T_PACKET(PMSCOPE_PACKET_EVENTS, 0, 2, 1 << 12), T_TIME(1), \
		AREA(0, cpu, cpu, -1)
#define UNNAMED(cpus)                                                        \
	PLAY(BARE, CONV(0, 1, 0), INFO_V2(cpus, 2, 3), BIT_12(0), BIT_12(1), \
	     COMMAND("report -s cpu --format=csv"), HAS("IMPDEF:12=1"),      \
	     LACKS("LATE-PREFETCH"))

TEST(events_that_one_cpu_has_no_name_for)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd0c1, 4, 0}, {1, 0, 4, 0}};
	static const uint64_t turned[][4] = {{0, 0, 4, 0},
					     {1, 0x410fd0c1, 4, 0}};

	UNNAMED(cpus);
	UNNAMED(turned);
}
