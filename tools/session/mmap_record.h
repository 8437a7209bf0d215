/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * PERF_RECORD_MMAP and PERF_RECORD_MMAP2, without their trailer. @build_id_size
 * and @build_id are valid with PERF_RECORD_MISC_MMAP_BUILD_ID.
 */
#pragma once

#include "base/std.h"

#include <linux/perf_event.h>

struct mmap_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	char name[];
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	union {
		struct {
			uint32_t maj;
			uint32_t min;
			uint64_t ino;
			uint64_t ino_generation;
		};
		struct {
			uint8_t build_id_size;
			uint8_t reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot;
	uint32_t flags;
	char name[];
};
