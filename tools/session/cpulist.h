/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Lists of CPUs as the kernel writes them: "0-3,7". */
#ifndef PMSCOPE_SESSION_CPULIST_H
#define PMSCOPE_SESSION_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

/* CPU numbers at and above this are refused. */
#define PMSCOPE_CPU_MAX 8192

/* The longest text: pairs of CPUs, each followed by a missing CPU. */
#define PMSCOPE_CPULIST_TEXT (PMSCOPE_CPU_MAX / 3 * 10 + 16)

/**
 * struct pmscope_cpulist - CPU numbers, ascending, each once
 */
struct pmscope_cpulist {
	int *cpu;
	size_t nr;
};

/**
 * pmscope_cpulist_parse() - parse "0-3,7", with spaces and a final newline
 * @list: written only on success; an empty text gives an empty list
 *
 * Return: 0, -EINVAL for anything else than a list, -ERANGE for a CPU number
 * that is too high, -ENOMEM.
 */
int pmscope_cpulist_parse(const char *text, struct pmscope_cpulist *list);

/*
 * Reads the list from a file, whose path is built from @fmt. May also return
 * errors of open(2).
 */
int pmscope_cpulist_read(struct pmscope_cpulist *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The CPUs that are online; -errno if sysfs is not readable. */
int pmscope_cpulist_online(struct pmscope_cpulist *list);

/* Removes from @list all CPUs that are not in @keep. */
void pmscope_cpulist_intersect(struct pmscope_cpulist *list,
			       const struct pmscope_cpulist *keep);

bool pmscope_cpulist_has(const struct pmscope_cpulist *list, int cpu);

/* Copies a list; -ENOMEM. */
int pmscope_cpulist_copy(struct pmscope_cpulist *to,
			 const struct pmscope_cpulist *from);

void pmscope_cpulist_free(struct pmscope_cpulist *list);

#endif /* PMSCOPE_SESSION_CPULIST_H */
