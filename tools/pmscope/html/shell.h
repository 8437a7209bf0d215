/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is around the numbers of a page: one file that needs no other, with its
 * style and script, which are all that its policy lets a browser run.
 */
#pragma once

#include "base/std.h"

enum html_shell {
	HTML_REPORT,
	HTML_DIFF
};

/*
 * Writes the page to @out; @model writes its numbers, as JSON for a <script>,
 * and returns 0 or -ENOMEM, as this does.
 */
int html_shell_write(enum html_shell shell,
		     int (*model)(void *context, FILE *out), void *context,
		     FILE *out);
