/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disassembler of binutils, in a child process with limits. */
#pragma once

#include "base/std.h"

/*
 * Finds an objdump that knows AArch64: @wanted, or one in PATH. Returns its
 * name, or NULL.
 */
const char *objdump_find(const char *wanted);

/* Writes the first line of --version to @name. */
void objdump_name(const char *program, char *name, size_t size);

/* The offset and the text, within @line, of an instruction; or NULL. */
char *objdump_line(char *line, size_t *offset);

/*
 * Disassembles @size bytes and calls @take with the offset and the text of each
 * instruction. Returns 0 or -errno; it is not an error if objdump fails.
 */
int objdump_run(const char *program, const uint8_t *bytes, size_t size,
		int (*take)(void *context, size_t offset, char *text),
		void *context);
