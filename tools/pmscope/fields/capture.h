/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the record of a stream says of its capture, beside the counts. */
#ifndef PMSCOPE_FIELDS_CAPTURE_H
#define PMSCOPE_FIELDS_CAPTURE_H

#include "fields/view.h"

/* Of a group. What its record says goes to @record, if it is of a stream. */
struct view capture_view(const struct pmscope_sample *sample,
			 struct pmscope_record *record);

/* The words for its numbers; NULL for 0, but of the result. */
const char *capture_trigger(const struct pmscope_record *record);
const char *capture_backend(const struct pmscope_record *record);
const char *capture_result(const struct pmscope_record *record);

/* The recording may have such samples. */
bool capture_expected(const struct pmscope_recording *recording);

#endif /* PMSCOPE_FIELDS_CAPTURE_H */
