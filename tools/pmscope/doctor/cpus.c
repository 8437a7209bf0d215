// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of CPUs that a machine has. */
#include "base/std.h"
#include "doctor/doctor.h"

static size_t first_of(const uint64_t *midr, uint64_t kind)
{
	size_t cpu = 0;

	while (midr[cpu] != kind)
		cpu++;
	return cpu;
}

/* "0-3,6" */
static void put_cpus(FILE *text, const uint64_t *midr, size_t nr, uint64_t kind)
{
	const char *comma = "";
	size_t end;

	for (size_t cpu = 0; cpu < nr; cpu = end) {
		end = cpu + 1;
		if (midr[cpu] != kind)
			continue;
		while (end < nr && midr[end] == kind)
			end++;
		fprintf(text, "%s%zu", comma, cpu);
		if (end > cpu + 1)
			fprintf(text, "-%zu", end - 1);
		comma = ",";
	}
}

void doctor_kinds(char *out, size_t size, const uint64_t *midr, size_t nr)
{
	FREED char *kinds = NULL;
	size_t length;
	FILE *text = open_memstream(&kinds, &length);
	const char *comma = "";

	out[0] = '\0';
	if (!text)
		return;
	for (size_t cpu = 0; cpu < nr; cpu++) {
		if (!midr[cpu] || first_of(midr, midr[cpu]) != cpu)
			continue;
		fprintf(text, "%s0x%016" PRIx64 " (CPU ", comma, midr[cpu]);
		put_cpus(text, midr, nr, midr[cpu]);
		fprintf(text, ")");
		comma = ", ";
	}
	if (!*comma)
		fprintf(text, "unknown");
	if (!fclose(text))
		snprintf(out, size, "%s", kinds);
}
