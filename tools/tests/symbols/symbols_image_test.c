// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols and lines of a kernel from a vmlinux that is built here. */
#include "elf_fixture.h"
#include "ktap.h"
#include "symbol_expect.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_DSO "[kernel.kallsyms]"

/* KASLR: the distance from the linked to the running address. */
#define MOVED UINT64_C(0x1a5000000)

static bool open_fixture(void)
{
	static const char source[] =
		"volatile int sink;\n"
		"static inline __attribute__((always_inline)) int inner(int "
		"x)\n"
		"{ return x * 7 + sink; }\n"
		"void _text(void) {}\n"
		"int start_kernel(int x) { return inner(x); }\n";

	return fixture_open() && fixture_write_text("vmlinux.c", source);
}

static bool build(const char *options)
{
	return fixture_run("cc -O2 -g %s -nostdlib -static -fno-pie -no-pie "
			   "-Wl,--build-id=sha1,-Ttext=0xffff800008010000 "
			   "-Wl,-e,start_kernel -o vmlinux vmlinux.c",
			   options);
}

/* Builds the vmlinux of the recorded kernel. */
#define NEED_IMAGE()                               \
	do {                                       \
		if (!open_fixture() || !build("")) \
			SKIP("no compiler here");  \
	} while (0)

static bool keep(const char *path)
{
	return fixture_run("mkdir -p root/$(dirname %s) && "
			   "cp vmlinux root/%s",
			   path, path);
}

static uint64_t address_of(const char *function)
{
	return fixture_address("vmlinux", function) + MOVED;
}

/* An address in start_kernel(). */
static struct pmscope_place recorded_place(void)
{
	struct pmscope_place place = {
		.kernel = true,
		.pid = PMSCOPE_NO_ID,
		.dso = KERNEL_DSO "_text",
		.file_offset = address_of("start_kernel") + 1,
		.reference = "_text",
		.reference_address = address_of("_text"),
	};

	fixture_build_id("vmlinux", &place);
	return place;
}

static void expect_name(struct pmscope_symbols *symbols,
			const struct pmscope_place *place, const char *name)
{
	struct pmscope_symbol symbol;
	int ret = pmscope_symbols_find(symbols, place, place->file_offset,
				       &symbol);

	expect_symbol(ret, &symbol, name, name ? 1 : 0, KERNEL_DSO);
}

static void expect_line(struct pmscope_symbols *symbols,
			const struct pmscope_place *place, bool known)
{
	struct pmscope_line line;
	int ret =
		pmscope_symbols_line(symbols, place, place->file_offset, &line);

	EXPECT_EQ(ret, known ? 0 : -ENOENT);
	EXPECT_EQ(line.file && strstr(line.file, "vmlinux.c"), known);
	EXPECT_STREQ(line.frames, known ? "inner < start_kernel" : NULL);
}

static void expect_image(const struct pmscope_place *place, bool known)
{
	struct pmscope_symbols *symbols = fixture_symbols();

	ASSERT_TRUE(symbols);
	expect_line(symbols, place, known);
	expect_name(symbols, place, known ? "start_kernel" : NULL);
	expect_line(symbols, place, known);
	pmscope_symbols_free(symbols);
}

TEST(image_by_its_build_id)
{
	struct pmscope_place place;
	const char *id;

	NEED_IMAGE();
	place = recorded_place();
	id = fixture_build_id("vmlinux", &place);
	ASSERT_TRUE(fixture_run("to=root/usr/lib/debug/.build-id/%.2s && "
				"mkdir -p $to && cp vmlinux $to/%s.debug",
				id, id + 2));
	expect_image(&place, true);
	fixture_close();
}

TEST(image_where_distributions_have_it)
{
	static const char *const paths[] = {
		"boot/vmlinux-6.12.1",
		"lib/modules/6.12.1/build/vmlinux",
		"usr/lib/modules/6.12.1/vmlinux",
		"usr/lib/debug/boot/vmlinux-6.12.1",
		"usr/lib/debug/lib/modules/6.12.1/vmlinux",
		"usr/lib/debug/usr/lib/modules/6.12.1/vmlinux.debug",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct pmscope_place place;

		NEED_IMAGE();
		place = recorded_place();
		ASSERT_TRUE(keep(paths[i]));
		expect_image(&place, true);
		fixture_close();
	}
}

