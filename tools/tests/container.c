// SPDX-License-Identifier: GPL-2.0-or-later
#include "container.h"

#include <pmscope/perfdata.h>

#include <stdlib.h>
#include <string.h>

const struct where here = {.pid = 7, .tid = 8, .time = 99, .cpu = 3};

void put_records(struct bytes *b)
{
	struct bytes trace = {};

	put_zeros(&trace, 100);
	put_comm(b, 0, "first", &here);
	put_auxtrace(b, 1, 3, 8, &trace);
	put_comm(b, 0, "second", &here);
	bytes_fini(&trace);
}

void make_file(struct bytes *b)
{
	perfdata_begin(b);
	put_records(b);
	perfdata_end(b);
}

void make_pipe(struct bytes *b)
{
	perfdata_begin_pipe(b);
	put_records(b);
}

struct seen read_all(const struct bytes *b)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	struct seen seen = {};

	pmscope_perfdata_open(b->data, b->size, &reader);
	while (pmscope_perfdata_next(reader, &event) > 0) {
		if (event.type == PERF_RECORD_COMM)
			seen.comms++;
		else if (event.type == PMSCOPE_RECORD_AUXTRACE)
			seen.auxtraces++;
		else
			seen.others++;
		seen.payload += event.payload_size;
		for (size_t i = 0; i < event.size; i++)
			seen.sum += event.body[i];
		for (size_t i = 0; i < event.payload_size; i++)
			seen.sum += event.payload[i];
	}
	if (pmscope_perfdata_next(reader, &event))
		abort();
	strcpy(seen.error, pmscope_perfdata_error(reader));
	pmscope_perfdata_free(reader);
	return seen;
}
