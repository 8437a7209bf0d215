/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Names for addresses: of programs and kernel modules from ELF files, of
 * kernels from kallsyms or vmlinux.
 */
#ifndef PMSCOPE_SYMBOLS_H
#define PMSCOPE_SYMBOLS_H

#include <pmscope/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pmscope_symbols_options - where to look
 * @size: sizeof of this struct, as the caller knows it
 * @symfs: the recorded machine's root directory, as seen here; NULL: "/"
 * @kallsyms: a copy of the recorded kernel's /proc/kallsyms; NULL: none
 * @same_machine: the recording is of this machine and boot, so its files
 *		  and /proc/kallsyms may be used even without a build-id
 * @mangled: names of C++ and Rust are those that the compiler made, else those
 *	     of the source, without parameters
 *
 * The strings must stay until pmscope_symbols_free().
 *
 * Files are also looked for by build-id, in ~/.debug (perf's cache), in
 * /usr/lib/debug/.build-id here and below @symfs, and on the servers of
 * DEBUGINFOD_URLS if that is set. A file whose build-id is known to differ is
 * never used. Debug files are looked for by build-id, too, and by the name in
 * .gnu_debuglink or, without one, the name of the program, beside it, in .debug
 * there and below /usr/lib/debug. Files may be compressed (gzip, xz, zstd), of
 * up to 256 MiB.
 * Kernel symbols of another boot are moved to where the recording says the
 * kernel was; without kallsyms, or with one that lacks the symbol recorded for
 * that, they are those of its image, for which vmlinux is looked for where
 * distributions have it. Those of modules also come from their files in
 * /lib/modules or /usr/lib/debug, if kallsyms has none. Code that programs made
 * while they ran has names from their /tmp/perf-PID.map or jit-PID.dump; of
 * processes that still run here, also in their containers. Where the same
 * memory had other code before, the name is that of the code at place->time;
 * or, where that is 0, of the last.
 */
struct pmscope_symbols_options {
	size_t size;
	const char *symfs;
	const char *kallsyms;
	bool same_machine;
	bool mangled;
};

/**
 * struct pmscope_symbol - a name
 * @name: of the function, or of the variable
 * @offset: of the address from its start
 * @dso: the file, or "[kernel.kallsyms]", or "[module]" for the kernel's
 * @around: addresses within place->around for which the answer is the same but
 *	    for the offset
 * @changes: and that only now: other code was there at other times
 */
struct pmscope_symbol {
	const char *name;
	uint64_t offset;
	const char *dso;
	struct pmscope_around around;
	bool changes;
};

/**
 * struct pmscope_line - a place in the source
 * @file: as the compiler was told; NULL when not known
 * @line: of it, 0 when not known
 * @frames: where functions were inlined: their names, the innermost first,
 *	    up to the function that is there, with " < " between; else NULL
 */
struct pmscope_line {
	const char *file;
	unsigned int line;
	const char *frames;
};

struct pmscope_symbols;

/**
 * pmscope_symbols_new() - a cache of symbol tables, filled as they are needed
 * @options: or NULL
 *
 * It is for one recording: files are told apart by where the recording keeps
 * their names. Many threads may use it at once.
 *
 * Return: the cache; or NULL with errno: EINVAL for unknown options; as of
 * open(2) or read(2) when @kallsyms cannot be read; ENODATA when it has no
 * address but 0 (kptr_restrict hid them); ENOMEM.
 */
PMSCOPE_API struct pmscope_symbols *
pmscope_symbols_new(const struct pmscope_symbols_options *options);
PMSCOPE_API void pmscope_symbols_free(struct pmscope_symbols *symbols);

/**
 * pmscope_symbols_find() - the symbol at an address
 * @symbols: the cache
 * @place: what pmscope_recording_place() says of @address, always of the same
 *	   recording
 * @address: canonical
 * @symbol: @dso is set whenever it is known, the rest on success; the
 *	    strings stay valid until pmscope_symbols_free() or, for @dso,
 *	    pmscope_recording_free()
 *
 * Return: 0; -ENOENT when no symbol is known; -ENOMEM, and again from every
 * later call, of the two below, too: names may be missing in the cache then.
 */
PMSCOPE_API int pmscope_symbols_find(struct pmscope_symbols *symbols,
				     const struct pmscope_place *place,
				     uint64_t address,
				     struct pmscope_symbol *symbol);

/**
 * pmscope_symbols_find_data() - the variable at an address of data
 * @symbols: the cache
 * @place: what pmscope_recording_place() says of @address
 * @address: canonical
 * @symbol: as pmscope_symbols_find() fills it in
 *
 * Data in code, as constants may be, has the name of the function. Memory of no
 * file, as a heap or a stack, has no names, but @dso is what the recording
 * calls it.
 *
 * Return: 0; -ENOENT when no symbol is known; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_find_data(struct pmscope_symbols *symbols,
					  const struct pmscope_place *place,
					  uint64_t address,
					  struct pmscope_symbol *symbol);

/**
 * pmscope_symbols_line() - the source line of an address of code
 * @symbols: the cache
 * @place: what pmscope_recording_place() says of @address
 * @address: canonical
 * @line: the strings stay valid until pmscope_symbols_free()
 *
 * Lines come from DWARF, are found one by one and then remembered; those of the
 * kernel from its image, if the recording tells where the kernel was; those of
 * generated code, without frames, from a jit-PID.dump.
 *
 * Return: 0; -ENOENT when the line is not known; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_line(struct pmscope_symbols *symbols,
				     const struct pmscope_place *place,
				     uint64_t address,
				     struct pmscope_line *line);

/**
 * pmscope_symbols_unread() - a file whose names or lines are missing
 * @symbols: the cache
 * @nr: of those so far, from 0 on
 * @path: set to its name, as seen here, until pmscope_symbols_free()
 *
 * These are files that are there, but could not be read when they were asked
 * for, and were found nowhere else; each is told of once.
 *
 * Return: why, as of open(2) or read(2), below 0; -ETIME, -EFBIG or -EBADMSG
 * when reading it took too much time or memory, or crashed the child process
 * that reads debug information; or 0 behind the last.
 */
PMSCOPE_API int pmscope_symbols_unread(struct pmscope_symbols *symbols,
				       size_t nr, const char **path);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_SYMBOLS_H */
