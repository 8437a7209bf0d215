/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random SPE data that repeats; the state is that of random.h. */
#ifndef PMSCOPE_TESTS_STREAM_H
#define PMSCOPE_TESTS_STREAM_H

#include "bytes.h"

/* A packet of any type but padding and END, of any index and payload. */
void put_any_packet(struct bytes *b, uint64_t *state);

/* A record of some packets in any order, padding between them. */
void put_any_record(struct bytes *b, uint64_t *state);

/* A record of one of @shapes layouts, with payloads of its own. */
void put_shaped_record(struct bytes *b, uint64_t *state, unsigned int shapes);

/* Records of both kinds, runs of each, up to @size bytes or a few more. */
void put_stream(struct bytes *b, uint64_t *state, size_t size);

/* Overwrites @count bytes anywhere. */
void corrupt(struct bytes *b, uint64_t *state, unsigned int count);

/* PMSCOPE_SEED of the environment, or @otherwise; prints it. */
uint64_t stream_seed(uint64_t otherwise);

#endif /* PMSCOPE_TESTS_STREAM_H */
