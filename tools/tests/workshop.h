/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory where this host's tools make programs. The root directory of
 * another machine is in it, "root", and a user's, "home"; what is made is kept
 * beside them. There is one at a time.
 */
#ifndef PMSCOPE_TESTS_WORKSHOP_H
#define PMSCOPE_TESTS_WORKSHOP_H

#include <pmscope/symbols.h>

#include "symbols/lines.h"

#include <stdbool.h>
#include <sys/types.h>

bool workshop_open(void);
void workshop_close(void);

/* NULL is the directory itself. Valid until the next call. */
const char *workshop_path(const char *name);
bool workshop_write(const char *name, const void *data, size_t size);
bool workshop_write_text(const char *name, const char *text);

/* Runs a command there. */
__attribute__((format(printf, 1, 2))) bool workshop_run(const char *fmt, ...);

/* The first line that a command prints, "" without; until the next call. */
__attribute__((format(printf, 1, 2))) const char *
workshop_output(const char *fmt, ...);

/*
 * "program" of "program.c", with code in the file where it is in memory; and
 * what it has without its names, with a link to them in "d.dbg", in the root.
 */
bool workshop_build(const char *options, const char *build_id);
bool workshop_strip(void);

/* For files there, of this machine. */
extern const struct debug_search workshop_search;

/* "sharing" of a source in assembly language. */
bool workshop_assemble(const char *source);

/* In "program", which the recorded machine has as /usr/bin/program. */
struct pmscope_place workshop_place(const char *function);

/* Of a program there: 0 without it, and "". */
uint64_t workshop_address(const char *program, const char *function);
const char *workshop_build_id(const char *program, struct pmscope_place *place);

/* With "root" for the recorded machine. */
struct pmscope_symbols *workshop_symbols(void);

/* With another root there, of a short name; one at a time. */
struct pmscope_symbols *workshop_symbols_below(const char *name);

/*
 * A process that calls itself 1, and "root" its root directory; or -1. Who ends
 * it waits for @starter, too, if that is none below 0.
 */
pid_t workshop_container(pid_t *starter);

/*
 * Begins with "sharing", and asks for the lines of @nr places in it, "f" and
 * each 16 bytes on. Returns how many have any.
 */
unsigned int workshop_read_lines(struct lines *lines, unsigned int nr);

#endif /* PMSCOPE_TESTS_WORKSHOP_H */
