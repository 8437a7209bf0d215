/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The records that a streaming pmu_snapshot event writes to its AUX area,
 * whatever version of the module made them.
 */
#ifndef PMSCOPE_SNAPSHOT_STREAM_H
#define PMSCOPE_SNAPSHOT_STREAM_H

#include <linux/pmscope.h>
#include <stddef.h>
#include <stdint.h>

/**
 * pmscope_stream_next() - the record at the start of @data
 * @record: filled in on success; members its writer did not know are 0
 *
 * Return: bytes of the record, the next one follows; 0 when @size is 0;
 * -ENODATA when the record is cut short; -EBADMSG when there is none here.
 */
int pmscope_stream_next(const void *data, size_t size,
			struct pmscope_record *record);

/**
 * pmscope_stream_counter() - a counter of a record
 * @data: where pmscope_stream_next() found it
 * @record: what that made of it
 * @index: below record->nr_counters
 */
void pmscope_stream_counter(const void *data,
			    const struct pmscope_record *record,
			    unsigned int index,
			    struct pmscope_record_counter *counter);

/**
 * pmscope_stream_sync() - the first whole record, in an overwritten area
 *
 * Return: its offset in @data; @size when there is none.
 */
size_t pmscope_stream_sync(const void *data, size_t size);

#endif /* PMSCOPE_SNAPSHOT_STREAM_H */
