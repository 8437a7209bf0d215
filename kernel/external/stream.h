/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams of pmu_external: a timer on the CPU that reads captures the watched one. */
#ifndef PMSCOPE_EXTERNAL_STREAM_H
#define PMSCOPE_EXTERNAL_STREAM_H

struct perf_event;
struct snap_stream;

struct snap_stream *ext_stream_create(struct perf_event *event);

#endif /* PMSCOPE_EXTERNAL_STREAM_H */
