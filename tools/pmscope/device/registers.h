/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The fields of the PMU and SPE registers, as the Arm ARM names them
 * (D24.5, D24.7), and the register dump of the pmscope module.
 */
#pragma once

#include "base/std.h"

#define PMSCOPE_REGISTER_NAME_MAX 32

/* Bits @high to @low */
struct register_field {
	const char *name;
	unsigned char high;
	unsigned char low;
	const char *const *values; /* of 0, 1, ...; it or one may be NULL */
	size_t nr_values;	   /* length of @values */
};

/* A register, or with 'n' in its name a family */
struct device_register {
	const char *name;
	const char *about; /* its purpose */
	/* its fields, from bit 63 down; the last one has no name */
	const struct register_field *field;
};

/* @name: "PMCR_EL0", "PMEVCNTSVR12_EL1". NULL if it is unknown. */
const struct device_register *register_find(const char *name);

static inline uint64_t register_field_get(const struct register_field *field,
					  uint64_t value)
{
	unsigned int width = field->high - field->low + 1;

	value >>= field->low;
	return width == 64 ? value : value & ((1ULL << width) - 1);
}

/* The meaning of the field's value @bits, or NULL. */
const char *register_field_text(const struct register_field *field,
				uint64_t bits);

/* The bits of @value that belong to no field of @reg. */
uint64_t register_rest(const struct device_register *reg, uint64_t value);

/* A line of the module's dump */
struct register_value {
	int cpu;
	char name[PMSCOPE_REGISTER_NAME_MAX];
	uint64_t value;
};

/* Reads "cpuN NAME 0xVALUE"; -EINVAL for anything else. */
int register_parse(const char *line, struct register_value *value);
