// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/load.h"
#include "base/text.h"

#define NAMES_ROOM   400
#define LONGEST_NAME 100 /* of one event, cut there */

/* Counters that are read together count as samples. */
static bool reads_groups(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_READ &&
	       attr->read_format & PERF_FORMAT_GROUP;
}

static bool has_groups(const struct pmscope_perfdata *reader)
{
	const struct pmscope_perf_attr *attr;

	for (size_t i = 0; (attr = pmscope_perfdata_attr(reader, i)); i++)
		if (reads_groups(&attr->attr))
			return true;
	return false;
}

static char *put_name(char *p, const char *name, size_t number)
{
	size_t len = name ? strnlen(name, LONGEST_NAME) : 0;

	if (!len)
		return text_unsigned(text_string(p, "event "), number);
	return text_clean(p, name, len);
}

/* The names of the events with commas between, as many as there is room for. */
static void list_events(const struct pmscope_perfdata *reader, char *text)
{
	size_t nr = pmscope_perfdata_nr_attrs(reader), i = 0;
	char *p = text;

	for (; i < nr && p - text < NAMES_ROOM - LONGEST_NAME - 40; i++) {
		p = text_string(p, i ? ", " : "");
		p = put_name(p, pmscope_perfdata_attr(reader, i)->name, i);
	}
	if (i < nr)
		p = text_string(text_unsigned(text_string(p, " and "), nr - i),
				" more");
	*p = '\0';
}

/* The recording is complete: nothing was lost, it never had such data. */
static void say_what_it_is_of(const struct load *load)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(load->recording);
	char events[NAMES_ROOM];

	if (!reader || pmscope_recording_nr_traces(load->recording) ||
	    has_groups(reader))
		return;
	list_events(reader, events);
	error("%s: no SPE trace and no counter groups; %s%s", load->name,
	      *events ? "the file samples " : "the file names no event",
	      events);
}

/* The first fault, with its offset; NULL if there is none. */
static const char *fault(const struct load *load, char *buf, size_t size)
{
	const struct pmscope_decode_stats *d =
		&pmscope_recording_losses(load->recording)->decode;

	if (load->pack_error && *load->pack_error)
		return load->pack_error;
	if (*pmscope_input_error(load->input))
		return pmscope_input_error(load->input);
	if (*pmscope_recording_error(load->recording))
		return pmscope_recording_error(load->recording);
	if (load->raw && !pmscope_input_size(load->input))
		return "offset 0x0: empty";
	if (d->bad_bytes)
		snprintf(buf, size,
			 "offset 0x%" PRIx64
			 ": no SPE packet begins here: the first of %" PRIu64
			 " such bytes",
			 d->first_bad, d->bad_bytes);
	else if (load->raw && d->cut_bytes)
		snprintf(buf, size,
			 "offset 0x%" PRIx64 ": cut short: the record that "
			 "begins here is incomplete",
			 d->first_cut);
	else
		return NULL;
	return buf;
}

/* Bare SPE data and a perf.data are easily taken for each other. */
static const char *advice(const struct load *load, const char *text)
{
	const uint8_t *data = pmscope_input_data(load->input);
	size_t size = pmscope_input_size(load->input);

	if (load->raw && size > 8 && pmscope_perfdata_is(data, size))
		return "; this is a perf.data: omit --raw";
	if (!load->raw && !strcmp(text, "offset 0x0: not a perf.data"))
		return "; for raw SPE data use --raw";
	return "";
}

bool is_unreadable(const struct load *load)
{
	char buf[160];

	return !load->has_data && fault(load, buf, sizeof(buf));
}

int exit_status(const struct load *load)
{
	char buf[160];
	const char *text = fault(load, buf, sizeof(buf));

	if (text)
		error("%s: %s%s", load->name, text, advice(load, text));
	else
		say_what_it_is_of(load);
	return !!text;
}
