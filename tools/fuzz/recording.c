// SPDX-License-Identifier: GPL-2.0-or-later
/* A perf.data: its records, then all samples with thread, place and counts. */
#include "fuzz.h"

#include <pmscope/recording.h>
#include <pmscope/stream.h>

static void all_records(const uint8_t *data, size_t size)
{
	struct pmscope_perf_event event;
	struct pmscope_perfdata *reader;
	int ret = pmscope_perfdata_open(data, size, &reader);

	ALWAYS(!ret || ret == -EBADMSG);
	while ((ret = pmscope_perfdata_next(reader, &event)) > 0)
		ALWAYS(event.attr < (int)pmscope_perfdata_nr_attrs(reader));
	ALWAYS(!ret || ret == -EBADMSG);
	ALWAYS(!ret || *pmscope_perfdata_error(reader));
	for (size_t i = 0; i < pmscope_perfdata_nr_build_ids(reader); i++)
		ALWAYS(pmscope_perfdata_build_id(reader, i)->size <= 20);
	for (unsigned int i = 0; i < PMSCOPE_FEATURE_MAX; i++)
		pmscope_perfdata_feature(reader, i);
	pmscope_perfdata_free(reader);
}

static void one_group(const struct pmscope_sample *sample)
{
	struct pmscope_record_counter counter;
	struct pmscope_record record;

	ALWAYS(sample->nr_counts && sample->counts);
	if (!sample->record)
		return;
	ALWAYS(pmscope_stream_next(sample->record, sample->record_size,
				   &record) == (int)sample->record_size);
	for (unsigned int i = 0; i < record.nr_counters; i++)
		pmscope_stream_counter(sample->record, &record, i, &counter);
}

static void one_sample(const struct pmscope_recording *recording,
		       const struct pmscope_sample *sample)
{
	struct pmscope_block block;
	struct pmscope_place place;
	uint64_t va;

	ALWAYS(!sample->comm || strlen(sample->comm) < 4096);
	if (sample->kind == PMSCOPE_SAMPLE_GROUP) {
		one_group(sample);
		return;
	}
	ALWAYS(sample->row < sample->batch->count);
	pmscope_recording_place(recording, sample,
				sample->batch->pc[sample->row], &place);
	ALWAYS(place.build_id_size <= 20);
	va = sample->batch->va[sample->row];
	ALWAYS(!pmscope_recording_block(recording, sample, va, &block) ||
	       va - block.start < block.size);
}

struct sum {
	uint64_t samples;
	uint64_t offsets;
	struct pmscope_decode_stats decode;
};

/* With @ahead, all that can be is decoded before its rows are asked for. */
static struct sum all_samples(const uint8_t *data, size_t size, bool ahead)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.ahead = ahead,
		.skip_by_size = size & 1,
	};
	struct pmscope_recording *recording;
	struct pmscope_sample sample;
	struct sum sum = {};
	int ret = pmscope_recording_open(data, size, &options, &recording);

	ALWAYS(!ret || (ret == -EBADMSG && recording));
	pmscope_recording_read_blocks(recording);
	while ((ret = pmscope_recording_next(recording, &sample)) > 0) {
		one_sample(recording, &sample);
		sum.samples++;
		if (sample.batch)
			sum.offsets = sum.offsets * 31 +
				      sample.batch->offset[sample.row];
		while (pmscope_recording_ahead(recording))
			ALWAYS(ahead);
	}
	ALWAYS(!ret);
	sum.decode = pmscope_recording_losses(recording)->decode;
	ALWAYS(sum.decode.bytes <= pmscope_recording_trace_size(recording));
	pmscope_recording_free(recording);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sum plain, ahead;

	all_records(data, size);
	plain = all_samples(data, size, false);
	ahead = all_samples(data, size, true);
	ALWAYS(!memcmp(&plain, &ahead, sizeof(plain)));
	return 0;
}
