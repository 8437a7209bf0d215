// SPDX-License-Identifier: GPL-2.0-or-later
/* What the forms share. */
#include "script/print.h"
#include "base/text.h"
#include "fields/capture.h"
#include "print/csv.h"
#include "print/json.h"

#include <pmscope/events.h>

#include <string.h>

#define FIXED_ROOM 2560 /* all numbers, keys, and 64 event names */

static size_t name_room(const char *name)
{
	return name ? JSON_QUOTE_MAX(strlen(name)) : 0;
}

size_t view_room(const struct view *v)
{
	return FIXED_ROOM + name_room(v->sample->comm) +
	       name_room(v->symbol.name) + name_room(v->symbol.dso);
}

size_t group_room(const struct view *v)
{
	const struct pmscope_sample *s = v->sample;
	size_t room = FIXED_ROOM + name_room(s->comm);

	for (size_t i = 0; i < s->nr_counts; i++)
		room += 64 + name_room(s->counts[i].name);
	return room + capture_room(v->record);
}

char *print_event(char *p, unsigned int bit, uint64_t midr)
{
	const char *name = pmscope_event_name(bit, midr);

	if (name)
		return text_string(p, name);
	p = text_string(p, "IMPDEF:");
	return text_unsigned(p, bit);
}

char *print_events(char *p, uint64_t events, uint64_t midr, char separator,
		   char quote)
{
	for (; events; events &= events - 1) {
		if (quote)
			*p++ = quote;
		p = print_event(p, __builtin_ctzll(events), midr);
		if (quote)
			*p++ = quote;
		if (events & (events - 1))
			*p++ = separator;
	}
	return p;
}

char *print_clean(char *p, const char *text)
{
	return text_clean(p, text, strlen(text));
}

char *print_counts(char *p, const struct pmscope_sample *s, bool csv)
{
	for (size_t i = 0; i < s->nr_counts; i++) {
		const struct pmscope_count *count = &s->counts[i];

		if (csv && count->name) {
			p = csv_listed(p, count->name, !i);
		} else {
			if (i)
				*p++ = csv ? '|' : ' ';
			p = count->name ? print_clean(p, count->name)
					: text_unsigned(p, count->id);
		}
		*p++ = '=';
		p = text_unsigned(p, count->value);
	}
	return p;
}

static char *print_count_json(char *p, const struct pmscope_count *count)
{
	if (count->name)
		p = json_quote(text_string(p, "{\"event\":"), count->name);
	else
		p = text_unsigned(text_string(p, "{\"id\":"), count->id);
	p = text_unsigned(text_string(p, ",\"value\":"), count->value);
	*p++ = '}';
	return p;
}

char *print_counts_json(char *p, const struct pmscope_sample *s)
{
	*p++ = '[';
	for (size_t i = 0; i < s->nr_counts; i++) {
		if (i)
			*p++ = ',';
		p = print_count_json(p, &s->counts[i]);
	}
	*p++ = ']';
	return p;
}
