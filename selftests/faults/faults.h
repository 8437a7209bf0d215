/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.h - which faults the caller, who set the machine up, gave it. */
#pragma once

#include "ktap.h"

static inline bool has_fault(const char *name)
{
	const char *faults = getenv("PMSCOPE_FAULTS") ?: "", *at = faults;
	size_t length = strlen(name);

	while ((at = strstr(at, name))) {
		if ((at == faults || at[-1] == ' ') &&
		    (at[length] == ' ' || !at[length]))
			return true;
		at += length;
	}
	return false;
}
