// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"
#include "base/text.h"

#include <stdarg.h>

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
