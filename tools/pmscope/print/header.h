/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording comes from, as text and as JSON. */
#pragma once

#include "print/json.h"
#include "read/provenance.h"

/* Lines that begin with "# ", named as in perf report --header. */
void header_print(FILE *out, const struct provenance *provenance);

/* The same as members of the object that is being written. */
void header_json(struct json *json, const struct provenance *provenance);
