// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/stat.h"

struct formula {
	const char *at;
	formula_value_fn value_of;
	void *arg;
	bool failed;
};

static double sum(struct formula *f);

static char next(struct formula *f)
{
	while (*f->at == ' ')
		f->at++;
	return *f->at;
}

static double name(struct formula *f)
{
	const char *start = f->at;
	double value = 0;

	while (isupper((unsigned char)*f->at) ||
	       isdigit((unsigned char)*f->at) || *f->at == '_')
		f->at++;
	if (!f->value_of(f->arg, start, f->at - start, &value))
		f->failed = true;
	return value;
}

static double factor(struct formula *f)
{
	double value = 0;
	char *end;

	if (isupper((unsigned char)next(f)))
		return name(f);
	if (isdigit((unsigned char)*f->at)) {
		value = strtod(f->at, &end);
		f->at = end;
		return value;
	}
	if (*f->at != '(') {
		f->failed = true;
		return 0;
	}
	f->at++;
	value = sum(f);
	if (next(f) == ')')
		f->at++;
	else
		f->failed = true;
	return value;
}

static double product(struct formula *f)
{
	double value = factor(f), divisor;

	while (!f->failed && (next(f) == '*' || *f->at == '/')) {
		if (*f->at++ == '*') {
			value *= factor(f);
			continue;
		}
		divisor = factor(f);
		f->failed |= divisor == 0;
		value /= divisor;
	}
	return value;
}

static double sum(struct formula *f)
{
	double value = product(f);

	while (!f->failed && (next(f) == '+' || *f->at == '-'))
		value += *f->at++ == '+' ? product(f) : -product(f);
	return value;
}

bool formula_value(const char *formula, formula_value_fn value_of, void *arg,
		   double *value)
{
	struct formula f = {.at = formula, .value_of = value_of, .arg = arg};

	*value = sum(&f);
	return !f.failed && !next(&f) && isfinite(*value);
}

/* Ratios of Arm's common events (Arm ARM D13.12, "PMU events"). */

#define NO_EVENT UINT64_MAX

static const struct {
	uint16_t event;
	uint16_t base;
	double scale;
	const char *name;
} ratios[] = {
	{0x08, 0x11, 1, "insn per cycle"},
	{0x03, 0x04, 100, "% of L1D accesses"},
	{0x01, 0x14, 100, "% of L1I accesses"},
	{0x17, 0x16, 100, "% of L2D accesses"},
	{0x2a, 0x2b, 100, "% of L3D accesses"},
	{0x37, 0x36, 100, "% of last-level reads"},
	{0x05, 0x25, 100, "% of L1D TLB accesses"},
	{0x02, 0x26, 100, "% of L1I TLB accesses"},
	{0x34, 0x25, 100, "% of L1D TLB accesses"},
	{0x10, 0x12, 100, "% of predictable branches"},
	{0x22, 0x21, 100, "% of branches"},
	{0x10, 0x21, 100, "% of branches"},
	{0x23, 0x11, 100, "% of cycles"},
	{0x24, 0x11, 100, "% of cycles"},
	{0x03, 0x08, 1000, "per 1000 insn"},
	{0x10, 0x08, 1000, "per 1000 insn"},
	{0x17, 0x08, 1000, "per 1000 insn"},
	{0x22, 0x08, 1000, "per 1000 insn"},
};

uint64_t stat_arm_event(const struct listed_event *event)
{
	static const uint16_t generic[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = 0x11,
		[PERF_COUNT_HW_INSTRUCTIONS] = 0x08,
		[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04,
		[PERF_COUNT_HW_CACHE_MISSES] = 0x03,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x21,
		[PERF_COUNT_HW_BRANCH_MISSES] = 0x10,
	};
	uint64_t config = event->attr.attr.config;

	if (event->pmu && pmu_has_arm_events(event->pmu))
		return config & 0xffff;
	if (!event->pmu && event->attr.attr.type == PERF_TYPE_HARDWARE &&
	    config < ARRAY_SIZE(generic))
		return generic[config];
	return NO_EVENT;
}

static const struct stat_row *find_base(const struct stat_table *table,
					const struct stat_row *row,
					uint64_t number)
{
	for (size_t i = 0; i < table->nr; i++) {
		const struct stat_row *other = &table->row[i];

		if (other->cpu == row->cpu && other->running &&
		    other->event->group == row->event->group &&
		    stat_arm_event(other->event) == number)
			return other;
	}
	return NULL;
}

static double value_of(const struct stat_table *table,
		       const struct stat_row *row, uint64_t number)
{
	const struct stat_row *found = find_base(table, row, number);

	return found ? found->value : 0;
}

#define CPU_CYCLES	    0x11
#define OP_RETIRED	    0x3a
#define OP_SPEC		    0x3b
#define STALL_SLOT_BACKEND  0x3d
#define STALL_SLOT_FRONTEND 0x3e
#define STALL_SLOT	    0x3f

/*
 * Top-down level 1: frontend bound, backend bound, retiring and bad
 * speculation. A slot without a stall had an operation that retired or was
 * speculated wrongly.
 */
static bool topdown(const struct stat_table *table, const struct stat_row *row,
		    uint64_t number, struct stat_metric *metric)
{
	double slots = table->slots * value_of(table, row, CPU_CYCLES);
	double spec = value_of(table, row, OP_SPEC), used, retired;

	if (!slots || !row->running)
		return false;
	metric->value = 100 * row->value / slots;
	if (number == STALL_SLOT_FRONTEND)
		metric->name = "% of slots, frontend bound";
	else if (number == STALL_SLOT_BACKEND)
		metric->name = "% of slots, backend bound";
	else if ((number != OP_RETIRED && number != OP_SPEC) || !spec ||
		 !find_base(table, row, STALL_SLOT) ||
		 !find_base(table, row, OP_RETIRED))
		return false;
	if (number != OP_RETIRED && number != OP_SPEC)
		return true;
	used = 1 - value_of(table, row, STALL_SLOT) / slots;
	retired = value_of(table, row, OP_RETIRED) / spec;
	metric->value =
		100 * used * (number == OP_RETIRED ? retired : 1 - retired);
	metric->name = number == OP_RETIRED ? "% of slots, retiring"
					    : "% of slots, bad speculation";
	return true;
}

bool stat_metric(const struct stat_table *table, const struct stat_row *row,
		 struct stat_metric *metric)
{
	uint64_t number = stat_arm_event(row->event);
	const struct stat_row *base;

	if (topdown(table, row, number, metric))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++) {
		if (ratios[i].event != number || !row->running)
			continue;
		base = find_base(table, row, ratios[i].base);
		if (!base || !base->value)
			continue;
		metric->value = ratios[i].scale * row->value / base->value;
		metric->name = ratios[i].name;
		return true;
	}
	return false;
}
