// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed programs, and programs with compressed symbols or sections. */
#include "elf_fixture.h"
#include "ktap.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Builds "program", and "mini.xz" with the symbols stripped from it. */
static bool build(void)
{
	return fixture_open() &&
	       fixture_write_text(
		       "program.c",
		       "volatile int sink;\n"
		       "static __attribute__((noinline)) int hidden(int x)\n"
		       "{ return x * 7 + sink; }\n"
		       "int main(int argc, char **argv)\n"
		       "{ return hidden(argc) + !argv; }\n") &&
	       fixture_run(
		       "cc -O2 -fPIE -pie -Wl,--build-id -Wl,-z,separate-code "
		       "-o program program.c") &&
	       fixture_run("objcopy --only-keep-debug program mini && "
			   "xz -k mini && strip --strip-all -o bare program");
}

#define NEED_PROGRAM()                                                 \
	do {                                                           \
		if (!build())                                          \
			SKIP("no compiler here, no objcopy or no xz"); \
	} while (0)

/*
 * Expects a name that starts with @name, or none if it is NULL. "fn_" is the
 * start of names from unwind tables.
 */
static void expect_name(const char *name)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = fixture_place("hidden");
	struct pmscope_symbol symbol;
	char start[8] = "";

	ASSERT_TRUE(symbols);
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol),
		  name ? 0 : -ENOENT);
	if (symbol.name)
		snprintf(start, name ? strlen(name) + 1 : 0, "%s", symbol.name);
	EXPECT_STREQ(symbol.name ? start : NULL, name);
	if (name)
		EXPECT_EQ(symbol.offset, 1U);
	pmscope_symbols_free(symbols);
}

/* Fedora keeps function symbols in .gnu_debugdata, for crash reports. */
TEST(names_within_a_stripped_program)
{
	NEED_PROGRAM();
	ASSERT_TRUE(
		fixture_run("objcopy --add-section .gnu_debugdata=mini.xz bare "
			    "root/usr/bin/program"));
	expect_name("hidden");
	fixture_close();
}

TEST(names_that_were_cut_short)
{
	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run("head -c 200 mini.xz >cut && "
				"objcopy --add-section .gnu_debugdata=cut bare "
				"root/usr/bin/program"));
	expect_name("fn_");
	fixture_close();
}

/* 45 KB that uncompress to 300 MB. */
TEST(names_that_would_fill_the_memory)
{
	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run(
		"head -c 300M /dev/zero | cat mini - | xz -0 >bomb && "
		"objcopy --add-section .gnu_debugdata=bomb bare "
		"root/usr/bin/program"));
	expect_name(NULL);
	fixture_close();
}

/* .lzma has no size in its header either. */
TEST(names_of_another_format)
{
	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run(
		"xz -k --format=lzma mini && "
		"objcopy --add-section .gnu_debugdata=mini.lzma bare "
		"root/usr/bin/program"));
	expect_name("hidden");
	ASSERT_TRUE(
		fixture_run("head -c 300M /dev/zero | cat mini - | "
			    "xz -0 --format=lzma >bomb && "
			    "objcopy --add-section .gnu_debugdata=bomb bare "
			    "root/usr/bin/program"));
	expect_name(NULL);
	fixture_close();
}

/*
 * Writes "lie": "mini", but with @value at offset @at of its symbol table's
 * section header.
 */
static bool write_lie(size_t at, uint64_t value, size_t size)
{
	static uint8_t file[1 << 16];
	FILE *mini = fopen(fixture_path("mini"), "rb");
	size_t length = mini ? fread(file, 1, sizeof(file), mini) : 0;
	const Elf64_Ehdr *header = (const void *)file;
	Elf64_Shdr *sections = (void *)(file + header->e_shoff);

	if (mini)
		fclose(mini);
	for (size_t i = 0; length && i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			memcpy((uint8_t *)&sections[i] + at, &value, size);
	return length && fixture_write("lie", file, length);
}

/* libdwfl discards such symbols, but keeps using their count. */
TEST(names_of_a_table_that_lies)
{
	static const struct {
		size_t at;
		size_t size;
		uint64_t value;
	} lies[] = {
		{offsetof(Elf64_Shdr, sh_info), 4, UINT32_MAX},
		{offsetof(Elf64_Shdr, sh_info), 4, 1 << 20},
		{offsetof(Elf64_Shdr, sh_entsize), 8, 1},
		{offsetof(Elf64_Shdr, sh_entsize), 8, 0},
		{offsetof(Elf64_Shdr, sh_entsize), 8, 48},
		{offsetof(Elf64_Shdr, sh_size), 8, sizeof(Elf64_Sym)},
		{offsetof(Elf64_Shdr, sh_size), 8, UINT64_MAX},
		{offsetof(Elf64_Shdr, sh_offset), 8, UINT64_MAX},
		{offsetof(Elf64_Shdr, sh_link), 4, 0},
		{offsetof(Elf64_Shdr, sh_link), 4, UINT32_MAX},
	};

	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		ASSERT_TRUE(write_lie(lies[i].at, lies[i].value, lies[i].size));
		ASSERT_TRUE(fixture_run(
			"xz -fk lie && "
			"objcopy --add-section .gnu_debugdata=lie.xz bare "
			"root/usr/bin/program"));
		expect_name(NULL);
	}
	fixture_close();
}

