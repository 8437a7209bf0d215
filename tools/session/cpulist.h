/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Lists of CPUs as the kernel writes them: "0-3,7". */
#pragma once

#include "base/std.h"

/* CPU numbers at and above this are refused. */
#define PMSCOPE_CPU_MAX 8192

/* The longest text: pairs of CPUs, each followed by a missing CPU. */
#define PMSCOPE_CPULIST_TEXT (PMSCOPE_CPU_MAX / 3 * 10 + 16)

/**
 * struct cpulist - CPU numbers, ascending, each once
 */
struct cpulist {
	int *cpu;
	size_t nr;
};

/**
 * cpulist_parse() - parse "0-3,7", with spaces and a final newline
 * @list: written only on success; an empty text gives an empty list
 *
 * Return: 0, -EINVAL for anything else than a list, -ERANGE for a CPU number
 * that is too high, -ENOMEM.
 */
int cpulist_parse(const char *text, struct cpulist *list);

/*
 * Reads the list from a file, whose path is built from @fmt. May also return
 * errors of open(2).
 */
int cpulist_read(struct cpulist *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The CPUs that are online; -errno if sysfs is not readable. */
int cpulist_online(struct cpulist *list);

/* Removes from @list all CPUs that are not in @keep. */
void cpulist_intersect(struct cpulist *list, const struct cpulist *keep);

bool cpulist_has(const struct cpulist *list, int cpu);

/* Copies a list; -ENOMEM. */
int cpulist_copy(struct cpulist *to, const struct cpulist *from);

void cpulist_free(struct cpulist *list);
