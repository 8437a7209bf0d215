/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What nearly all files take of the C library. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* A variable that @end gets the address of when its block ends. */
#define CLEANUP(end) __attribute__((cleanup(end)))

#define FREED CLEANUP(free_pointed)

static inline void free_pointed(void *pointer)
{
	free(*(void **)pointer);
}

/* A descriptor, or less than 0, that is closed then. */
#define CLOSED CLEANUP(close_open)

static inline void close_open(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* As qsort() needs it. */
#define COMPARE(x, y)                   \
	({                              \
		__typeof__(x) x_ = (x); \
		__typeof__(y) y_ = (y); \
                                        \
		(x_ > y_) - (x_ < y_);  \
	})

/* A function for qsort(): the @order of @x and @y, each a @type. */
#define COMPARISON(name, type, order)          \
	int name(const void *a, const void *b) \
	{                                      \
		const type *x = a, *y = b;     \
                                               \
		return order;                  \
	}                                      \
	_Static_assert(1, "")

/* NULL is as an empty text. */
static inline int compare_texts(const char *x, const char *y)
{
	return strcmp(x ? x : "", y ? y : "");
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
