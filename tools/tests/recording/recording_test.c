// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings at the time of a record. */
#include "scenario.h"

#define GUEST MISC(PERF_RECORD_MISC_GUEST_USER)

SCENARIO(mappings_over_time, COMM(0, 10, 10, "a"),
	 MAP(100, 10, 0x5000, "/first"), MAP(200, 10, 0x5000, "/second"),
	 LOADS(50, 250, 100, 0, 10), NEXT(50), DSO(0x5010, NULL), NEXT(150),
	 DSO(0x5010, "/first"), NEXT(250), DSO(0x5010, "/second"),
	 DSO(0x6000, NULL));

/* As from perf kvm and perf inject --guest-data: SPE samples the host. */
SCENARIO(what_a_guest_does_is_not_here, COMM(100, 10, 10, "host"),
	 MAP(100, 10, 0x5000, "/host"), MAP(200, 10, 0x5000, "/guest"), GUEST,
	 COMM(210, 10, 10, "guest"), GUEST, EXEC(220, 10, "guest"), GUEST,
	 FORK(230, 10, 10, 1), GUEST, LOAD(250, 0, 10), NEXT(250), NAME("host"),
	 DSO(0x5010, "/host"));

/* Some are of 8 or 16 bytes, and recorded as 20. */
TEST(zeros_behind_a_build_id_are_none_of_it)
{
	for (unsigned int bytes = 1; bytes <= 20; bytes++)
		PLAY(MAP_ID(100, 10, 0xab, bytes, "/a"), LOAD(150, 0, 10),
		     NEXT(150), PLACE(0x5010),
		     IS(place.build_id_size, bytes <= 8	   ? 8
					     : bytes <= 16 ? 16
							   : 20));
}

/* The name's address is what tables of symbols are found by. */
STEP_OF(expect_one_name)
{
	static const char *names[2];
	const char **name = &names[step->v[0]];

	if (step->v[1])
		*name = sc->place.dso;
	EXPECT_TRUE(sc->place.dso == *name);
	EXPECT_TRUE(names[0] != names[1]);
}

#define LIBC "/lib/libc.so"
#define FILE_AT(time, byte)                               \
	NEXT(time), PLACE(0x5010), TEXT(place.dso, LIBC), \
		IS(place.build_id_size, 20), IS(build_id[19], byte)

/* Like in two containers; or after an upgrade. */
SCENARIO(files_with_one_name_differ_by_their_build_ids, COMM(0, 10, 10, "a"),
	 COMM(0, 20, 20, "b"), MAP(1, 20, 0x7000, LIBC),
	 MAP_ID(100, 10, 0xa, 20, LIBC), MAP_ID(200, 20, 0xb, 20, LIBC),
	 MAP_ID(300, 10, 0xb, 20, LIBC), MAP_ID(300, 20, 0xa, 20, LIBC),
	 LOAD(150, 0, 10), LOAD(250, 0, 10), LOAD(260, 0, 20), LOAD(350, 0, 10),
	 LOAD(360, 0, 20), FILE_AT(150, 0xa), CALL(expect_one_name, 0, 1),
	 FILE_AT(250, 0xa), CALL(expect_one_name, 0, 0), FILE_AT(260, 0xb),
	 CALL(expect_one_name, 1, 1), FILE_AT(350, 0xb),
	 CALL(expect_one_name, 1, 0), FILE_AT(360, 0xa),
	 CALL(expect_one_name, 0, 0));

/* It is news of each process that has the file. */
SCENARIO(a_build_id_that_another_process_tells_later, MAP(1, 20, 0x7000, LIBC),
	 MAP_ID(100, 10, 0xa, 20, LIBC), LOAD(50, 0, 10), LOAD(150, 0, 10),
	 NEXT(50), VERSION(20), NEXT(150), NEW_VERSION(20));

#define AT_DEVICE 32 /* in MMAP2; or the size of the build-id */

/* Without a build-id, the field holds device and inode numbers. */
SCENARIO(a_device_is_no_build_id, COMM(0, 10, 10, "a"),
	 MAP(1, 10, 0x5000, "/file"), PATCH(AT_DEVICE, 8), LOAD(50, 0, 10),
	 NEXT(50), PLACE(0x5010), TEXT(place.dso, "/file"),
	 IS(place.build_id_size, 0));

