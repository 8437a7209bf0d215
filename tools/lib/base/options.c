// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "options.h"

int options_read(void *options, size_t size, const void *given)
{
	const uint8_t *bytes = given;
	size_t known;

	if (!given)
		return 0;
	memcpy(&known, given, sizeof(known));
	if (known < sizeof(known))
		return -EINVAL;
	for (size_t i = size; i < known; i++)
		if (bytes[i])
			return -EINVAL;
	memcpy(options, given, MIN(known, size));
	return 0;
}
