/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Untrusted files are read, and names demangled, in a child process with limits
 * on its CPU time and memory. libelf, libdw and libiberty limit neither, and a
 * few bytes can keep them busy for ever.
 *
 * One child serves all files of a recording. It is forked when the first file
 * is needed, and again after a file made it exceed its limits; that file is not
 * read again. The child is a fork rather than a separate program, so that the
 * library works without an installed helper. In a multithreaded program only
 * the calling thread continues in the child. That is safe: glibc keeps malloc()
 * usable, and the child takes no other lock.
 *
 * Parent and child exchange packets on a socket: one request, one answer. The
 * parent opens the file and passes the descriptor; the child opens debug files
 * by the same rules (see base/regular.h). The parent trusts no length in an
 * answer, and no string to be terminated.
 */
#pragma once

#include <pmscope/symbols.h>

#include "base/strings.h"
#include "demangle.h"
#include "elf.h"
#include "unreadable_files.h"

/*
 * Longest wait for an answer in seconds. A child that sleeps uses no CPU time,
 * so its own limit does not end it.
 */
#define READER_WAIT 300

struct reader_packet;

/* Without a child while zeroed, except for the first two members and @wait. */
struct reader {
	const struct pmscope_symbols_options *options;
	struct unreadable_files *missing; /* also lists the child's files */
	pid_t pid;			  /* 0: no child */
	int socket;
	uid_t user;	       /* effective user when it was forked */
	unsigned int children; /* number of children forked so far */
	unsigned int nr_files; /* files that this child has open */
	unsigned int slow;     /* names that took too long, so far */
	unsigned int wait;     /* longest wait in seconds; 0: READER_WAIT */
	struct named codes;    /* error of code by path; NULL: none yet */
	struct reader_packet *packet;
};

/* A file to read DWARF of. Zeroed at first, except for path and name. */
struct reader_file {
	const char *path;
	const char *name; /* path on the recorded machine */
	unsigned int child;
	uint32_t number; /* its number in that child */
	int error;	 /* < 0: do not ask again */
};

/* A file to read symbols from, which is open as @fd. */
struct reader_source {
	int fd;
	const char *path;
	const char *name;	 /* path on the recorded machine */
	const uint8_t *build_id; /* another build is refused; see elf.h */
	size_t build_id_size;	 /* 0: any */
};

/*
 * Reads the symbols of @source, unpacked if necessary, into @elf, which must be
 * zeroed except for its kind and @is_module. Sets @id if it is known. Returns
 * 0; -ENOENT if it is not an ELF file or not the wanted one; -ENOMEM; or
 * another -errno if it cannot be read. After an error @elf is empty.
 */
int reader_read_symbols(struct reader *reader,
			const struct reader_source *source, struct elf_id *id,
			struct elf_symbols *elf);

/* What to read: up to @size bytes; @code is filled in. */
struct code_request {
	void *bytes;
	size_t size;
	struct pmscope_code *code;
};

/*
 * Reads the code at @address from the file that is open as @fd. @section is the
 * number of the section that has the code, and @address counts from its start;
 * 0: the headers tell, and @address is a link address. Sets the size and the
 * machine. Returns 0; -ENODATA if the file has no bytes for it, as a debug
 * file; -ENOEXEC if it is not a 64-bit little-endian ELF file; or the error of
 * read(2).
 */
int code_read(int fd, uint32_t section, uint64_t address,
	      const struct code_request *request);

/*
 * Reads code from the file at @path, which @open opens; @open returns a
 * descriptor or -errno. @section, @address and the result
 * are as above. @path
 * must stay valid as long as the symbols do.
 */
int reader_read_code(struct reader *reader, const char *path,
		     int (*open)(const char *path), uint32_t section,
		     uint64_t address, const struct code_request *request);

/* Functions and lines of ranges of addresses, one behind the other. */
struct reader_frames {
	const struct reader_frame *frames; /* see reader_child.h */
	size_t nr;			   /* at least 1 */
	const char *texts;
};

/*
 * Reads those of the link addresses from @address up to @limit bytes after it,
 * or of a shorter range. @frames stays valid until the next call. Returns 0;
 * -ENOENT if there are none or the file cannot be read (added to
 * @reader->missing); or -ENOMEM.
 */
int reader_find_frames(struct reader *reader, struct reader_file *file,
		       uint64_t address, uint64_t limit,
		       struct reader_frames *frames);

/* What the address of a variable is. */
enum reader_kind {
	READER_OF_VARIABLES, /* a link address */
	READER_OF_THREADS,   /* of each thread: bytes from TPIDR_EL0 */
	READER_OF_BLOCKS,    /* a call, of what it allocates */
	READER_OF_PASSED, /* the same, in a function that only passes it on */
	READER_KINDS
};

/* A variable; see reader_child.h. */
struct reader_layout {
	uint64_t start;
	uint64_t size;
	size_t nr; /* 0: not known */
	const char *texts;
	size_t size_of_texts;
	struct reader_part *part;
};

/* Returns a new layout in one piece of memory; NULL: no memory. */
struct reader_layout *reader_find_layout(struct reader *reader,
					 struct reader_file *file,
					 uint64_t address,
					 enum reader_kind kind);

/* Demangles @name in the child. Returns as demangle_here(), or -ENOMEM. */
ssize_t reader_demangle(struct reader *reader, const char *name,
			char text[DEMANGLED_MAX]);

void reader_fini(struct reader *reader);
