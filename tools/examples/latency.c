// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * usage: latency TRACE
 *
 * The mean total latency of the loads in bare SPE data, as an example of
 * libpmscope:
 *
 *	cc latency.c $(pkg-config --cflags --libs pmscope)
 */
#include <pmscope/decoder.h>
#include <pmscope/input.h>
#include <pmscope/operation.h>

#include <inttypes.h>
#include <stdio.h>

struct mean {
	uint64_t sum;
	uint64_t count;
};

static void add(struct mean *mean, const struct pmscope_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		if (!(b->has[i] & PMSCOPE_HAS_TOTAL) ||
		    !(pmscope_operation_flags(b->op_class[i], b->op[i]) &
		      PMSCOPE_OP_LOAD))
			continue;
		mean->sum += b->total[i];
		mean->count++;
	}
}

int main(int argc, char **argv)
{
	const struct pmscope_decode_stats *stats;
	const struct pmscope_batch *batch;
	struct pmscope_decoder *decoder;
	struct pmscope_input *input;
	struct pmscope_span span = {0};
	struct mean mean = {0};

	if (argc != 2)
		return 1;
	input = pmscope_input_open(argv[1]);
	if (!input) {
		perror(argv[1]);
		return 1;
	}
	span.data = pmscope_input_data(input);
	span.size = pmscope_input_size(input);
	decoder = pmscope_decoder_new(&span, 1, NULL);
	if (!decoder) {
		perror("decoder");
		return 1;
	}
	while ((batch = pmscope_decoder_next(decoder, NULL)))
		add(&mean, batch);
	stats = pmscope_decoder_stats(decoder);
	printf("%" PRIu64 " loads of %" PRIu64 " records, mean %" PRIu64
	       " cycles; %" PRIu64 " damaged\n",
	       mean.count, stats->records,
	       mean.count ? mean.sum / mean.count : 0, stats->damaged);
	pmscope_decoder_free(decoder);
	pmscope_input_free(input);
	return 0;
}