/*
 * Adds @size zeros as .debug_info to root/usr/bin/program, compressed as
 * @format.
 */
static bool pack_zeros(const char *size, const char *format)
{
	return fixture_run(
		"head -c %s /dev/zero >bomb && "
		"objcopy --add-section .debug_info=bomb "
		"--set-section-flags .debug_info=debug program whole && "
		"objcopy --compress-debug-sections=%s whole "
		"root/usr/bin/program",
		size, format);
}

TEST(sections_that_would_fill_the_memory)
{
	static const char *const formats[] = {"zlib-gabi", "zlib-gnu", "zstd"};

	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		ASSERT_TRUE(pack_zeros("80M", formats[i]));
		expect_name(NULL);
		ASSERT_TRUE(pack_zeros("10M", formats[i]));
		expect_name("hidden");
	}
	fixture_close();
}

/* The line of "hidden", or 0; @error: why it cannot be read, or 0. */
static void expect_line(unsigned int number, int error)
{
	struct pmscope_symbols *symbols = fixture_symbols();
	struct pmscope_place place = fixture_place("hidden");
	struct pmscope_line line = {};
	const char *path = NULL;

	ASSERT_TRUE(symbols);
	pmscope_symbols_line(symbols, &place, 0, &line);
	EXPECT_EQ(line.line, number);
	EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), error);
	EXPECT_EQ(path != NULL, error != 0);
	pmscope_symbols_free(symbols);
}

#define NEED_ZSTD()                                                         \
	do {                                                                \
		NEED_PROGRAM();                                             \
		if (!fixture_run("objcopy --compress-debug-sections=zstd "  \
				 "program packed"))                         \
			SKIP("this objcopy has no zstd");                   \
		ASSERT_TRUE(                                                \
			fixture_run("cc -g -O2 -fPIE -pie "                 \
				    "-Wl,--build-id -o program "            \
				    "program.c && strip -o bare program")); \
	} while (0)

/* Where the DWARF is; each command makes it of "program". */
TEST(sections_packed_with_any_format)
{
	static const char *const makes[] = {
		"objcopy --compress-debug-sections=zlib-gnu program $to",
		"objcopy --compress-debug-sections=zlib-gabi program $to",
		"objcopy --compress-debug-sections=zstd program $to",
		"objcopy --compress-debug-sections=zstd program packed && "
		"zstd -q packed -o $to",
		/* a debug file: by its build-id, then by its CRC alone */
		"objcopy --only-keep-debug --compress-debug-sections=zstd "
		"program d.dbg && cp d.dbg root/usr/bin/d.dbg && "
		"objcopy --add-gnu-debuglink=d.dbg bare $to",
		"cp program plain && objcopy -R .note.gnu.build-id plain && "
		"objcopy --only-keep-debug --compress-debug-sections=zstd "
		"plain d.dbg && cp d.dbg root/usr/bin/d.dbg && "
		"strip -R .note.gnu.build-id -o bare plain && "
		"objcopy --add-gnu-debuglink=d.dbg bare $to",
	};

	NEED_ZSTD();
	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		ASSERT_TRUE(fixture_run(
			"to=root/usr/bin/program && rm -f $to d.dbg && { %s; }",
			makes[i]));
		expect_line(3, 0);
	}
	fixture_close();
}

/* Changes the compression header, or the data after it, of .debug_line. */
static bool change_packed(unsigned int at, const char *bytes)
{
	return fixture_run(
		"objcopy --compress-debug-sections=zstd program packed && "
		"at=$(readelf -SW packed | "
		"sed -n 's/.*[.]debug_info *PROGBITS *[0-9a-f]* "
		"*\\([0-9a-f]*\\) .*/\\1/p') && "
		"printf '%s' | dd of=packed bs=1 seek=$((0x$at + %u)) "
		"conv=notrunc && cp packed root/usr/bin/program",
		bytes, at);
}

