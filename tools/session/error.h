/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Error texts: what failed, on which object, what to do. */
#pragma once

/**
 * struct pmscope_error - the text for a negative errno
 * @text: one or more lines without a final newline; empty when unset
 */
struct pmscope_error {
	char text[1024];
};

/**
 * pmscope_fail() - set the error text and return the error number
 * @err: may be NULL; an earlier text is replaced
 * @code: a positive errno
 *
 * Return: -@code, so that a caller can write "return pmscope_fail(...)".
 */
int pmscope_fail(struct pmscope_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* pmscope_fail() with ENOMEM. */
int pmscope_fail_nomem(struct pmscope_error *err);
