/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Why names may be missing that there are. One for all look-ups, as what each
 * of them reads is kept for the others.
 */
#ifndef PMSCOPE_SYMBOLS_MISSING_H
#define PMSCOPE_SYMBOLS_MISSING_H

#include <stdbool.h>

/* Zeros are of what is whole. */
struct missing {
	bool memory; /* was short */
};

#endif /* PMSCOPE_SYMBOLS_MISSING_H */
