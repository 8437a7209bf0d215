// SPDX-License-Identifier: GPL-2.0-or-later
/* What the forms share. */
#include "script_print.h"
#include "json.h"
#include "text/text.h"

#include <pmscope/events.h>

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

size_t group_room(const struct pmscope_sample *s)
{
	size_t room = FIXED_ROOM + name_room(s->comm);

	for (size_t i = 0; i < s->nr_counts; i++)
		room += 64 + name_room(s->counts[i].name);
	return room;
}

static char *print_event(char *p, unsigned int bit, uint64_t midr)
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
