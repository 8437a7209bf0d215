/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the fields of a stream record, besides its counts. */
#ifndef PMSCOPE_FIELDS_CAPTURE_H
#define PMSCOPE_FIELDS_CAPTURE_H

#include "fields/view.h"

/*
 * For a sample of a group. If it belongs to a stream, its record goes to
 * @record.
 */
struct view capture_view(const struct pmscope_sample *sample,
			 struct pmscope_record *record);

/* The words for its numbers; NULL for 0, but of the result. */
const char *capture_trigger(const struct pmscope_record *record);
const char *capture_backend(const struct pmscope_record *record);
const char *capture_result(const struct pmscope_record *record);

/* The recording may contain such samples. */
bool capture_expected(const struct pmscope_recording *recording);

#endif /* PMSCOPE_FIELDS_CAPTURE_H */
