/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMSCOPE_CPU_LINE_H
#define PMSCOPE_CPU_LINE_H

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

/**
 * pmscope_emit_cpu() - add the line of a CPU to what a sysfs file shows
 * @page: of the file
 * @len: how much of it is full; updated
 * @cpu: the CPU
 * @text: what its line says
 *
 * Return: true, or false where the page has no room for it: "..." is the last
 * line then.
 */
static inline bool pmscope_emit_cpu(char *page, ssize_t *len, int cpu,
				    const char *text)
{
	static const char more[] = "...\n";
	size_t line = snprintf(NULL, 0, "cpu%d %s\n", cpu, text);
	bool fits = *len + line + sizeof(more) <= PAGE_SIZE;

	*len += fits ? sysfs_emit_at(page, *len, "cpu%d %s\n", cpu, text) :
		       sysfs_emit_at(page, *len, "%s", more);
	return fits;
}

#endif /* PMSCOPE_CPU_LINE_H */
