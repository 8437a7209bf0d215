/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a person is told on stderr. */
#ifndef PMSCOPE_MESSAGE_H
#define PMSCOPE_MESSAGE_H

/* "pmscope: ..." and a newline; say what failed, on which object, and why. */
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* PMSCOPE_MESSAGE_H */
