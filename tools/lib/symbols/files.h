/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Files with symbols and debug information, and what may be read of them. */
#pragma once

#include <pmscope/symbols.h>

#include "base/containers.h"

#include <elfutils/libdwfl.h>
#include <sys/types.h>

/*
 * Why symbols may be missing although they exist, and which files besides the
 * programs have them. All lookups share one, because what one of them reads is
 * cached for the others.
 */

/* Nothing is missing when zeroed. */
struct unreadable_files {
	bool memory;	      /* an allocation failed */
	bool force;	      /* as in struct pmscope_symbols_options */
	uint64_t texts;	      /* bytes of source line strings */
	uint64_t maps;	      /* bytes of all perf-PID.map files */
	uint64_t jit_symbols; /* names of generated code in all processes */
	struct strings files; /* files that exist but cannot be read */
	int *errors;	      /* their -errno, parallel to @files */
	size_t max_errors;
	struct strings found; /* separate files of debug information */
};

/* Notes that debug information is read from @path, besides the program. */
void unreadable_found(struct unreadable_files *missing, const char *path);

/*
 * Records that @path cannot be read if @fd, the result of opening it, is a
 * negative errno. Files that do not exist are not recorded.
 */
void unreadable_add(struct unreadable_files *missing, const char *path, int fd);
void unreadable_fini(struct unreadable_files *missing);

/*
 * The first unreadable file of several places where one file is looked for. It
 * is added above only if the file is in none of them. Zeroed: none.
 */
struct unread {
	int error;
	char path[PATH_MAX];
};

void unread_file(struct unread *unread, const char *path, int fd);

/* The files, as seen here, that symbols were read from so far; and texts. */

/*
 * Sets @path to the file with the symbols of the program, library or module of
 * @place; NULL if none was found, or it is our own vDSO. @device and @inode are
 * those of the file that was read. Returns 0; -ENOENT if
 * @place has no such file; -ENOMEM.
 */
int symbols_file(struct pmscope_symbols *symbols,
		 const struct pmscope_place *place, const char **path,
		 dev_t *device, ino_t *inode);

/* Keeps @text once, as long as the symbols. -ENOENT: too many; -ENOMEM. */
int symbols_keep(struct pmscope_symbols *symbols, const char *text,
		 const char **kept);

/*
 * Sets the type of @site to what the call at @place allocates, in a function
 * that only @passes it on, or adds to its start how far behind it that passes
 * it. Returns 0; -ENOENT if neither is known; -ENOMEM.
 */
int symbols_block_type(struct pmscope_symbols *symbols,
		       const struct pmscope_place *place, bool passes,
		       struct pmscope_site *site);

/* The kernel's symbols and image; NULL if none was needed or found. */
const char *symbols_kallsyms(const struct pmscope_symbols *symbols);
const char *symbols_image(const struct pmscope_symbols *symbols);

/* Separate files of debug information, numbered from 0; NULL after the last. */
const char *symbols_debug_file(const struct pmscope_symbols *symbols,
			       size_t nr);

/*
 * Limits the CPU time, the memory and the rights of the child that reads
 * untrusted files. Other processes have no time limit to start or to raise.
 */

/* CPU time for a file regardless of its size, in ns. */
#define LIMITS_FILE_TIME INT64_C(3000000000)

/* Limits this process. @exceeded handles the signal when the time is up. */
void limits_begin(void (*exceeded)(int));

/* Starts the timer: the following work may take @ns of CPU time. */
void limits_start(int64_t ns);

/* Stops the timer. Returns the remaining time in ns. */
int64_t limits_stop(void);

/* Raises both limits in proportion to the size of the file at @path. */
void limits_raise(const char *path);

/* Returns the limit on memory, and sets it again after the file was read. */
uint64_t limits_memory(void);
void limits_restore(uint64_t memory);

/*
 * Takes from this process, for good, what the child that reads untrusted files
 * does not need: privileges other than to read files, programs, the network,
 * other processes, and files to write to. What a kernel cannot take stays.
 * @servers: files come from debuginfod servers, so it keeps the network and
 * may write its cache.
 */
void sandbox_enter(bool servers);

/* Downloads files by build-id from the servers in DEBUGINFOD_URLS, if set. */

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

/* Opens an ELF file together with its separate debug file. */

/*
 * Where to look for debug files in addition to the standard places: below
 * @symfs (unless NULL), for the file whose path is @name on the recorded
 * machine.
 */
struct debug_search {
	struct unreadable_files *missing;
	const char *symfs;
	const char *name;
	struct debuginfod *servers; /* NULL: ask no servers */
};

/*
 * Starts a libdwfl session for the file at @path, open as @fd.
 * Sets @module to its module, or to NULL if it cannot be used. Always takes
 * ownership of @fd, which may be -1. @search must stay valid until the caller
 * calls dwfl_end(). Returns NULL if out of memory.
 */
Dwfl *debug_begin(int fd, const char *path, const struct debug_search *search,
		  Dwfl_Module **module);
