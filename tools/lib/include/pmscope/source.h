/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Data Source codes: where the data of a load came from. They are known of
 * Cortex-A78C, A715, A720, A720AE, A725, X1, X1C, X3, X4 and X925, Neoverse N1,
 * N2, V1, V2 and V3, AmpereOne, HiSilicon HIP12, NVIDIA Olympus and Azure
 * Cobalt 100.
 */
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

/* Flags that pmscope_source_flags() returns. */
enum pmscope_source_flag {
	PMSCOPE_SOURCE_CACHE = 1U << 0,
	PMSCOPE_SOURCE_MEMORY = 1U << 1,
	PMSCOPE_SOURCE_OWN = 1U << 2,	  /* of the core that loads */
	PMSCOPE_SOURCE_CORE = 1U << 3,	  /* of another core near it */
	PMSCOPE_SOURCE_CLUSTER = 1U << 4, /* of another cluster */
	PMSCOPE_SOURCE_LOCAL = 1U << 5,	  /* of this socket or node */
	PMSCOPE_SOURCE_REMOTE = 1U << 6,  /* of another socket, chip or node */
	PMSCOPE_SOURCE_MODIFIED = 1U << 7,
	PMSCOPE_SOURCE_DEVICE = 1U << 8, /* or uncached memory */
};

/* A cache with one of these belongs to another core. */
#define PMSCOPE_SOURCE_PEER \
	(PMSCOPE_SOURCE_CORE | PMSCOPE_SOURCE_CLUSTER | PMSCOPE_SOURCE_REMOTE)

/**
 * pmscope_source_flags() - where that is
 * @midr: as of pmscope_source_name()
 * @code: as of pmscope_source_name()
 *
 * Return: enum pmscope_source_flag bits; 0 when the CPU or the code is not
 * known.
 */
PMSCOPE_API uint32_t pmscope_source_flags(uint64_t midr, uint16_t code);

/**
 * pmscope_source_is_peer() - did another core's cache answer a load?
 * @batch: with all columns, not those of PMSCOPE_DECODE_BRIEF only
 * @row: of the load
 * @midr: MIDR_EL1 of the CPU, or 0
 *
 * Return: true where the source says so, or the event SNOOPED and the source
 * is not known to be memory or a device.
 */
PMSCOPE_API bool pmscope_source_is_peer(const struct pmscope_batch *batch,
					size_t row, uint64_t midr);

/**
 * pmscope_source_is_far() - did memory of another socket or node answer a load?
 * @batch: with all columns, not those of PMSCOPE_DECODE_BRIEF only
 * @row: of the load
 * @midr: MIDR_EL1 of the CPU, or 0
 *
 * Return: true where the source is remote memory, or memory and the event
 * REMOTE-ACCESS is set; where the source is not known, with REMOTE-ACCESS and
 * LLC-REFILL and without SNOOPED.
 */
PMSCOPE_API bool pmscope_source_is_far(const struct pmscope_batch *batch,
				       size_t row, uint64_t midr);

/**
 * pmscope_data_src() - a record as samples of perf tell of its data
 * @batch: with all columns, not those of PMSCOPE_DECODE_BRIEF only
 * @row: in it
 * @midr: MIDR_EL1 of the CPU, or 0
 * @event_filter: events its SPU can filter by, see
 *		  pmscope_recording_event_filter(); 0 when not known. Only where
 *		  SNOOPED is one of them does a record without it say that the
 *		  data was not snooped
 *
 * A record without a Data Source packet goes by its events; perf takes it for
 * code 0.
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