TEST(image_below_a_root_named_like_a_pattern)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(keep("boot/vmlinux-6.12.1"));
	ASSERT_TRUE(fixture_run("mkdir 'r[o]ot'"));
	symbols = fixture_symbols_below("r[o]ot");
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, NULL);
	pmscope_symbols_free(symbols);
	ASSERT_TRUE(fixture_run("cp -r root/boot 'r[o]ot'"));
	symbols = fixture_symbols_below("r[o]ot");
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, "start_kernel");
	pmscope_symbols_free(symbols);
	fixture_close();
}

TEST(image_of_another_kernel)
{
	struct pmscope_place place;

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(build("-Dinner=other"));
	ASSERT_TRUE(keep("boot/vmlinux-6.12.1"));
	expect_image(&place, false);
	place.build_id_size = 0;
	expect_image(&place, false);
	fixture_close();
}

/* With KASLR, the kernel may have been anywhere. */
TEST(image_that_was_nobody_knows_where)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(keep("boot/vmlinux-6.12.1"));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	place.reference = "no_such_function";
	expect_line(symbols, &place, false);
	place.reference = NULL;
	expect_line(symbols, &place, false);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* A linker script defines _text, so the first function has two names. */
TEST(image_that_begins_with_two_names)
{
	struct pmscope_place place;

	if (!open_fixture() ||
	    !build("-D_text=startup -Wl,--defsym=_text=startup"))
		SKIP("no compiler here");
	place = recorded_place();
	ASSERT_TRUE(keep("boot/vmlinux-6.12.1"));
	expect_image(&place, true);
	fixture_close();
}

/* With a kallsyms that begins with @first and has its_name() at @place. */
static struct pmscope_symbols *
beside_kallsyms(const char *first, const struct pmscope_place *place)
{
	static char root[64], kallsyms[64];
	struct pmscope_symbols_options options = {
		.size = sizeof(options), .symfs = root, .kallsyms = kallsyms};

	fixture_run("printf '%%x T %s\\n%%x T its_name\\n' %ju %ju >kallsyms",
		    first, (uintmax_t)place->reference_address,
		    (uintmax_t)place->file_offset - 1);
	strcpy(root, fixture_path("root"));
	strcpy(kallsyms, fixture_path("kallsyms"));
	return pmscope_symbols_new(&options);
}

/* If kallsyms is not of the recorded kernel, vmlinux is used. */
TEST(image_beside_kallsyms_of_another_kernel)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_IMAGE();
	place = recorded_place();
	symbols = beside_kallsyms("other", &place);
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, NULL);
	pmscope_symbols_free(symbols);
	ASSERT_TRUE(keep("boot/vmlinux-6.12.1"));
	symbols = beside_kallsyms("other", &place);
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, "start_kernel");
	expect_line(symbols, &place, true);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Names come from kallsyms, as it is of the recorded boot. */
TEST(lines_beside_kallsyms)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(keep("boot/vmlinux-6.12.1"));
	symbols = beside_kallsyms("_text", &place);
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, "its_name");
	expect_line(symbols, &place, true);
	expect_name(symbols, &place, "its_name");
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* With @image as the user's choice, and a kallsyms as beside_kallsyms(). */
static struct pmscope_symbols *with_image(const char *image,
					  const struct pmscope_place *place)
{
	static char root[64], kallsyms[64], vmlinux[64];
	struct pmscope_symbols_options options = {.size = sizeof(options),
						  .symfs = root,
						  .kallsyms = kallsyms,
						  .vmlinux = vmlinux};

	pmscope_symbols_free(beside_kallsyms("_text", place));
	strcpy(root, fixture_path("root"));
	strcpy(kallsyms, fixture_path("kallsyms"));
	strcpy(vmlinux, fixture_path(image));
	return pmscope_symbols_new(&options);
}

