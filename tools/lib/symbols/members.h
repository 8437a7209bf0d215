/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The members of one file's variables, by their place in the variable. */
#pragma once

#include "base/map.h"
#include "reader.h"

struct variable_layout;

/* Each variable is asked for once. Empty when zeroed. */
struct members {
	KEYED(struct variable_layout *, layouts, nr_layouts, layout_of_start);
	unsigned int kind; /* what addresses are, see reader_child.h */
};

/* Room for a path; a longer one ends there. */
#define MEMBER_PATH 1024

/*
 * Writes the path of the member that is @offset bytes behind @address, which is
 * the link address of a variable in @file, called @name or, if that is NULL, as
 * DWARF does. Sets @stride if the paths repeat, and to the size if nothing else
 * is known. Returns 0; -ENOENT if the variable or its type is unknown; or
 * -ENOMEM.
 */
int members_path(struct members *members, struct reader *reader,
		 struct reader_file *file, uint64_t address, uint64_t offset,
		 const char *name, char path[MEMBER_PATH], uint64_t *stride);
void members_fini(struct members *members);
