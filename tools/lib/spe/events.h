/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SPE_EVENTS_H
#define PMSCOPE_SPE_EVENTS_H

#include <pmscope/events.h>

#include <string.h>

/* A name of fixed size: copying it does not depend on its length. */
struct event_name {
	char text[23];
	uint8_t length; /* 0: the bit has no name */
};

/* The architected name of bit 0 to 63. */
const struct event_name *event_name(unsigned int bit);

/* The name of an IMPLEMENTATION DEFINED event on this CPU, or NULL. */
const struct event_name *event_name_of_cpu(unsigned int bit, uint64_t midr);

#define EVENT_NAME_ROOM sizeof(((struct event_name *)0)->text)

/* Always writes EVENT_NAME_ROOM bytes; returns the end of the name. */
static inline char *event_name_text(char *p, const struct event_name *name)
{
	memcpy(p, name->text, EVENT_NAME_ROOM);
	return p + name->length;
}

#endif /* PMSCOPE_SPE_EVENTS_H */
