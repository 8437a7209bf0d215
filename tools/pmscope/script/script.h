/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pmscope script. */
#pragma once

#include "fields/fields.h"
#include "print/format.h"
#include "read/load.h"

struct script_config {
	struct load_config load;
	bool packets;
	const char *list; /* of -F, or NULL */
	struct named_field fields[FIELDS_MAX];
	size_t nr_fields; /* 0: the default fields of the format */
	int format;	  /* enum print_format */
};

/* Both return the exit status. */
int script_packets(const struct load *load);
int script_records(struct load *load, const struct script_config *config);
