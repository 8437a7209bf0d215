// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/load.h"

enum {
	BITS_12,
	BITS_16
};

const uint16_t saturation_limits[SATURATION_LIMITS] = {
	[BITS_12] = 0xfff,
	[BITS_16] = 0xffff,
};

/* What stands at the limits */
struct saturated_cpu {
	/* number of the CPU, or PMSCOPE_NO_ID of all where no CPU is told */
	uint32_t cpu;
	unsigned int limit;		/* of its counters */
	uint64_t at[SATURATION_LIMITS]; /* latencies that equal each of them */
};

static struct saturated_cpu *cpu_get(struct saturation *s, uint32_t cpu)
{
	const struct saturated_cpu new = {.cpu = cpu, .limit = BITS_12};

	return keyed_item(&s->of_cpu, sizeof(new), cpu, &new);
}

int saturation_add(struct saturation *s, uint32_t cpu, uint16_t total,
		   bool counted)
{
	struct saturated_cpu *of = cpu_get(s, cpu);

	if (!of)
		return -ENOMEM;
	if (total > saturation_limits[BITS_12])
		of->limit = BITS_16;
	for (size_t i = 0; i < SATURATION_LIMITS; i++)
		of->at[i] += counted && total == saturation_limits[i];
	return 0;
}

int saturation_join(struct saturation *s, const struct saturation *from)
{
	for (size_t i = 0; i < from->nr; i++) {
		const struct saturated_cpu *other = &from->cpus[i];
		struct saturated_cpu *of = cpu_get(s, other->cpu);

		if (!of)
			return -ENOMEM;
		of->limit = MAX(of->limit, other->limit);
		for (size_t j = 0; j < SATURATION_LIMITS; j++)
			of->at[j] += other->at[j];
	}
	return 0;
}

uint64_t saturation_at(const struct saturation *s, size_t limit)
{
	uint64_t at = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (s->cpus[i].limit == limit)
			at += s->cpus[i].at[limit];
	return at;
}

void saturation_fini(struct saturation *s)
{
	keyed_fini(&s->of_cpu);
	*s = (struct saturation){};
}
