// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "containers.h"

/* perf pads header strings to a multiple of this. */
#define STRING_ALIGN 64

void blob_bytes(struct blob *blob, const void *data, size_t size)
{
	char *grown = realloc(blob->data, blob->size + size + 1);

	if (!grown) {
		blob->failed = true;
		return;
	}
	blob->data = grown;
	if (size)
		memcpy(grown + blob->size, data, size);
	blob->size += size;
}

void blob_u32(struct blob *blob, uint32_t value)
{
	blob_bytes(blob, &value, sizeof(value));
}

void blob_u64(struct blob *blob, uint64_t value)
{
	blob_bytes(blob, &value, sizeof(value));
}

void blob_padded(struct blob *blob, const char *text)
{
	static const char zeros[STRING_ALIGN];
	size_t len = strlen(text) + 1;

	blob_bytes(blob, text, len);
	blob_bytes(blob, zeros, -len & (STRING_ALIGN - 1));
}

void blob_string(struct blob *blob, const char *text)
{
	size_t len = strlen(text) + 1;

	blob_u32(blob, len + (-len & (STRING_ALIGN - 1)));
	blob_padded(blob, text);
}

void blob_fini(struct blob *blob)
{
	free(blob->data);
	memset(blob, 0, sizeof(*blob));
}
