// SPDX-License-Identifier: GPL-2.0-or-later
/* What report and script print about the data address of a sample. */
#include "command.h"
#include "symbols_scenario.h"

#include <pmscope/arrow.h>

/* Where the program was mapped, with the segments at their linked distance. */
#define BASE	  0x400000
#define VARIABLES (BASE + PROGRAM_GAP + PROGRAM_DATA)
#define HEAP	  0x800000
#define ANONYMOUS 0x900000
#define STACK	  0x7ffff0000000
#define KERNEL	  0xffff800080000000

static const struct program_symbol symbols[] = {
	{"code", PROGRAM_TEXT, 0x40, STT_FUNC, STB_GLOBAL, false},
	{"constants", PROGRAM_TEXT + 0x80, 0x10, STT_OBJECT, STB_LOCAL, false},
	{"counters", PROGRAM_DATA, 0x80, STT_OBJECT, STB_GLOBAL, false},
	{"zeros", PROGRAM_BSS, 0x40, STT_OBJECT, STB_GLOBAL, false},
	{"array", PROGRAM_BSS + 0xd00, 0x200, STT_OBJECT, STB_GLOBAL, false},
	{"far", PROGRAM_BSS + 0x2000, 8, STT_OBJECT, STB_LOCAL, false},
};

static const char kallsyms[] = "ffff800080000000 T _text\n"
			       "ffff800081000000 D jiffies\n"
			       "ffff800081001000 B _end\n";

/* Loads by "code" in process 10: the data address, and what is there. */
static const struct access {
	uint64_t va;
	const char *symbol; /* as in JSON, and so is its offset */
	const char *offset;
	const char *dso;
} accesses[] = {
	{BASE + PROGRAM_TEXT + 0x84, "constants", "4", "/program"},
	{VARIABLES + 0x10, "counters", "16", "/program"},
	{VARIABLES + 0x10, "counters", "16", "/program"},
	{VARIABLES + 0x28, "counters", "40", "/program"},
	{VARIABLES + PROGRAM_DATA_SIZE, "zeros", "0", "/program"},
	{VARIABLES + 0x180, NULL, NULL, "/program"},
	{VARIABLES + PROGRAM_DATA_SIZE + 0xd08, "array", "8", "/program"},
	{VARIABLES + PROGRAM_DATA_SIZE + 0xe08, "array", "264", "/program"},
	{VARIABLES + PROGRAM_DATA_SIZE + 0xf00, NULL, NULL, "//anon"},
	{VARIABLES + PROGRAM_DATA_SIZE + 0x2007, "far", "7", "/program"},
	{VARIABLES + PROGRAM_DATA_SIZE + 0x2008, NULL, NULL, "[heap]"},
	{HEAP + 8, NULL, NULL, "[heap]"},
	{ANONYMOUS + 8, NULL, NULL, "//anon"},
	{STACK + 8, NULL, NULL, "[stack]"},
	{0x123456, NULL, NULL, NULL},
	{KERNEL + 0x1000008, "jiffies", "8", "[kernel.kallsyms]"},
	{0xffff000000001000, NULL, NULL, NULL},
};

#define NR_ACCESSES ARRAY_SIZE(accesses)

#define MAPPED(pid, start, offset, name) \
	MMAP(1, pid, pid, start, 0x1000, offset, name)

STEP_OF(put_accesses)
{
	for (size_t i = 0; i < NR_ACCESSES; i++)
		put_load_of(&sc->trace, 10, BASE + PROGRAM_TEXT + 4,
			    accesses[i].va, 10 + i);
}

STEP_IS(put_time, put_timestamp(&sc->trace, 11 + NR_ACCESSES));

