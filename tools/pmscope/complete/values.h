/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options: those that the tool's own tables have. */
#ifndef PMSCOPE_COMPLETE_VALUES_H
#define PMSCOPE_COMPLETE_VALUES_H

#include "cli/options.h"

/*
 * Prints what the argument of @row can become. @value, which is in @word, is
 * what there is of it; what comes before the part that is completed is kept.
 */
void complete_value(const struct command_help *help,
		    const struct option_row *row, const char *word,
		    const char *value);

#endif /* PMSCOPE_COMPLETE_VALUES_H */
