// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page of report --format=html: that it is whole, bounded and inert, and
 * what it shows in a browser. Its numbers are computed again in
 * recount/page.py.
 */
#include "command.h"
#include "symbols_scenario.h"

#include "code/code.h"
#include "html/html.h"

#define PAGE_MAX (2 << 20)

static const char *const hostile[] = {
	"</script><script>window.hostile = 1</script>",
	"<img src=x onerror=window.hostile=1>",
	"<!--<script>",
	"{{MODEL}} ${window.hostile = 1} `",
	"\"'&lt;&#60;script>",
	"\033[31mred\033]0;title\a",
	"\u202eright\u2066\u061c",
	"__proto__",
	"=cmd|' /C calc'!A0",
	"\377\300\200",
	"new\nline\r\t\177",
};

static void put_hostile(struct bytes *b)
{
	char name[128];

	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		uint32_t tid = 100 + i;
		uint64_t start = 0x10000 * (i + 1);

		comm_at(b, 0, hostile[i], 1, tid, tid);
		snprintf(name, sizeof(name), "/tmp/%s", hostile[i]);
		map_at(b, start, name, 2, tid);
		load_at(b, i, tid, start + 0x100, 10 + i);
		load_at(b, i, tid, start + 0x104, 4000 + 10 * i);
	}
}
#define HOSTILE APPLY(put_hostile)

STEP_OF(put_busy)
{
	static const uint64_t cpus[][4] = {{0, NEOVERSE_N1, 10, 0},
					   {1, NEOVERSE_N1, 10, 0}};
	struct where where = {SKEWED_TASK, SKEWED_TASK, 1, 0};
	struct bytes *b = &sc->b;

	put_auxtrace_info_v2(b, cpus, 2, 4);
	put_time_conv(b, 10, 25600, 123456789);
	for (uint32_t task = 0; task < SKEWED_TASKS; task++) {
		where.pid = where.tid = SKEWED_TASK + task;
		put_comm(b, 0, task & 1 ? "odd" : "even", &where);
		put_mmap2(b, SKEWED_TEXT, 0x1000000, 0, "/bin/skewed", &where);
	}
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct skewed s = {.random = 5 + cpu,
				   .ticks = 1000 + 40000 * cpu};
		BYTES trace = {};

		for (uint64_t i = 0; i < step->v[0]; i++)
			put_skewed(&trace, &s);
		put_auxtrace(b, cpu, cpu, NO_ID, &trace);
	}
}
#define BUSY(records) BARE, CALL(put_busy, records)

#define CODE_BASE UINT64_C(0x400000)
#define WORK	  PROGRAM_TEXT
#define WORK_SIZE 24
#define LONG	  (WORK + WORK_SIZE)
#define LONG_NR	  800

static const uint32_t work[] = {
	0xf9400020, /* ldr x0, [x1] */
	0xf1000442, /* subs x2, x2, #1 */
	0x54ffffc1, /* b.ne to the first */
	0x94000003, /* bl to the long function */
	0xd503201f, /* nop */
	0xd65f03c0, /* ret */
};

/* "/usr/bin/program" below the root: a short function and a long one. */
STEP_OF(make_program)
{
	const struct program_symbol symbols[] = {
		{step->text, WORK, WORK_SIZE, .type = STT_FUNC},
		{step->data, LONG, 4 * LONG_NR, .type = STT_FUNC},
		{step->data, PROGRAM_DATA, 0x40, .type = STT_OBJECT},
	};
	uint32_t nops[LONG_NR];

	for (size_t i = 0; i < LONG_NR; i++)
		nops[i] = 0xd503201f;
	put_program(&sc->file, symbols, ARRAY_SIZE(symbols));
	program_set_code(&sc->file, WORK, work, ARRAY_SIZE(work));
	program_set_code(&sc->file, LONG, nops, LONG_NR);
}
#define MADE_OF(short_one, long_one)                   \
	TELL_OF(make_program, short_one, long_one, 0), \
		STORE("root/usr/bin/program")
