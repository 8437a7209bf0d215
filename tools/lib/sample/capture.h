/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The fields of a stream record, besides its counts. */
#pragma once

#include "sample/view.h"

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
