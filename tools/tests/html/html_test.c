// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page of report --format=html: that it is whole, bounded and inert, and
 * what it shows in a browser. Its numbers are computed again in
 * recount/page.py.
 */
#include "activity.h"
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "program.h"
#include "recording_fixture.h"
#include "skewed.h"

#include <pmscope/packet.h>

#include "code/disassemble.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_MAX    (2 << 20)
#define NEOVERSE_N1 0x410fd0c0
#define NO_ID	    UINT32_MAX

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

#define NR_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static void put_hostile(struct bytes *b)
{
	char name[128];

	begin(b);
	for (size_t i = 0; i < NR_HOSTILE; i++) {
		uint32_t tid = 100 + i;
		uint64_t start = 0x10000 * (i + 1);

		comm_at(b, 0, hostile[i], 1, tid, tid);
		snprintf(name, sizeof(name), "/tmp/%s", hostile[i]);
		map_at(b, start, name, 2, tid);
		load_at(b, i, tid, start + 0x100, 10 + i);
		load_at(b, i, tid, start + 0x104, 4000 + 10 * i);
	}
	perfdata_end(b);
}

/* Two N1 CPUs, on which tasks with many functions take turns. */
static void put_busy(struct bytes *b, unsigned int records)
{
	static const uint64_t cpus[][4] = {{0, NEOVERSE_N1, 10, 0},
					   {1, NEOVERSE_N1, 10, 0}};
	struct where where = {SKEWED_TASK, SKEWED_TASK, 1, 0};

	perfdata_begin(b);
	put_auxtrace_info_v2(b, cpus, 2, 4);
	put_time_conv(b, 10, 25600, 123456789);
	for (uint32_t task = 0; task < SKEWED_TASKS; task++) {
		where.pid = where.tid = SKEWED_TASK + task;
		put_comm(b, 0, task & 1 ? "odd" : "even", &where);
		put_mmap2(b, SKEWED_TEXT, 0x1000000, 0, "/bin/skewed", &where);
	}
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct skewed s = {.random = 5 + cpu, .ticks = 1000};
		BYTES trace = {};

		for (unsigned int i = 0; i < records; i++)
			put_skewed(&trace, &s);
		put_auxtrace(b, cpu, cpu, NO_ID, &trace);
	}
	perfdata_end(b);
}

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
static bool make_program(const char *name, const char *of_long)
{
	const struct program_symbol symbols[] = {
		{name, WORK, WORK_SIZE, .type = STT_FUNC},
		{of_long, LONG, 4 * LONG_NR, .type = STT_FUNC},
	};
	uint32_t nops[LONG_NR];
	BYTES b = {};
	bool done;

	for (size_t i = 0; i < LONG_NR; i++)
		nops[i] = 0xd503201f;
	put_program(&b, symbols, 2);
	program_set_code(&b, WORK, work, sizeof(work) / sizeof(work[0]));
	program_set_code(&b, LONG, nops, LONG_NR);
	done = fixture_write("root/usr/bin/program", b.data, b.size);
	return done;
}

static void put_access(struct bytes *b, uint64_t pc, unsigned int latency,
		       unsigned int events, uint64_t time)
{
	BYTES trace = {};

	put_packet(&trace, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   UINT64_C(1) << 63 | pc);
	put_packet(&trace, PMSCOPE_PACKET_CONTEXT, 0, 4, 10);
	put_packet(&trace, PMSCOPE_PACKET_OPERATION,
		   PMSCOPE_OPERATION_LOAD_STORE, 1, 0);
	put_packet(&trace, PMSCOPE_PACKET_EVENTS, 0, 2, events);
	put_packet(&trace, PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TOTAL, 2,
		   latency);
	put_timestamp(&trace, time);
	put_auxtrace(b, 0, 0, NO_ID, &trace);
}

#define RETIRED	   (1 << 1)
#define L1D_REFILL (1 << 3)
#define MISPRED	   (1 << 7)
#define LLC_REFILL (1 << 9)

/*
 * Of the short function most of the samples, of the long one the latencies; and
 * code that no file has.
 */
