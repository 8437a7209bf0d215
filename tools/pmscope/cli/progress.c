// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool progress_visible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !getenv("CI") && term &&
	       strcmp(term, "dumb") != 0;
}

bool progress_is_among_lines(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) || !S_ISREG(st.st_mode);
}

void progress_begin(struct progress *p, uint64_t total)
{
	*p = (struct progress){
		.shown = total && progress_visible(),
		.total = total,
	};
}

void progress_set(struct progress *p, uint64_t done)
{
	unsigned int percent;

	if (!p->shown)
		return;
	percent = (double)done / p->total * 100;
	if (percent == p->percent)
		return;
	p->percent = percent;
	fprintf(stderr, "\r%3u%%", percent);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r    \r", stderr);
	p->shown = false;
}