TEST(sections_that_cannot_be_unpacked)
{
	static const struct {
		unsigned int at;
		const char *bytes;
		int error;
	} changes[] = {
		{0, "\\003", -EOPNOTSUPP},   /* no known format */
		{24, "none", -EBADMSG},	     /* no magic of zstd */
		{8, "\\001\\000", -EBADMSG}, /* another size */
	};

	NEED_ZSTD();
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		ASSERT_TRUE(change_packed(changes[i].at, changes[i].bytes));
		expect_line(0, changes[i].error);
		expect_name("hidden");
	}
	fixture_close();
}

/* Moves root/usr/bin/program to a server, as the debug file of "bare". */
static bool serve(void)
{
	struct pmscope_place place;

	return fixture_run("rm -rf cache && to=server/buildid/%s && "
			   "mkdir -p $to && "
			   "mv root/usr/bin/program $to/debuginfo && "
			   "cp bare root/usr/bin/program",
			   fixture_build_id("program", &place));
}

TEST(sections_of_a_server_that_would_fill_the_memory)
{
	char url[128];

	NEED_PROGRAM();
	snprintf(url, sizeof(url), "file://%s/", fixture_path("server"));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", fixture_path("cache"), 1);
	ASSERT_TRUE(pack_zeros("80M", "zlib-gabi") && serve());
	expect_name("fn_");
	ASSERT_TRUE(pack_zeros("10M", "zlib-gabi") && serve());
	expect_name("hidden");
	unsetenv("DEBUGINFOD_URLS");
	fixture_close();
}

/* Only .zdebug sections are compressed in this format. */
TEST(section_that_looks_compressed)
{
	NEED_PROGRAM();
	ASSERT_TRUE(fixture_run("printf 'ZLIB header missing' >text && "
				"objcopy --add-section .other=text program "
				"root/usr/bin/program"));
	expect_name("hidden");
	fixture_close();
}

static const char *const packers[] = {"gzip", "xz", "zstd"};

static bool is_here(const char *packer)
{
	return fixture_run("command -v %s >command", packer);
}

TEST(program_that_is_compressed)
{
	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is_here(packers[i])) {
			ASSERT_TRUE(fixture_run(
				"%s -c program >root/usr/bin/program",
				packers[i]));
			expect_name("hidden");
		}
	fixture_close();
}

TEST(compressed_program_that_is_cut_or_changed)
{
	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is_here(packers[i])) {
			ASSERT_TRUE(fixture_run("%s -c program | head -c 1000 "
						">root/usr/bin/program",
						packers[i]));
			expect_name(NULL);
			ASSERT_TRUE(fixture_run(
				"%s -c program >root/usr/bin/program && "
				"printf bad | dd of=root/usr/bin/program bs=1 "
				"seek=400 conv=notrunc",
				packers[i]));
			expect_name(NULL);
		}
	fixture_close();
}

TEST(compressed_program_that_would_fill_the_memory)
{
	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is_here(packers[i])) {
			ASSERT_TRUE(fixture_run(
				"head -c 300M /dev/zero | cat program - | "
				"%s -1 >root/usr/bin/program",
				packers[i]));
			expect_name(NULL);
		}
	fixture_close();
}

/* Puts the debug file beside the stripped program, with a .gnu_debuglink. */
static void keep_debug_file(const char *pack)
{
	ASSERT_TRUE(fixture_run("%s >root/usr/bin/d.dbg && "
				"objcopy --add-gnu-debuglink="
				"root/usr/bin/d.dbg bare root/usr/bin/program",
				pack));
}

TEST(debug_file_that_is_compressed)
{
	NEED_PROGRAM();
	keep_debug_file("gzip -c program");
	expect_name("hidden");
	fixture_close();
}

TEST(debug_file_that_would_fill_the_memory)
{
	NEED_PROGRAM();
	keep_debug_file("head -c 300M /dev/zero | cat program - | gzip -1");
	expect_name("fn_");
	ASSERT_TRUE(fixture_run(
		"objcopy --remove-section .note.gnu.build-id bare"));
	keep_debug_file("mv root/usr/bin/d.dbg copy; cat copy");
	expect_name("fn_");
	fixture_close();
}

/* A .gnu_debuglink with CRC 0 would be taken for a .gnu_debugaltlink. */
TEST(debug_file_that_is_linked_to_as_another)
{
	NEED_PROGRAM();
	ASSERT_TRUE(
		fixture_run("head -c 300M /dev/zero | cat program - | gzip -1 "
			    ">root/usr/bin/d.dbg && "
			    "printf 'd.dbg\\0\\0\\0\\0\\0\\0\\0' >link && "
			    "objcopy --add-section .gnu_debuglink=link bare "
			    "root/usr/bin/program"));
	expect_name(NULL);
	fixture_close();
}

KTAP_MAIN