static void put_work(struct bytes *b)
{
	struct where where = at(1, 10, 10);

	begin(b);
	comm_at(b, 0, "program", 1, 10, 10);
	put_mmap2(b, CODE_BASE, 0x10000, 0, "/usr/bin/program", &where);
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
	perfdata_end(b);
}

static bool can_disassemble(void)
{
	char name[DISASSEMBLER_NAME];

	return strcmp(disassembler_name(NULL, name), "none") != 0;
}

/* The page of @b, as text that must be freed. */
static char *page_of(const struct bytes *b, const char *options)
{
	char *text = malloc(2 * PAGE_MAX), command[128];

	snprintf(command, sizeof(command), "report --format=html %s", options);
	if (text)
		EXPECT_EQ(command_pmscope_text(b, command, text, 2 * PAGE_MAX),
			  0);
	return text;
}

static unsigned int how_often(const char *text, const char *word)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

TEST(a_page_has_a_policy_that_lets_nothing_in)
{
	BYTES b = {};
	char *page;

	put_hostile(&b);
	page = page_of(&b, "");
	ASSERT_TRUE(page);
	EXPECT_EQ(how_often(page, "default-src 'none'"), 1U);
	EXPECT_EQ(how_often(page, "script-src 'sha256-"), 1U);
	EXPECT_EQ(how_often(page, "style-src 'sha256-"), 1U);
	EXPECT_EQ(how_often(page, "unsafe-"), 0U);
	EXPECT_EQ(how_often(page, " src="), how_often(page, "img src=x"));
	EXPECT_EQ(how_often(page, "://"), 0U);
	free(page);
}

TEST(hostile_names_end_no_script)
{
	BYTES b = {};
	char *page, *model, *end;

	put_hostile(&b);
	page = page_of(&b, "");
	ASSERT_TRUE(page);
	EXPECT_EQ(how_often(page, "</script>"), 2U);
	EXPECT_EQ(how_often(page, "<script"), 2U);
	EXPECT_EQ(how_often(page, "<img"), 0U);
	EXPECT_EQ(how_often(page, "<!--"), 1U); /* the licence */
	model = strstr(page, "id=\"model\">");
	ASSERT_TRUE(model);
	end = strstr(model, "</script>");
	ASSERT_TRUE(end);
	*end = '\0';
	EXPECT_EQ(how_often(model, "<"), 0U);
	/* As comm, as dso, and in a row of the functions. */
	EXPECT_GE(how_often(model, "\\u003c/script>\\u003cscript>"), 3U);
	EXPECT_GE(how_often(model, "{{MODEL}}"), 3U);
	EXPECT_EQ(how_often(model, "\033"), 0U);
	free(page);
}

/* Names as long as they can be, and ever more functions and instructions. */
TEST(a_page_stays_below_its_limit)
{
	BYTES b = {};
	char *page;

	put_busy(&b, 150000);
	page = page_of(&b, "");
	ASSERT_TRUE(page);
	EXPECT_GT(strlen(page), 200000U);
	EXPECT_LT(strlen(page), (size_t)PAGE_MAX - 100000);
	EXPECT_TRUE(strstr(page, "\"samples\":300000"));
	free(page);
}

TEST(pages_are_the_same_for_any_number_of_threads)
{
	BYTES b = {};
	char *one, *three;

	put_busy(&b, 3000);
	one = page_of(&b, "--threads=1");
	three = page_of(&b, "--threads=3");
	ASSERT_TRUE(one && three);
	/* Not the name of the file, which comes before. */
	EXPECT_TRUE(!strcmp(strstr(one, "\"samples\""),
			    strstr(three, "\"samples\"")));
	free(one);
	free(three);
}

static char *page_of_work(void)
{
	BYTES b = {};
	char options[256], *page;

	put_work(&b);
	snprintf(options, sizeof(options), "--symfs=%s", fixture_path("root"));
	page = page_of(&b, options);
	return page;
}