#define MADE MADE_OF("work", "long")
#define MAPPED                      \
	COMM(1, 10, 10, "program"), \
		MMAP(1, 10, 10, CODE_BASE, 0x10000, 0, "/usr/bin/program")
#define SYMFS "--symfs=$D/root "

/* An operation of loads and stores; its translation took one cycle. */
static void put_operation(struct bytes *b, uint64_t pc, unsigned int operation,
			  unsigned int latency, unsigned int events,
			  uint64_t time)
{
	BYTES trace = {};

	PUT_ADDRESS(&trace, PC, UINT64_C(1) << 63 | pc);
	PUT_CONTEXT(&trace, 0, 10);
	PUT_OPERATION(&trace, LOAD_STORE, operation);
	PUT_EVENTS(&trace, 2, events);
	PUT_COUNTER(&trace, TOTAL, latency);
	PUT_COUNTER(&trace, TRANSLATE, 1);
	put_timestamp(&trace, time);
	put_auxtrace(b, 0, 0, NO_ID, &trace);
}

static void put_access(struct bytes *b, uint64_t pc, unsigned int latency,
		       unsigned int events, uint64_t time)
{
	put_operation(b, pc, 0, latency, events, time);
}

#define RETIRED	   (1 << 1)
#define L1D_REFILL (1 << 3)
#define TLB_REFILL (1 << 5)
#define MISPRED	   (1 << 7)
#define LLC_REFILL (1 << 9)

/*
 * Of the short function most of the samples, of the long one the latencies; and
 * code that no file has.
 */
static void put_work(struct bytes *b)
{
	for (uint32_t i = 0; i < 9; i += 2)
		put_access(b, CODE_BASE + WORK, 10 + i,
			   RETIRED | L1D_REFILL | (i % 4 ? 0 : LLC_REFILL),
			   10 + i);
	for (uint32_t i = 1; i < 9; i += 2)
		put_access(b, CODE_BASE + WORK + 8, 10 + i, RETIRED | MISPRED,
			   30 + i);
	for (uint32_t i = 0; i < 5; i++)
		put_access(b, CODE_BASE + LONG + 400 * i, 500 + i, RETIRED,
			   50 + i);
	put_access(b, 0x77000000, 3, RETIRED, 60);
}
#define OF_WORK MAPPED, APPLY(put_work)

/* Samples of a clock: three of four in the long function, at one place */
static void put_ticks(struct bytes *b)
{
	for (uint32_t i = 0; i < 160; i++) {
		BYTES body = {};

		PUT(&body, 8, PERFDATA_ID,
		    CODE_BASE + (i % 4 ? LONG : WORK) + 12,
		    10 * UINT64_C(0x100000001), 10 + i, 0);
		put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	}
}
#define TIMED_WORK APPLY(perfdata_use_cpu_clock), OF_WORK, APPLY(put_ticks)

STEP_OF(need_disassembler)
{
	char name[DISASSEMBLER_NAME];

	if (!strcmp(disassembler_name(NULL, name), "none"))
		SKIP("no LLVM and no objdump");
}
#define DISASSEMBLED	 CALL(need_disassembler)
#define PAGE_OF(options) COMMAND("report --format=html " options)

static unsigned int how_often(const char *text, const char *word)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

STEP_IS(expect_no_source, EXPECT_EQ(how_often(sc->out, " src="),
				    how_often(sc->out, "img src=x")));

SCENARIO(a_page_has_a_policy_that_lets_nothing_in, HOSTILE, PAGE_OF(""),
	 TIMES(1, "default-src 'none'"), TIMES(1, "script-src 'sha256-"),
	 TIMES(1, "style-src 'sha256-"), LACKS("unsafe-"),
	 CALL(expect_no_source), LACKS("://"));

STEP_OF(expect_inert_model)
{
	char *model = strstr(sc->out, "id=\"model\">"), *end;

	ASSERT_TRUE(model);
	end = strstr(model, "</script>");
	ASSERT_TRUE(end);
	*end = '\0';
	EXPECT_EQ(how_often(model, "<"), 0U);
	/* As comm, as dso, and in a row of the functions. */
	EXPECT_GE(how_often(model, "\\u003c/script>\\u003cscript>"), 3U);
	EXPECT_GE(how_often(model, "{{MODEL}}"), 3U);
	EXPECT_EQ(how_often(model, "\033"), 0U);
}

