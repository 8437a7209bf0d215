// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's dump of registers, line by line. */
#include "fuzz.h"

#include "device/registers.h"

static void one_register(const struct register_value *value)
{
	const struct device_register *reg = register_find(value->name);

	if (!reg)
		return;
	for (const struct register_field *f = reg->field; f->name; f++)
		register_field_text(f, register_field_get(f, value->value));
	register_rest(reg, value->value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct register_value value;
	char *text = malloc(size + 1), *line, *rest;

	ALWAYS(text);
	memcpy(text, data, size);
	text[size] = '\0';
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (register_parse(line, &value))
			continue;
		ALWAYS(memchr(value.name, 0, sizeof(value.name)));
		one_register(&value);
	}
	free(text);
	return 0;
}
