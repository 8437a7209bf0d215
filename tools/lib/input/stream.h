/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What comes from a pipe, at consecutive addresses, as if it were a mapped
 * file; what is not needed any more takes no memory.
 */
#ifndef PMSCOPE_INPUT_STREAM_H
#define PMSCOPE_INPUT_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct input_stream - a pipe that is being read; starts as zeros
 * @data: the addresses that are reserved for all of it, @room bytes
 * @size: bytes that were read
 * @ready: bytes from @data on that have had memory
 * @done: bytes from @data on whose memory was given back
 */
struct input_stream {
	int fd;
	uint8_t *data;
	size_t room;
	size_t size;
	size_t ready;
	size_t done;
};

/* Reserves addresses; takes @fd over. Returns 0 or -errno. */
int input_stream_open(struct input_stream *stream, int fd);

/* Reads at most @size bytes more. Returns how many; 0 at the end; -errno. */
ssize_t input_stream_read(struct input_stream *stream, size_t size);

/* Gives back the memory of all before @offset. */
void input_stream_done(struct input_stream *stream, size_t offset);
void input_stream_close(struct input_stream *stream);

#endif /* PMSCOPE_INPUT_STREAM_H */
