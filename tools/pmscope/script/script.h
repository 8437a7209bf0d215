/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pmscope script. */
#ifndef PMSCOPE_SCRIPT_SCRIPT_H
#define PMSCOPE_SCRIPT_SCRIPT_H

#include "read/load.h"

enum script_format {
	SCRIPT_TEXT,
	SCRIPT_JSONL,
	SCRIPT_CSV
};

struct script_config {
	struct load_config load;
	bool packets;
	const char *fields; /* NULL: those of the format */
	int format;	    /* enum script_format */
};

/* Both return the exit status. */
int script_packets(const struct load *load);
int script_records(struct load *load, const struct script_config *config);

#endif /* PMSCOPE_SCRIPT_SCRIPT_H */
