// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/row_csv.h"

#include <inttypes.h>
#include <stdio.h>

void row_csv_mean(FILE *out, const struct histogram *h)
{
	fprintf(out, "%" PRIu64 ",", h->count);
	if (h->count)
		fprintf(out, "%.3f", histogram_mean(h));
	fputc(',', out);
}

void row_csv_percentiles(FILE *out, const struct histogram *h)
{
	if (h->count)
		fprintf(out, "%u,%u,%u,%u,", histogram_percentile(h, 50),
			histogram_percentile(h, 90),
			histogram_percentile(h, 99), h->max);
	else
		fprintf(out, ",,,,");
}

static void events_csv(FILE *out, const struct row_table *r,
		       const struct row_parts *parts)
{
	const char *separator = "";

	for (unsigned int bit = 0; bit < 64; bit++) {
		char name[EVENT_NAME_MAX];

		if (!parts->events[bit])
			continue;
		fprintf(out, "%s%.*s=%" PRIu64, separator,
			(int)(event_put(name, bit, r->midr) - name), name,
			parts->events[bit]);
		separator = "|";
	}
	fputc(',', out);
}

static void sources_csv(FILE *out, const struct row_parts *parts)
{
	for (size_t i = 0; i < parts->nr_sources; i++) {
		const struct row_source *s = &parts->sources[i];

		if (s->name)
			fprintf(out, "%s%s=%" PRIu64, i ? "|" : "", s->name,
				s->samples);
		else
			fprintf(out, "%s%u=%" PRIu64, i ? "|" : "", s->code,
				s->samples);
	}
}

void row_csv_parts(FILE *out, const struct row_table *table,
		   const struct row_parts *parts)
{
	events_csv(out, table, parts);
	sources_csv(out, parts);
}
