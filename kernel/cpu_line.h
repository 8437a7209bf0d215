/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMSCOPE_CPU_LINE_H
#define PMSCOPE_CPU_LINE_H

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

/**
 * pmscope_emit_cpu() - add a line for a CPU to the text of a sysfs file
 * @page: page with the text
 * @len: length of the text; updated
 * @cpu: the CPU
 * @text: text of its line
 *
 * Return: true; false if the page has no room: then the last line is "...".
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
