// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs whose names, or all of which, are compressed. */
#include "ktap.h"
#include "workshop.h"

#include <errno.h>

/* "program", and "mini.xz": the names that were stripped off it. */
static bool build(void)
{
	return workshop_open() &&
	       workshop_write_text(
		       "program.c",
		       "volatile int sink;\n"
		       "static __attribute__((noinline)) int hidden(int x)\n"
		       "{ return x * 7 + sink; }\n"
		       "int main(int argc, char **argv)\n"
		       "{ return hidden(argc) + !argv; }\n") &&
	       workshop_run(
		       "cc -O2 -fPIE -pie -Wl,--build-id -Wl,-z,separate-code "
		       "-o program program.c") &&
	       workshop_run("objcopy --only-keep-debug program mini && "
			    "xz -k mini && strip --strip-all -o bare program");
}

#define NEED_PROGRAM()                                                 \
	do {                                                           \
		if (!build())                                          \
			SKIP("no compiler here, no objcopy or no xz"); \
	} while (0)

/* With "fn_" for @name, the function has that and its address. */
static void expect_name(const char *name)
{
	struct pmscope_symbols *symbols = workshop_symbols();
	struct pmscope_place place = {
		.dso = "/usr/bin/program",
		.pid = 10,
		.file_offset = workshop_address("program", "hidden") + 1,
	};
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

/* Fedora leaves the names of functions in each program, for crashes. */
TEST(names_within_a_stripped_program)
{
	NEED_PROGRAM();
	ASSERT_TRUE(workshop_run(
		"objcopy --add-section .gnu_debugdata=mini.xz bare "
		"root/usr/bin/program"));
	expect_name("hidden");
	workshop_close();
}

TEST(names_that_were_cut_short)
{
	NEED_PROGRAM();
	ASSERT_TRUE(
		workshop_run("head -c 200 mini.xz >cut && "
			     "objcopy --add-section .gnu_debugdata=cut bare "
			     "root/usr/bin/program"));
	expect_name("fn_");
	workshop_close();
}

/* 45 KB that become 300 MB. */
TEST(names_that_would_fill_the_memory)
{
	NEED_PROGRAM();
	ASSERT_TRUE(workshop_run(
		"head -c 300M /dev/zero | cat mini - | xz -0 >bomb && "
		"objcopy --add-section .gnu_debugdata=bomb bare "
		"root/usr/bin/program"));
	expect_name(NULL);
	workshop_close();
}

static const char *const packers[] = {"gzip", "xz", "zstd"};

static bool is_here(const char *packer)
{
	return workshop_run("command -v %s >command", packer);
}

TEST(program_that_is_compressed)
{
	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is_here(packers[i])) {
			ASSERT_TRUE(workshop_run(
				"%s -c program >root/usr/bin/program",
				packers[i]));
			expect_name("hidden");
		}
	workshop_close();
}

TEST(compressed_program_that_is_cut_or_changed)
{
	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is_here(packers[i])) {
			ASSERT_TRUE(workshop_run("%s -c program | head -c 1000 "
						 ">root/usr/bin/program",
						 packers[i]));
			expect_name(NULL);
			ASSERT_TRUE(workshop_run(
				"%s -c program >root/usr/bin/program && "
				"printf bad | dd of=root/usr/bin/program bs=1 "
				"seek=400 conv=notrunc",
				packers[i]));
			expect_name(NULL);
		}
	workshop_close();
}

TEST(compressed_program_that_would_fill_the_memory)
{
	NEED_PROGRAM();
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (is_here(packers[i])) {
			ASSERT_TRUE(workshop_run(
				"head -c 300M /dev/zero | cat program - | "
				"%s -1 >root/usr/bin/program",
				packers[i]));
			expect_name(NULL);
		}
	workshop_close();
}

/* Beside the stripped program, which has its name and checksum. */
static void keep_debug_file(const char *pack)
{
	ASSERT_TRUE(workshop_run("%s >root/usr/bin/d.dbg && "
				 "objcopy --add-gnu-debuglink="
				 "root/usr/bin/d.dbg bare root/usr/bin/program",
				 pack));
}

TEST(debug_file_that_is_compressed)
{
	NEED_PROGRAM();
	keep_debug_file("gzip -c program");
	expect_name("hidden");
	workshop_close();
}

TEST(debug_file_that_would_fill_the_memory)
{
	NEED_PROGRAM();
	keep_debug_file("head -c 300M /dev/zero | cat program - | gzip -1");
	expect_name("fn_");
	ASSERT_TRUE(workshop_run(
		"objcopy --remove-section .note.gnu.build-id bare"));
	keep_debug_file("mv root/usr/bin/d.dbg copy; cat copy");
	expect_name("fn_");
	workshop_close();
}

/* Links without a checksum are what two debug files have to a third. */
TEST(debug_file_that_is_linked_to_as_another)
{
	NEED_PROGRAM();
	ASSERT_TRUE(
		workshop_run("head -c 300M /dev/zero | cat program - | gzip -1 "
			     ">root/usr/bin/d.dbg && "
			     "printf 'd.dbg\\0\\0\\0\\0\\0\\0\\0' >link && "
			     "objcopy --add-section .gnu_debuglink=link bare "
			     "root/usr/bin/program"));
	expect_name(NULL);
	workshop_close();
}

KTAP_MAIN