/* Process 11 has another mapping at the same address. A branch is last. */
#define RECORDED                                                            \
	COMM(0, 10, 10, "a"), COMM(0, 11, 11, "b"),                         \
		MAPPED(10, BASE, 0, "/program"),                            \
		MAPPED(10, VARIABLES, PROGRAM_DATA, "/program"),            \
		MAPPED(10, VARIABLES + 0x1000, 0, "//anon"),                \
		MAPPED(10, VARIABLES + 0x2000, 0, "[heap]"),                \
		MAPPED(10, HEAP, 0, "[heap]"),                              \
		MAPPED(10, ANONYMOUS, 0, "//anon"),                         \
		MAPPED(10, STACK, 0, "[stack]"),                            \
		MAPPED(11, VARIABLES, 0, "//anon"), CALL(put_accesses),     \
		T_LOAD_OF(10 + NR_ACCESSES, 11, BASE + PROGRAM_TEXT,        \
			  VARIABLES + 0x10),                                \
		T_PACKET(PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,     \
			 BASE + PROGRAM_TEXT),                              \
		T_PACKET(PMSCOPE_PACKET_CONTEXT, 1, 4, 10), CALL(put_time), \
		AREA(0, 0, 0, NO_TID), ELF("root/program", symbols),        \
		WRITE("kallsyms", kallsyms)

#define FILES	       " --symfs=$D/root --kallsyms=$D/kallsyms"
#define PRINT(command) COMMAND(command FILES)

/* Puts the program's directory beside the recording. */
STEP_OF(report_beside)
{
	static char text[4096];
	char command[512];
	FILE *pipe;

	perfdata_end(&sc->b);
	snprintf(command, sizeof(command),
		 "f() { mv %s $2.symfs; %s report --sort=dso,sym --format=csv "
		 "$2; s=$?; rm -r $2.symfs; return $s; }; f",
		 fixture_path("root"), command_pmscope());
	pipe = command_reads(&sc->b, command);
	ASSERT_TRUE(pipe);
	text[fread(text, 1, sizeof(text) - 1, pipe)] = '\0';
	EXPECT_EQ(pclose(pipe), 0);
	sc->out = text;
}

SCENARIO(program_in_a_folder_beside_the_recording, RECORDED,
	 CALL(report_beside), HAS_ROW("/program,code,"));

/* The first line begins so. */
STEP_IS(expect_heading,
	EXPECT_EQ(strncmp(sc->out, step->text, strlen(step->text)), 0));
#define HEADING(words) CALL_SAY(expect_heading, words, 0)

SCENARIO(report_by_variable, RECORDED,
	 PRINT("report -s symbol_daddr --format=csv"), HEADING("symbol_daddr,"),
	 HAS_ROW("[unknown],9,"), HAS_ROW("counters,3,"),
	 HAS_ROW("constants,1,"), HAS_ROW("zeros,1,"), HAS_ROW("array,2,"),
	 HAS_ROW("jiffies,1,"), HAS_ROW("none,1,"));

SCENARIO(report_by_what_is_mapped_there, RECORDED,
	 PRINT("report -s dso_daddr --format=csv"), HAS_ROW("/program,9,"),
	 HAS_ROW("//anon,3,"), HAS_ROW("[unknown],2,"), HAS_ROW("[heap],2,"),
	 HAS_ROW("[stack],1,"), HAS_ROW("[kernel.kallsyms],1,"),
	 HAS_ROW("none,1,"),
	 PRINT("report -s comm,symbol_daddr,dso_daddr --format=csv"),
	 HAS_ROW("a,counters,/program,3,"), HAS_ROW("b,[unknown],//anon,1,"));

/* The program has no DWARF: members are offsets. */
SCENARIO(report_by_object_and_member, RECORDED,
	 PRINT("report -s object,member --format=csv"),
	 HEADING("object,member,"), HAS_ROW("counters,counters+0x10,2,"),
	 HAS_ROW("counters,counters+0x28,1,"), HAS_ROW("zeros,zeros,1,"),
	 HAS_ROW("far,far+0x7,1,"), HAS_ROW("/program,/program,1,"),
	 HAS_ROW("//anon,//anon,3,"), HAS_ROW("[heap],[heap],2,"),
	 HAS_ROW("[stack] code,[stack] code,1,"),
	 HAS_ROW("jiffies,jiffies+0x8,1,"), HAS_ROW("none,none,1,"),
	 HAS_ROW("[unknown],[unknown],2,"),
	 PRINT("script --format=jsonl -F object,member "
	       "--filter='member=counters+0x28'"),
	 OUT("{\"object\":\"counters\",\"member\":\"counters+0x28\"}\n"),
	 PRINT("report -s object --format=csv --filter='object=[[]stack] *'"),
	 HAS_ROW("[stack] code,1,"), LACKS("counters"));