TEST(a_page_has_the_code_of_its_functions)
{
	char *page, *code;

	if (!can_disassemble())
		SKIP("no LLVM and no objdump");
	ASSERT_TRUE(fixture_open() && make_program("work", "long"));
	page = page_of_work();
	ASSERT_TRUE(page);
	code = strstr(page, "\"code\":{");
	ASSERT_TRUE(code);
	/* Samples, with a latency, their cycles, p90; a miss of none. */
	EXPECT_EQ(how_often(code,
			    "[0,\"ldr x0, [x1]\",null,[],5,5,70,18,5,3,0,0]"),
		  1U);
	EXPECT_EQ(how_often(code, "[4,\"subs x2, x2, #1\",null,[]]"), 1U);
	EXPECT_EQ(how_often(code,
			    "[8,\"b.ne 0x200\",\"+0x0\",[],4,4,56,17,0,0,0,4]"),
		  1U);
	EXPECT_EQ(how_often(code, "[12,\"bl 0x218\",\"long+0x0\",[]]"), 1U);
	EXPECT_EQ(how_often(code, "\"missing\":\"no symbol is known for it\""),
		  1U);
	EXPECT_EQ(how_often(code, "\"left_out\":0}"), 1U);
	fixture_close();
	free(page);
}

/* Instructions far from samples are left out; all with samples are shown. */
TEST(of_a_long_function_the_code_around_samples)
{
	char *page, *code;

	if (!can_disassemble())
		SKIP("no LLVM and no objdump");
	ASSERT_TRUE(fixture_open() && make_program("work", "long"));
	page = page_of_work();
	ASSERT_TRUE(page);
	code = strstr(page, "\"code\":{");
	ASSERT_TRUE(code);
	EXPECT_EQ(how_often(code, ",null,[],1,1,50"), 5U);
	EXPECT_EQ(how_often(code, "[[0,\"nop\",null,[],1,1,500,500,"), 1U);
	EXPECT_EQ(how_often(code, "[24,\"nop\",null,[]],87,[376,\"nop\""), 1U);
	EXPECT_EQ(how_often(code, "[1624,\"nop\",null,[]],393],"
				  "\"hidden_samples\":0"),
		  1U);
	fixture_close();
	free(page);
}

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
	struct where where = at(1, 10, 10);

	begin(b);
	perfdata_set_sample_type(b,
				 PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN);
	comm_at(b, 0, "program", 1, 10, 10);
	put_mmap2(b, CODE_BASE, 0x10000, 0, "/usr/bin/program", &where);
	for (uint32_t i = 0; i < 4; i++)
		put_chain(b, 100 * (i + 1), chain, i == 3 ? 3 : 2);
	for (uint32_t i = 0; i < 8; i++)
		put_access(b, CODE_BASE + WORK, 10 + 40 * i, RETIRED,
			   95 + 100 * (i / 2) + 10 * (i % 2));
	put_access(b, CODE_BASE + LONG, 10, RETIRED, 500);
	perfdata_end(b);
}

TEST(a_page_has_estimated_callers)
{
	char options[256], *page;
	BYTES b = {};

	ASSERT_TRUE(fixture_open() && make_program("work", "long"));
	put_calls(&b);
	snprintf(options, sizeof(options), "--symfs=%s", fixture_path("root"));
	page = page_of(&b, options);
	ASSERT_TRUE(page);
	EXPECT_EQ(how_often(page, "\"chains\":4,\"callers_shown\":"), 1U);
	/* One place for each chain of callers, and none for the long one. */
	EXPECT_EQ(how_often(page, "\"chains\":4,\"samples\":6,"), 1U);
	EXPECT_EQ(how_often(page, "\"chains\":4,\"samples\":2,"), 1U);
	EXPECT_EQ(how_often(page, "\"callers\":"), 2U);
	fixture_close();
	free(page);
}

TEST(pages_without_chains_have_no_callers)
{
	BYTES b = {};
	char *page;

	put_busy(&b, 100);
	page = page_of(&b, "");
	ASSERT_TRUE(page);
	EXPECT_EQ(how_often(page, "\"chains\":"), 0U);
	EXPECT_EQ(how_often(page, "\"callers\":"), 0U);
	free(page);
}

