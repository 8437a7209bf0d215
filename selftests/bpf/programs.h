/* SPDX-License-Identifier: GPL-2.0-or-later */
/* programs.h - BPF programs that call the kfuncs: loading and running them. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* kprobe and perf_event programs may call kfuncs from 6.12 on. */
static inline bool kernel_can(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) &&
	       sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

#define NEED_KFUNCS()                                         \
	do {                                                  \
		NEED_SNAPSHOT();                              \
		if (!kernel_can())                            \
			SKIP("needs Linux 6.12 or newer");    \
	} while (0)

static inline int test_run(const struct bpf_program *program)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
}
