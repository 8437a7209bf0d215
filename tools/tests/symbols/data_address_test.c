// SPDX-License-Identifier: GPL-2.0-or-later
/* What report and script print about the data address of a sample. */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "program.h"
#include "recording_fixture.h"

#include <pmscope/packet.h>

#include <elf.h>
#include <stdarg.h>

#define TEXT_SIZE 65536

/* Where the program was mapped, with the segments at their linked distance. */
#define BASE	  0x400000
#define DATA	  (BASE + PROGRAM_GAP + PROGRAM_DATA)
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
	{DATA + 0x10, "counters", "16", "/program"},
	{DATA + 0x10, "counters", "16", "/program"},
	{DATA + 0x28, "counters", "40", "/program"},
	{DATA + PROGRAM_DATA_SIZE, "zeros", "0", "/program"},
	{DATA + 0x180, NULL, NULL, "/program"},
	{DATA + PROGRAM_DATA_SIZE + 0xd08, "array", "8", "/program"},
	{DATA + PROGRAM_DATA_SIZE + 0xe08, "array", "264", "/program"},
	{DATA + PROGRAM_DATA_SIZE + 0xf00, NULL, NULL, "//anon"},
	{DATA + PROGRAM_DATA_SIZE + 0x2007, "far", "7", "/program"},
	{DATA + PROGRAM_DATA_SIZE + 0x2008, NULL, NULL, "[heap]"},
	{HEAP + 8, NULL, NULL, "[heap]"},
	{ANONYMOUS + 8, NULL, NULL, "//anon"},
	{STACK + 8, NULL, NULL, "[stack]"},
	{0x123456, NULL, NULL, NULL},
	{KERNEL + 0x1000008, "jiffies", "8", "[kernel.kallsyms]"},
	{0xffff000000001000, NULL, NULL, NULL},
};

#define NR_ACCESSES (sizeof(accesses) / sizeof(accesses[0]))

static void put_mapping(struct bytes *b, uint64_t start, uint64_t offset,
			const char *name, uint32_t pid)
{
	struct where where = at(1, pid, pid);

	put_mmap2(b, start, 0x1000, offset, name, &where);
}

/* Process 11 has another mapping at the same address. Adds a branch, too. */
static void put_recording(struct bytes *b)
{
	struct bytes trace = {};
	uint64_t time = 10;

	begin(b);
	comm_at(b, 0, "a", 0, 10, 10);
	comm_at(b, 0, "b", 0, 11, 11);
	put_mapping(b, BASE, 0, "/program", 10);
	put_mapping(b, DATA, PROGRAM_DATA, "/program", 10);
	put_mapping(b, DATA + 0x1000, 0, "//anon", 10);
	put_mapping(b, DATA + 0x2000, 0, "[heap]", 10);
	put_mapping(b, HEAP, 0, "[heap]", 10);
	put_mapping(b, ANONYMOUS, 0, "//anon", 10);
	put_mapping(b, STACK, 0, "[stack]", 10);
	put_mapping(b, DATA, 0, "//anon", 11);
	for (size_t i = 0; i < NR_ACCESSES; i++)
		put_load_of(&trace, 10, BASE + PROGRAM_TEXT + 4, accesses[i].va,
			    time++);
	put_load_of(&trace, 11, BASE + PROGRAM_TEXT, DATA + 0x10, time++);
	put_packet(&trace, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   BASE + PROGRAM_TEXT);
	put_packet(&trace, PMSCOPE_PACKET_CONTEXT, 1, 4, 10);
	put_timestamp(&trace, time);
	put_auxtrace(b, 0, 0, NO_TID, &trace);
	perfdata_end(b);
	bytes_fini(&trace);
}

/* Opens the fixture, which the caller closes, and writes root/program. */
static void make_program(void)
{
	struct bytes program = {};

	ASSERT_TRUE(fixture_open());
	put_program(&program, symbols, sizeof(symbols) / sizeof(symbols[0]));
	EXPECT_TRUE(fixture_write("root/program", program.data, program.size));
	bytes_fini(&program);
}

/* Runs pmscope with these arguments and the files it needs. */
static void read_pmscope(char *text, const char *format, ...)
{
	char arguments[256], line[512];
	struct bytes b = {};
	va_list args;
	int n;

	va_start(args, format);
	vsnprintf(arguments, sizeof(arguments), format, args);
	va_end(args);
	make_program();
	EXPECT_TRUE(fixture_write_text("kallsyms", kallsyms));
	put_recording(&b);
	n = snprintf(line, sizeof(line), "%s --symfs=%s", arguments,
		     fixture_path("root"));
	snprintf(line + n, sizeof(line) - n, " --kallsyms=%s",
		 fixture_path("kallsyms"));
	EXPECT_EQ(command_pmscope_text(&b, line, text, TEXT_SIZE), 0);
	fixture_close();
	bytes_fini(&b);
}

/* Runs report on a recording with the program's directory beside it. */
static void read_beside(char *text, const char *dir)
{
	char command[512];
	struct bytes b = {};
	FILE *pipe;
	size_t n;

	put_recording(&b);
	snprintf(command, sizeof(command),
		 "f() { mv %s $2.symfs; %s report --sort=dso,sym --format=csv "
		 "$2; s=$?; rm -r $2.symfs; return $s; }; f",
		 dir, command_pmscope());
	pipe = command_reads(&b, command);
	bytes_fini(&b);
	ASSERT_TRUE(pipe);
	n = fread(text, 1, TEXT_SIZE - 1, pipe);
	text[n] = '\0';
	EXPECT_EQ(pclose(pipe), 0);
}