/* One instruction loads all, and most of it from nowhere else. */
SCENARIO(annotate_names_the_data, RECORDED,
	 PRINT("annotate code --members --format=jsonl "
	       "--filter=symbol_daddr=counters"),
	 HAS("\"member\":\"counters+0x10\",\"other_members\":true"),
	 PRINT("annotate code --members --format=jsonl "
	       "--filter='dso_daddr=[stack]'"),
	 HAS("\"member\":\"[stack]\",\"other_members\":false"),
	 PRINT("annotate code --members --filter=symbol_daddr=far"),
	 HAS(" far+0x7 "), LACKS("far+0x7,"),
	 PRINT("annotate code --members --filter=symbol_daddr=counters"),
	 HAS(" counters+0x10, ... "),
	 PRINT("annotate code --members --filter=symbol_daddr=array"),
	 HAS(" array+0x108, ... "),
	 PRINT("annotate code --members --filter='symbol_daddr=counters|far'"),
	 HAS(" counters+0x10 75% "),
	 PRINT("annotate code --members --format=csv "
	       "--filter='symbol_daddr=counters|far'"),
	 HAS(",counters,0.750000,counters+0x10,1,"),
	 PRINT("annotate code --format=csv"), LACKS("member"));

/* perf record has mappings of data only with its option -d. */
STEP_IS(map, perfdata_attr(&sc->b)->mmap = 1;
	perfdata_attr(&sc->b)->mmap_data = step->v[0]);
#define NO_DATA "the recording has no mappings of data, "

SCENARIO(report_without_mappings_of_data, CALL(map, false), RECORDED,
	 PRINT("report -s member"), HAS("\n# " NO_DATA), LACKS("counters"),
	 HAS("jiffies+0x8"), PRINT("report -s sym"), LACKS(NO_DATA),
	 PRINT("report -s sym --filter=object=x"), HAS(NO_DATA),
	 PRINT("report --cachelines"), HAS(NO_DATA),
	 PRINT("script -F object 2>&1"), HAS_ROW("pmscope: " NO_DATA),
	 PRINT("script 2>&1"), LACKS(NO_DATA));
SCENARIO(report_with_mappings_of_data, CALL(map, true), RECORDED,
	 PRINT("report -s member"), HAS("counters+0x10"), LACKS(NO_DATA));

/* The function has its own name, whatever data is at its address. */
SCENARIO(code_and_data_together, RECORDED,
	 PRINT("report -s symbol_iaddr,symbol_daddr --format=csv "
	       "--filter=comm=a"),
	 HEADING("sym,symbol_daddr,"), HAS_ROW("code,counters,3,"),
	 HAS_ROW("code,constants,1,"), HAS_ROW("code,none,1,"));

/* The rows that script prints for the accesses, and two more. */
STEP_OF(expect_accesses)
{
	const char *line = sc->out;

	for (size_t i = 0; i < NR_ACCESSES; i++) {
		const struct access *access = &accesses[i];
		char row[256];
		int n = sprintf(row, "{\"tid\":10,\"addr\":\"0x%lx\"",
				access->va);

		if (access->symbol)
			n += sprintf(row + n,
				     ",\"symbol_daddr\":\"%s\","
				     "\"symoff_daddr\":%s",
				     access->symbol, access->offset);
		if (access->dso)
			n += sprintf(row + n, ",\"dso_daddr\":\"%s\"",
				     access->dso);
		n += sprintf(row + n, ",\"sym\":\"code\"}\n");
		EXPECT_MEMEQ(line, row, n);
		line += strcspn(line, "\n") + 1;
	}
	EXPECT_STREQ(line, "{\"tid\":11,\"addr\":\"0x411010\","
			   "\"dso_daddr\":\"//anon\"}\n"
			   "{\"tid\":10,\"sym\":\"code\"}\n");
}

