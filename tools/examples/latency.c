// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * usage: latency TRACE
 *
 * The mean total latency of the loads in bare SPE data, as an example of
 * libpmscope:
 *
 *	cc latency.c $(pkg-config --cflags --libs pmscope)
 */
#include <pmscope/input.h>
#include <pmscope/operation.h>
#include <pmscope/recording.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct mean {
	uint64_t sum;
	uint64_t count;
};

static void add(struct mean *mean, const struct pmscope_run *run)
{
	const struct pmscope_batch *b = run->batch;

	for (size_t i = run->first; i < run->end; i++) {
		if (!(b->has[i] & PMSCOPE_HAS_TOTAL) ||
		    !(pmscope_operation_flags(b->op_class[i], b->op[i]) &
		      PMSCOPE_OP_LOAD))
			continue;
		mean->sum += b->total[i];
		mean->count++;
	}
}

static int read_all(const struct pmscope_input *input)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.raw = true,
	};
	const struct pmscope_decode_stats *stats;
	struct pmscope_recording *recording;
	struct pmscope_run run;
	struct mean mean = {0};
	int ret;

	ret = pmscope_recording_open(pmscope_input_data(input),
				     pmscope_input_size(input), &options,
				     &recording);
	if (ret)
		return ret;
	while ((ret = pmscope_recording_next_run(recording, false, &run)) > 0)
		add(&mean, &run);
	stats = &pmscope_recording_losses(recording)->decode;
	printf("%" PRIu64 " loads of %" PRIu64 " records, mean %" PRIu64
	       " cycles; %" PRIu64 " damaged\n",
	       mean.count, stats->records,
	       mean.count ? mean.sum / mean.count : 0, stats->damaged);
	pmscope_recording_free(recording);
	return ret;
}

int main(int argc, char **argv)
{
	struct pmscope_input *input;
	int ret;

	if (argc != 2)
		return 1;
	ret = pmscope_input_open(argv[1], &input);
	if (ret) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-ret));
		return 1;
	}
	ret = read_all(input);
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-ret));
	pmscope_input_free(input);
	return !!ret;
}
