// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"

#define LENGTH_MAX 32 /* longer words have no near name */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Both have at most LENGTH_MAX letters. */
static size_t distance_of(const char *a, size_t na, const char *b, size_t nb)
{
	size_t d[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= na; i++)
		for (size_t j = 1; j <= nb; j++) {
			d[i][j] = least(d[i - 1][j], d[i][j - 1]) + 1;
			d[i][j] = least(d[i][j], d[i - 1][j - 1] + (a[i - 1] !=
								    b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[na][nb];
}

struct nearest nearest_begin(const char *word, size_t length)
{
	return (struct nearest){
		.word = word,
		.length = length,
		.distance = 2 + length / 4, /* the first that is too far */
	};
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t length = strlen(name), distance;

	if (nearest->length < 2 || nearest->length > LENGTH_MAX ||
	    length > LENGTH_MAX)
		return;
	if (!strncmp(name, nearest->word, nearest->length))
		distance = 0;
	else
		distance = distance_of(nearest->word, nearest->length, name,
				       length);
	/* All letters replaced would be another word. */
	if (distance >= nearest->distance ||
	    distance >= least(length, nearest->length))
		return;
	nearest->name = name;
	nearest->distance = distance;
}
