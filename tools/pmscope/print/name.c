// SPDX-License-Identifier: GPL-2.0-or-later
#include "print/name.h"
#include "base/text.h"

void name_put(FILE *out, const char *name, int width)
{
	int n = 0;

	while (name[n]) {
		int len = text_utf8((const unsigned char *)name + n);
		char one[4];

		len = len ? len : 1;
		fwrite(one, 1, text_clean(one, name + n, len) - one, out);
		n += len;
	}
	for (; n < width; n++)
		fputc(' ', out);
}
