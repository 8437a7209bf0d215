/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * What `pmscope doctor --verify` found wrong, kept for the commands that count:
 * /var/lib/pmscope/verified if root ran it, else pmscope/verified in the
 * user's cache directory. A line is "KERNEL MIDR_EL1 NUMBER NAME WORDS".
 */
#pragma once

#include "error.h"
#include "event.h"

/* Adds the line of an event. */
void verified_add(FILE *lines, uint64_t midr, unsigned int number,
		  const char *name, const char *words);

/* Replaces this user's file; -errno. */
int verified_save(const char *lines, struct pmscope_error *err);

/*
 * What is wrong with the event, on the kind of CPU that counts it and with this
 * kernel: "l1d_cache_refill is dead". False if nothing is known.
 */
bool verified_find(const struct pmscope_event *event, char *text, size_t size);
