/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUX area of a stream.
 */
#ifndef PMSCOPE_SNAPSHOT_AREA_H
#define PMSCOPE_SNAPSHOT_AREA_H

#include <linux/perf_event.h>
#include <linux/pmscope.h>

struct snap_area;

void *snap_area_setup(struct perf_event *event, void **pages, int nr_pages,
		      bool snapshot);
void snap_area_free(void *aux);

struct snap_area *snap_area_begin(struct perf_output_handle *handle,
				  struct perf_event *event);
bool snap_area_end(struct perf_output_handle *handle,
		   const struct snap_area *area,
		   const struct pmscope_record *record);

#endif /* PMSCOPE_SNAPSHOT_AREA_H */
