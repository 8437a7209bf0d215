/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_ARCHIVE_PACKING_H
#define PMSCOPE_ARCHIVE_PACKING_H

#include "archive/needs.h"

#include <stdio.h>

/*
 * Writes a pack of the recording, and of the files that it needs, to @out.
 * Warns of each file that is missing. Returns 0 or -errno.
 */
int packing_write(FILE *out, const struct needs *needs,
		  const struct load_config *config);

#endif /* PMSCOPE_ARCHIVE_PACKING_H */
