// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What compilers' profiles need: the functions at an address with their lines,
 * and the address that the linker gave. addr2line and nm tell the same.
 */
#include "elf_fixture.h"
#include "ktap.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char source[] =
	"static inline __attribute__((always_inline)) int inner(int x)\n"
	"{\n"
	"	__asm__ volatile(\"in_inner: nop\");\n"
	"	return x * x + 1;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	__asm__ volatile(\"in_outer: nop\");\n"
	"	return inner(x) ^ 3;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	return outer(argc) + !argv;\n"
	"}\n";

static bool build(const char *options)
{
	return fixture_open() && fixture_write_text("program.c", source) &&
	       fixture_build(options, "none") &&
	       fixture_run("cp program root/usr/bin/program");
}

static struct pmscope_place place_of(const char *label)
{
	struct pmscope_place place = fixture_place(label);

	place.file_offset--;
	return place;
}

static const char *file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* "inner program.c:3 outer program.c:9 " */
static void frames_text(const struct pmscope_frame *frames, int nr, char *text,
			size_t size)
{
	size_t n = 0;

	*text = '\0';
	for (int i = 0; i < nr && n < size; i++)
		n += snprintf(text + n, size - n, "%s %s:%u ", frames[i].name,
			      file_name(frames[i].file), frames[i].line);
}

static void expect_addr2line(const struct pmscope_place *place,
			     const struct pmscope_frame *frames, int nr)
{
	char text[256];

	frames_text(frames, nr, text, sizeof(text));
	EXPECT_STREQ(fixture_output("addr2line -fie program 0x%lx | "
				    "sed 's|^/.*/||; s/ (discriminator.*//' | "
				    "tr '\\n' ' '",
				    (unsigned long)place->file_offset),
		     text);
}

TEST(frames_with_lines)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	uint64_t behind;

	if (!build("-g"))
		SKIP("no compiler here");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place = place_of("in_inner");
	ASSERT_EQ(pmscope_symbols_frames(symbols, &place, frames, &behind), 2);
	EXPECT_STREQ(frames[0].name, "inner");
	EXPECT_STREQ(frames[0].linkage, "inner");
	EXPECT_STREQ(file_name(frames[0].file), "program.c");
	EXPECT_EQ(frames[0].line, 3U);
	EXPECT_EQ(frames[0].start, 1U);
	EXPECT_STREQ(frames[1].name, "outer");
	EXPECT_EQ(frames[1].line, 9U);
	EXPECT_EQ(frames[1].start, 6U);
	expect_addr2line(&place, frames, 2);
	place = place_of("in_outer");
	ASSERT_EQ(pmscope_symbols_frames(symbols, &place, frames, &behind), 1);
	EXPECT_STREQ(frames[0].name, "outer");
	EXPECT_EQ(frames[0].line, 8U);
	EXPECT_EQ(frames[0].start, 6U);
	expect_addr2line(&place, frames, 1);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* All of these bytes have the same frames as the first. */
TEST(frames_behind)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	char first[256], text[256];
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	uint64_t behind, end, left;

	if (!build("-g"))
		SKIP("no compiler here");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place = place_of("outer");
	end = place_of("in_inner").file_offset;
	EXPECT_TRUE(end > place.file_offset);
	for (uint64_t at = place.file_offset; at <= end; at += behind + 1) {
		int nr;

		place.file_offset = at;
		nr = pmscope_symbols_frames(symbols, &place, frames, &behind);
		ASSERT_TRUE(nr > 0);
		frames_text(frames, nr, first, sizeof(first));
		ASSERT_TRUE(behind < 256);
		for (uint64_t i = 1; i <= behind; i++) {
			place.file_offset = at + i;
			nr = pmscope_symbols_frames(symbols, &place, frames,
						    &left);
			frames_text(frames, nr, text, sizeof(text));
			EXPECT_STREQ(text, first);
		}
	}
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* The library's, too: how often its child was asked. */
static unsigned int asked;

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	asked++;
	return syscall(SYS_sendmsg, fd, message, flags);
}

/* Neither each address that has frames or a line, nor each without any. */
TEST(few_questions_for_many_addresses)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	struct pmscope_line line;
	uint64_t behind;

	if (!build("-g -Wl,-z,noseparate-code"))
		SKIP("no compiler here");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place = place_of("outer");
	pmscope_symbols_frames(symbols, &place, frames, &behind);
	asked = 0;
	for (uint64_t at = 0; at <= place.file_offset; at++) {
		struct pmscope_place before = place;

		before.file_offset = at;
		pmscope_symbols_frames(symbols, &before, frames, &behind);
	}
	EXPECT_TRUE(asked && asked < 32);
	asked = 0;
	for (uint64_t i = 0; i <= place.file_offset; i++) {
		struct pmscope_place any = place;

		any.file_offset = i * 0x9e5 % (place.file_offset + 1);
		pmscope_symbols_line(symbols, &any, 0, &line);
	}
	EXPECT_TRUE(asked && asked < 64);
	EXPECT_EQ(pmscope_symbols_line(symbols, &place, 0, &line), 0);
	EXPECT_TRUE(line.line > 6 && line.line < 9);
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(no_frames)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_place place, kernel;
	struct pmscope_symbols *symbols;
	uint64_t behind;

	if (!build("-g0"))
		SKIP("no compiler here");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place = place_of("outer");
	kernel = place;
	kernel.kernel = true;
	EXPECT_EQ(pmscope_symbols_frames(symbols, &place, frames, &behind),
		  -ENOENT);
	EXPECT_EQ(pmscope_symbols_frames(symbols, &kernel, frames, &behind),
		  -ENOENT);
	place.dso = "/usr/bin/missing";
	EXPECT_EQ(pmscope_symbols_frames(symbols, &place, frames, &behind),
		  -ENOENT);
	pmscope_symbols_free(symbols);
	fixture_close();
}

static uint64_t segment(unsigned int column)
{
	return strtoull(fixture_output("readelf -lW program | awk "
				       "'/LOAD.*R E/ { print $%u }'",
				       column),
			NULL, 16);
}

/* At 0x7000000 in memory, whatever its place in the file. */
TEST(link_addresses)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place = {.dso = "/usr/bin/program", .pid = 10};
	uint64_t address, link = 0;

	if (!fixture_open() || !fixture_write_text("program.c", source) ||
	    !fixture_run("cc -O2 -fPIC -shared -nostdlib -Wl,-z,separate-code "
			 "-Wl,-Ttext-segment=0x7000000 -o program program.c "
			 "&& strip -o root/usr/bin/program program"))
		SKIP("no compiler here");
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	address = fixture_address("program", "outer");
	EXPECT_TRUE(address > 0x7000000);
	place.file_offset = address - segment(3) + segment(2);
	EXPECT_TRUE(place.file_offset < 0x100000);
	EXPECT_EQ(pmscope_symbols_link_address(symbols, &place, &link), 0);
	EXPECT_EQ(link, address);
	place.kernel = true;
	EXPECT_EQ(pmscope_symbols_link_address(symbols, &place, &link),
		  -ENOENT);
	place.kernel = false;
	place.file_offset = UINT64_C(1) << 40;
	EXPECT_EQ(pmscope_symbols_link_address(symbols, &place, &link),
		  -ENOENT);
	place.dso = "/usr/bin/missing";
	EXPECT_EQ(pmscope_symbols_link_address(symbols, &place, &link),
		  -ENOENT);
	pmscope_symbols_free(symbols);
	fixture_close();
}

KTAP_MAIN