static void expect_line(const char *text, const char *line)
{
	bool found = false;

	for (const char *at = text; at && !found; at = strchr(at, '\n')) {
		at += *at == '\n';
		found = !strncmp(at, line, strlen(line));
	}
	if (!found)
		printf("# no \"%s\" in:\n%s\n", line, text);
	EXPECT_TRUE(found);
}

TEST(program_in_a_folder_beside_the_recording)
{
	char text[TEXT_SIZE];

	make_program();
	read_beside(text, fixture_path("root"));
	fixture_close();
	expect_line(text, "/program,code,");
}

TEST(report_by_variable)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "report -s symbol_daddr --format=csv");
	EXPECT_TRUE(!strncmp(text, "symbol_daddr,", 13));
	expect_line(text, "[unknown],9,");
	expect_line(text, "counters,3,");
	expect_line(text, "constants,1,");
	expect_line(text, "zeros,1,");
	expect_line(text, "array,2,");
	expect_line(text, "jiffies,1,");
	expect_line(text, "none,1,");
}

TEST(report_by_what_is_mapped_there)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "report -s dso_daddr --format=csv");
	expect_line(text, "/program,9,");
	expect_line(text, "//anon,3,");
	expect_line(text, "[unknown],2,");
	expect_line(text, "[heap],2,");
	expect_line(text, "[stack],1,");
	expect_line(text, "[kernel.kallsyms],1,");
	expect_line(text, "none,1,");
	read_pmscope(text, "report -s comm,symbol_daddr,dso_daddr "
			   "--format=csv");
	expect_line(text, "a,counters,/program,3,");
	expect_line(text, "b,[unknown],//anon,1,");
}

/* The function has its own name, whatever data is at its address. */
TEST(code_and_data_together)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "report -s symbol_iaddr,symbol_daddr "
			   "--format=csv --filter=comm=a");
	EXPECT_TRUE(!strncmp(text, "sym,symbol_daddr,", 17));
	expect_line(text, "code,counters,3,");
	expect_line(text, "code,constants,1,");
	expect_line(text, "code,none,1,");
}

/* Formats the row that script prints for an access. */
static void row_of(const struct access *access, char *row, size_t size)
{
	size_t n = snprintf(row, size, "{\"tid\":10,\"addr\":\"0x%lx\"",
			    access->va);

	if (access->symbol)
		n += snprintf(row + n, size - n,
			      ",\"symbol_daddr\":\"%s\",\"symoff_daddr\":%s",
			      access->symbol, access->offset);
	if (access->dso)
		n += snprintf(row + n, size - n, ",\"dso_daddr\":\"%s\"",
			      access->dso);
	snprintf(row + n, size - n, ",\"sym\":\"code\"}");
}

TEST(columns_of_script)
{
	char text[TEXT_SIZE], row[256], *line = text;

	read_pmscope(text, "script --format=jsonl -F "
			   "tid,addr,symbol_daddr,symoff_daddr,dso_daddr,sym");
	for (size_t i = 0; i < NR_ACCESSES; i++) {
		row_of(&accesses[i], row, sizeof(row));
		line[strcspn(line, "\n")] = '\0';
		EXPECT_STREQ(line, row);
		line += strlen(line) + 1;
	}
	EXPECT_STREQ(line, "{\"tid\":11,\"addr\":\"0x411010\","
			   "\"dso_daddr\":\"//anon\"}\n"
			   "{\"tid\":10,\"sym\":\"code\"}\n");
}

TEST(columns_of_script_without_a_value)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "script -F symbol_daddr,symoff_daddr,dso_daddr,tid");
	expect_line(text, "counters 40 /program 10\n");
	expect_line(text, "- - [heap] 10\n");
	expect_line(text, "- - - 10\n");
	read_pmscope(text, "script --format=csv -F dso_daddr,symbol_daddr "
			   "--filter=op=other");
	EXPECT_STREQ(text, "dso_daddr,symbol_daddr\n");
}

/* In all formats, and with a different line size. */
TEST(cache_lines_with_their_variables)
{
	char text[TEXT_SIZE];

	read_pmscope(text, "report --cachelines --format=jsonl");
	EXPECT_TRUE(strstr(text, "\"variables\":[\"counters\"],\"offsets\":["
				 "{\"offset\":16,\"variable\":\"counters\","
				 "\"loads\":2,"));
	EXPECT_TRUE(strstr(text, "\"variables\":[\"jiffies\"],"));
	EXPECT_TRUE(strstr(text, "\"variables\":[],"));
	read_pmscope(text, "report --cachelines --format=csv --line-size=4096");
	EXPECT_TRUE(strstr(text, "\"array|counters|zeros\","));
	read_pmscope(text, "report --cachelines");
	EXPECT_TRUE(
		strstr(text, "  one thread     counters          code 3/0"));
}

TEST(filters_by_data)
{
	static const char *const views[] = {"report --format=csv",
					    "report --cachelines --format=csv",
					    "report --timeline --format=csv",
					    "script", "script -F addr"};
	char text[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		read_pmscope(text, "%s --filter='symbol_daddr=c*' 2>&1",
			     views[i]);
		expect_line(text, "pmscope: 15 samples filtered out");
		read_pmscope(text, "%s --filter='dso_daddr=[heap]' 2>&1",
			     views[i]);
		expect_line(text, "pmscope: 17 samples filtered out");
	}
	read_pmscope(text, "report --filter='dso_daddr=[heap]|//anon' "
			   "-s dso_daddr --format=csv");
	expect_line(text, "//anon,3,");
	expect_line(text, "[heap],2,");
	EXPECT_TRUE(!strstr(text, "/program,"));
}

KTAP_MAIN