SCENARIO(columns_of_script, RECORDED,
	 PRINT("script --format=jsonl -F "
	       "tid,addr,symbol_daddr,symoff_daddr,dso_daddr,sym"),
	 CALL(expect_accesses));

SCENARIO(columns_of_script_without_a_value, RECORDED,
	 PRINT("script -F symbol_daddr,symoff_daddr,dso_daddr,tid"),
	 HAS_ROW("counters 40 /program 10\n"), HAS_ROW("- - [heap] 10\n"),
	 HAS_ROW("- - - 10\n"),
	 PRINT("script --format=csv -F dso_daddr,symbol_daddr "
	       "--filter=op=other"),
	 OUT("dso_daddr,symbol_daddr\n"));

/* In all formats, and with a different line size. */
SCENARIO(cache_lines_with_their_variables, RECORDED,
	 PRINT("report --cachelines --format=jsonl"),
	 HAS("\"variables\":[\"counters\"],\"offsets\":["
	     "{\"offset\":16,\"variable\":\"counters\",\"member\":\"counters+"
	     "0x10\",\"loads\":2,"),
	 HAS("\"variables\":[\"jiffies\"],"), HAS("\"variables\":[],"),
	 PRINT("report --cachelines --format=csv --line-size=4096"),
	 HAS("\"array|counters|zeros\","), PRINT("report --cachelines"),
	 HAS("  one thread     counters          code 3/0"));

#define FILTERED(view)                                                   \
	COMMAND(view " --filter='symbol_daddr=c*' 2>&1" FILES),          \
		HAS_ROW("pmscope: 15 samples filtered out"),             \
		COMMAND(view " --filter='dso_daddr=[heap]' 2>&1" FILES), \
		HAS_ROW("pmscope: 17 samples filtered out")

SCENARIO(filters_by_data, RECORDED, FILTERED("report --format=csv"),
	 FILTERED("report --cachelines --format=csv"),
	 FILTERED("report --timeline --format=csv"), FILTERED("script"),
	 FILTERED("script -F addr"),
	 PRINT("report --filter='dso_daddr=[heap]|//anon' "
	       "-s dso_daddr --format=csv"),
	 HAS_ROW("//anon,3,"), HAS_ROW("[heap],2,"), LACKS("/program,"));

/* The text of a row in a column of texts; "" without. */
static void put_cell(FILE *out, const struct ArrowArray *column, size_t row)
{
	const uint8_t *bits = column->buffers[0];
	const int32_t *offsets = column->dictionary->buffers[1];
	int32_t number = ((const int32_t *)column->buffers[1])[row];

	if (bits[row / 8] >> row % 8 & 1)
		fwrite((const char *)column->dictionary->buffers[2] +
			       offsets[number],
		       1, offsets[number + 1] - offsets[number], out);
}

static void put_arrow(FILE *out, struct ArrowArrayStream *stream)
{
	static const char *const names[] = {"sym", "object", "member"};
	struct ArrowSchema schema;
	struct ArrowArray array;

	ASSERT_EQ(stream->get_schema(stream, &schema), 0);
	ASSERT_EQ(stream->get_next(stream, &array), 0);
	for (int64_t row = 0; row < array.length; row++) {
		for (int64_t i = 0, k = 0; i < schema.n_children && k < 3; i++)
			if (!strcmp(schema.children[i]->name, names[k])) {
				put_cell(out, array.children[i], row);
				fputc(++k < 3 ? ',' : '\n', out);
			}
	}
	array.release(&array);
	schema.release(&schema);
}

/* With symbols the stream has the rows that script printed, else no names. */
STEP_OF(expect_stream)
{
	FREED char *root = strdup(fixture_path("root"));
	const struct pmscope_symbols_options options = {
		.size = sizeof(options),
		.symfs = root,
		.kallsyms = fixture_path("kallsyms")};
	struct pmscope_symbols *from =
		step->v[0] ? pmscope_symbols_new(&options) : NULL;
	struct ArrowArrayStream stream;
	struct pmscope_recording *r;
	const char *rows = strchr(sc->out, '\n') ?: "\n";
	char text[4096] = {};
	FILE *out = fmemopen(text, sizeof(text), "w");

	ASSERT_EQ(pmscope_recording_open(sc->b.data, sc->b.size, NULL, &r), 0);
	ASSERT_EQ(pmscope_recording_arrow_names(r, from, &stream), 0);
	put_arrow(out, &stream);
	fclose(out);
	stream.release(&stream);
	pmscope_symbols_free(from);
	pmscope_recording_free(r);
	if (from)
		EXPECT_STREQ(text, rows + 1);
	else
		EXPECT_EQ(strspn(text, ",\n"), strlen(text));
}

