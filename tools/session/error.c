// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "system.h"

#include <stdarg.h>

int pmscope_fail(struct pmscope_error *err, int code, const char *fmt, ...)
{
	va_list args;

	if (err) {
		va_start(args, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, args);
		va_end(args);
	}
	return -code;
}

int pmscope_fail_nomem(struct pmscope_error *err)
{
	return pmscope_fail(err, ENOMEM, "out of memory");
}
