// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of kernel modules in recordings. */
#include "scenario.h"

#define BASE	 0xffff80007a000000
#define KALLSYMS "[kernel.kallsyms]"

#define MODULE(offset, length, name) \
	KERNEL_MAP(BASE + (offset), length, 0, name)
#define SAMPLE COMM(0, 10, 10, "a"), LOAD(50, 0, 10), NEXT(50)
#define IN(offset, file, at)                                                   \
	PLACE(BASE + (offset)), IS(place.kernel, true), TEXT(place.dso, file), \
		IS(place.file_offset, at)
#define IN_NONE(offset) \
	PLACE(BASE + (offset)), IS(place.kernel, true), TEXT(place.dso, NULL)
#define BUILD_ID_SIZE(size) IS(place.build_id_size, size)

/*
 * Since Linux 6.4 perf reports the address of the code, but the size includes
 * the data, which is elsewhere.
 */
TEST(modules_end_where_the_next_one_begins)
{
	static const char orders[][4] = {"abc", "cba", "bac", "bca"};
	static const char *const names[] = {"[a]", "[b]", "[c]"};

#define MODULE_OF(c) MODULE(0x3000 * ((c) - 'a'), 0x7000, names[(c) - 'a'])
	for (size_t i = 0; i < 4; i++)
		PLAY(MODULE_OF(orders[i][0]), MODULE_OF(orders[i][1]),
		     MODULE_OF(orders[i][2]), SAMPLE, IN(0x2fff, "[a]", 0x2fff),
		     IN(0x3000, "[b]", 0), IN(0x5fff, "[b]", 0x2fff),
		     IN(0x6000, "[c]", 0), IN(0xcfff, "[c]", 0x6fff),
		     IN_NONE(0xd000));
}

/* perf writes all of them again when it starts another file. */
TEST(modules_that_are_recorded_again)
{
	static const char a[] = "/lib/modules/a.ko.xz",
			  b[] = "/lib/modules/b.ko";

#define BOTH MODULE(0x3000, 0x7000, b), MODULE(0, 0x7000, a)
	PLAY(BOTH, BOTH, BOTH, SAMPLE, IN(0x2000, a, 0x2000), IN(0x3000, b, 0),
	     IN(0x9fff, b, 0x6fff));
}

/* Of 8 bytes, the first of which is @first. */
STEP_OF(build_id_at)
{
	const char *name = step->text;
	BYTES body = {};

	put(&body, PMSCOPE_NO_ID, 4);
	put(&body, 0x0123456789abcd00 | step->v[1], 8);
	put_zeros(&body, 16);
	bytes_add(&body, name, strlen(name));
	put_zeros(&body, 8 - strlen(name) % 8);
	put_record(&sc->b, PMSCOPE_RECORD_BUILD_ID, step->v[0], &body);
}
#define BUILD_ID(misc, name, first) CALL_SAY(build_id_at, name, misc, first)

/* For mappings of a process, too; modules are at the addresses of that boot. */
SCENARIO(the_build_id_of_the_kernel_is_not_a_modules,
	 BUILD_ID(0, KALLSYMS, 0xef), MODULE(0, 0x3000, "/lib/modules/a.ko"),
	 MODULE(0x4000000, 0x3000, KALLSYMS "_text"),
	 MAP(0, 10, 0x5000, "/usr/bin/a_long_name"), SAMPLE,
	 PLACE(BASE + 0x4000000), BUILD_ID_SIZE(8), IS(build_id[0], 0xef),
	 TEXT(place.reference, "_text"),
	 IS(place.file_offset, BASE + 0x4000000), PLACE(BASE), BUILD_ID_SIZE(0),
	 TEXT(place.reference, "_text"), IS(place.reference_address, 0),
	 PLACE(0x5000), BUILD_ID_SIZE(0), TEXT(place.reference, NULL));

/* perf record --vmlinux stores the name of the file next to the build-id. */
TEST(the_build_id_of_a_kernel_by_the_name_of_its_file)
{
	static const uint16_t kernel = PERF_RECORD_MISC_KERNEL;
	static const char path[] = "/boot/vmlinux-6.1";

#define PLACED MODULE(0, 0x3000, KALLSYMS "_text"), SAMPLE, PLACE(BASE)
	PLAY(BUILD_ID(kernel, "/lib/modules/a.ko", 1),
	     BUILD_ID(kernel, "vmlinux", 2),
	     BUILD_ID(kernel, "/boot/another", 3), PLACED, BUILD_ID_SIZE(8),
	     IS(build_id[0], 2));
	PLAY(BUILD_ID(kernel, path, 1), BUILD_ID(kernel, KALLSYMS, 2), PLACED,
	     BUILD_ID_SIZE(8), IS(build_id[0], 2));
	PLAY(BUILD_ID(kernel, KALLSYMS, 1), BUILD_ID(kernel, path, 2), PLACED,
	     BUILD_ID_SIZE(8), IS(build_id[0], 1));
	PLAY(BUILD_ID(PERF_RECORD_MISC_GUEST_KERNEL, path, 1),
	     BUILD_ID(PERF_RECORD_MISC_USER, path, 2),
	     BUILD_ID(kernel, "[ext4]", 3),
	     BUILD_ID(kernel, "/lib/modules/a.ko", 4),
	     BUILD_ID(kernel, "/lib/modules/b.ko.xz", 5), PLACED,
	     BUILD_ID_SIZE(0));
}

#define REFERENCE(offset)                                       \
	PLACE(BASE + (offset)), TEXT(place.reference, "_text"), \
		IS(place.reference_address, BASE)

/* If its end is unknown, the kernel is mapped around them. */
SCENARIO(the_kernel_was_in_one_place_whatever_modules_it_is_mapped_around,
	 KERNEL_MAP(0, UINT64_MAX, BASE, KALLSYMS "_text"),
	 MODULE(0x10000, 0x3000, "[a]"), SAMPLE, IN(0x10000, "[a]", 0),
	 REFERENCE(0x1000), REFERENCE(0x10000), REFERENCE(0x20000));