SCENARIO(file_offset_of_an_address, COMM(0, 10, 10, "a"),
	 MAP(0, 10, 0x5000, "/file"), LOAD(50, 0, 10), NEXT(50), PLACE(0x5010),
	 IS(place.file_offset, 0x3010), IS(place.kernel, false),
	 PLACE(0xffff800000001000), IS(place.kernel, true),
	 TEXT(place.dso, NULL));

STEP_OF(expect_longest)
{
	ASSERT_TRUE(sc->place.dso != NULL);
	EXPECT_EQ(strlen(sc->place.dso), (size_t)PATH_MAX - 1);
}

/* Kernel paths are shorter; each row is printed with its own. */
TEST(file_with_a_name_of_a_whole_record)
{
	char name[60000] = {};

	memset(name, 'n', sizeof(name) - 1);
	PLAY(MAP(5, 10, 0x5000, name), LOAD(10, 0, 10), NEXT(10), PLACE(0x5004),
	     CALL(expect_longest));
}

/* Memory without a file, in pieces, or with nothing below. */
SCENARIO(file_below_an_address, COMM(0, 10, 10, "a"),
	 MAP(0, 10, 0x5000, "/file"), MAP(0, 10, 0x6000, "//anon"),
	 MAP(0, 10, 0x7000, "[heap]"), MAP(0, 10, 0x9000, "//anon"),
	 LOAD(50, 0, 10), NEXT(50), BELOW(0x6010), TEXT(place.dso, "/file"),
	 IS(place.file_offset, 0x4010), BELOW(0x7fff),
	 IS(place.file_offset, 0x5fff), IS(place.around.before, 0xfff),
	 IS(place.around.behind, 0), NOT_BELOW(0x5010), NOT_BELOW(0x8000),
	 NOT_BELOW(0x9010), NOT_BELOW(UINT64_C(1) << 63));

SCENARIO(file_below_an_address_is_of_who_mapped_it, MAP(0, 10, 0x5000, "/file"),
	 FORK(10, 20, 20, 10), MAP(20, 20, 0x6000, "//anon"), LOAD(50, 0, 20),
	 NEXT(50), PID(20), BELOW(0x6010), TEXT(place.dso, "/file"),
	 IS(place.pid, 10));

SCENARIO(a_fork_inherits_and_an_exec_drops, COMM(0, 10, 10, "parent"),
	 MAP(10, 10, 0x5000, "/lib"), FORK(20, 30, 30, 10),
	 EXEC(40, 30, "child"), MAP(41, 30, 0x7000, "/program"),
	 LOAD(30, 0, 30), LOAD(50, 0, 30), LOAD(60, 0, 10), NEXT(30), PID(30),
	 NAME("parent"), DSO(0x5000, "/lib"), NEXT(50), NAME("child"),
	 DSO(0x5000, NULL), DSO(0x7000, "/program"), NEXT(60),
	 DSO(0x5000, "/lib"));

/* perf writes those with a fork, and marks that an exec followed. */
SCENARIO(processes_that_were_there_before_share_nothing,
	 COMM(0, 10, 10, "parent"), MAP(0, 10, 0x5000, "/of_parent"),
	 FORK(0, 30, 30, 10), MISC(PERF_RECORD_MISC_FORK_EXEC),
	 MAP(0, 30, 0x7000, "/program"), LOAD(30, 0, 30), NEXT(30), PID(30),
	 NAME("parent"), DSO(0x5000, NULL), DSO(0x7000, "/program"));

SCENARIO(a_new_thread_shares_the_mappings, COMM(0, 10, 10, "main"),
	 FORK(5, 10, 11, 10), MAP(10, 10, 0x5000, "/later"), LOAD(30, 0, 11),
	 NEXT(30), PID(10), NAME("main"), DSO(0x5000, "/later"));

