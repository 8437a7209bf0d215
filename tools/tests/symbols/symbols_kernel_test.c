// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of a kernel and its modules, from a small kallsyms. */
#include "symbols_scenario.h"

SCENARIO(kernel_and_module_symbols,
	 KALLSYMS("ffff800008010000 T _stext\n"
		  "ffff800008010100 t local_function_of_long_name\n"
		  "ffff800008010100 T global_function\n"
		  "ffff800008010100 W weak_function_of_long_name\n"
		  "ffff800008010180 d data_is_not_code\n"
		  "ffff800008010200 t $x\n"
		  "\n"
		  "garbage\n"
		  "ffff80007a000000 t module_function\t[some_module]\n"
		  "ffff80007a000100 t other_function\t[other_module]\n"),
	 SET(kernel, true),
	 FIND_IN(0xffff800008010004, "_stext", 4, KERNEL_DSO),
	 FIND_IN(0xffff800008010204, "global_function", 0x104, KERNEL_DSO),
	 FIND_IN(0xffff80007a000010, "module_function", 0x10, "[some_module]"),
	 FIND_IN(0xffff80007a000110, "other_function", 0x10, "[other_module]"),
	 FIND_IN(0xffff800008011fff, "global_function", 0x1eff, KERNEL_DSO),
	 /* Anything may follow the last symbol, such as a BPF program. */
	 FIND_IN(0xffff800008012000, NULL, 0, KERNEL_DSO),
	 FIND_IN(0xffff80007a002000, NULL, 0, KERNEL_DSO),
	 FIND_IN(0xffff800000000000, NULL, 0, KERNEL_DSO));

#define TEN	"_RNvNtNtNt"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* Kernels before 6.19 show wrong types for long names, such as Rust's. */
SCENARIO(types_of_long_names_are_any,
	 KALLSYMS("ffff800008010000 T _stext\n"
		  "ffff800008010100 N debug\n"
		  "ffff800008010200 1 one\n"
		  "ffff800008010300 l local\n"
		  "ffff800008010400 u unique\n"
		  "ffff800008010500 L other\n"
		  "ffff800008010600 _ " HUNDRED TEN TEN TEN "\n"
		  "ffff800008010700 _ " HUNDRED "\n"
		  "ffff80007a000000 t function\t[module]\n"
		  "ffff80007a000100 d " HUNDRED TEN TEN TEN "\t[module]\n"),
	 SET(kernel, true), FIND_IN(0xffff800008010104, "debug", 4, KERNEL_DSO),
	 FIND_IN(0xffff800008010204, "one", 4, KERNEL_DSO),
	 FIND_IN(0xffff800008010304, "local", 4, KERNEL_DSO),
	 FIND_IN(0xffff800008010504, "unique", 0x104, KERNEL_DSO),
	 FIND_IN(0xffff800008010704, HUNDRED TEN TEN TEN, 0x104, KERNEL_DSO),
	 /* For modules the types are right. */
	 FIND_IN(0xffff80007a000104, "function", 0x104, "[module]"));

SCENARIO(kallsyms_that_cannot_be_read, WITH(kallsyms, "/"), REFUSED(EISDIR));

SCENARIO(hidden_kernel_addresses, KALLSYMS("0000000000000000 T _stext\n"),
	 REFUSED(ENODATA));

/* A place in a kernel whose _text was at @address. */
#define BOOT(address)                                  \
	KERNEL_AT(KERNEL_DSO "_text", 0), SET(pid, 0), \
		SET(reference, "_text"), SET(reference_address, address)
#define BEGIN	 "ffff800010000000 T _text\n"
#define FUNCTION "ffff800010000100 T function\n"
#define MODULE	 SET(dso, "/lib/modules/module.ko")

/* With KASLR, the kernel is elsewhere at each boot. */
SCENARIO(kernel_of_another_boot,
	 KALLSYMS(BEGIN FUNCTION "ffff800010000200 T last\n"
				 "ffff80007a000000 t of_a_module\t[module]\n"),
	 BOOT(0xffff800050000000),
	 FIND_IN(0xffff800050000108, "function", 8, KERNEL_DSO), MODULE,
	 FIND_IN(0xffff80007a000000, NULL, 0, "[module]"));

#define EITHER                                                 \
	FIND_IN(0xffff800050000008, "startup", 8, KERNEL_DSO), \
		FIND_IN(0xffff800050000108, "function", 8, KERNEL_DSO)

/* The recorded symbol may be an alias, which lookups never return. */
SCENARIO(kernel_of_another_boot_that_begins_with_two_names,
	 KALLSYMS(BEGIN "ffff800010000000 T startup\n" FUNCTION
			"ffff800010000100 T _stext\n"
			"ffff80007a000000 t _stext\t[module]\n"),
	 BOOT(0xffff800050000000), EITHER, NEW, SET(dso, KERNEL_DSO "_stext"),
	 SET(reference, "_stext"), SET(reference_address, 0xffff800050000100),
	 EITHER);

/* The kernel and its modules may have been anywhere. */
SCENARIO(kernel_that_was_nobody_knows_where,
	 KALLSYMS(FUNCTION "ffff80007a000000 t _text\t[module]\n"),
	 BOOT(0xffff800010000000),
	 FIND_IN(0xffff800010000108, NULL, 0, KERNEL_DSO), MODULE,
	 FIND_IN(0xffff80007a000004, NULL, 0, "[module]"));

SCENARIO(kernel_of_this_boot_and_its_modules,
	 KALLSYMS(BEGIN FUNCTION "ffff80007a000000 t of_a_module\t[module]\n"),
	 BOOT(0xffff800010000000),
	 FIND_IN(0xffff800010000108, "function", 8, KERNEL_DSO), MODULE,
	 FIND_IN(0xffff80007a000004, "of_a_module", 4, "[module]"));

/* A recording has no path for a module if perf did not find its file. */
SCENARIO(module_by_its_name, KALLSYMS(BEGIN FUNCTION), KERNEL_AT("[module]", 0),
	 SET(pid, 0), SET(around.before, UINT64_MAX),
	 SET(around.behind, UINT64_MAX),
	 FIND_IN(0xffff80007a000004, NULL, 0, "[module]"),
	 SET(dso, KERNEL_DSO "_text"),
	 FIND_IN(0xffff80007a000004, NULL, 0, KERNEL_DSO));

/* The build-id of the kernel is 20 times 0xab. */
TEST(kallsyms_that_perf_keeps)
{
	static const uint8_t id[20] = {[0 ... 19] = 0xab};

	PLAY(HOME, KERNEL_AT(KERNEL_DSO "_text", 0), OTHER_ID(id),
	     FIND_IN(0xffff800008010101, NULL, 0, KERNEL_DSO),
	     RUN("to=home/.debug/.build-id/ab/$(printf %038d 0 | "
		 "sed s/0/ab/g | cut -c 1-38) && mkdir -p $to && "
		 "echo 'ffff800008010100 T start_kernel' >$to/kallsyms"),
	     FIND_IN(0xffff800008010101, "start_kernel", 1, KERNEL_DSO));
}
