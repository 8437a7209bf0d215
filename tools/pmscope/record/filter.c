// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"
#include "fields/fields.h"

#include <strings.h>

#define NR_SOURCES 64 /* PMSDSFR_EL1 has a bit for each value of DS[5:0] */

static int refuse(const char *name, const char *why)
{
	error("record: --filter: %s: %s", name, why);
	return -EINVAL;
}

static int set_operations(struct record_filter *f,
			  const struct filter_term *term)
{
	if (term->op != FILTER_IS)
		return refuse(
			"op",
			"the hardware filter for operations supports only =");
	for (size_t i = 0; i < term->nr_values; i++) {
		const char *value = term->values[i].text;

		if (!strcasecmp(value, "load"))
			f->loads = true;
		else if (!strcasecmp(value, "store"))
			f->stores = true;
		else if (!strcasecmp(value, "branch"))
			f->branches = true;
		else
			return refuse("op", "the hardware can filter load, "
					    "store and branch");
	}
	return 0;
}

static int set_latency(struct record_filter *f, const struct filter_term *term)
{
	uint64_t least = term->values[0].number + (term->op == FILTER_ABOVE);

	if ((term->op != FILTER_AT_LEAST && term->op != FILTER_ABOVE) ||
	    term->nr_values != 1)
		return refuse("lat", "the hardware filter supports only "
				     "lat>=CYCLES and lat>CYCLES");
	f->min_latency = MAX(f->min_latency, least);
	return 0;
}

/* All of several events: a term each. One of them is not what SPE can. */
static int set_events(struct record_filter *f, const struct filter_term *term)
{
	uint64_t events = 0;

	for (size_t i = 0; i < term->nr_values; i++)
		events |= UINT64_C(1) << term->values[i].number;
	if (term->op == FILTER_IS && term->nr_values > 1)
		return refuse("event", "the hardware requires all events; "
				       "write event=A,event=B");
	*(term->op == FILTER_IS ? &f->events : &f->no_events) |= events;
	return 0;
}

static int set_sources(struct record_filter *f, const struct filter_term *term,
		       uint64_t midr)
{
	uint64_t named = 0;

	for (size_t i = 0; i < term->nr_values; i++) {
		uint64_t before = named;

		for (unsigned int code = 0; code < NR_SOURCES; code++)
			if (filter_source_is(term->values[i].text, midr, code))
				named |= UINT64_C(1) << code;
		if (named == before)
			return refuse(term->values[i].text,
				      "not a data source of this CPU; a code "
				      "works too");
	}
	f->no_sources |= term->op == FILTER_IS ? ~named : named;
	return 0;
}

static int set_term(struct record_filter *f, const struct filter_term *term,
		    uint64_t midr)
{
	const char *name = term->field->name;

	if (!strcmp(name, "op"))
		return set_operations(f, term);
	if (!strcmp(name, "lat_total"))
		return set_latency(f, term);
	if (!strcmp(name, "events"))
		return set_events(f, term);
	if (!strcmp(name, "source"))
		return set_sources(f, term, midr);
	return refuse(
		term->name,
		"the hardware cannot filter by this; script and report can");
}

int record_filter_parse(struct record_filter *f, const char *text,
			uint64_t midr)
{
	CLEANUP(filter_fini) struct filter filter;
	int ret = filter_parse(&filter, text);

	for (size_t i = 0; i < filter.nr_terms && !ret; i++)
		ret = set_term(f, &filter.terms[i], midr);
	return ret;
}
