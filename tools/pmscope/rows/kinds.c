// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows/causes.h"

_Static_assert(MAX_KINDS < 1 << KIND_HASH_BITS, "a search ends");

struct row_kinds *row_kinds_new(void)
{
	struct row_kinds *kinds = calloc(1, sizeof(*kinds));

	if (!kinds)
		return NULL;
	kinds->nr = 1;
	for (int cause = 0; cause < NR_CAUSES; cause++)
		for (int op = 0; op < 4 * 256; op++)
			kinds->of_op[cause][op / 256][op % 256] =
				row_cause_with(cause, op / 256, op % 256);
	return kinds;
}

unsigned int row_kind_search(struct row_kinds *kinds,
			     const struct row_kind *wanted, size_t at)
{
	const size_t mask = (1 << KIND_HASH_BITS) - 1;
	unsigned int number;

	for (;; at = (at + 1) & mask) {
		number = kinds->of_hash[at];
		if (row_kind_is(&kinds->kinds[number], wanted))
			return number;
		if (!number)
			break;
	}
	if (kinds->nr == MAX_KINDS)
		return MAX_KINDS;
	kinds->kinds[kinds->nr] = *wanted;
	kinds->causes[kinds->nr] = row_cause_of(wanted);
	kinds->translated[kinds->nr] = row_cause_translated(wanted);
	kinds->of_hash[at] = kinds->nr;
	return kinds->nr++;
}
