/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Protocol between the child process of reader.h and its parent. */
#pragma once

#include <pmscope/symbols.h>

#include "elf.h"

/* An answer is about so many bytes of code at most. */
#define READER_AHEAD 4096

/* Exit status of the child after a sanitizer report. */
#define READER_SANITIZER 86

/* In the number of a request for symbols, which is their kind else. */
#define READER_MODULE 0x100

enum reader_task {
	READER_FRAMES, /* functions and lines at addresses; -ENOENT: no DWARF */
	READER_LAYOUT, /* the parts of a variable; the same */
	READER_SYMBOLS, /* all symbols, as an image in a file (see elf.h) */
	READER_CODE,	/* machine code */
	READER_NAME,	/* demangle a name */
	READER_UNREAD,	/* before an answer: an unreadable file */
	READER_FOUND,	/* before an answer: a file of debug information */
	READER_BUSY,	/* before an answer: a download goes on */
	READER_END,	/* instead of one: why the child ends */
};

/*
 * A function at a range of addresses; texts are offsets in part 1, plus 1. The
 * first one of a range has its size, and how many there are. If there are none,
 * it still has the line.
 */
struct reader_frame {
	uint64_t size; /* 0: not the first */
	uint32_t nr;
	uint32_t name;
	uint32_t linkage;
	uint32_t file;
	uint32_t line;
	uint32_t discriminator;
	uint32_t start;
};

/*
 * A variable, or a member of the part before it; texts likewise.
 * Those that it consists of are @below: the parts behind it, as many.
 */
struct reader_part {
	uint32_t offset; /* from the start of what it is a member of */
	uint32_t size;
	uint32_t stride; /* bytes of an element; 0: no array */
	uint32_t name;	 /* with brackets, if it is an array */
	uint32_t below;
};

/*
 * A request or an answer. Only the used bytes of @parts are sent: part 0, then
 * part 1. They are two strings with their NUL, or an array of struct
 * reader_frame or reader_part and its strings. Part 0 may also be code.
 */
struct reader_packet {
	uint32_t task;
	int32_t ret; /* 0 or -errno */
	/* The file's number; kind of symbols; section of code, and machine. */
	uint32_t number;
	uint32_t size[2]; /* of each part; 0: absent */
	uint64_t address; /* or the time limit in ns */
	uint64_t limit;	  /* bytes after it; size of code; a kind */
	struct elf_id id; /* symbols: the build-id, wanted or found */
	struct elf_image image;
	char parts[65536];
};

#define READER_HEADER offsetof(struct reader_packet, parts)

/* Sends @packet and, unless it is -1, @fd. Returns false on error. */
bool reader_send(int socket, struct reader_packet *packet, int fd);

/*
 * Stores @text as a part; store part 0 first. Returns false if it does not fit.
 */
bool reader_put(struct reader_packet *packet, unsigned int part,
		const char *text);

/* Returns a part as a string, or NULL if it is absent or not terminated. */
const char *reader_text(const struct reader_packet *packet, unsigned int part);

/*
 * Receives a packet, and a file descriptor in @fd (-1: none), which the caller
 * closes. Returns false at the end of the connection or for a malformed packet.
 */
bool reader_receive(int socket, struct reader_packet *packet, int *fd);

/* Serves requests from @socket until the parent closes its end. */
_Noreturn void reader_serve(int socket,
			    const struct pmscope_symbols_options *options);
