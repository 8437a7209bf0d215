/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Branches and places of code in the words of perf script. */
#ifndef PMSCOPE_SAMPLE_BRANCHES_H
#define PMSCOPE_SAMPLE_BRANCHES_H

#include "sample/view.h"

/* Of a longer name, only the beginning is printed. */
#define BRANCHES_NAME ((size_t)4096)
#define BRANCHES_ROOM (2 * (2 * (BRANCHES_NAME + 32) + 64))

/*
 * The branch of an SPE record and, with a space between, the one before it:
 * "FROM/TO/EVENTS/X/A/CYCLES/TYPE/-". FROM and TO are addresses or, with
 * @names, symbols and offsets. NULL if the record has neither.
 *
 * @text: room for the text, BRANCHES_ROOM bytes
 */
const char *branches_text(const struct view *view, bool names, char *text);

/* The file of the PC and the offset in it: "FILE+0xOFFSET"; NULL without PC. */
const char *place_text(const struct view *view, char *text);

#endif /* PMSCOPE_SAMPLE_BRANCHES_H */
