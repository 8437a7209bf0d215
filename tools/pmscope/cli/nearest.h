/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the name that a mistyped word probably means. */
#pragma once

#include "base/std.h"

/**
 * struct nearest - the search, and its result so far
 * @word: what the user wrote
 * @length: its bytes that count
 * @name: the nearest name; NULL if all are too different
 * @distance: how many letters were added, left out, replaced or swapped
 */
struct nearest {
	const char *word;
	size_t length;
	const char *name;
	size_t distance;
};

/*
 * A name that @word begins is near; others may differ in every fourth letter.
 * One letter alone is near nothing.
 */
struct nearest nearest_begin(const char *word, size_t length);
void nearest_try(struct nearest *nearest, const char *name);
