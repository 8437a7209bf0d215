/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Symbols, source lines and code for addresses: of programs and kernel modules
 * from ELF files, of kernels from kallsyms or vmlinux.
 *
 * Files are also found by their build-id: on the recorded machine under their
 * name in the container of the process, while it runs; in ~/.debug; in
 * /usr/lib/debug/.build-id here and below the root directory; and on the
 * servers in DEBUGINFOD_URLS if libdebuginfod is installed. If a build-id was
 * recorded, a file with another one, or with none, is never used.
 *
 * For a stripped file, symbols and lines come from its debug file. It is looked
 * for in the same places by build-id, and by the name in the file's
 * .gnu_debuglink: beside the file, in .debug there, and in the file's directory
 * below /usr/lib/debug. For a file below /usr, the directory without /usr is
 * tried, too, because packages from before the /usr merge use that. Without a
 * .gnu_debuglink the file's own name is tried, with ".debug" appended and, if
 * the file has a build-id, as it is. A stripped program may also contain
 * symbols itself (.gnu_debugdata). If debug files share a file that
 * .gnu_debugaltlink names, as made by dwz, it is looked for by its build-id and
 * by that name. If no file has that build-id, the names in it are "?".
 *
 * A file may be compressed by gzip, xz or zstd; one that would uncompress to
 * more than 256 MiB is not used. Debug sections may be compressed, too, by zlib
 * or zstd (gcc -gz=zstd); in .dwo files, which libdw opens itself, by zstd only
 * if libelf has it: that of elfutils 0.188 has not, and
 * pmscope_symbols_unread() gives -EOPNOTSUPP. libdw does not read packages of
 * split debug information (.dwp) either, so that inlined functions are missing.
 * They are also missing for some units if more than 500 units share one .dwo,
 * as with Clang's -flto, or fewer if it is compressed, because libdw would open
 * and uncompress it for each unit.
 *
 * Kernel symbols of another boot are moved to where the recording says the
 * kernel was: it has the address of one reference symbol, such as _text. A
 * kallsyms without that symbol is not used, for the kernel or for modules. In
 * that case, or without a kallsyms, kernel symbols come from the image with the
 * kernel's build-id, as its source lines do. The image is looked for in the
 * places above and where distributions install vmlinux: /boot,
 * /lib/modules/RELEASE and the same below /usr/lib/debug. Functions of kernel
 * modules that kallsyms does not have come from the modules' files or debug
 * files, as distributions install them in /lib/modules/RELEASE and below
 * /usr/lib/debug. A module that the recording calls "[name]" is looked for in
 * the modules.dep of the recorded kernel; if the root directory has several
 * kernels, only the module's build-id tells which one it was.
 *
 * Generated code has names from /tmp/perf-PID.map or from the process's
 * jit-PID.dump, if that file belongs to this user or to root, has no other
 * name, and no link of another user leads to it, or with the option force. If
 * memory had different code over time, the name is that of the code at the time
 * of the place, which recordings by perf record -k CLOCK_MONOTONIC have;
 * otherwise that of the last code. On the recorded machine, while the process
 * runs, these files may also be in its container, under the PID that the
 * process has there.
 *
 * All these file names may come from a recording that somebody else made, or
 * from a symbolic link. Therefore devices, pipes and files of pseudo file
 * systems, such as /proc, /sys and tracefs, are not opened; they are treated as
 * missing. The only exceptions are the file kallsyms of the options,
 * /proc/kallsyms and /proc/kcore of this machine. A copy of kallsyms of more
 * than 128 MiB or 4194304 symbols, and a modules.dep of more than 16 MiB, are
 * not read. For all processes together, at most 1 GiB of /tmp/perf-PID.map is
 * read, and at most 16777216 names of generated code are kept.
 *
 * ELF files, their code and debug information are read, and C++ and Rust names
 * are demangled, in child processes, which are forked when they are first
 * needed; pmscope_symbols_free() waits until they have ended. A file and its
 * debug file may take 3 seconds of CPU time, and 1 more second for each
 * megabyte of their size on disk. All files that one child has open may take
 * 512 MiB of memory and 16 times their size. A file that exceeds a limit, or on
 * which the child crashes or sleeps for 300 seconds other than for a server,
 * has no symbols or no more lines, and a new child reads the other files. The
 * same applies to a file whose lines would make the strings of all files exceed
 * 512 MiB. A name that takes more than 250 ms stays mangled; after 256 such
 * names, all further ones do.
 */
