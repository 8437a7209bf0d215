/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pmscope complete WORD...`, for the files in tools/completion: prints what
 * the last WORD of a command line can become. Each line has a word and, after a
 * tab, its meaning; no line means: the name of a file.
 */
#pragma once

#include "cli/cli.h"

/* Prints @word if it begins with @begun; @about may be NULL. */
void complete_word(const char *begun, const char *word, const char *about);

/*
 * Completes the last of @argv by the command's options, their values, and the
 * words in its synopsis. For options_observe().
 */
void complete_options(const struct command_help *help, int argc, char **argv);
