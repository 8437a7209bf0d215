// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What compilers' profiles need: the functions at an address with their lines,
 * and the address that the linker gave. addr2line and nm tell the same.
 */
#include "symbols_scenario.h"

#include <sys/socket.h>
#include <sys/syscall.h>

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

#define MADE(options) PROGRAM_ID(source, options, "none")
#define START(label)  IN(label), PLUS(-1)

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

static struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];

STEP_OF(read_frames)
{
	uint64_t behind;
	char text[256];

	ASSERT_EQ(pmscope_symbols_frames(symbols_of(sc), &sc->place, frames,
					 &behind),
		  (int)step->v[0]);
	frames_text(frames, step->v[0], text, sizeof(text));
	EXPECT_STREQ(fixture_output("addr2line -fie program 0x%lx | "
				    "sed 's|^/.*/||; s/ (discriminator.*//' | "
				    "tr '\\n' ' '",
				    (unsigned long)sc->place.file_offset),
		     text);
}
#define FRAMES(nr) CALL(read_frames, nr)

STEP_OF(expect_frame)
{
	const struct pmscope_frame *frame = &frames[step->v[0]];

	EXPECT_STREQ(frame->name, step->text);
	EXPECT_STREQ(frame->linkage, step->text);
	EXPECT_STREQ(file_name(frame->file), "program.c");
	EXPECT_EQ(frame->line, step->v[1]);
	EXPECT_EQ(frame->start, step->v[2]);
}
#define FRAME(nr, name, number, start) \
	CALL_SAY(expect_frame, name, nr, number, start)

SCENARIO(frames_with_lines, MADE("-g"), START("in_inner"), FRAMES(2),
	 FRAME(0, "inner", 3, 1), FRAME(1, "outer", 9, 6), START("in_outer"),
	 FRAMES(1), FRAME(0, "outer", 8, 6));

/* All of these bytes have the same frames as the first. */
STEP_OF(expect_same_behind)
{
	struct pmscope_symbols *symbols = symbols_of(sc);
	struct pmscope_place place = sc->place;
	uint64_t behind, left, end = fixture_address("program", "in_inner");
	char first[256], text[256];

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
}

SCENARIO(frames_behind, MADE("-g"), START("outer"), CALL(expect_same_behind));

/* The library's, too: how often its child was asked. */
static unsigned int asked;

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	asked++;
	return syscall(SYS_sendmsg, fd, message, flags);
}

STEP_OF(expect_few_questions)
{
	struct pmscope_symbols *symbols = symbols_of(sc);
	struct pmscope_place any = sc->place;
	struct pmscope_line line;
	uint64_t behind;

	pmscope_symbols_frames(symbols, &sc->place, frames, &behind);
	asked = 0;
	for (uint64_t at = 0; at <= sc->place.file_offset; at++) {
		any.file_offset = at;
		pmscope_symbols_frames(symbols, &any, frames, &behind);
	}
	EXPECT_TRUE(asked && asked < 32);
	pmscope_symbols_free(symbols);
	sc->symbols = NULL;
	symbols = symbols_of(sc);
	asked = 0;
	for (uint64_t i = 0; i <= sc->place.file_offset; i++) {
		any.file_offset = i * 0x9e5 % (sc->place.file_offset + 1);
		pmscope_symbols_line(symbols, &any, 0, &line);
	}
	EXPECT_TRUE(asked && asked < 64);
	EXPECT_EQ(pmscope_symbols_line(symbols, &sc->place, 0, &line), 0);
	EXPECT_TRUE(line.line > 6 && line.line < 9);
}

/* Neither each address that has frames or a line, nor each without any. */
SCENARIO(few_questions_for_many_addresses, MADE("-g -Wl,-z,noseparate-code"),
	 START("outer"), CALL(expect_few_questions));

SCENARIO(no_frames, MADE("-g0"), START("outer"), NO_FRAMES, SET(kernel, true),
	 NO_FRAMES, SET(kernel, false), SET(dso, "/usr/bin/missing"),
	 NO_FRAMES);

STEP_OF(expect_link)
{
	uint64_t address = fixture_address("program", "outer"), link = 0;

	EXPECT_TRUE(address > 0x7000000);
	sc->place.file_offset = address - fixture_gap("program", "R E");
	EXPECT_TRUE(sc->place.file_offset < 0x100000);
	EXPECT_EQ(pmscope_symbols_link_address(symbols_of(sc), &sc->place,
					       &link),
		  0);
	EXPECT_EQ(link, address);
}

/* At 0x7000000 in memory, whatever its place in the file. */
SCENARIO(link_addresses, WRITE("program.c", source),
	 NEED("cc -O2 -fPIC -shared -nostdlib -Wl,-z,separate-code "
	      "-Wl,-Ttext-segment=0x7000000 -o program program.c "
	      "&& strip -o root/usr/bin/program program",
	      "no compiler here"),
	 AT("/usr/bin/program", 0), CALL(expect_link), SET(kernel, true),
	 NO_LINK, SET(kernel, false), SET(file_offset, UINT64_C(1) << 40),
	 NO_LINK, SET(dso, "/usr/bin/missing"), NO_LINK);
