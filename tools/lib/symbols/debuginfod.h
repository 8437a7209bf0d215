/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Downloads files by build-id from the servers in DEBUGINFOD_URLS, if set. */
#pragma once

#include <pmscope/symbols.h>

#include "base/strings.h"
#include "unreadable_files.h"

/* Returns 0 to go on. */
typedef int debuginfod_progress(void *client, long done, long total);

struct debuginfod {
	debuginfod_progress *progress; /* called during a download, or NULL */
	bool tried;
	void *library; /* opened on first use */
	void *client;
	struct named answers; /* paths by request; NULL: not found */
	unsigned int unknown; /* requests for files no server has */
	unsigned int failed;
};

enum debuginfod_kind {
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_DEBUGINFO,
};

/* Does the user want servers to be asked? */
bool debuginfod_is_configured(void);

/*
 * Returns the path, in the debuginfod client's cache, of the executable or the
 * debug file with this build-id; NULL if there is none. Each file is requested
 * once. After 3 failures, or 256 files that no server has, nothing is requested
 * any more. The path stays valid until debuginfod_fini().
 */
const char *debuginfod_path(struct debuginfod *d,
			    struct unreadable_files *missing,
			    enum debuginfod_kind kind, const uint8_t *build_id,
			    size_t size);
void debuginfod_fini(struct debuginfod *d);

/*
 * Writes "@root@below/.build-id/xx/yyyy..." and @suffix to @path. Returns false
 * if it does not fit, or there is no root or build-id.
 */
bool build_id_path(char path[PATH_MAX], const char *root, const char *below,
		   const struct pmscope_place *place, const char *suffix);
