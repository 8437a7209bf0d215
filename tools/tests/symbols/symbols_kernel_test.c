// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of a kernel and its modules, from a small kallsyms. */
#include "elf_fixture.h"
#include "ktap.h"
#include "symbol_expect.h"

#include <pmscope/symbols.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define KERNEL_DSO "[kernel.kallsyms]"

static struct pmscope_symbols *with_kallsyms(const char *text)
{
	char path[] = "/tmp/pmscope-kallsyms-XXXXXX";
	struct pmscope_symbols_options options = {.size = sizeof(options),
						  .kallsyms = path};
	struct pmscope_symbols *symbols;
	int fd = mkstemp(path), error;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return NULL;
	close(fd);
	symbols = pmscope_symbols_new(&options);
	error = errno;
	unlink(path);
	errno = error;
	return symbols;
}

static void expect(struct pmscope_symbols *symbols,
		   const struct pmscope_place *place, uint64_t address,
		   const char *name, uint64_t offset, const char *dso)
{
	struct pmscope_symbol symbol;
	int ret = pmscope_symbols_find(symbols, place, address, &symbol);

	expect_symbol(ret, &symbol, name, offset, dso);
}

/* Looks @address up without further information about the place. */
static void expect_kernel(struct pmscope_symbols *symbols, uint64_t address,
			  const char *name, uint64_t offset, const char *dso)
{
	struct pmscope_place place = {.kernel = true};

	expect(symbols, &place, address, name, offset, dso);
}

TEST(kernel_and_module_symbols)
{
	static const char text[] =
		"ffff800008010000 T _stext\n"
		"ffff800008010100 t local_function_of_long_name\n"
		"ffff800008010100 T global_function\n"
		"ffff800008010100 W weak_function_of_long_name\n"
		"ffff800008010180 d data_is_not_code\n"
		"ffff800008010200 t $x\n"
		"\n"
		"garbage\n"
		"ffff80007a000000 t module_function\t[some_module]\n"
		"ffff80007a000100 t other_function\t[other_module]\n";
	struct pmscope_symbols *symbols = with_kallsyms(text);

	ASSERT_TRUE(symbols);
	expect_kernel(symbols, 0xffff800008010004, "_stext", 4, KERNEL_DSO);
	expect_kernel(symbols, 0xffff800008010204, "global_function", 0x104,
		      KERNEL_DSO);
	expect_kernel(symbols, 0xffff80007a000010, "module_function", 0x10,
		      "[some_module]");
	expect_kernel(symbols, 0xffff80007a000110, "other_function", 0x10,
		      "[other_module]");
	expect_kernel(symbols, 0xffff800008011fff, "global_function", 0x1eff,
		      KERNEL_DSO);
	/* Anything may follow the last symbol, such as a BPF program. */
	expect_kernel(symbols, 0xffff800008012000, NULL, 0, KERNEL_DSO);
	expect_kernel(symbols, 0xffff80007a002000, NULL, 0, KERNEL_DSO);
	expect_kernel(symbols, 0xffff800000000000, NULL, 0, KERNEL_DSO);
	pmscope_symbols_free(symbols);
}

#define TEN	"_RNvNtNtNt"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* Kernels before 6.19 show wrong types for long names, such as Rust's. */
TEST(types_of_long_names_are_any)
{
	static const char text[] =
		"ffff800008010000 T _stext\n"
		"ffff800008010100 N debug\n"
		"ffff800008010200 1 one\n"
		"ffff800008010300 l local\n"
		"ffff800008010400 u unique\n"
		"ffff800008010500 L other\n"
		"ffff800008010600 _ " HUNDRED TEN TEN TEN "\n"
		"ffff800008010700 _ " HUNDRED "\n"
		"ffff80007a000000 t function\t[module]\n"
		"ffff80007a000100 d " HUNDRED TEN TEN TEN "\t[module]\n";
	struct pmscope_symbols *symbols = with_kallsyms(text);

	ASSERT_TRUE(symbols);
	expect_kernel(symbols, 0xffff800008010104, "debug", 4, KERNEL_DSO);
	expect_kernel(symbols, 0xffff800008010204, "one", 4, KERNEL_DSO);
	expect_kernel(symbols, 0xffff800008010304, "local", 4, KERNEL_DSO);
	expect_kernel(symbols, 0xffff800008010504, "unique", 0x104, KERNEL_DSO);
	expect_kernel(symbols, 0xffff800008010704, HUNDRED TEN TEN TEN, 0x104,
		      KERNEL_DSO);
	/* For modules the types are right. */
	expect_kernel(symbols, 0xffff80007a000104, "function", 0x104,
		      "[module]");
	pmscope_symbols_free(symbols);
}

TEST(kallsyms_that_cannot_be_read)
{
	struct pmscope_symbols_options options = {.size = sizeof(options),
						  .kallsyms = "/"};

	errno = 0;
	EXPECT_TRUE(!pmscope_symbols_new(&options));
	EXPECT_EQ(errno, EISDIR);
}

TEST(hidden_kernel_addresses)
{
	errno = 0;
	EXPECT_TRUE(!with_kallsyms("0000000000000000 T _stext\n"));
	EXPECT_EQ(errno, ENODATA);
}

/* A place in a kernel whose _text was at @address. */
static struct pmscope_place kernel_at(uint64_t address)
{
	return (struct pmscope_place){
		.kernel = true,
		.dso = "[kernel.kallsyms]_text",
		.reference = "_text",
		.reference_address = address,
	};
}