/* The first bytes of start_kernel(), as in the file. */
static void expect_code(struct pmscope_symbols *symbols,
			const struct pmscope_place *place)
{
	struct pmscope_place begin = *place;
	uint8_t bytes[4];
	struct pmscope_code code;
	char hex[9];

	begin.file_offset--;
	ASSERT_EQ(pmscope_symbols_code(symbols, &begin, begin.file_offset,
				       bytes, sizeof(bytes), &code),
		  0);
	EXPECT_EQ(code.size, sizeof(bytes));
	EXPECT_EQ(code.address, begin.file_offset);
	EXPECT_TRUE(strstr(code.file, "/mine"));
	snprintf(hex, sizeof(hex), "%02x%02x%02x%02x", bytes[0], bytes[1],
		 bytes[2], bytes[3]);
	EXPECT_STREQ(hex,
		     fixture_output("objdump -s -j .text --start-address=%#jx "
				    "--stop-address=%#jx mine | tail -n 1 | "
				    "cut -d' ' -f3",
				    (uintmax_t)(begin.file_offset - MOVED),
				    (uintmax_t)(begin.file_offset - MOVED +
						sizeof(bytes))));
}

/* It is nowhere else, and is preferred to kallsyms. */
TEST(image_that_the_user_chose)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	const char *path;

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(fixture_run("mv vmlinux mine"));
	for (int i = 0; i < 2; i++) {
		symbols = with_image("mine", &place);
		ASSERT_TRUE(symbols);
		expect_name(symbols, &place, "start_kernel");
		expect_line(symbols, &place, true);
		expect_code(symbols, &place);
		EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), 0);
		pmscope_symbols_free(symbols);
		/* It was chosen, so it need not be proven. */
		place.build_id_size = 0;
	}
	fixture_close();
}

/* What the image does not have, kallsyms may. */
TEST(modules_beside_a_chosen_image)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	struct pmscope_symbol symbol;

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(fixture_run("mv vmlinux mine"));
	pmscope_symbols_free(with_image("mine", &place));
	ASSERT_TRUE(fixture_run("printf 'ffff80007a000000 t f\\t[mod]\n' "
				">>kallsyms"));
	symbols = pmscope_symbols_new(&(struct pmscope_symbols_options){
		.size = sizeof(struct pmscope_symbols_options),
		.kallsyms = strdupa(fixture_path("kallsyms")),
		.vmlinux = strdupa(fixture_path("mine")),
	});
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, "start_kernel");
	EXPECT_EQ(pmscope_symbols_find(symbols, &place, 0xffff80007a000004,
				       &symbol),
		  0);
	EXPECT_STREQ(symbol.name, "f");
	EXPECT_STREQ(symbol.dso, "[mod]");
	EXPECT_EQ(symbol.offset, 4U);
	pmscope_symbols_free(symbols);
	fixture_close();
}

/* Then names come from where they would without it. */
TEST(chosen_image_of_another_kernel)
{
	struct pmscope_symbols *symbols;
	struct pmscope_place place;
	const char *path = "";

	NEED_IMAGE();
	place = recorded_place();
	ASSERT_TRUE(build("-Dinner=other"));
	ASSERT_TRUE(fixture_run("mv vmlinux mine && echo none >text"));
	symbols = with_image("mine", &place);
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, "its_name");
	expect_line(symbols, &place, false);
	EXPECT_EQ(pmscope_symbols_unread(symbols, 0, &path), -ESTALE);
	EXPECT_STREQ(path, fixture_path("mine"));
	EXPECT_EQ(pmscope_symbols_unread(symbols, 1, &path), 0);
	pmscope_symbols_free(symbols);
	symbols = with_image("text", &place);
	ASSERT_TRUE(symbols);
	expect_name(symbols, &place, "its_name");
	EXPECT_NE(pmscope_symbols_unread(symbols, 0, &path), 0);
	pmscope_symbols_free(symbols);
	fixture_close();
}

KTAP_MAIN
