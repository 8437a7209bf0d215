/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What nearly all files take of the C library. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* True if built with AddressSanitizer, by GCC or Clang */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