#ifndef PMSCOPE_SYMBOLS_H
#define PMSCOPE_SYMBOLS_H

#include <pmscope/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pmscope_symbols_options - where to look for symbols
 * @size: size of this struct, as compiled into the caller
 * @symfs: root directory of the recorded machine, as seen here; NULL: "/"
 * @kallsyms: a copy of the recorded kernel's /proc/kallsyms; NULL: none
 * @same_machine: the recording is of this machine and boot, so its files
 *		  and /proc/kallsyms may be used even without a build-id
 * @mangled: return C++ and Rust names as the compiler mangled them; otherwise
 *	     they are demangled, without parameters
 * @kcore: a copy of the recorded kernel's /proc/kcore, as perf record --kcore
 *	   makes it, for pmscope_symbols_code(); NULL: none
 * @vmlinux: the image of the recorded kernel, which is preferred to kallsyms
 *	     and kcore; NULL: it is looked for
 * @force: also believe other users' files about generated code
 *
 * The strings must stay valid until pmscope_symbols_free().
 */
struct pmscope_symbols_options {
	size_t size;
	const char *symfs;
	const char *kallsyms;
	bool same_machine;
	bool mangled;
	const char *kcore;
	const char *vmlinux;
	bool force;
};

/**
 * struct pmscope_symbol - the symbol at an address
 * @name: name of the function or variable
 * @offset: offset of the address from its start
 * @dso: the file, "[kernel.kallsyms]", or "[module]" for a kernel module
 * @around: addresses within place->around that have the same answer, except
 *	    for the offset
 * @changes: the answer is valid only for place->time: at other times, other
 *	     code was there
 */
struct pmscope_symbol {
	const char *name;
	uint64_t offset;
	const char *dso;
	struct pmscope_around around;
	bool changes;
};

/**
 * struct pmscope_line - a source line
 * @file: source file, as named to the compiler; NULL: unknown
 * @line: line number; 0: unknown
 * @frames: if functions were inlined here, their names, innermost first, up
 *	    to the function that contains them, separated by " < "; else NULL
 */
struct pmscope_line {
	const char *file;
	unsigned int line;
	const char *frames;
};

/**
 * struct pmscope_code - machine code that was read from a file
 * @address: address of the first byte: in a program or library the link
 *	     address, in a module the offset from where it is loaded, in the
 *	     kernel and in generated code the recorded address
 * @size: how many bytes were read
 * @machine: e_machine of the file, for example EM_AARCH64
 * @file: the file, as seen here
 */
struct pmscope_code {
	uint64_t address;
	size_t size;
	unsigned int machine;
	const char *file;
};

/* The most frames that pmscope_symbols_frames() returns. */
#define PMSCOPE_FRAMES_MAX 32

/**
 * struct pmscope_frame - a function at an address, and the place in its source
 * @name: its name, as in the frames of struct pmscope_line
 * @linkage: its name for the linker, as compilers' profiles have it
 * @file: source file of the code; NULL: unknown
 * @line: line in @file; 0: unknown
 * @discriminator: tells apart code of the same line, as compilers' profiles do
 * @start: line at which the function is declared; 0: unknown
 */
struct pmscope_frame {
	const char *name;
	const char *linkage;
	const char *file;
	unsigned int line;
	unsigned int discriminator;
	unsigned int start;
};

struct pmscope_symbols;

/**
 * pmscope_symbols_new() - create a cache of symbol tables
 * @options: the options, or NULL for the defaults
 *
 * Tables are read when they are needed. The cache is for one recording, because
 * it identifies files by the address of their names in that recording. Several
 * threads may use it at once. Free it with pmscope_symbols_free().
 *
 * Return: the cache, or NULL with errno: EINVAL for unknown options; that of
 * open(2) or read(2) if @kallsyms cannot be read; ENODATA if all its addresses
 * are 0 (kptr_restrict); ENOMEM.
 */
PMSCOPE_API struct pmscope_symbols *
pmscope_symbols_new(const struct pmscope_symbols_options *options);
PMSCOPE_API void pmscope_symbols_free(struct pmscope_symbols *symbols);

/**
 * pmscope_symbols_find() - find the symbol at an address of code
 * @place: the result of pmscope_recording_place() for @address; all calls must
 *	   be for the same recording
 * @address: canonical address
 * @symbol: @dso is set whenever it is known, the rest on success; the
 *	    strings stay valid until pmscope_symbols_free() or, for @dso,
 *	    pmscope_recording_free()
 *
 * Return: 0; -ENOENT if no symbol is known; -ENOMEM. After that the cache
 * may be incomplete, so all later lookups return -ENOMEM, too.
 */