/* With KASLR, the kernel is elsewhere at each boot. */
TEST(kernel_of_another_boot)
{
	static const char text[] = "ffff800010000000 T _text\n"
				   "ffff800010000100 T function\n"
				   "ffff800010000200 T last\n"
				   "ffff80007a000000 t of_a_module\t[module]\n";
	struct pmscope_place place = kernel_at(0xffff800050000000);
	struct pmscope_symbols *symbols = with_kallsyms(text);

	ASSERT_TRUE(symbols);
	expect(symbols, &place, 0xffff800050000108, "function", 8, KERNEL_DSO);
	place.dso = "/lib/modules/module.ko";
	expect(symbols, &place, 0xffff80007a000000, NULL, 0, "[module]");
	pmscope_symbols_free(symbols);
}

/* The recorded symbol may be an alias, which lookups never return. */
TEST(kernel_of_another_boot_that_begins_with_two_names)
{
	static const char text[] = "ffff800010000000 T _text\n"
				   "ffff800010000000 T startup\n"
				   "ffff800010000100 T function\n"
				   "ffff800010000100 T _stext\n"
				   "ffff80007a000000 t _stext\t[module]\n";
	struct pmscope_place place = kernel_at(0xffff800050000000);

	for (int i = 0; i < 2; i++) {
		struct pmscope_symbols *symbols = with_kallsyms(text);

		ASSERT_TRUE(symbols);
		expect(symbols, &place, 0xffff800050000008, "startup", 8,
		       KERNEL_DSO);
		expect(symbols, &place, 0xffff800050000108, "function", 8,
		       KERNEL_DSO);
		pmscope_symbols_free(symbols);
		place.dso = "[kernel.kallsyms]_stext";
		place.reference = "_stext";
		place.reference_address += 0x100;
	}
}

/* The kernel and its modules may have been anywhere. */
TEST(kernel_that_was_nobody_knows_where)
{
	static const char text[] = "ffff800010000100 T function\n"
				   "ffff80007a000000 t _text\t[module]\n";
	struct pmscope_place place = kernel_at(0xffff800010000000);
	struct pmscope_symbols *symbols = with_kallsyms(text);

	ASSERT_TRUE(symbols);
	expect(symbols, &place, 0xffff800010000108, NULL, 0, KERNEL_DSO);
	place.dso = "/lib/modules/module.ko";
	expect(symbols, &place, 0xffff80007a000004, NULL, 0, "[module]");
	pmscope_symbols_free(symbols);
}

TEST(kernel_of_this_boot_and_its_modules)
{
	static const char text[] = "ffff800010000000 T _text\n"
				   "ffff800010000100 T function\n"
				   "ffff80007a000000 t of_a_module\t[module]\n";
	struct pmscope_place place = kernel_at(0xffff800010000000);
	struct pmscope_symbols *symbols = with_kallsyms(text);

	ASSERT_TRUE(symbols);
	expect(symbols, &place, 0xffff800010000108, "function", 8, KERNEL_DSO);
	place.dso = "/lib/modules/module.ko";
	expect(symbols, &place, 0xffff80007a000004, "of_a_module", 4,
	       "[module]");
	pmscope_symbols_free(symbols);
}

/* A recording has no path for a module if perf did not find its file. */
TEST(module_by_its_name)
{
	static const char text[] = "ffff800010000000 T _text\n"
				   "ffff800010000100 T function\n";
	struct pmscope_place place = {
		.kernel = true,
		.dso = "[module]",
		.around = {UINT64_MAX, UINT64_MAX},
	};
	struct pmscope_symbols *symbols = with_kallsyms(text);

	ASSERT_TRUE(symbols);
	expect(symbols, &place, 0xffff80007a000004, NULL, 0, "[module]");
	place.dso = "[kernel.kallsyms]_text";
	expect(symbols, &place, 0xffff80007a000004, NULL, 0, KERNEL_DSO);
	pmscope_symbols_free(symbols);
}

/* A kernel whose build-id is 20 times 0xab. */
static struct pmscope_place recorded_kernel(void)
{
	static uint8_t id[20];

	memset(id, 0xab, sizeof(id));
	return (struct pmscope_place){.kernel = true,
				      .dso = KERNEL_DSO "_text",
				      .build_id = id,
				      .build_id_size = sizeof(id)};
}

static void expect_recorded(const struct pmscope_place *place, uint64_t address,
			    const char *name)
{
	struct pmscope_symbols *symbols = fixture_symbols();

	ASSERT_TRUE(symbols);
	expect(symbols, place, address, name, name ? 1 : 0, KERNEL_DSO);
	pmscope_symbols_free(symbols);
}

TEST(kallsyms_that_perf_keeps)
{
	struct pmscope_place place = recorded_kernel();

	ASSERT_TRUE(fixture_open());
	setenv("HOME", fixture_path("home"), 1);
	expect_recorded(&place, 0xffff800008010101, NULL);
	ASSERT_TRUE(fixture_run(
		"to=home/.debug/.build-id/ab/$(printf %%038d 0 | sed s/0/ab/g "
		"| "
		"cut -c 1-38) && mkdir -p $to && "
		"echo 'ffff800008010100 T start_kernel' >$to/kallsyms"));
	expect_recorded(&place, 0xffff800008010101, "start_kernel");
	fixture_close();
}

KTAP_MAIN
