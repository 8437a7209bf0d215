/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/writer.h>

/*
 * Writes build-ids between the records, as in a pipe. Unlike
 * pmscope_writer_build_ids() it needs no memory until the file ends, and may be
 * called again and again. Returns what that does.
 */
int writer_build_ids(struct pmscope_writer *w,
		     const struct pmscope_build_id *ids, size_t nr);
