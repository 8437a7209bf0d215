// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols and lines of a kernel from a vmlinux that is built here. */
#include "symbols_scenario.h"

/* KASLR: the distance from the linked to the running address. */
#define MOVED UINT64_C(0x1a5000000)

static const char source[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int inner(int x)\n"
	"{ return x * 7 + sink; }\n"
	"void _text(void) {}\n"
	"int start_kernel(int x) { return inner(x); }\n";

#define BUILD(options)                                                   \
	NEED("cc -O2 -g " options " -nostdlib -static -fno-pie -no-pie " \
	     "-Wl,--build-id=sha1,-Ttext=0xffff800008010000 "            \
	     "-Wl,-e,start_kernel -o vmlinux vmlinux.c",                 \
	     "no compiler here")
#define KEEP(path) RUN("put vmlinux root/" path)
#define IN_BOOT	   KEEP("boot/vmlinux-6.12.1")

STEP_OF(place_in_image)
{
	sc->place.file_offset =
		fixture_address("vmlinux", "start_kernel") + MOVED + 1;
	sc->place.reference_address =
		fixture_address("vmlinux", "_text") + MOVED;
}
/* Builds the vmlinux of the recorded kernel. */
#define RECORDED_WITH(options)                                             \
	WRITE("vmlinux.c", source), BUILD(options),                        \
		KERNEL_AT(KERNEL_DSO "_text", 0), SET(reference, "_text"), \
		CALL(place_in_image), BUILD_ID("vmlinux")
#define RECORDED     RECORDED_WITH("")
#define NAMED(name)  FIND_IN(HERE, name, 1, KERNEL_DSO)
#define HAS_LINE     LINE(HERE, "*vmlinux.c", ANY_LINE, "inner < start_kernel")
#define HAS_NO_LINE  LINE(HERE, NULL, ANY_LINE, NULL)
#define IS_FOUND     NEW, HAS_LINE, NAMED("start_kernel"), HAS_LINE
#define IS_NOT_FOUND NEW, HAS_NO_LINE, NAMED(NULL), HAS_NO_LINE

SCENARIO(image_by_its_build_id, RECORDED, RUN("keep vmlinux"), IS_FOUND);

#define FOUND_AT(path) KEEP(path), IS_FOUND, RUN("rm root/" path)

SCENARIO(image_where_distributions_have_it, RECORDED,
	 FOUND_AT("boot/vmlinux-6.12.1"),
	 FOUND_AT("lib/modules/6.12.1/build/vmlinux"),
	 FOUND_AT("usr/lib/modules/6.12.1/vmlinux"),
	 FOUND_AT("usr/lib/debug/boot/vmlinux-6.12.1"),
	 FOUND_AT("usr/lib/debug/lib/modules/6.12.1/vmlinux"),
	 FOUND_AT("usr/lib/debug/usr/lib/modules/6.12.1/vmlinux.debug"));

SCENARIO(image_below_a_root_named_like_a_pattern, RECORDED, IN_BOOT,
	 RUN("mkdir 'r[o]ot'"), WITH_FILE(symfs, "r[o]ot"), NAMED(NULL),
	 RUN("cp -r root/boot 'r[o]ot'"), NAMED("start_kernel"));

SCENARIO(image_of_another_kernel, RECORDED, BUILD("-Dinner=other"), IN_BOOT,
	 IS_NOT_FOUND, NO_BUILD_ID, IS_NOT_FOUND);

/* With KASLR, the kernel may have been anywhere. */
SCENARIO(image_that_was_nobody_knows_where, RECORDED, IN_BOOT,
	 SET(reference, "no_such_function"), HAS_NO_LINE, SET(reference, NULL),
	 HAS_NO_LINE);

/* A linker script defines _text, so the first function has two names. */
SCENARIO(image_that_begins_with_two_names,
	 RECORDED_WITH("-D_text=startup -Wl,--defsym=_text=startup"), IN_BOOT,
	 IS_FOUND);

/* What compilers' profiles need, of a kernel that was moved. */
STEP_OF(expect_frames)
{
	uint64_t linked = sc->place.file_offset - MOVED, link = 0, behind;
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_symbols *symbols = symbols_of(sc);

	ASSERT_EQ(pmscope_symbols_frames(symbols, &sc->place, frames, &behind),
		  2);
	EXPECT_STREQ(frames[0].name, "inner");
	EXPECT_EQ(frames[0].line, 3U);
	EXPECT_STREQ(frames[1].linkage, "start_kernel");
	EXPECT_EQ(frames[1].start, 5U);
	EXPECT_EQ(pmscope_symbols_link_address(symbols, &sc->place, &link), 0);
	EXPECT_EQ(link, linked);
}

SCENARIO(frames_and_link_addresses, RECORDED, NO_FRAMES, NO_LINK, IN_BOOT, NEW,
	 CALL(expect_frames), SET(reference, NULL), NEW, NO_FRAMES, NO_LINK);

/* A kallsyms that begins with these words and has its_name() at the place. */
STEP_IS(write_kallsyms,
	EXPECT_TRUE(fixture_run("printf '%%x T %s\\n%%x T its_name\\n' %ju %ju "
				">kallsyms",
				step->text,
				(uintmax_t)sc->place.reference_address,
				(uintmax_t)sc->place.file_offset - 1)));
#define BESIDE(words) \
	CALL_SAY(write_kallsyms, words, 0), WITH_FILE(kallsyms, "kallsyms")

/* If kallsyms is not of the recorded kernel, vmlinux is used. */
SCENARIO(image_beside_kallsyms_of_another_kernel, RECORDED, BESIDE("other"),
	 NAMED(NULL), IN_BOOT, NAMED("start_kernel"), HAS_LINE);

/* Names come from kallsyms, as it is of the recorded boot. */
SCENARIO(lines_beside_kallsyms, RECORDED, IN_BOOT, BESIDE("_text"),
	 NAMED("its_name"), HAS_LINE, NAMED("its_name"));

STEP_OF(expect_code)
{
	struct pmscope_place begin = sc->place;
	uint64_t linked = --begin.file_offset - MOVED;
	struct pmscope_code code;
	uint8_t bytes[4];
	char hex[9];

	ASSERT_EQ(pmscope_symbols_code(symbols_of(sc), &begin,
				       begin.file_offset, bytes, sizeof(bytes),
				       &code),
		  0);
	EXPECT_EQ(code.size, sizeof(bytes));
	EXPECT_EQ(code.address, begin.file_offset);
	EXPECT_TRUE(strstr(code.file, "/mine"));
	snprintf(hex, sizeof(hex), "%02x%02x%02x%02x", bytes[0], bytes[1],
		 bytes[2], bytes[3]);
	EXPECT_STREQ(hex, fixture_dumped("mine", linked));
}

/* The image is the user's choice, beside a kallsyms. */
#define CHOSEN(image) BESIDE("_text"), WITH_FILE(vmlinux, image)

/* It is nowhere else, and is preferred to kallsyms. */
TEST(image_that_the_user_chose)
{
#define IS_USED NAMED("start_kernel"), HAS_LINE, CALL(expect_code), ALL_READ
	/* It was chosen, so it need not be proven. */
	PLAY(RECORDED, RUN("mv vmlinux mine"), CHOSEN("mine"), IS_USED, NEW,
	     NO_BUILD_ID, IS_USED);
}

/* What the image does not have, kallsyms may. */
SCENARIO(modules_beside_a_chosen_image, RECORDED, RUN("mv vmlinux mine"),
	 CHOSEN("mine"),
	 RUN("printf 'ffff80007a000000 t f\\t[mod]\\n' >>kallsyms"), NO_ROOT,
	 NAMED("start_kernel"), FIND_IN(0xffff80007a000004, "f", 4, "[mod]"));

STEP_OF(expect_some_unread)
{
	const char *path;

	EXPECT_NE(pmscope_symbols_unread(symbols_of(sc), 0, &path), 0);
}

/* Then names come from where they would without it. */
SCENARIO(chosen_image_of_another_kernel, RECORDED, BUILD("-Dinner=other"),
	 RUN("mv vmlinux mine && echo none >text"), CHOSEN("mine"),
	 NAMED("its_name"), HAS_NO_LINE, UNREAD("mine", ESTALE),
	 WITH_FILE(vmlinux, "text"), NAMED("its_name"),
	 CALL(expect_some_unread));