PMSCOPE_API int pmscope_symbols_find(struct pmscope_symbols *symbols,
				     const struct pmscope_place *place,
				     uint64_t address,
				     struct pmscope_symbol *symbol);

/**
 * pmscope_symbols_find_data() - find the variable at an address of data
 * @place: the result of pmscope_recording_place() for @address
 * @address: canonical address
 * @symbol: set as by pmscope_symbols_find()
 *
 * Data within code, such as constants, has the name of the function. Memory
 * that is not from a file, such as heap and stack, has no symbols; @dso is the
 * recording's name for it.
 *
 * Return: 0; -ENOENT if no symbol is known; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_find_data(struct pmscope_symbols *symbols,
					  const struct pmscope_place *place,
					  uint64_t address,
					  struct pmscope_symbol *symbol);

/**
 * struct pmscope_member - what an address is of a variable
 * @path: "stats.hits" or "table[].next": the variable, and its members down to
 *	  one that is no struct. Where several have the address, as in a union,
 *	  or bits of one word, they are all named, with "|" between; where none
 *	  has, "[padding]" is. Without DWARF, the variable and an offset:
 *	  "stats+0x8"
 * @stride: of an array of structs, the bytes of one: addresses of the variable
 *	    that differ by a multiple have the same @path; else 0
 * @typed: there is DWARF of it
 */
struct pmscope_member {
	const char *path;
	uint64_t stride;
	bool typed;
};

/**
 * pmscope_symbols_member() - find the member of a variable at an address
 * @place: the result of pmscope_recording_place() for @address
 * @address: canonical address
 * @member: set on success; @path stays valid until pmscope_symbols_free()
 *
 * Members come from DWARF. Those of the kernel come from vmlinux, as its lines
 * do; for variables of its modules, and of each CPU, there are none.
 *
 * Return: 0; -ENOENT if pmscope_symbols_find_data() knows no variable; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_member(struct pmscope_symbols *symbols,
				       const struct pmscope_place *place,
				       uint64_t address,
				       struct pmscope_member *member);

/**
 * struct pmscope_site - where a program allocates
 * @name: "[heap] make_table table.c:42": the function that wants the memory. It
 *	  is the innermost one that does more than pass on what an allocator
 *	  returns. Functions that have "alloc" in their name do no more, nor do
 *	  operator new and the libraries of C++ and Rust. Without DWARF there is
 *	  only its name, or that of its file
 * @type: number of the type of what it allocates; 0: not known. DWARF and, on
 *	  arm64, the code tell the pointer that gets the allocation: a variable,
 *	  or a member of what one points to. Else it is the type of what an
 *	  allocator of C++ returns, or of the variable that is declared on the
 *	  line
 * @start: bytes of its blocks before that, as of an allocator that keeps a size
 *	   there
 */
struct pmscope_site {
	const char *name;
	uint32_t type;
	uint64_t start;
};

/**
 * pmscope_symbols_site() - name the place of an allocation
 * @places: results of pmscope_recording_place() for @callers
 * @callers: those of a struct pmscope_block, less one: within the calls
 * @nr: how many
 * @site: the name stays valid until pmscope_symbols_free()
 *
 * Return: 0; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_site(struct pmscope_symbols *symbols,
				     const struct pmscope_place *places,
				     const uint64_t *callers, size_t nr,
				     struct pmscope_site *site);

/**
 * pmscope_symbols_site_member() - find the member of a block at an offset
 * @site: where it was allocated
 * @size: of the block
 * @offset: bytes from its start
 * @member: set on success; @path stays valid until pmscope_symbols_free():
 *	    "entry.next" of the type, "entry[].next" if there is room for
 * several, else the name of the site and the offset
 *
 * Return: 0; -ENOENT if there are too many paths; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_site_member(struct pmscope_symbols *symbols,
					    const struct pmscope_site *site,
					    uint64_t size, uint64_t offset,
					    struct pmscope_member *member);

/* What kind of memory an instruction uses, and no mapping tells. */
enum pmscope_memory {
	PMSCOPE_MEMORY_UNKNOWN,
	PMSCOPE_MEMORY_STACK, /* of its thread */
	PMSCOPE_MEMORY_THREAD /* variables that each thread has */
};

