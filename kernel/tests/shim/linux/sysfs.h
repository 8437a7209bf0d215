/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <sys/types.h>
#include "words.h"

/* Text that does not fit in the page is cut, as in the kernel. */
int sysfs_emit_at(char *page, int at, const char *format, ...);
