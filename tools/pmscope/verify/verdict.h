/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what was counted and what a loop does to a verdict about a counter. */
#pragma once

#include "base/std.h"

enum verdict {
	VERDICT_UNDECIDED,
	VERDICT_EXACT,
	VERDICT_WITHIN,	   /* the margin of its kind of event */
	VERDICT_SOMETHING, /* counts something else */
	VERDICT_DEAD,
	VERDICT_OTHER_CODE, /* right, but other code is counted, too */
	VERDICT_NOT_ALLOWED,
	NR_VERDICTS
};

/* As text and JSON lines have them. */
extern const char *const verdict_words[NR_VERDICTS];
extern const char *const verdict_keys[NR_VERDICTS];

/* Half a per mille is what other instructions of a loop take. */
#define VERDICT_EXACTLY 0.001

/**
 * struct measured - an event in a loop
 * @known: the loop says what the event must be
 * @speculates: the CPU executes instructions that are thrown away
 * @traps: most of the loop runs in the kernel, where the count is not known
 * @expected: how many there are in user space
 * @counted: with the filter u
 * @kernel: with the filter k; -1: not counted
 * @instructions: in user space
 */
struct measured {
	bool known;
	bool speculates;
	bool traps;
	double expected;
	double counted;
	double kernel;
	double instructions;
};

/**
 * struct judged - the verdict
 * @loop: index of the measurement that decides
 * @error: |counted - expected| there, as a share of what is expected
 * @ratio: counted / expected there; 0: nothing is expected there
 * @speculative: VERDICT_OTHER_CODE: on wrong paths; else: of other levels
 */
struct judged {
	enum verdict verdict;
	size_t loop;
	double error;
	double ratio;
	bool speculative;
};

/* @margin: the error that events of this kind may have */
struct judged verdict_of(const struct measured *m, size_t nr, double margin);

/* Must what is made from the event be doubted? */
static inline bool verdict_is_bad(enum verdict verdict)
{
	return verdict == VERDICT_SOMETHING || verdict == VERDICT_DEAD ||
	       verdict == VERDICT_OTHER_CODE;
}
