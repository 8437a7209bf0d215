// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The sample_id (thread, time, CPU, event): the last fields of most records,
 * the first ones of PERF_RECORD_SAMPLE (perf_event_open(2), sample_id_all).
 */
#include "reader.h"

/* Takes 8 bytes from one end of what is left of a record. */
struct fields {
	const uint8_t *data;
	size_t size;
};

static bool take_first(struct fields *f, const uint8_t **field)
{
	if (f->size < 8)
		return false;
	*field = f->data;
	f->data += 8;
	f->size -= 8;
	return true;
}

static bool take_last(struct fields *f, const uint8_t **field)
{
	if (f->size < 8)
		return false;
	f->size -= 8;
	*field = f->data + f->size;
	return true;
}

static void set_field(struct pmscope_sample_id *id, uint64_t bit,
		      const uint8_t *field)
{
	switch (bit) {
	case PERF_SAMPLE_TID:
		id->pid = get32(field);
		id->tid = get32(field + 4);
		break;
	case PERF_SAMPLE_TIME:
		id->time = get64(field);
		break;
	case PERF_SAMPLE_ID:
	case PERF_SAMPLE_IDENTIFIER:
		id->id = get64(field);
		break;
	case PERF_SAMPLE_CPU:
		id->cpu = get32(field);
		break;
	default:
		return;
	}
	id->has |= bit;
}

static void read_with(uint64_t sample_type, const uint64_t *order,
		      bool (*take)(struct fields *, const uint8_t **),
		      struct fields fields, struct pmscope_sample_id *id)
{
	const uint8_t *field;

	for (; *order; order++)
		if (sample_type & *order && take(&fields, &field))
			set_field(id, *order, field);
}

static void read_sample(uint64_t sample_type, struct fields fields,
			struct pmscope_sample_id *id)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  0};

	read_with(sample_type, order, take_first, fields, id);
}

static void read_trailer(uint64_t sample_type, struct fields fields,
			 struct pmscope_sample_id *id)
{
	static const uint64_t order[] = {PERF_SAMPLE_IDENTIFIER,
					 PERF_SAMPLE_CPU,
					 PERF_SAMPLE_STREAM_ID,
					 PERF_SAMPLE_ID,
					 PERF_SAMPLE_TIME,
					 PERF_SAMPLE_TID,
					 0};

	read_with(sample_type, order, take_last, fields, id);
}

/*
 * The event that defines the layout: with identifiers, that of the record. A
 * single event owns all records, whatever their identifiers, and the first
 * event owns those with identifier 0, as in perf.
 */
static int layout_of(const struct pmscope_perfdata *r,
		     const struct pmscope_perf_event *event)
{
	struct fields fields = {event->body, event->size};
	bool sample = event->type == PERF_RECORD_SAMPLE;
	const uint8_t *field;

	if (!r->nr_attrs)
		return -1;
	if (!r->have_identifier || r->nr_attrs == 1)
		return 0;
	if (!(sample ? take_first : take_last)(&fields, &field))
		return -1;
	return reader_attr_of_id(r, get64(field));
}

void sample_id_read(const struct pmscope_perfdata *r,
		    struct pmscope_perf_event *event)
{
	struct fields fields = {event->body, event->size};
	const struct perf_event_attr *attr;
	int layout;

	if (event->type >= PMSCOPE_RECORD_HEADER_ATTR)
		return;
	layout = layout_of(r, event);
	if (layout < 0)
		return;
	attr = &r->attrs[layout].event.attr;
	if (event->type == PERF_RECORD_SAMPLE)
		read_sample(attr->sample_type, fields, &event->id);
	else if (attr->sample_id_all)
		read_trailer(attr->sample_type, fields, &event->id);
	event->attr = layout;
	if (event->id.has & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)) {
		int attr_of_id = pmscope_perfdata_attr_of_id(r, event->id.id);

		if (attr_of_id >= 0)
			event->attr = attr_of_id;
	}
}