SCENARIO(hostile_names_end_no_script, HOSTILE, PAGE_OF(""),
	 TIMES(2, "</script>"), TIMES(2, "<script"), LACKS("<img"),
	 TIMES(1, "<!--") /* the licence */, CALL(expect_inert_model));

STEP_OF(expect_bounded)
{
	EXPECT_GT(strlen(sc->out), 200000U);
	EXPECT_LT(strlen(sc->out), (size_t)PAGE_MAX - 100000);
}

SCENARIO(a_page_stays_below_its_limit, BUSY(150000), PAGE_OF(""),
	 CALL(expect_bounded), HAS("\"samples\":300000"));

/* Samples at one time, and counts 13 days later. */
STEP_OF(put_far_counts)
{
	put_snapshot_event(&sc->b, 1, 8, "far");
	for (uint64_t i = 0; i < 2; i++)
		put_snapshot_group(&sc->b, 0, (1ULL << 50) + i,
				   (struct snapshot_value[]){{1, i}}, 1);
}

SCENARIO(times_far_apart_share_the_slices_of_a_page, BUSY(10),
	 CALL(put_far_counts), PAGE_OF(""), HAS("\"slices\":66,\"untimed\""),
	 HAS(",0,0,1]}]"), PAGE_OF("--time=0,1"),
	 HAS("\"slices\":128,\"untimed\""));

static char *kept;

/* Not the name of the file, which comes before. */
STEP_IS(keep_page, kept = strdup(strstr(sc->out, "\"samples\"") ?: ""));

STEP_OF(expect_page_kept)
{
	EXPECT_TRUE(*kept &&
		    !strcmp(strstr(sc->out, "\"samples\"") ?: "", kept));
	free(kept);
}

SCENARIO(pages_are_the_same_for_any_number_of_threads, BUSY(3000),
	 PAGE_OF("--threads=1"), CALL(keep_page), PAGE_OF("--threads=3"),
	 CALL(expect_page_kept));

/* It depends on the order of the samples which places are counted together. */
TEST(reduced_pages_are_the_same_for_any_number_of_threads)
{
	PLAY(BUSY(100000), PAGE_OF("--threads=1"), HAS("\"reduced\":true"),
	     CALL(keep_page), PAGE_OF("--threads=2"), CALL(expect_page_kept),
	     CALL(keep_page), PAGE_OF("--threads=5"), CALL(expect_page_kept));
}

/* What follows is of the code of functions. */
STEP_IS(go_to_code, sc->out = strstr(sc->out, "\"code\":{") ?: "");
#define CODE_OF_WORK \
	DISASSEMBLED, MADE, OF_WORK, PAGE_OF(SYMFS), CALL(go_to_code)

/* Samples, with a latency, their cycles, p90; a miss of none. */
SCENARIO(a_page_has_the_code_of_its_functions, CODE_OF_WORK,
	 TIMES(1, "[0,\"ldr x0, [x1]\",null,[],5,5,70,18,70,5,3,0,0]"),
	 TIMES(1, "[4,\"subs x2, x2, #1\",null,[]]"),
	 TIMES(1, "[8,\"b.ne 0x200\",\"+0x0\",[],4,4,56,17,56,0,0,0,4]"),
	 TIMES(1, "[12,\"bl 0x218\",\"long+0x0\",[]]"),
	 TIMES(1, "\"missing\":\"no symbol is known for it\""),
	 TIMES(1, "\"left_out\":0}"));

/* Instructions far from samples are left out; all with samples are shown. */
SCENARIO(of_a_long_function_the_code_around_samples, CODE_OF_WORK,
	 TIMES(5, ",null,[],1,1,50"),
	 TIMES(1, "[[0,\"nop\",null,[],1,1,500,500,500,"),
	 TIMES(1, "[24,\"nop\",null,[]],87,[376,\"nop\""),
	 TIMES(1, "[1624,\"nop\",null,[]],393],\"hidden_samples\":0"));

