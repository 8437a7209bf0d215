/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <sys/types.h>
#include "words.h"

/* What does not fit into the page is cut off, as by the kernel's. */
int sysfs_emit_at(char *page, int at, const char *format, ...);
