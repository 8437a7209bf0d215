/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What sysfs and procfs tell of this machine. */
#pragma once

#include "base/std.h"

/* Error texts: what failed, on which object, what to do. */

/* The text for a negative errno */
struct pmscope_error {
	char text[1024]; /* lines, without a final newline; or empty */
};

/*
 * Sets the error text and returns the error number. @err: may be NULL; an
 * earlier text is replaced. @code: a positive errno. Returns -@code, so that a
 * caller can write "return pmscope_fail(...)".
 */
int pmscope_fail(struct pmscope_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int pmscope_fail_nomem(struct pmscope_error *err);

/* Files of sysfs, procfs and debugfs with one value. */

#define PMSCOPE_CPUS "/sys/devices/system/cpu"

/*
 * The text of a file, without trailing white space. @buf: always ends in a NUL;
 * empty on error. @fmt: the path. Returns the length, -errno of open or read,
 * -EFBIG when @buf is too small.
 */
int sysfs_read(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The number in a file, decimal or 0x and hexadecimal. @value: unchanged on
 * error; 0 if the text is not a number. Returns 0, or an error of sysfs_read().
 */
int sysfs_number(uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * MIDR_EL1 of a CPU. @folder: PMSCOPE_CPUS, or another of that form. Returns 0
 * if it is unknown, for example because the CPU is offline.
 */
uint64_t sysfs_midr(const char *folder, int cpu);

/* Writes @text in one write(2). Returns 0, -errno. */
int sysfs_write(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The last part of a link's target. Its length, -errno (-ENOENT: no link). */
int sysfs_link_name(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Lists of CPUs as the kernel writes them: "0-3,7". */

/* CPU numbers at and above this are refused. */
#define PMSCOPE_CPU_MAX 8192

/* The longest text: pairs of CPUs, each followed by a missing CPU. */
#define PMSCOPE_CPULIST_TEXT (PMSCOPE_CPU_MAX / 3 * 10 + 16)

/* CPU numbers, ascending, each once */
struct cpulist {
	int *cpu;
	size_t nr;
};

/*
 * Parses "0-3,7", with spaces and a final newline. @list: written only on
 * success; an empty text gives an empty list. Returns 0, -EINVAL for anything
 * else than a list, -ERANGE for a CPU number that is too high, -ENOMEM.
 */
int cpulist_parse(const char *text, struct cpulist *list);

/* Reads the list from the file @fmt. May return errors of open(2). */
int cpulist_read(struct cpulist *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The CPUs that are online; -errno if sysfs is not readable. */
int cpulist_online(struct cpulist *list);

/* Removes from @list all CPUs that are not in @keep. */
void cpulist_intersect(struct cpulist *list, const struct cpulist *keep);

bool cpulist_has(const struct cpulist *list, int cpu);
int cpulist_copy(struct cpulist *to, const struct cpulist *from);

void cpulist_free(struct cpulist *list);
