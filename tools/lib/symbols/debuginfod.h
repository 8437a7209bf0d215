/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Files by build-id from the servers in DEBUGINFOD_URLS, if any are set. */
#ifndef PMSCOPE_SYMBOLS_DEBUGINFOD_H
#define PMSCOPE_SYMBOLS_DEBUGINFOD_H

#include "base/named.h"
#include "missing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfod {
	bool tried;
	void *library; /* opened when it is needed for the first time */
	void *client;
	struct named answers; /* paths by request */
	unsigned int unknown; /* answers that no server has it */
	unsigned int failed;
};

enum debuginfod_kind {
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_DEBUGINFO,
};

/*
 * The path, in the client's cache, of the program or library with this build-id
 * or of its debug information; NULL when there is none. Each is asked for once;
 * and nothing any more when the servers failed three times, or know none of
 * 256. What is returned stays.
 */
const char *debuginfod_path(struct debuginfod *d, struct missing *missing,
			    enum debuginfod_kind kind, const uint8_t *build_id,
			    size_t size);
void debuginfod_fini(struct debuginfod *d);

#endif /* PMSCOPE_SYMBOLS_DEBUGINFOD_H */
