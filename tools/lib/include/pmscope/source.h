/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Data Source codes: where the data of a load came from. */
#ifndef PMSCOPE_SOURCE_H
#define PMSCOPE_SOURCE_H

#include <pmscope/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * pmscope_source_name() - what a Data Source code means
 * @midr: MIDR_EL1 of the CPU: the codes are IMPLEMENTATION DEFINED
 * @code: payload of the Data Source packet
 *
 * Return: a short constant string, or NULL when the CPU or the code is not
 * known.
 */
PMSCOPE_API const char *pmscope_source_name(uint64_t midr, uint16_t code);

/**
 * pmscope_data_src() - a record as samples of perf tell of its data
 * @batch: with all columns, not those of PMSCOPE_DECODE_BRIEF only
 * @row: in it
 * @midr: MIDR_EL1 of the CPU, or 0
 * @event_filter: events its SPU can filter by, see
 *		  pmscope_recording_event_filter(); 0 when not known
 *
 * Return: a value of union perf_mem_data_src (linux/perf_event.h); 0 for a
 * branch, and for others that have neither data nor vectors.
 */
PMSCOPE_API uint64_t pmscope_data_src(const struct pmscope_batch *batch,
				      size_t row, uint64_t midr,
				      uint64_t event_filter);

/**
 * pmscope_data_src_text() - such a value as perf script prints it
 * @data_src: of pmscope_data_src(), not 0; what others put into such a value
 *	      may have no words here
 * @text: at least 128 bytes; gets the text without a NUL
 *
 * Return: length of the text.
 */
PMSCOPE_API size_t pmscope_data_src_text(uint64_t data_src, char *text);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_SOURCE_H */
