/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is missing from the samples of a recording, and why. */
#pragma once

#include "print/json.h"
#include "read/load.h"

/* Prints one line per kind of loss, each starting with @prefix. */
void losses_print(const struct load *load, FILE *out, const char *prefix);

/*
 * The same one by one: the @i-th kind of loss by its name in JSON, and how much
 * of it there is. False behind the last one.
 */
bool losses_at(const struct load *load, size_t i, const char **name,
	       uint64_t *number);

/* The same as members of the object that is being written. */
void losses_json(struct json *json, const struct load *load);
