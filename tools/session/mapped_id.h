/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SESSION_MAPPED_ID_H
#define PMSCOPE_SESSION_MAPPED_ID_H

#include <pmscope/perfdata.h>

#include "base/named.h"
#include "mmap_record.h"

/**
 * pmscope_mapped_id() - the build-id of what @map maps, of a thread that runs
 * @ids: what was found before, of each file; free() takes it
 *
 * It is that of the file itself, whatever has its name by now, or has it in
 * this mount namespace.
 *
 * Return: NULL when it has none, or is not ours to look at.
 */
const struct pmscope_build_id *
pmscope_mapped_id(struct named *ids, const struct mmap2_record *map);

#endif /* PMSCOPE_SESSION_MAPPED_ID_H */
