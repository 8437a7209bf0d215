/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs in how two recordings were made, so that figures may, too. */
#pragma once

#include "read/provenance.h"

enum origin {
	ORIGIN_HOST,
	ORIGIN_KERNEL,
	ORIGIN_ARCH,
	ORIGIN_CPUS,
	ORIGIN_MEMORY,
	ORIGIN_EVENTS,
	NR_ORIGINS
};

/* Each in words, as it is printed and as key in JSON. */
extern const char *const origin_names[NR_ORIGINS];

/*
 * Texts for both recordings, of names from files, which have to be escaped; ""
 * where the recording does not tell. Each is freed with free(). Returns 0 or
 * -ENOMEM.
 */
int origin_text(enum origin origin, const struct provenance *provenance,
		char **text);

/* Do both tell, and different things? */
bool origin_differs(const char *old, const char *new);
