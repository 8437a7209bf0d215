// SPDX-License-Identifier: GPL-2.0-or-later
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const char *kind, const char *fmt, va_list args)
{
	/* What was printed so far belongs before its error. */
	fflush(stdout);
	fprintf(stderr, "pmscope: %s", kind);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

void warning(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("warning: ", fmt, args);
	va_end(args);
}

int told(int ret, const struct pmscope_error *err)
{
	if (ret)
		error("%s", err->text);
	return ret;
}
