// SPDX-License-Identifier: GPL-2.0-only
/*
 * The AUX area of a stream: whole records, one after the other.
 */
#include "snapshot/area.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

/**
 * struct snap_area - the AUX area of a ring buffer
 * @pages: its pages; perf core's array, which outlives this
 * @size: bytes, a power of two
 * @snapshot: mapped read-only: the oldest data is overwritten
 */
struct snap_area {
	void **pages;
	u64 size;
	bool snapshot;
};

/**
 * snap_area_setup() - pmu::setup_aux
 * @event: the event that owns the AUX area
 * @pages: kernel addresses of its pages
 * @nr_pages: how many
 * @snapshot: the area is mapped read-only
 *
 * Return: the struct snap_area, or NULL.
 */
void *snap_area_setup(struct perf_event *event, void **pages, int nr_pages,
		      bool snapshot)
{
	struct snap_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (u64)nr_pages << PAGE_SHIFT;
	area->snapshot = snapshot;
	return area;
}

/**
 * snap_area_free() - pmu::free_aux
 * @aux: what snap_area_setup() returned
 */
void snap_area_free(void *aux)
{
	kfree(aux);
}

static void copy(const struct snap_area *area, u64 pos, const void *data,
		 u64 len)
{
	u64 part;

	for (; len; len -= part, data += part, pos += part) {
		u64 at = pos & (area->size - 1);

		part = min_t(u64, len, PAGE_SIZE - offset_in_page(at));
		memcpy(area->pages[at >> PAGE_SHIFT] + offset_in_page(at), data,
		       part);
	}
}

/**
 * snap_area_begin() - open the area of an event for one record
 * @handle: perf's side of it
 * @event: active on this CPU, interrupts off; nobody else has a handle open
 *
 * Return: the area, to be given to snap_area_end(), or NULL when the event has
 * none.
 */
struct snap_area *snap_area_begin(struct perf_output_handle *handle,
				  struct perf_event *event)
{
	return perf_aux_output_begin(handle, event);
}

/*
 * The last 7 bytes stay free (CIRC_SPACE), so a head on a multiple of 8 never
 * meets the tail, which perf core would take for a reason to stop the event.
 */
static bool fits(const struct perf_output_handle *handle,
		 const struct snap_area *area,
		 const struct pmscope_record *record)
{
	return record->size <= (area->snapshot ? area->size : handle->size);
}

/**
 * snap_area_end() - write the record and close the area
 * @handle: from snap_area_begin()
 * @area: from snap_area_begin()
 * @record: whole
 *
 * Return: false when there was no room; nothing is written then.
 */
bool snap_area_end(struct perf_output_handle *handle,
		   const struct snap_area *area,
		   const struct pmscope_record *record)
{
	if (!fits(handle, area, record)) {
		perf_aux_output_end(handle, 0);
		return false;
	}

	copy(area, handle->head, record, record->size);
	if (record->lost)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_PARTIAL);
	if (area->snapshot) {
		/* The head tells all; no PERF_RECORD_AUX for each record. */
		handle->head += record->size;
		perf_aux_output_end(handle, 0);
	} else {
		perf_aux_output_end(handle, record->size);
	}
	return true;
}