/* The status of a shell command, with OUT as an own directory. */
static int shell(const struct bytes *b, const char *format, const char *out)
{
	char command[512], line[544];
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), format, command_pmscope(), out);
	snprintf(line, sizeof(line), "sh -c '%s' sh", command);
	pipe = command_reads(b, line);
	if (!pipe)
		return -1;
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_file(const char *directory, const char *name, size_t *size)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	*size = 0;
	if (stat(path, &st))
		return false;
	*size = st.st_size;
	return true;
}

TEST(an_output_file_is_whole_or_as_before)
{
	char out[] = "/tmp/pmscope-html-XXXXXX";
	BYTES b = {};
	size_t size, other;

	put_busy(&b, 200);
	ASSERT_TRUE(mkdtemp(out));
	EXPECT_EQ(shell(&b, "%s report --format=html -o %s/page \"$@\"", out),
		  0);
	EXPECT_TRUE(is_file(out, "page", &size));
	EXPECT_GT(size, 20000U);
	/* It cannot be written at all. */
	EXPECT_EQ(shell(&b,
			"%s report --format=html -o %s/none/page \"$@\" "
			"2>/dev/null",
			out),
		  1);
	/* No room: what was there stays. */
	EXPECT_EQ(shell(&b,
			"ulimit -f 8; trap \"\" XFSZ; %s report "
			"--format=html -o %s/page \"$@\" 2>/dev/null",
			out),
		  1);
	EXPECT_TRUE(is_file(out, "page", &other));
	EXPECT_EQ(other, size);
	EXPECT_EQ(shell(&b, "%s report -o %s/rows \"$@\"", out), 0);
	EXPECT_TRUE(is_file(out, "rows", &size));
	EXPECT_GT(size, 100U);
	/* Nothing else is left. */
	EXPECT_EQ(shell(&b, ": %s; test \"$(ls -A %s | wc -l)\" = 2", out), 0);
	EXPECT_EQ(shell(&b, ": %s; rm -r %s", out), 0);
}

TEST(options_of_other_views_are_refused)
{
	BYTES b = {};
	char text[256];

	put_busy(&b, 10);
	EXPECT_EQ(command_pmscope_text(&b,
				       "report --format=html --sort=cpu "
				       "2>/dev/null",
				       text, sizeof(text)),
		  1);
	EXPECT_EQ(command_pmscope_text(&b,
				       "report --format=html --timeline "
				       "2>/dev/null",
				       text, sizeof(text)),
		  1);
}

#define NEED_BROWSER()                                                   \
	do {                                                             \
		if (!getenv("PMSCOPE_CONSUMERS"))                        \
			SKIP("PMSCOPE_CONSUMERS is not set; "            \
			     "tools/machine/build consumers prints its " \
			     "value");                                   \
	} while (0)

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

/* Shows the page of @b in a browser: see browser.mjs. */
static void browse(struct bytes *b, const char *name, const char *options)
{
	static const char *const views[] = {
		"report --format=html",
		"report --format=jsonl",
		"annotate --format=jsonl",
		"report --sort=callers,sym --format=jsonl",
	};
	const char *shots = getenv("PMSCOPE_SCREENSHOTS");
	char command[2048];
	int n;

	n = snprintf(command, sizeof(command), "sh -c 'd=$(mktemp -d)");
	for (int i = 0; i < 4; i++)
		n += snprintf(command + n, sizeof(command) - n,
			      " && %s %s %s \"$@\" >$d/%d.html",
			      command_pmscope(), views[i], options, i);
	snprintf(command + n, sizeof(command) - n,
		 " && node %s/html/browser.mjs $d/[0-3].html \"%s%s\" %s %s "
		 "\"$@\" 2>&1; s=$?; rm -r $d; exit $s' sh",
		 PMSCOPE_TESTS, shots ?: "", shots ? name : "",
		 command_pmscope(), options);
	browser_said(command_reads(b, command));
	bytes_fini(b);
}

TEST(a_browser_shows_the_numbers_of_report)
{
	struct bytes b = {};

	NEED_BROWSER();
	put_activity(&b, &(struct activity){.seed = 7,
					    .records = 3000,
					    .rare = 20,
					    .counted = true});
	browse(&b, "/activity-", "");
}

