/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches and places of code in the words of perf script. */
#ifndef PMSCOPE_FIELDS_BRANCHES_H
#define PMSCOPE_FIELDS_BRANCHES_H

#include "fields/view.h"

/*
 * The branch of an SPE record and, with a space between, the one before it:
 * "FROM/TO/EVENTS/X/A/CYCLES/TYPE/-". FROM and TO are addresses or, with
 * @names, symbols and offsets. NULL if the record has neither.
 *
 * Texts are valid until this thread calls the function again.
 */
const char *branches_text(const struct view *view, bool names);

/* The file of the PC and the offset in it: "FILE+0xOFFSET"; NULL without PC. */
const char *place_text(const struct view *view);

#endif /* PMSCOPE_FIELDS_BRANCHES_H */
