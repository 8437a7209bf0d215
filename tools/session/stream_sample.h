/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Converts records of a pmu_snapshot stream to group samples, which perf and
 * all other readers of perf.data understand.
 */
#pragma once

#include "base/std.h"

#include <linux/perf_event.h>
#include <linux/pmscope.h>

/* The extra fields of such a sample */
#define PMSCOPE_STREAM_SAMPLE_TYPE \
	(PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_RAW)
#define PMSCOPE_STREAM_READ_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID)

/**
 * stream_sample() - convert a record to a sample
 * @data: the record
 * @record: the record as parsed by pmscope_stream_next()
 * @sample_type: of the event
 * @period: of the event
 * @sample: room for 64 KiB
 *
 * The record itself is the raw data of the sample.
 *
 * Return: bytes of the sample; 0 if the record is too large for a sample.
 */
size_t stream_sample(const void *data, const struct pmscope_record *record,
		     uint64_t sample_type, uint64_t period,
		     struct perf_event_header *sample);
