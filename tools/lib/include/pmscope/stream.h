/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Records of a streaming pmu_snapshot event, from any version of the module.
 * linux/pmscope.h, next to this header, describes them.
 */
#ifndef PMSCOPE_STREAM_H
#define PMSCOPE_STREAM_H

#include <pmscope/api.h>

#include <linux/pmscope.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * pmscope_stream_next() - the record at the start of @data
 * @data: of an AUX area, or the record of a struct pmscope_sample; of any
 *	  alignment, so that it cannot be taken for a struct itself
 * @size: bytes of @data
 * @record: filled in on success, and of no meaning else; members its writer did
 *	    not know are 0
 *
 * Drivers of today write at most sizeof(struct pmscope_record) and
 * PMSCOPE_CAPTURED_COUNTERS times sizeof(struct pmscope_record_counter).
 * Whoever reads a stream piece by piece can take -ENODATA of much more, 64 KiB,
 * for damage, and go on as behind -EBADMSG.
 *
 * The time for which the counters were stopped at each capture:
 *
 *	while (pmscope_recording_next(recording, &sample) > 0)
 *		if (sample.record &&
 *		    pmscope_stream_next(sample.record, sample.record_size,
 *					&r) > 0)
 *			printf("%llu\n", r.stopped);
 *
 * Return: bytes of the record, the next one follows; 0 when @size is 0;
 * -ENODATA when the record is cut short, or so few bytes are there that it may
 * be; -EBADMSG when there is none here.
 */
PMSCOPE_API int pmscope_stream_next(const void *data, size_t size,
				    struct pmscope_record *record);

/**
 * pmscope_stream_counter() - a counter of a record
 * @data: where pmscope_stream_next() found it
 * @record: what that made of it
 * @index: below record->nr_counters
 * @counter: filled in; with zeros for another @index
 */
PMSCOPE_API void pmscope_stream_counter(const void *data,
					const struct pmscope_record *record,
					unsigned int index,
					struct pmscope_record_counter *counter);

/**
 * pmscope_stream_sync() - the first whole record, in an overwritten area
 * @data: of the area, from an offset that is a multiple of 8 on
 * @size: bytes of @data
 *
 * So a reader also finds back after -EBADMSG. A record that has only begun is
 * not found: one that gets more later keeps @data where there is none, of more
 * than 64 KiB the last of it from a multiple of 8 on, and asks again with that
 * and what came.
 *
 * Return: its offset in @data; @size when there is none.
 */
PMSCOPE_API size_t pmscope_stream_sync(const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_STREAM_H */