/* 9000 of 15600 cycles, and 6000 of stores whose translation took one. */
static void put_waits(struct bytes *b)
{
	for (uint32_t i = 0; i < 60; i++) {
		put_access(b, CODE_BASE + WORK, 150, RETIRED | LLC_REFILL,
			   50 + i);
		put_operation(b, CODE_BASE + WORK + 4, 1, 100,
			      RETIRED | TLB_REFILL, 100 + i);
		put_access(b, CODE_BASE + WORK + 8, 10, RETIRED, 200 + i);
	}
}
#define SENTENCES                                                              \
	HAS("The program waits for memory"),                                   \
		HAS("Most of that is in work (/usr/bin/program): 100.0%, 60 "  \
		    "samples. Its costliest instruction is 'ldr x0, [x1]' at " \
		    "+0x0."),                                                  \
		HAS("For the instructions: pmscope annotate work"),            \
		HAS("Second, stores:"),                                        \
		HAS("in work (/usr/bin/program), costliest 'subs x2, x2, "     \
		    "#1' at +0x4; write whole lines")

/* In all forms the same, also of several threads' sums. */
TEST(sentences_name_the_instruction)
{
	PLAY(DISASSEMBLED, MADE, MAPPED, APPLY(put_waits), PAGE_OF(SYMFS),
	     SENTENCES, HAS("\"dso\":\"/usr/bin/program\",\"symoff\":0},{"),
	     COMMAND("report " SYMFS), SENTENCES,
	     COMMAND("report --threads=3 --sort=sym,dso,op " SYMFS), SENTENCES);
}

/* What a shell would take for more than one word. */
TEST(sentences_quote_names_for_a_shell)
{
	PLAY(MADE_OF("f<int> (it's)", "long"), MAPPED, APPLY(put_waits),
	     COMMAND("report " SYMFS),
	     HAS("pmscope annotate 'f<int> (it'\\''s)'\n"));
}

#define VARIABLE (CODE_BASE + PROGRAM_GAP + PROGRAM_DATA)

/* Two threads load two members of a variable, and nothing with a name. */
static void put_users(struct bytes *b)
{
	BYTES trace = {};

	for (uint32_t i = 0; i < 40; i++) {
		PUT_ADDRESS(&trace, PC, UINT64_C(1) << 63 | (CODE_BASE + WORK));
		PUT_CONTEXT(&trace, 0, 10 + i % 2);
		PUT_OPERATION(&trace, LOAD_STORE, i % 4 == 1);
		PUT_EVENTS(&trace, 2, RETIRED);
		PUT_COUNTER(&trace, ISSUE, i % 5);
		PUT_COUNTER(&trace, TOTAL, 10 + 3 * i);
		PUT_ADDRESS(&trace, VA,
			    i % 10 == 9 ? 0x9000000
					: VARIABLE + (i % 3 ? 8 : 16));
		PUT_SOURCE(&trace, 1, i % 3 ? 0 : 8);
		put_timestamp(&trace, 10 + i);
	}
	put_auxtrace(b, 0, 0, NO_ID, &trace);
}
#define USERS                                                   \
	MAPPED,                                                 \
		MMAP(1, 10, 10, VARIABLE, 0x1000, PROGRAM_DATA, \
		     "/usr/bin/program"),                       \
		COMM(1, 10, 11, "program"), APPLY(put_users)

/* 12 loads at +0x10; those with code 8 are all of these. */
SCENARIO(a_page_has_the_objects_of_data, MADE, USERS, PAGE_OF(SYMFS),
	 HAS("\"objects\":[{\"threads\":2,\"costliest\":\"code 0\","),
	 HAS("\"object\":\"long\",\"member\":\"long+0x8\",\"samples\":24,"),
	 HAS("\"threads\":2,\"costliest\":\"code 8\",\"costs\":"),
	 HAS("\"objects_total\":3,"), HAS("\"member\":\"long+0x10\",\"sym\""),
	 RECOUNT, ANEW, OF_WORK, PAGE_OF(""), HAS("\"objects\":[],"));

