// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Machine code from files of all kinds, compared with what objdump reads from
 * them.
 */
#include "bytes.h"
#include "elf_fixture.h"
#include "jitdump.h"
#include "ktap.h"
#include "program.h"
#include "random.h"

#include "symbols/code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT 4 /* bytes compared; functions are aligned to that */

static bool build(void)
{
	return fixture_open() &&
	       fixture_write_text("program.c",
				  "volatile int sink;\n"
				  "int first(int x) { return x * 7 + sink; }\n"
				  "int second(int x) { return x - sink; }\n"
				  "int main(void) { return first(1); }\n") &&
	       fixture_build("-g", "sha1");
}

#define NEED_PROGRAM()                            \
	do {                                      \
		if (!build())                     \
			SKIP("no compiler here"); \
	} while (0)

/* The bytes at @address of @file, as "xxxxxxxx". */
static const char *dumped(const char *file, uint64_t address)
{
	return fixture_output("objdump -s -j .text --start-address=%#" PRIx64
			      " --stop-address=%#" PRIx64
			      " %s | tail -n 1 | cut -d' ' -f3",
			      address, address + COUNT, file);
}

static void expect_bytes(const uint8_t *bytes, const char *hex)
{
	char text[2 * COUNT + 1], *p = text;

	for (size_t i = 0; i < COUNT; i++)
		p += sprintf(p, "%02x", bytes[i]);
	EXPECT_STREQ(text, hex);
}

/* Keeps the name of the file. */
static int code_at(struct pmscope_symbols *symbols,
		   const struct pmscope_place *place, uint64_t address,
		   uint8_t bytes[COUNT], struct pmscope_code *code)
{
	static char file[256];
	int ret = pmscope_symbols_code(symbols, place, address, bytes, COUNT,
				       code);

	snprintf(file, sizeof(file), "%s", code->file ? code->file : "");
	code->file = file;
	pmscope_symbols_free(symbols);
	return ret;
}

/* The start of a function of "program". */
static struct pmscope_place place_of(const char *function)
{
	struct pmscope_place place = fixture_place(function);

	place.file_offset--;
	return place;
}

static void expect_error(const struct pmscope_place *place, int error)
{
	struct pmscope_code code;
	uint8_t bytes[COUNT];

	EXPECT_EQ(code_at(fixture_symbols(), place, 0, bytes, &code), error);
	EXPECT_EQ(code.size, 0U);
}

TEST(code_of_a_program)
{
	struct pmscope_place place;
	struct pmscope_code code;
	uint8_t bytes[COUNT];

	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run("cp program root/usr/bin"));
	place = place_of("second");
	EXPECT_EQ(code_at(fixture_symbols(), &place, 0x5555, bytes, &code), 0);
	EXPECT_EQ(code.address, fixture_address("program", "second"));
	EXPECT_EQ(code.size, (size_t)COUNT);
	expect_bytes(bytes, dumped("program", code.address));
	fixture_close();
}

TEST(code_ends_with_its_section)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	static uint8_t bytes[1 << 20];
	struct pmscope_code code;
	uint64_t end;

	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run("cp program root/usr/bin"));
	end = strtoull(fixture_output(
			       "readelf -SW program | sed -n "
			       "'s/.* .text *PROGBITS *\\([0-9a-f]*\\) "
			       "[0-9a-f]* \\([0-9a-f]*\\) .*/0x\\1 0x\\2/p' | "
			       "while read a n; do echo $((a + n)); done"),
		       NULL, 10);
	ASSERT_TRUE(end > 0);
	place = place_of("second");
	symbols = fixture_symbols();
	EXPECT_EQ(pmscope_symbols_code(symbols, &place, 0, bytes, sizeof(bytes),
				       &code),
		  0);
	EXPECT_EQ(code.address + code.size, end);
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(a_file_of_another_build_or_without_code)
{
	struct pmscope_place place;
	char path[64];

	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run("cp program root/usr/bin"));
	place = place_of("second");
	snprintf(path, sizeof(path), "%.2s/%s.debug",
		 fixture_build_id("program", &place),
		 fixture_build_id("program", &place) + 2);
	ASSERT_TRUE(fixture_run("rm root/usr/bin/program; "
				"mkdir -p root/usr/lib/debug/.build-id/%.2s && "
				"objcopy --only-keep-debug program "
				"root/usr/lib/debug/.build-id/%s",
				path, path));
	expect_error(&place, -ENODATA);
	place.dso = "/usr/bin/other";
	place.build_id_size = 0;
	expect_error(&place, -ENOENT);
	ASSERT_TRUE(fixture_build("-O0", "md5") &&
		    fixture_run("cp program root/usr/bin/other; "
				"rm -r root/usr/lib"));
	fixture_build_id("d.dbg", &place);
	place.build_id = (const uint8_t *)"some other build-id.";
	place.build_id_size = 16;
	expect_error(&place, -ENOENT);
	fixture_close();
}

