// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"
#include "base/text.h"
#include "base/clock.h"

/* Room for more than two paths and the text around them. */
#define MESSAGE_SIZE 16384

static void (*put_elsewhere)(const char *text);

void message_to(void (*put)(const char *text))
{
	put_elsewhere = put;
}

static void put(const char *text)
{
	if (put_elsewhere) {
		put_elsewhere(text);
		return;
	}
	/* Flush stdout first, so that the error comes after it. */
	fflush(stdout);
	fprintf(stderr, "%s\n", text);
}

static void say(const char *kind, const char *fmt, va_list args)
{
	char message[MESSAGE_SIZE], clean[MESSAGE_SIZE + 32];
	char *end = clean + sprintf(clean, "pmscope: %s", kind);

	vsnprintf(message, sizeof(message), fmt, args);
	for (const char *line = message; *line;) {
		size_t length = strcspn(line, "\n");

		end = text_clean(end, line, length);
		line += length;
		if (*line)
			*end++ = *line++;
	}
	*end = '\0';
	put(clean);
}

void error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

static bool is_quiet;

void message_quiet(bool quiet)
{
	is_quiet = quiet;
}

void warning(const char *fmt, ...)
{
	va_list args;

	if (is_quiet)
		return;
	va_start(args, fmt);
	say("warning: ", fmt, args);
	va_end(args);
}

int no_memory(void)
{
	error("out of memory");
	return -ENOMEM;
}

int failed(int ret, const char *what)
{
	if (ret)
		error("%s: %s", what, strerror(-ret));
	return ret;
}

int told(int ret, const struct pmscope_error *err)
{
	if (ret)
		error("%s", err->text);
	return ret;
}

#define LENGTH_MAX 32 /* longer words have no near name */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Both have at most LENGTH_MAX letters. */
static size_t distance_of(const char *a, size_t na, const char *b, size_t nb)
{
	size_t d[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= na; i++)
		for (size_t j = 1; j <= nb; j++) {
			d[i][j] = least(d[i - 1][j], d[i][j - 1]) + 1;
			d[i][j] = least(d[i][j], d[i - 1][j - 1] + (a[i - 1] !=
								    b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[na][nb];
}

struct nearest nearest_begin(const char *word, size_t length)
{
	return (struct nearest){
		.word = word,
		.length = length,
		.distance = 2 + length / 4, /* the first that is too far */
	};
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t length = strlen(name), distance;

	if (nearest->length < 2 || nearest->length > LENGTH_MAX ||
	    length > LENGTH_MAX)
		return;
	if (!strncmp(name, nearest->word, nearest->length))
		distance = 0;
	else
		distance = distance_of(nearest->word, nearest->length, name,
				       length);
	/* All letters replaced would be another word. */
	if (distance >= nearest->distance ||
	    distance >= least(length, nearest->length))
		return;
	nearest->name = name;
	nearest->distance = distance;
}

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