SCENARIO(columns_of_the_arrow_stream, RECORDED,
	 PRINT("script --format=csv -F sym,object,member"),
	 CALL(expect_stream, true), CALL(expect_stream, false));

/* At another address in each run: 100 samples of two variables and a stack. */
static void put_moved(struct bytes *b, uint64_t base, unsigned int counters,
		      unsigned int latency)
{
	const uint64_t data = base + PROGRAM_GAP + PROGRAM_DATA;
	const struct where where = {10, 10, 1, 0};
	BYTES trace = {};

	perfdata_begin(b);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_time_conv(b, 0, 1, 0);
	put_mmap2(b, base, 0x1000, 0, "/program", &where);
	put_mmap2(b, data, 0x2000, PROGRAM_DATA, "/program", &where);
	put_mmap2(b, base - 0x100000, 0x1000, 0, "[stack]", &where);
	for (unsigned int i = 0; i < 1000; i++) {
		bool is_counter = i % 10 < counters;

		PUT_ADDRESS(&trace, PC,
			    UINT64_C(1) << 63 | (base + PROGRAM_TEXT + 4));
		PUT_CONTEXT(&trace, 0, 10);
		PUT_OPERATION(&trace, LOAD_STORE, 0);
		PUT_COUNTER(&trace, TOTAL, is_counter ? latency : 20);
		PUT_COUNTER(&trace, ISSUE, 5);
		PUT_ADDRESS(&trace, VA,
			    is_counter	  ? data + 8 * (i % 2)
			    : i % 10 == 9 ? base - 0x100000 + i
					  : data + PROGRAM_DATA_SIZE + 8);
		put_timestamp(&trace, 10 + i);
	}
	put_auxtrace(b, 0, 0, NO_ID, &trace);
	perfdata_end(b);
}

STEP_OF(diff_moved)
{
	static char text[1 << 16];
	BYTES old = {}, new = {};
	char command[512];
	FILE *pipe;

	put_moved(&old, BASE, 6, 50);
	put_moved(&new, 0x7000000, 3, 100);
	snprintf(command, sizeof(command),
		 "%s diff --symfs=%s --per=nothing %s", command_pmscope(),
		 fixture_path("root"), step->text);
	pipe = command_compares(&old, &new, command);
	ASSERT_TRUE(pipe);
	text[fread(text, 1, sizeof(text) - 1, pipe)] = '\0';
	EXPECT_EQ(pclose(pipe), 0);
	sc->out = text;
}
#define DIFF(options) CALL_SAY(diff_moved, options, 0)

SCENARIO(diff_by_object, ELF("root/program", symbols),
	 DIFF("--sort=object --format=csv"),
	 HAS_ROW("zeros,costs more,300,600,6000.000,12000.000,"),
	 HAS_ROW("counters,changed,600,300,30000.000,30000.000,"),
	 HAS_ROW("[stack] code,within noise,100,100,"),
	 DIFF("--sort=object,member --format=csv"),
	 HAS_ROW("counters,counters,changed,300,200,"),
	 HAS_ROW("counters,counters+0x8,changed,300,100,"),
	 HAS_ROW("zeros,zeros+0x8,costs more,300,600,"));

SCENARIO(diff_without_mappings_of_data, CALL(map, false), RECORDED,
	 PRINT("diff --filter-a=cpu=0 --filter-b=cpu=0 -s object"),
	 HAS(NO_DATA), PRINT("diff --filter-a=cpu=0 --filter-b=cpu=0"),
	 LACKS(NO_DATA));
