/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a stream record, besides its counts. */
#ifndef PMSCOPE_FIELDS_CAPTURE_H
#define PMSCOPE_FIELDS_CAPTURE_H

#include "fields/view.h"

/*
 * Makes a view of a group sample. If it belongs to a stream, its record is
 * parsed into @record.
 */
struct view capture_view(const struct pmscope_sample *sample,
			 struct pmscope_record *record);

/* Names of its codes. For trigger and backend, NULL if the code is 0. */
const char *capture_trigger(const struct pmscope_record *record);
const char *capture_backend(const struct pmscope_record *record);
const char *capture_result(const struct pmscope_record *record);

/* May the recording contain samples of a stream? */
bool capture_expected(const struct pmscope_recording *recording);

#endif /* PMSCOPE_FIELDS_CAPTURE_H */
