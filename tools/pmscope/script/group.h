/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of a row that stay, or of which only the last digits change, as one
 * text: that of the row before, in which these digits are put anew.
 */
#ifndef PMSCOPE_SCRIPT_GROUP_H
#define PMSCOPE_SCRIPT_GROUP_H

#include "print/recent.h"
#include "script/pieces.h"

#define GROUP_NUMBERS 2
#define GROUP_ROOM    (GROUP_NUMBERS * QUICK_ROOM + PIECE_MAX + 4 * PIECE_STEP)

/**
 * struct group - a text with numbers in it
 * @of: what the numbers are of; NULL: this is nobody's yet
 * @key: what the rest follows from
 * @length: of the text; 0: there is none
 * @at: where the last digits of each number are
 * @number: and what its digits hold for
 */
struct group {
	const struct recent *of[GROUP_NUMBERS];
	uint64_t key;
	size_t length;
	size_t at[GROUP_NUMBERS];
	struct recent number[GROUP_NUMBERS];
	char text[GROUP_ROOM];
};

/* The text is nobody's any more: none of its numbers holds. */
static inline void group_forget(struct group *g)
{
	g->length = 0;
	g->number[0].range = 0;
	g->number[0].near_range = 0;
}

static inline bool group_has(const struct group *g, unsigned int i,
			     uint64_t value)
{
	return recent_has(&g->number[i], value);
}

/* The last digits of number @i, in the text at @p. */
static inline void group_put(const struct group *g, unsigned int i, char *p,
			     uint64_t value)
{
	recent_low(&g->number[i], p + g->at[i], value);
}

/* Number @i at @p, which is in the text. Returns its end. */
static inline char *group_begin(struct group *g, unsigned int i, char *p,
				uint64_t value)
{
	char *end = recent_renew(&g->number[i], p, value);

	g->at[i] = end - g->text - RECENT_DIGITS;
	return end;
}

/*
 * All of number @i, in the text. False: it has not as many digits, or so few
 * that none of them leads.
 */
static inline bool group_renew(struct group *g, unsigned int i, uint64_t value)
{
	unsigned int length = g->number[i].length;
	char digits[QUICK_ROOM];

	if (recent_is_near(&g->number[i], value)) {
		recent_near(&g->number[i], g->text + g->at[i], value);
		return true;
	}
	recent_renew(&g->number[i], digits, value);
	if (!g->number[i].range || g->number[i].length != length)
		return false;
	memcpy(g->text + g->at[i] - length, digits, length + RECENT_DIGITS);
	return true;
}

#endif /* PMSCOPE_SCRIPT_GROUP_H */
