/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Files of others are read, and their names demangled, in a child process with
 * limits on its time and memory: libelf, libdw and libiberty bound neither, and
 * a few bytes can keep them busy for ever.
 *
 * There is one child for all files of a recording. It is forked when the first
 * of them is needed, and again when one of them took it beyond its limits; that
 * file is not asked any more. It is a fork rather than a program of its own, so
 * that each user of the library has it. Of a program with threads only the
 * calling one goes on in the child: glibc keeps malloc() usable there, and
 * nothing that the child calls takes any other lock.
 *
 * A question and an answer are a packet each on a socket. The parent opens the
 * file and passes it along; the child opens debug files, by the same rules (see
 * input/regular.h). The parent trusts no length and no end of a string.
 */
#ifndef PMSCOPE_SYMBOLS_READER_H
#define PMSCOPE_SYMBOLS_READER_H

#include <pmscope/symbols.h>

#include "demangle.h"
#include "missing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct reader_packet;

/* Zeros but for the first two have no child yet. */
struct reader {
	const struct pmscope_symbols_options *options;
	struct missing *missing; /* what the child could not read, too */
	pid_t pid;		 /* 0: none */
	int socket;
	uid_t user;	       /* that the child was forked as */
	unsigned int children; /* so far */
	unsigned int nr_files; /* that are open in this one */
	unsigned int slow;     /* names that took too long */
	struct reader_packet *packet;
};

/* A file that is asked for its lines; zeros but for the first two were not. */
struct reader_file {
	const char *path;
	const char *name; /* on the recorded machine */
	unsigned int child;
	uint32_t number; /* in that child */
	int error;	 /* below 0: it is not asked any more */
};

/* Lines from an address on: bytes of others, as reader_child.h has them. */
struct reader_lines {
	const struct reader_run *runs;
	size_t nr; /* 1 at least */
	const char *texts;
};

/*
 * The lines from @address on, as linked, up to @limit bytes behind it, or
 * fewer. They stay until the next call. Returns 0; -ENOENT, also where the file
 * cannot be read: why is told to @reader->missing; or -ENOMEM.
 */
int reader_find_lines(struct reader *reader, struct reader_file *file,
		      uint64_t address, uint64_t limit,
		      struct reader_lines *lines);

/* See demangle_here(). */
size_t reader_demangle(struct reader *reader, const char *name,
		       char text[DEMANGLED_MAX]);
void reader_fini(struct reader *reader);

#endif /* PMSCOPE_SYMBOLS_READER_H */