static void put_chain(struct bytes *b, uint64_t time, const uint64_t *chain,
		      size_t nr)
{
	BYTES body = {};

	put(&body, PERFDATA_ID, 8);
	PUT(&body, 4, 10, 10);
	put(&body, time, 8);
	put(&body, 0, 8); /* CPU */
	put(&body, nr, 8);
	for (size_t i = 0; i < nr; i++)
		put(&body, chain[i], 8);
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
}

/*
 * The short function, called three times by the long one, once through a
 * function without a name; each time it has two samples. The long one has no
 * chains.
 */
static void put_calls(struct bytes *b)
{
	static const uint64_t chain[] = {CODE_BASE + WORK + 4,
					 CODE_BASE + LONG + 8, 0x77000100};

	for (uint32_t i = 0; i < 4; i++)
		put_chain(b, 100 * (i + 1), chain, i == 3 ? 3 : 2);
	for (uint32_t i = 0; i < 8; i++)
		put_access(b, CODE_BASE + WORK, 10 + 40 * i, RETIRED,
			   95 + 100 * (i / 2) + 10 * (i % 2));
	put_access(b, CODE_BASE + LONG, 10, RETIRED, 500);
}
#define CALLS                                                          \
	TYPE_IS(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN), MAPPED, \
		APPLY(put_calls)

/* One place for each chain of callers, and none for the long one. */
SCENARIO(a_page_has_estimated_callers, MADE, CALLS, PAGE_OF(SYMFS),
	 TIMES(1, "\"chains\":4,\"callers_shown\":"),
	 TIMES(1, "\"chains\":4,\"samples\":6,"),
	 TIMES(1, "\"chains\":4,\"samples\":2,"), TIMES(2, "\"callers\":"));

SCENARIO(pages_without_chains_have_no_callers, BUSY(100), PAGE_OF(""),
	 LACKS("\"chains\":"), LACKS("\"callers\":"));

/* For the shell: pmscope is $P. */
STEP_OF(write_recording)
{
	perfdata_end(&sc->b);
	sc->ended = true;
	open_dir(sc);
	EXPECT_TRUE(fixture_write("recording", sc->b.data, sc->b.size));
	setenv("P", command_pmscope(), 1);
}

#define TO(file) "$P report --format=html -i recording -o " file

SCENARIO(an_output_file_is_whole_or_as_before, BUSY(200), CALL(write_recording),
	 RUN("mkdir out && " TO(
		 "out/page") " && "
			     "test $(stat -c %s out/page) -gt 20000"),
	 /* It cannot be written at all. */
	 RUN(TO("out/none/page") "; test $? = 1"),
	 /* No room: what was there stays. */
	 RUN("cp out/page page && (ulimit -f 8; trap '' XFSZ; " TO(
		 "out/page") "); test $? = 1 && cmp page out/page"),
	 RUN("$P report -i recording -o out/rows && "
	     "test $(stat -c %s out/rows) -gt 100"),
	 /* Nothing else is left. */
	 RUN("test $(ls -A out | wc -l) = 2"));

SCENARIO(options_of_other_views_are_refused, BUSY(10),
	 FAILING("report --format=html --sort=cpu 2>/dev/null"),
	 FAILING("report --format=html --timeline 2>/dev/null"));

STEP_OF(need_browser)
{
	if (!getenv("PMSCOPE_CONSUMERS"))
		SKIP("PMSCOPE_CONSUMERS is not set; "
		     "tools/machine/build consumers prints its value");
}
#define NEED_BROWSER CALL(need_browser)

