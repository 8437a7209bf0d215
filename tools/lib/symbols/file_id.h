/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Which build-ids files have that are asked for by more than one. */
#ifndef PMSCOPE_SYMBOLS_FILE_ID_H
#define PMSCOPE_SYMBOLS_FILE_ID_H

#include <pmscope/symbols.h>

#include "base/named.h"
#include "missing.h"

/*
 * May the file at @path be that of @place? The first time it may, to be read;
 * whoever asks for it by another build-id gets that of the file, so that it is
 * not read, and perhaps unpacked, again and again. @path may be NULL.
 */
bool file_id_may_be(struct named *ids, const char *path,
		    const struct pmscope_place *place, struct unread *unread);

#endif /* PMSCOPE_SYMBOLS_FILE_ID_H */