TEST(hostile_names_do_nothing_in_a_browser)
{
	struct bytes b = {};

	NEED_BROWSER();
	put_hostile(&b);
	browse(&b, "/hostile-", "");
}

static void browse_code(const char *work_name, const char *long_name)
{
	struct bytes b = {};
	char options[256];

	NEED_BROWSER();
	if (!can_disassemble())
		SKIP("no LLVM and no objdump");
	ASSERT_TRUE(fixture_open() && make_program(work_name, long_name));
	put_work(&b);
	snprintf(options, sizeof(options), "--symfs=%s", fixture_path("root"));
	browse(&b, "/code-", options);
	fixture_close();
}

TEST(a_browser_shows_the_code_of_annotate)
{
	browse_code("work", "long");
}

TEST(hostile_functions_do_nothing_in_a_browser)
{
	browse_code(hostile[0], hostile[1]);
}

TEST(a_browser_shows_the_callers_of_report)
{
	struct bytes b = {};
	char options[256];

	NEED_BROWSER();
	ASSERT_TRUE(fixture_open() && make_program("work", hostile[0]));
	put_calls(&b);
	snprintf(options, sizeof(options), "--symfs=%s", fixture_path("root"));
	browse(&b, "/callers-", options);
	fixture_close();
}

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

TEST(a_page_of_diff_is_whole_and_inert)
{
	char *page = calloc(1, DIFF_PAGE_MAX), command[512];
	BYTES old = {}, new = {};
	FILE *pipe;

	ASSERT_TRUE(page && fixture_open() &&
		    make_program(hostile[0], hostile[3]));
	put_run(&old, 20);
	put_run(&new, 90);
	snprintf(command, sizeof(command), "%s diff --format=html --symfs=%s",
		 command_pmscope(), fixture_path("root"));
	pipe = command_compares(&old, &new, command);
	ASSERT_TRUE(pipe);
	EXPECT_GT(fread(page, 1, DIFF_PAGE_MAX - 1, pipe), 5000U);
	EXPECT_EQ(pclose(pipe), 0);
	EXPECT_EQ(how_often(page, "</script>"), 2U);
	EXPECT_EQ(how_often(page, "<script"), 2U);
	EXPECT_EQ(how_often(page, "default-src 'none'"), 1U);
	EXPECT_EQ(how_often(page, "unsafe-"), 0U);
	EXPECT_EQ(how_often(page, "://"), 0U);
	EXPECT_EQ(how_often(page, "\"verdict\":\"costs more\""), 2U);
	EXPECT_TRUE(strstr(page, "\"left_out\":0,\"lines\":[{"));
	EXPECT_TRUE(strstr(page, "</html>"));
	fixture_close();
	free(page);
}

static void browse_diff(const char *work_name, const char *long_name)
{
	const char *shots = getenv("PMSCOPE_SCREENSHOTS");
	BYTES old = {}, new = {};
	char command[2048];

	NEED_BROWSER();
	ASSERT_TRUE(fixture_open() && make_program(work_name, long_name));
	put_run(&old, 20);
	put_run(&new, 90);
	snprintf(command, sizeof(command),
		 "sh -c 'd=$(mktemp -d) && "
		 "%s diff --format=html --symfs=%s -o $d/0.html \"$@\" && "
		 "%s diff --format=jsonl --symfs=%s -o $d/lines \"$@\" && "
		 "node %s/html/diff.mjs $d/0.html $d/lines %s%s 2>&1; s=$?; "
		 "rm -r $d; exit $s' sh",
		 command_pmscope(), fixture_path("root"), command_pmscope(),
		 fixture_path("root"), PMSCOPE_TESTS, shots ?: "",
		 shots ? "/diff-" : "");
	browser_said(command_compares(&old, &new, command));
	fixture_close();
}

TEST(a_browser_shows_the_rows_of_diff)
{
	browse_diff("work", "long");
}

TEST(hostile_rows_do_nothing_in_a_browser)
{
	browse_diff(hostile[0], hostile[6]);
}

KTAP_MAIN