/* Notes what a script of a browser prints, which is to end with 0. */
static void browser_said(FILE *pipe)
{
	char line[1024];
	int status;

	ASSERT_TRUE(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		line[strcspn(line, "\n")] = '\0';
		ktap_note("%s", line);
	}
	status = pclose(pipe);
	EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

/* Shows the page in a browser: see browser.mjs. */
STEP_OF(browse)
{
	static const char *const views[] = {
		"report --format=html",
		"report --format=jsonl",
		"annotate --format=jsonl",
		"report --sort=callers,sym --format=jsonl",
	};
	const char *shots = getenv("PMSCOPE_SCREENSHOTS");
	const char *options = step->data;
	char command[2048];
	int n;

	if (!step->v[0])
		perfdata_end(&sc->b);
	n = snprintf(command, sizeof(command), "sh -c 'd=$(mktemp -d)");
	for (int i = 0; i < 4; i++)
		n += snprintf(command + n, sizeof(command) - n,
			      " && %s %s %s \"$@\" >$d/%d.html",
			      command_pmscope(), views[i], options, i);
	snprintf(command + n, sizeof(command) - n,
		 " && node %s/html/browser.mjs $d/[0-3].html \"%s%s\" %s %s "
		 "\"$@\" 2>&1; s=$?; rm -r $d; exit $s' sh",
		 PMSCOPE_TESTS, shots ?: "", shots ? step->text : "",
		 command_pmscope(), options);
	browser_said(command_reads(&sc->b, command));
}
/* What put_some_activity() makes is whole. */
#define BROWSE_WHOLE(name, options) TELL_OF(browse, name, options, true)
#define BROWSE(name, options)	    TELL_OF(browse, name, options, 0)

STEP_IS(put_some_activity,
	put_activity(&sc->b, &(struct activity){.seed = 7,
						.records = 3000,
						.rare = 20,
						.counted = true}));

PLAIN_SCENARIO(a_browser_shows_the_numbers_of_report, RAW, NEED_BROWSER,
	       CALL(put_some_activity), BROWSE_WHOLE("/activity-", ""));

#define WORKERS 3000

/* Each has a name, and runs the same code on a line of all and on its own. */
static void put_workers(struct bytes *b)
{
	BYTES trace = {};

	for (uint32_t i = 0; i < WORKERS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "worker-%u", i);
		put_comm(b, 0, name, &(struct where){10, 100 + i, 1, 0});
		for (uint32_t k = 0; k < 20; k++)
			put_load_of(&trace, 100 + i, CODE_BASE + 4 * (k % 10),
				    k < 4 ? 0x9000 + 8 * (i % 8)
					  : 0x10000 + 64 * i + k,
				    10 + 20 * i + k);
	}
	put_auxtrace(b, 0, 0, NO_ID, &trace);
}

/* Threads have columns and rows, but not each in each place. */
SCENARIO(a_page_of_many_threads, MAPPED, APPLY(put_workers), PAGE_OF(""),
	 HAS("\"samples\":60000"), CALL(expect_bounded));

/* Two threads use one line now and then, and each time others once. */
static void put_many_lines(struct bytes *b)
{
	BYTES trace = {};

	for (uint32_t i = 0; i < HTML_LINE_USES + 20000; i++) {
		uint32_t shared = i % 100 == 0, tid = 100 + i / 100 % 2;

		put_load_of(&trace, tid, CODE_BASE,
			    shared ? 0x9000 : 0x100000 + UINT64_C(64) * i,
			    10 + i);
	}
	put_auxtrace(b, 0, 0, NO_ID, &trace);
}

/* Those of one sample are forgotten for it, and counted. */
PLAIN_SCENARIO(a_shared_line_among_too_many, COMM(1, 100, 100, "one"),
	       COMM(1, 100, 101, "two"), APPLY(put_many_lines), PAGE_OF(""),
	       HAS("\"lines\":[{\"address\":\"0x9000\""),
	       HAS("\"threads\":2,\"samples\":1500,"),
	       LACKS("\"lines_left_out\":0,"));

PLAIN_SCENARIO(hostile_names_do_nothing_in_a_browser, NEED_BROWSER, HOSTILE,
	       BROWSE("/hostile-", ""));

PLAIN_SCENARIO(a_browser_shows_the_code_of_annotate, NEED_BROWSER, DISASSEMBLED,
	       MADE, MAPPED, APPLY(put_waits), BROWSE("/code-", SYMFS));

PLAIN_SCENARIO(a_browser_shows_the_objects_of_report, NEED_BROWSER,
	       DISASSEMBLED, MADE, USERS, BROWSE("/objects-", SYMFS));