/**
 * pmscope_symbols_memory() - find what memory a load or store uses
 * @place: the result of pmscope_recording_place() for @address
 * @address: canonical address of the instruction
 * @path: of a variable that each thread has: it and its member, as in struct
 *	  pmscope_member; NULL if it is not known
 *
 * The instructions before it, in the order of their addresses, tell where the
 * register comes from: the stack pointer, or TPIDR_EL0 and constants, as
 * programs have them for their own variables (not libraries). Names of these
 * come from DWARF.
 *
 * Return: enum pmscope_memory; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_memory(struct pmscope_symbols *symbols,
				       const struct pmscope_place *place,
				       uint64_t address, const char **path);

/**
 * pmscope_symbols_line() - find the source line of an address of code
 * @place: the result of pmscope_recording_place() for @address
 * @address: canonical address
 * @line: the strings stay valid until pmscope_symbols_free()
 *
 * Lines come from DWARF and are cached. Lines of the kernel come from vmlinux,
 * if the recording tells where the kernel was; those of generated code, without
 * frames, from a jit-PID.dump.
 *
 * Return: 0; -ENOENT if the line is unknown; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_line(struct pmscope_symbols *symbols,
				     const struct pmscope_place *place,
				     uint64_t address,
				     struct pmscope_line *line);

/**
 * pmscope_symbols_code() - read the machine code at an address
 * @place: the result of pmscope_recording_place() for @address
 * @address: canonical address
 * @bytes: filled with code
 * @size: the size of @bytes; less is read where the section ends
 * @code: filled in; its file stays valid until pmscope_symbols_free()
 *
 * Code comes from the file that has the symbols, or from a debuginfod server.
 * That of the kernel comes from vmlinux or the copy of kcore in the options,
 * from /proc/kcore if it still has the recorded kernel, or from vmlinux, where
 * it is as before the kernel patched it. That of generated code comes from a
 * jit-PID.dump. In a module's file calls are not linked yet.
 *
 * Return: 0; -ENOENT if there is no file; -ENODATA if the file has no code
 * there, for example a debug file or a perf-PID.map; -ENOEXEC if it is not a
 * 64-bit little-endian ELF file; -ENOMEM; or an error as of
 * pmscope_symbols_unread().
 */
PMSCOPE_API int pmscope_symbols_code(struct pmscope_symbols *symbols,
				     const struct pmscope_place *place,
				     uint64_t address, void *bytes, size_t size,
				     struct pmscope_code *code);

/**
 * pmscope_symbols_frames() - find the functions at an address of code
 * @place: the result of pmscope_recording_place() for the address
 * @frames: room for PMSCOPE_FRAMES_MAX: functions that were inlined there, the
 *	    innermost first, and the one that contains them. The strings stay
 *	    valid until pmscope_symbols_free()
 * @behind: how many bytes behind the address have the same frames
 *
 * These come from DWARF. They are read ahead for callers that ask for one
 * address behind the other, as sorted ones are. The kernel's come from vmlinux,
 * as its lines do; generated code has none.
 *
 * Return: how many frames; -ENOENT if none is known; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_frames(struct pmscope_symbols *symbols,
				       const struct pmscope_place *place,
				       struct pmscope_frame *frames,
				       uint64_t *behind);

/**
 * pmscope_symbols_link_address() - find the address that the linker gave code
 * @place: the result of pmscope_recording_place() for the code
 * @address: set on success: the address as in the file's own symbol table,
 *	     wherever the file was mapped
 *
 * Return: 0; -ENOENT if the file of @place cannot be read, or that of the
 * kernel not found; -ENOMEM.
 */
PMSCOPE_API int pmscope_symbols_link_address(struct pmscope_symbols *symbols,
					     const struct pmscope_place *place,
					     uint64_t *address);

/**
 * pmscope_symbols_unread() - list files that could not be read
 * @nr: index of the file, from 0
 * @path: set to its name, as seen here; valid until pmscope_symbols_free()
 *
 * These are programs, debug files and others that exist, or programs that the
 * recording names in directories that only other users may search, that could
 * not be read when they were needed, and were not found elsewhere. Each is
 * listed once.
 *
 * Return: a negative errno of open(2) or read(2); -ETIME, -EFBIG or -EBADMSG if
 * reading took too much time or memory, or crashed the child process that reads
 * ELF files; -EOPNOTSUPP if libelf cannot uncompress it; -ESTALE if the vmlinux
 * of the options is not the recorded kernel's; -EXDEV for another user's file
 * about generated code, which @force would take; 0 if there are no more files.
 */
PMSCOPE_API int pmscope_symbols_unread(struct pmscope_symbols *symbols,
				       size_t nr, const char **path);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_SYMBOLS_H */
