/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* A growing buffer for a feature of a perf.data header. */
#pragma once

#include "base/std.h"

/* Initialize to zeros. @failed: memory ran out; check it once, at the end. */
struct blob {
	char *data;
	size_t size;
	bool failed;
};

void blob_bytes(struct blob *blob, const void *data, size_t size);
void blob_u32(struct blob *blob, uint32_t value);
void blob_u64(struct blob *blob, uint64_t value);

/* Appends the size of the padded text, then the text, padded as perf does. */
void blob_string(struct blob *blob, const char *text);

/* Appends the padded text without its size. */
void blob_padded(struct blob *blob, const char *text);

void blob_fini(struct blob *blob);
