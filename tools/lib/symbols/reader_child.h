/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What goes between the child of reader.h and its parent. */
#ifndef PMSCOPE_SYMBOLS_READER_CHILD_H
#define PMSCOPE_SYMBOLS_READER_CHILD_H

#include <pmscope/symbols.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the child ends with when a sanitizer found an error of its own. */
#define READER_SANITIZER 86

enum reader_task {
	READER_LINES,  /* of addresses; -ENOENT: the file has none */
	READER_NAME,   /* in the source */
	READER_UNREAD, /* before an answer: a file, and why */
	READER_END,    /* in place of one: why the child ends */
};

/* Addresses that have the same line. */
struct reader_run {
	uint32_t size;
	uint32_t line;
	uint32_t file;	 /* where its name is in the second part, */
	uint32_t frames; /* and these; each 1 more, and 0: none */
};

/*
 * A question or an answer. Of the bytes only two parts, one behind the other,
 * are sent: strings with their zeros, or runs and their strings.
 */
struct reader_packet {
	uint32_t task;
	int32_t ret;	  /* 0 or -errno */
	uint32_t number;  /* of the file */
	uint32_t size[2]; /* of each part; 0: there is none */
	uint64_t address; /* or ns that the task may take */
	uint64_t limit;	  /* behind the address */
	char parts[65536];
};

#define READER_HEADER offsetof(struct reader_packet, parts)

/* Sends one, and @fd, unless that is -1. */
bool reader_send(int socket, struct reader_packet *packet, int fd);

/* Puts a string in as the next of @nr parts. False: there is no room. */
bool reader_put(struct reader_packet *packet, unsigned int part,
		const char *text);

/* The string that a part is; NULL: it is none. */
const char *reader_text(const struct reader_packet *packet, unsigned int part);

/*
 * Receives one, and a file; false where there is none, or what is sent is none.
 */
bool reader_receive(int socket, struct reader_packet *packet, int *fd);

/* Serves the other end of @socket until that is closed. */
_Noreturn void reader_serve(int socket,
			    const struct pmscope_symbols_options *options);

#endif /* PMSCOPE_SYMBOLS_READER_CHILD_H */
