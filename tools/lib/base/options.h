/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Structs of options that begin with their own size, as the caller knows it. */
#ifndef PMSCOPE_BASE_OPTIONS_H
#define PMSCOPE_BASE_OPTIONS_H

#include <stddef.h>

/**
 * options_read() - what a caller built with any version of the header asks for
 * @options: of this library, with its defaults; those the caller knows are set
 * @size: of @options
 * @given: the caller's, or NULL
 *
 * Return: 0; -EINVAL when one that this library does not know is set, or the
 * size is not.
 */
int options_read(void *options, size_t size, const void *given);

#endif /* PMSCOPE_BASE_OPTIONS_H */