TEST(a_stripped_file_has_its_code)
{
	struct pmscope_place place;
	struct pmscope_code code;
	uint8_t bytes[COUNT];

	NEED_PROGRAM();
	ASSERT_TRUE(fixture_strip());
	place = place_of("first");
	EXPECT_EQ(code_at(fixture_symbols(), &place, 0, bytes, &code), 0);
	expect_bytes(bytes, dumped("program", code.address));
	EXPECT_TRUE(strstr(code.file, "root/usr/bin/program"));
	fixture_close();
}

/* A compressed module, whose offsets count from its load address. */
TEST(code_of_a_module)
{
	struct pmscope_place place = {
		.kernel = true, .dso = "/lib/modules/6.1/a.ko", .pid = -1U};
	struct pmscope_code code;
	uint8_t bytes[COUNT];
	uint64_t at;

	if (!fixture_open() ||
	    !fixture_write_text("module.c",
				"int pad(int x) { return x + 9; }\n"
				"int second(int x) { return x * 77; }\n") ||
	    !fixture_run("cc -O2 -g -c module.c && ld -r --build-id=sha1 "
			 "-o a.ko module.o && mkdir -p root/lib/modules/6.1 "
			 "&& xz -k a.ko && mv a.ko.xz root/lib/modules/6.1"))
		SKIP("no compiler or no xz here");
	at = fixture_address("a.ko", "second");
	place.file_offset = at;
	EXPECT_EQ(code_at(fixture_symbols(), &place, 0xffff80007a000000 + at,
			  bytes, &code),
		  0);
	expect_bytes(bytes, dumped("a.ko", at));
	EXPECT_TRUE(at > 0);
	fixture_close();
}

/* The kernel was moved, and its vmlinux is found by its build-id. */
TEST(code_of_the_kernel_from_vmlinux)
{
	const uint64_t moved = 0x1a5000000;
	struct pmscope_place place = {.kernel = true,
				      .dso = "[kernel.kallsyms]_text",
				      .pid = -1U,
				      .reference = "_text"};
	struct pmscope_code code;
	uint8_t bytes[COUNT];
	uint64_t link;

	if (!fixture_open() ||
	    !fixture_write_text("vmlinux.c",
				"void _text(void) {}\n"
				"int start(int x) { return x * 77; }\n") ||
	    !fixture_run("cc -O2 -nostdlib -static -fno-pie -no-pie "
			 "-Wl,--build-id=sha1,-Ttext=0xffff800008010000 "
			 "-Wl,-e,start -o vmlinux vmlinux.c && "
			 "mkdir root/boot && cp vmlinux root/boot"))
		SKIP("no compiler here");
	link = fixture_address("vmlinux", "start");
	place.reference_address = fixture_address("vmlinux", "_text") + moved;
	place.file_offset = link + moved;
	fixture_build_id("vmlinux", &place);
	EXPECT_EQ(code_at(fixture_symbols(), &place, link + moved, bytes,
			  &code),
		  0);
	EXPECT_EQ(code.address, link + moved);
	expect_bytes(bytes, dumped("vmlinux", link));
	place.reference_address = 0;
	place.reference = NULL;
	expect_error(&place, -ENOENT);
	fixture_close();
}

/* A core file with the bytes @text at @address. */
static void put_kcore(struct bytes *b, uint64_t address, const char *text)
{
	const uint64_t at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
	const Elf64_Phdr note = {.p_type = PT_NOTE, .p_vaddr = address};
	const Elf64_Phdr load = {.p_type = PT_LOAD,
				 .p_offset = at,
				 .p_vaddr = address,
				 .p_filesz = strlen(text)};
	Elf64_Ehdr header = program_header(ET_CORE, 2, 0, 0, 0);

	bytes_add(b, &header, sizeof(header));
	bytes_add(b, &note, sizeof(note));
	bytes_add(b, &load, sizeof(load));
	bytes_add(b, text, strlen(text));
}

/* As the kernel was patched, whatever the vmlinux. */
TEST(code_of_the_kernel_from_kcore)
{
	const uint64_t address = 0xffff800008010000;
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	struct pmscope_place place = {.kernel = true,
				      .dso = "[kernel.kallsyms]_text",
				      .file_offset = address + 4,
				      .pid = -1U};
	struct pmscope_code code;
	struct bytes b = {};
	char path[128];
	uint8_t bytes[COUNT];

	ASSERT_TRUE(fixture_open());
	put_kcore(&b, address, "abcdefghijklmn");
	ASSERT_TRUE(fixture_write("kcore", b.data, b.size));
	strcpy(path, fixture_path("kcore"));
	options.symfs = "/nowhere";
	options.kcore = path;
	EXPECT_EQ(code_at(pmscope_symbols_new(&options), &place, address + 4,
			  bytes, &code),
		  0);
	EXPECT_EQ(memcmp(bytes, "efgh", COUNT), 0);
	EXPECT_EQ(code.address, address + 4);
	EXPECT_EQ(code.machine, (unsigned int)EM_AARCH64);
	EXPECT_STREQ(code.file, path);
	EXPECT_EQ(code_at(pmscope_symbols_new(&options), &place, address + 12,
			  bytes, &code),
		  0);
	EXPECT_EQ(code.size, 2U);
	EXPECT_EQ(code_at(pmscope_symbols_new(&options), &place, address + 14,
			  bytes, &code),
		  -ENOENT);
	bytes_fini(&b);
	fixture_close();
}

