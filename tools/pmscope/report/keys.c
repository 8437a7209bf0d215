// SPDX-License-Identifier: GPL-2.0-or-later
/* Sort keys of report: fields with FIELD_SORT, see fields/fields.c. */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>

int report_keys_parse(const char *list, const struct field **keys)
{
	struct named_field fields[MAX_KEYS];
	int nr = fields_parse("report", list, FIELD_SORT, MAX_KEYS, fields);

	for (int i = 0; i < nr; i++)
		keys[i] = fields[i].field;
	return nr;
}

const char *report_value(const struct report *report,
			 const struct report_row *row, size_t i, char *buf,
			 size_t size)
{
	int64_t value = row->values[i];

	if (field_has_row_text(report->keys[i]))
		return strings_get(&report->strings, value);
	if (value < 0)
		return "?";
	snprintf(buf, size, "%" PRId64, value);
	return buf;
}
