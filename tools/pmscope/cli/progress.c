// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "cli/cli.h"
#include "base/text.h"

#include <sys/stat.h>

#define SECOND	   UINT64_C(1000000000)
#define INTERVAL   (SECOND / 10)
#define ROOM	   79 /* letters of a line */
#define NAME_SHOWN 24 /* letters of a name; of longer ones the end is shown */

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

void progress_begin(struct progress *p, const char *name, uint64_t total)
{
	*p = (struct progress){
		.shown = total && progress_visible(),
		.name = name,
		.total = total,
	};
	if (p->shown)
		p->begin = clock_ns();
}

/* The end of a path, without control characters. */
static void put_name(char text[NAME_SHOWN + 1], const char *name)
{
	size_t length = strlen(name);

	if (length > NAME_SHOWN)
		name += length - NAME_SHOWN;
	*text_clean(text, name, strlen(name)) = '\0';
}

void progress_text(char *text, int size, const char *name, uint64_t done,
		   uint64_t total, uint64_t ns)
{
	bool is_large = total >= SECOND;
	double unit = is_large ? 1e9 : 1e6, rate = ns ? done * 1e9 / ns : 0;
	char clean[NAME_SHOWN + 1];
	int n;

	put_name(clean, name);
	n = snprintf(text, size, "%s %3.0f%%, %.1f of %.1f %s", clean,
		     100.0 * done / total, done / unit, total / unit,
		     is_large ? "GB" : "MB");
	if (ns >= INTERVAL && rate > 0 && done <= total && n < size)
		snprintf(text + n, size - n, ", %.0f MB/s, %.0f s left",
			 rate / 1e6, (total - done) / rate);
}

void progress_set(struct progress *p, uint64_t done)
{
	char text[ROOM + 1];
	uint64_t now;

	if (!p->shown)
		return;
	now = clock_ns();
	if (now < p->next)
		return;
	p->next = now + INTERVAL;
	progress_text(text, sizeof(text), p->name, done, p->total,
		      now - p->begin);
	p->printed = fprintf(stderr, "\r%-*s", p->printed, text) - 1;
}

void progress_end(struct progress *p)
{
	if (p->shown && p->printed)
		fprintf(stderr, "\r%*s\r", p->printed, "");
	p->shown = false;
}