/* Each time the code that was there then; moved code is that of its load. */
TEST(generated_code)
{
	struct pmscope_place place = {
		.dso = "//anon", .pid = 42, .jitdump = "/tmp/jit-42.dump"};
	struct pmscope_symbols *symbols;
	struct pmscope_code code;
	struct bytes b = {};
	uint8_t bytes[16];
	static const struct {
		uint64_t address, time;
		const char *text;
	} cases[] = {
		{0x1000, 15, "first8by"},
		{0x1004, 25, "nd"},
		{0x2000, 0, "second"},
		{0x1006, 0, "by"},
	};

	ASSERT_TRUE(fixture_open() && fixture_run("mkdir root/tmp"));
	put_jit_header(&b, 0);
	put_jit_code(&b, 10, 42, 0x1000, "one", "first8by", 8);
	put_jit_code(&b, 20, 42, 0x1000, "two", "second", 6);
	put_jit_code(&b, 20, 42, 0x3000, "empty", "", 0);
	put_jit_move(&b, 30, 42, 0x1000, 0x2000);
	ASSERT_TRUE(fixture_write("root/tmp/jit-42.dump", b.data, b.size));
	symbols = fixture_symbols();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		place.time = cases[i].time;
		EXPECT_EQ(pmscope_symbols_code(symbols, &place,
					       cases[i].address, bytes,
					       sizeof(bytes), &code),
			  0);
		EXPECT_EQ(code.size, strlen(cases[i].text));
		EXPECT_EQ(memcmp(bytes, cases[i].text, code.size), 0);
		EXPECT_EQ(code.address, cases[i].address);
	}
	EXPECT_EQ(pmscope_symbols_code(symbols, &place, 0x5000, bytes,
				       sizeof(bytes), &code),
		  -ENODATA);
	pmscope_symbols_free(symbols);
	bytes_fini(&b);
	fixture_close();
}

static int temporary = -1;

static int read_mutant(const struct bytes *b, uint32_t section,
		       uint64_t address)
{
	struct pmscope_code code = {};
	uint8_t room[64 + COUNT];
	const struct code_request request = {room, 64, &code};
	int ret;

	memset(room, 0x5a, sizeof(room));
	if (ftruncate(temporary, 0) ||
	    pwrite(temporary, b->data, b->size, 0) != (ssize_t)b->size)
		return -EIO;
	ret = code_read(temporary, section, address, &request);
	EXPECT_TRUE(ret ? !code.size : code.size && code.size <= 64);
	for (size_t i = 64; i < sizeof(room); i++)
		EXPECT_EQ(room[i], 0x5a);
	return ret;
}

/* Headers with random bytes and lengths: an answer, in bounded time. */
TEST(malformed_headers)
{
	static const struct program_symbol symbol = {
		.name = "f", .at = PROGRAM_TEXT, .size = 16, .type = STT_FUNC};
	uint64_t state = 5;
	unsigned int read = 0;
	struct bytes good = {};

	temporary = memfd_create("mutant", MFD_CLOEXEC);
	put_program(&good, &symbol, 1);
	EXPECT_EQ(read_mutant(&good, 0, PROGRAM_TEXT), 0);
	for (int i = 0; i < 3000; i++) {
		struct bytes b = {};

		bytes_add(&b, good.data, good.size);
		for (uint32_t n = 1 + random_below(&state, 4); n; n--) {
			uint32_t at =
				random_below(&state, 2)
					? random_below(&state, 64)
					: good.size - 1 -
						  random_below(&state, 384);

			b.data[at] = random_below(&state, 2)
					     ? 0xff
					     : random_next(&state);
		}
		if (!random_below(&state, 4))
			b.size = random_below(&state, b.size);
		read += !read_mutant(&b, random_below(&state, 3),
				     random_below(&state, 2) ? PROGRAM_TEXT
							     : ~0ULL - i);
		bytes_fini(&b);
	}
	ktap_note("%u were read", read);
	EXPECT_TRUE(read > 100);
	bytes_fini(&good);
	close(temporary);
}

TEST(files_that_are_not_64_bit_ELF)
{
	Elf64_Ehdr header = program_header(ET_DYN, 0, 0, 0, 0);
	struct bytes b = {};

	temporary = memfd_create("other", MFD_CLOEXEC);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	bytes_add(&b, &header, sizeof(header));
	EXPECT_EQ(read_mutant(&b, 0, 0), -ENOEXEC);
	b.size = 10;
	EXPECT_EQ(read_mutant(&b, 0, 0), -ENOEXEC);
	bytes_fini(&b);
	close(temporary);
}

KTAP_MAIN
