/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

/* Text that does not fit in the page is truncated, as in the kernel. */
static inline int sysfs_emit_at(char *page, int at, const char *format, ...)
{
	int room = PAGE_SIZE - at, len;
	va_list args;

	va_start(args, format);
	len = vsnprintf(page + at, room, format, args);
	va_end(args);
	return min(len, room - 1);
}
