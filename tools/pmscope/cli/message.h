/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages for people, on stderr. */
#pragma once

#include "base/std.h"
#include "session/error.h"

/* Print "pmscope: ...": what failed, on which object, and why. */
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* With true, warnings are not printed. */
void message_quiet(bool quiet);

/* From now on @put gets each message, not stderr; with NULL stderr again. */
void message_to(void (*put)(const char *text));

/* Prints that memory is short. Returns -ENOMEM. */
int no_memory(void);

/* If @ret is not 0, prints what it, an errno, means for @what. Returns @ret. */
int failed(int ret, const char *what);

/* If @ret is not 0, print @err as an error. Returns @ret. */
int told(int ret, const struct pmscope_error *err);
