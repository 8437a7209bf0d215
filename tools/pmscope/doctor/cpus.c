// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of CPUs that a machine has. */
#include "base/std.h"
#include "doctor/doctor.h"

#include <stdarg.h>

/* Prints text that may be cut. */
struct text {
	char *at;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text,
							 const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text->at, text->size, fmt, args);
	va_end(args);
	if ((size_t)n >= text->size)
		n = text->size ? text->size - 1 : 0;
	text->at += n;
	text->size -= n;
}

static size_t first_of(const uint64_t *midr, uint64_t kind)
{
	size_t cpu = 0;

	while (midr[cpu] != kind)
		cpu++;
	return cpu;
}

/* "0-3,6" */
static void append_cpus(struct text *text, const uint64_t *midr, size_t nr,
			uint64_t kind)
{
	const char *comma = "";
	size_t end;

	for (size_t cpu = 0; cpu < nr; cpu = end) {
		end = cpu + 1;
		if (midr[cpu] != kind)
			continue;
		while (end < nr && midr[end] == kind)
			end++;
		append(text, "%s%zu", comma, cpu);
		if (end > cpu + 1)
			append(text, "-%zu", end - 1);
		comma = ",";
	}
}

void doctor_kinds(char *out, size_t size, const uint64_t *midr, size_t nr)
{
	struct text text = {out, size};
	const char *comma = "";

	out[0] = '\0';
	for (size_t cpu = 0; cpu < nr; cpu++) {
		if (!midr[cpu] || first_of(midr, midr[cpu]) != cpu)
			continue;
		append(&text, "%s0x%016" PRIx64 " (CPU ", comma, midr[cpu]);
		append_cpus(&text, midr, nr, midr[cpu]);
		append(&text, ")");
		comma = ", ";
	}
	if (!*comma)
		append(&text, "unknown");
}
