/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target is one file here with the function libFuzzer and AFL++ call; built
 * without them, driver.c calls it.
 */
#pragma once

#include "base/std.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input. */
#define ALWAYS(what)             \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)
