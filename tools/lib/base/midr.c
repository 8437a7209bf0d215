// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "names.h"

static const struct {
	uint32_t model;
	const char *name;
} names[] = {
#define CPU(id, implementer, part, name, sources) {MIDR_##id, name},
#include "cpus.def"
#undef CPU
};

const char *midr_name(uint64_t midr)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].model == midr_model(midr))
			return names[i].name;
	return NULL;
}
