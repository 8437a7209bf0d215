/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a person is told on stderr. */
#ifndef PMSCOPE_CLI_MESSAGE_H
#define PMSCOPE_CLI_MESSAGE_H

#include "session/error.h"

/* "pmscope: ..." and a newline; say what failed, on which object, and why. */
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Where @ret is no 0 it is an error, and @err says which.  Returns @ret. */
int told(int ret, const struct pmscope_error *err);

#endif /* PMSCOPE_CLI_MESSAGE_H */
