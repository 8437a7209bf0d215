/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SESSION_MAPPED_ID_H
#define PMSCOPE_SESSION_MAPPED_ID_H

#include <pmscope/perfdata.h>

#include "base/named.h"
#include "mmap_record.h"

/**
 * pmscope_mapped_id() - the build-id of a file mapped by a running thread
 * @ids: a cache of earlier results per file; release its items with free()
 *
 * Reads the mapped file itself, even if another file has its name by now, or
 * in this mount namespace.
 *
 * Return: NULL if it has none, or if we may not read it.
 */
const struct pmscope_build_id *
pmscope_mapped_id(struct named *ids, const struct mmap2_record *map);

#endif /* PMSCOPE_SESSION_MAPPED_ID_H */