/* Its COMM may be lost; perf, too, recognizes the process by its mappings. */
SCENARIO(a_thread_that_maps_is_of_its_process,
	 MMAP(5, 10, 11, 0x5000, 0x1000, 0x3000, "/mapped"), LOAD(30, 0, 11),
	 NEXT(30), PID(10), DSO(0x5000, "/mapped"));

SCENARIO(where_the_kernel_was,
	 KERNEL_MAP(0xffff800080010000, 0x100000, 0xffff800080000000,
		    "[kernel.kallsyms]_text"),
	 MAP(0, 10, 0x7000, "/tmp/jit-10.dump"), COMM(0, 10, 10, "a"),
	 LOAD(50, 0, 10), NEXT(50), PLACE(0xffff800080010004),
	 IS(place.kernel, true), TEXT(place.reference, "_text"),
	 IS(place.reference_address, 0xffff800080000000), PLACE(0x123000),
	 TEXT(place.jitdump, "/tmp/jit-10.dump"), IS(place.pid, 10),
	 TEXT(place.dso, NULL));

/* A kernel that hides its address maps everything. */
SCENARIO(the_kernel_is_no_process_that_is_not_known,
	 KERNEL_MAP(0, UINT64_MAX, 0, "[kernel.kallsyms]_text"),
	 LOAD(50, 0, 10), NEXT(50), PID(PMSCOPE_NO_ID), PLACE(0x5000),
	 IS(place.kernel, false), TEXT(place.dso, NULL), NOT_BELOW(0x5000));

#define BPF(time, address, size, flags, name) \
	KSYMBOL(time, PERF_RECORD_KSYMBOL_TYPE_BPF, address, size, flags, name)

TEST(bpf_programs_come_and_go)
{
	static const uint64_t program = 0xffff800080001000;

	PLAY(BPF(100, program, 0x100, 0, "bpf_prog_1_one"),
	     BPF(200, program, 0x100, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		 "bpf_prog_1_one"),
	     BPF(300, program, 0x80, 0, "bpf_prog_2_two"),
	     LOADS(50, 350, 100, 0, 0), NEXT(50), PLACE(program + 8),
	     TEXT(place.symbol, NULL), VERSION(PMSCOPE_NO_ID), NEXT(150),
	     NEW_VERSION(PMSCOPE_NO_ID), PLACE(program + 8),
	     TEXT(place.symbol, "bpf_prog_1_one"), IS(place.symbol_offset, 8),
	     PLACE(program + 0x100), TEXT(place.symbol, NULL), NEXT(250),
	     PLACE(program + 8), TEXT(place.symbol, NULL), NEXT(350),
	     PLACE(program), TEXT(place.symbol, "bpf_prog_2_two"),
	     TEXT(place.dso, "[bpf]"), IS(place.file_offset, program));
}

/* Copies of instructions under kprobes, trampolines of ftrace. */
TEST(code_that_the_kernel_made_is_its_own)
{
	static const uint64_t page = 0xffff800080001000;

	PLAY(KSYMBOL(100, PERF_RECORD_KSYMBOL_TYPE_OOL, page, 0x1000, 0,
		     "kprobe_insn_page"),
	     LOAD(150, 0, 0), NEXT(150), PLACE(page + 8),
	     TEXT(place.symbol, "kprobe_insn_page"),
	     TEXT(place.dso, "[kernel.kallsyms]"),
	     IS(place.file_offset, page + 8));
}

static int open_nothing(const struct pmscope_recording_options *options)
{
	struct pmscope_recording *r;
	int ret = pmscope_recording_open(NULL, 0, options, &r);

	EXPECT_EQ(!r, !!ret);
	pmscope_recording_free(r);
	return ret;
}

TEST(options_of_a_newer_library_are_refused)
{
	struct {
		struct pmscope_recording_options options;
		uint64_t newer;
	} later = {.options = {.size = sizeof(later), .raw = true}};

	EXPECT_EQ(open_nothing(&later.options), 0);
	later.newer = 1;
	EXPECT_EQ(open_nothing(&later.options), -EINVAL);
}

/* Otherwise a caller who forgets it would lose all options. */
TEST(options_without_their_size_are_refused)
{
	const struct pmscope_recording_options options = {.raw = true};

	EXPECT_EQ(open_nothing(&options), -EINVAL);
}
