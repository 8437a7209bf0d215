/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Files by build-id from the servers in DEBUGINFOD_URLS, if any are set. */
#ifndef PMSCOPE_SYMBOLS_DEBUGINFOD_H
#define PMSCOPE_SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfod {
	bool tried;
	void *library; /* opened when it is needed for the first time */
	void *client;
};

/*
 * The path of the program or library with this build-id, or, if no server has
 * that, of its debug information, in the client's cache; to be freed. NULL
 * when there is none.
 */
char *debuginfod_path(struct debuginfod *d, const uint8_t *build_id,
		      size_t size);
void debuginfod_fini(struct debuginfod *d);

#endif /* PMSCOPE_SYMBOLS_DEBUGINFOD_H */