PLAIN_SCENARIO(hostile_objects_do_nothing_in_a_browser, NEED_BROWSER,
	       DISASSEMBLED, MADE_OF("work", hostile[0]), USERS,
	       BROWSE("/objects-", SYMFS));

PLAIN_SCENARIO(a_browser_shows_the_time_of_report, NEED_BROWSER, DISASSEMBLED,
	       MADE, TIMED_WORK, BROWSE("/time-", SYMFS));

PLAIN_SCENARIO(hostile_functions_do_nothing_in_a_browser, NEED_BROWSER,
	       DISASSEMBLED, MADE_OF(hostile[0], hostile[1]), OF_WORK,
	       BROWSE("/code-", SYMFS));

PLAIN_SCENARIO(a_browser_shows_the_callers_of_report, NEED_BROWSER,
	       MADE_OF("work", hostile[0]), CALLS, BROWSE("/callers-", SYMFS));

/* Some functions wait longer, some not; names of others do no harm. */
static void put_run(struct bytes *b, unsigned int latency)
{
	struct where where = at(1, 10, 10);

	begin(b);
	comm_at(b, 0, "program", 1, 10, 10);
	put_mmap2(b, CODE_BASE, 0x10000, 0, "/usr/bin/program", &where);
	for (uint32_t i = 0; i < 300; i++)
		put_access(b, CODE_BASE + WORK, 10 + i % 7, RETIRED, 10 + i);
	for (uint32_t i = 0; i < 200; i++)
		put_access(b, CODE_BASE + LONG, latency + i % 5, RETIRED,
			   400 + i);
	for (uint32_t i = 0; i < 5; i++)
		put_access(b, 0x77000000, 3, RETIRED, 700);
	perfdata_end(b);
}

#define DIFF_PAGE_MAX (1 << 20)

__attribute__((format(printf, 1, 0))) static FILE *
compare_runs(const char *format)
{
	BYTES old = {}, new = {};
	char command[2048];

	put_run(&old, 20);
	put_run(&new, 90);
	setenv("P", command_pmscope(), 1);
	snprintf(command, sizeof(command), format,
		 getenv("PMSCOPE_SCREENSHOTS") ?: "",
		 getenv("PMSCOPE_SCREENSHOTS") ? "/diff-" : "");
	return command_compares(&old, &new, command);
}

STEP_OF(read_diff)
{
	static char page[DIFF_PAGE_MAX];
	FILE *pipe = compare_runs("$P diff --format=html --symfs=$D/root");

	ASSERT_TRUE(pipe);
	EXPECT_GT(fread(page, 1, DIFF_PAGE_MAX - 1, pipe), 5000U);
	EXPECT_EQ(pclose(pipe), 0);
	sc->out = page;
}

SCENARIO(a_page_of_diff_is_whole_and_inert, MADE_OF(hostile[0], hostile[3]),
	 CALL(read_diff), TIMES(2, "</script>"), TIMES(2, "<script"),
	 TIMES(1, "default-src 'none'"), LACKS("unsafe-"), LACKS("://"),
	 TIMES(2, "\"verdict\":\"costs more\""),
	 HAS("\"left_out\":0,\"lines\":[{"), HAS("</html>"));

STEP_IS(browse_diff,
	browser_said(compare_runs(
		"sh -c 'd=$(mktemp -d) && "
		"$P diff --format=html --symfs=$D/root -o $d/0.html \"$@\" && "
		"$P diff --format=jsonl --symfs=$D/root -o $d/lines \"$@\" && "
		"node " PMSCOPE_TESTS "/html/diff.mjs $d/0.html $d/lines %s%s "
		"2>&1; s=$?; rm -r $d; exit $s' sh")));

PLAIN_SCENARIO(a_browser_shows_the_rows_of_diff, NEED_BROWSER, MADE,
	       CALL(browse_diff));

PLAIN_SCENARIO(hostile_rows_do_nothing_in_a_browser, NEED_BROWSER,
	       MADE_OF(hostile[0], hostile[6]), CALL(browse_diff));
