/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms pmscope script prints samples in. */
#ifndef PMSCOPE_SCRIPT_PRINT_H
#define PMSCOPE_SCRIPT_PRINT_H

#include "cli/output.h"
#include "fields/view.h"

/**
 * struct script_printer - one form
 * @spe: one SPE record; writes at @p at most view_room() bytes, returns the
 *	 end
 * @group: one group of counters, at most group_room() bytes
 */
struct script_printer {
	char *(*spe)(char *p, const struct view *view);
	char *(*group)(char *p, const struct view *view);
};

extern const struct script_printer script_text;
extern const struct script_printer script_jsonl;

/* What a group is: a snapshot, or what was read when the recording ended. */
static inline const char *script_group_type(const struct pmscope_sample *group)
{
	if (group->is_total)
		return "total";
	return group->is_snapshot ? "snapshot" : "group";
}

/* Names come from files: nothing of them may steer a terminal. */
char *print_clean(char *p, const char *text);

/* "event=value" for each counter, with spaces between, or as csv_listed(). */
char *print_counts(char *p, const struct pmscope_sample *sample, bool csv);

/* The same as an array of objects. */
char *print_counts_json(char *p, const struct pmscope_sample *sample);

/* Bytes enough for any form of a sample. */
size_t view_room(const struct view *view);
size_t group_room(const struct view *view);

/* The name of one event, or "IMPDEF:n"; no more than EVENT_NAME_MAX bytes. */
#define EVENT_NAME_MAX 64
char *print_event(char *p, unsigned int bit, uint64_t midr);

/*
 * Names of the set bits of @events with @separator between; with @quote
 * around each if that is not 0.
 */
char *print_events(char *p, uint64_t events, uint64_t midr, char separator,
		   char quote);

#endif /* PMSCOPE_SCRIPT_PRINT_H */
