/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/perfdata.h>

/**
 * buildid_find() - the build-id of a mapped file on this machine
 * @name: a path, of a kernel module too; "[module]"; "[kernel.kallsyms]_text"
 * @id: refers to @name; for the kernel to "[kernel.kallsyms]"
 *
 * Return: false if there is no build-id.
 */
bool buildid_find(const char *name, struct pmscope_build_id *id);

/* The same for an ELF file; does not set the name in @id. */
bool buildid_of_file(const char *path, struct pmscope_build_id *id);
