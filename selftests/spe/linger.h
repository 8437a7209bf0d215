/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linger.h - a kernel function in which the kernel lingers with interrupts off:
 * SPE's buffer events wait for their interrupt.
 */
#pragma once

#include <linux/bpf.h>

#include "snapshot/events.h"

#define KPROBE_DIR "/sys/bus/event_source/devices/kprobe/"

/* A turn copies so many bytes, in some hundred instructions. */
#define LINGER_TURNS 500
#define LINGER_COPY  512

#define LINGER_INSN(op, dst, src, offset, value)                  \
	{                                                         \
		.code = (op), .dst_reg = (dst), .src_reg = (src), \
		.off = (offset), .imm = (value)                   \
	}

static inline int linger_program(void)
{
	const struct bpf_insn insn[] = {
		LINGER_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, LINGER_TURNS),
		LINGER_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0),
		LINGER_INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -LINGER_COPY),
		LINGER_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, LINGER_COPY),
		LINGER_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 1, 0, 0),
		LINGER_INSN(BPF_JMP | BPF_CALL, 0, 0, 0,
			    BPF_FUNC_probe_read_kernel),
		LINGER_INSN(BPF_ALU64 | BPF_SUB | BPF_K, 6, 0, 0, 1),
		LINGER_INSN(BPF_JMP | BPF_JNE | BPF_K, 6, 0, -7, 0),
		LINGER_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		LINGER_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)insn,
		.insn_cnt = sizeof(insn) / sizeof(insn[0]),
		.license = (uintptr_t) "GPL",
	};
	int fd = syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/*
 * From now on each call of @function takes LINGER_TURNS turns, until the
 * returned descriptor is closed. Or a negative errno.
 */
static inline int linger_at(const char *function)
{
	struct perf_event_attr attr = {
		.type = sysfs_number(KPROBE_DIR "type"),
		.size = sizeof(attr),
		.config1 = (uintptr_t)function,
		.sample_period = 1,
	};
	int program = linger_program(), fd, err = 0;

	if (program < 0)
		return program;
	fd = open_event(&attr, -1, 0, -1);
	if (fd >= 0 && (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) ||
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))) {
		err = -errno;
		close(fd);
	}
	close(program);
	return err ? err : fd;
}
