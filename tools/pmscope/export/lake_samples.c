// SPDX-License-Identifier: GPL-2.0-or-later
/* The dataset "samples": a row for each sample, sorted by code. */
#include "export/lake.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

#include <errno.h>

/* Then another part begins: 16 row groups. */
#define PART_ROWS (16 * (uint64_t)PARQUET_ROWS)

enum {
	RECORDING,
	BUILD_ID,
	FILE_OFFSET,
	DSO,
	SYM,
	TIME,
	CPU,
	PID,
	TID,
	COMM,
	CGROUP,
	EL,
	OP,
	ATOMIC,
	EXCLUSIVE,
	ACQUIRE_RELEASE,
	SIMD_FP,
	SVE,
	SME,
	CONDITIONAL,
	INDIRECT,
	TAKEN,
	TARGET_BUILD_ID,
	TARGET_OFFSET,
	PC,
	TARGET,
	VA,
	PA,
	EVENTS,
	LAT_TOTAL,
	LAT_ISSUE,
	LAT_XLAT,
	SOURCE,
	SOURCE_NAME,
	COUNTER,
	COUNTER_VALUE,
	MIDR,
	OPERATIONS,
	NR_COLUMNS
};

static const struct parquet_column columns[NR_COLUMNS + 1] = {
	[RECORDING] = LAKE_RECORDING,
	[BUILD_ID] = PARQUET_SORTED("build_id", TEXT),
	[FILE_OFFSET] = PARQUET_SORTED("file_offset", UINT64),
	[DSO] = PARQUET_COLUMN("dso", TEXT),
	[SYM] = PARQUET_COLUMN("sym", TEXT),
	[TIME] = PARQUET_COLUMN("time", UINT64),
	[CPU] = PARQUET_COLUMN("cpu", UINT32),
	[PID] = PARQUET_COLUMN("pid", UINT32),
	[TID] = PARQUET_COLUMN("tid", UINT32),
	[COMM] = PARQUET_COLUMN("comm", TEXT),
	[CGROUP] = PARQUET_COLUMN("cgroup", TEXT),
	[EL] = PARQUET_COLUMN("el", UINT8),
	[OP] = PARQUET_COLUMN("op", TEXT),
	[ATOMIC] = PARQUET_COLUMN("atomic", BOOL),
	[EXCLUSIVE] = PARQUET_COLUMN("exclusive", BOOL),
	[ACQUIRE_RELEASE] = PARQUET_COLUMN("acquire_release", BOOL),
	[SIMD_FP] = PARQUET_COLUMN("simd_fp", BOOL),
	[SVE] = PARQUET_COLUMN("sve", BOOL),
	[SME] = PARQUET_COLUMN("sme", BOOL),
	[CONDITIONAL] = PARQUET_COLUMN("conditional", BOOL),
	[INDIRECT] = PARQUET_COLUMN("indirect", BOOL),
	[TAKEN] = PARQUET_COLUMN("taken", BOOL),
	[TARGET_BUILD_ID] = PARQUET_COLUMN("target_build_id", TEXT),
	[TARGET_OFFSET] = PARQUET_COLUMN("target_offset", UINT64),
	[PC] = PARQUET_COLUMN("pc", UINT64),
	[TARGET] = PARQUET_COLUMN("target", UINT64),
	[VA] = PARQUET_COLUMN("va", UINT64),
	[PA] = PARQUET_COLUMN("pa", UINT64),
	[EVENTS] = PARQUET_COLUMN("events", UINT64),
	[LAT_TOTAL] = PARQUET_COLUMN("lat_total", UINT16),
	[LAT_ISSUE] = PARQUET_COLUMN("lat_issue", UINT16),
	[LAT_XLAT] = PARQUET_COLUMN("lat_xlat", UINT16),
	[SOURCE] = PARQUET_COLUMN("source", UINT16),
	[SOURCE_NAME] = PARQUET_COLUMN("source_name", TEXT),
	[COUNTER] = PARQUET_COLUMN("counter", UINT16),
	[COUNTER_VALUE] = PARQUET_COLUMN("counter_value", UINT16),
	[MIDR] = PARQUET_COLUMN("midr", UINT64),
	[OPERATIONS] = PARQUET_COLUMN("operations", UINT64),
};

static const struct {
	uint32_t flag;
	int column;
} flags[] = {
	{PMSCOPE_OP_ATOMIC, ATOMIC},
	{PMSCOPE_OP_EXCLUSIVE, EXCLUSIVE},
	{PMSCOPE_OP_ACQUIRE_RELEASE, ACQUIRE_RELEASE},
	{PMSCOPE_OP_SIMD_FP, SIMD_FP},
	{PMSCOPE_OP_SVE, SVE},
	{PMSCOPE_OP_SME, SME},
};

static void set_thread(struct lake_part *part, bool redact,
		       const struct pmscope_sample *sample)
{
	struct parquet *to = part->parquet;

	if (sample->has_time)
		parquet_set(to, TIME, sample->time);
	if (sample->cpu != PMSCOPE_NO_ID)
		parquet_set(to, CPU, sample->cpu);
	if (sample->pid != PMSCOPE_NO_ID)
		parquet_set(to, PID, sample->pid);
	if (sample->tid != PMSCOPE_NO_ID)
		parquet_set(to, TID, sample->tid);
	lake_set_name(part, COMM, sample->comm);
	if (!redact)
		lake_set_name(part, CGROUP, sample->cgroup);
	if (sample->midr)
		parquet_set(to, MIDR, sample->midr);
}

/* Without events it is not known whether a branch was taken. */
static void set_branch(struct parquet *to, uint32_t is, uint32_t has,
		       uint64_t events)
{
	parquet_set(to, CONDITIONAL, (is & PMSCOPE_OP_CONDITIONAL) != 0);
	parquet_set(to, INDIRECT, (is & PMSCOPE_OP_INDIRECT) != 0);
	if (has & PMSCOPE_HAS_EVENTS)
		parquet_set(to, TAKEN,
			    !(events & PMSCOPE_EVENT_BIT(NOT_TAKEN)));
}

static void set_operation(struct lake_part *part, const struct pmscope_batch *b,
			  size_t row)
{
	struct parquet *to = part->parquet;
	uint32_t is = pmscope_operation_flags(b->op_class[row], b->op[row]);

	lake_set_name(part, OP,
		      pmscope_operation_class_name(b->op_class[row],
						   b->op[row]));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		parquet_set(to, flags[i].column, (is & flags[i].flag) != 0);
	if (is & PMSCOPE_OP_BRANCH)
		set_branch(to, is, b->has[row], b->events[row]);
}

static void set_source(struct lake_part *part, uint64_t midr, uint16_t code)
{
	parquet_set(part->parquet, SOURCE, code);
	lake_set_name(part, SOURCE_NAME, pmscope_source_name(midr, code));
}

static void set_counter(struct parquet *to, uint32_t counter)
{
	parquet_set(to, COUNTER, counter >> 16);
	parquet_set(to, COUNTER_VALUE, counter & 0xffff);
}

static void set_record(struct lake_part *part,
		       const struct pmscope_sample *sample)
{
	struct parquet *to = part->parquet;
	const struct pmscope_batch *b = sample->batch;
	size_t row = sample->row;
	uint32_t has = b->has[row];

	if (has & PMSCOPE_HAS_PC)
		parquet_set(to, EL, pmscope_address_el(b->pc[row]));
	if (has & PMSCOPE_HAS_OPERATION)
		set_operation(part, b, row);
	if (has & PMSCOPE_HAS_EVENTS)
		parquet_set(to, EVENTS, b->events[row]);
	if (has & PMSCOPE_HAS_TOTAL)
		parquet_set(to, LAT_TOTAL, b->total[row]);
	if (has & PMSCOPE_HAS_ISSUE)
		parquet_set(to, LAT_ISSUE, b->issue[row]);
	if (has & PMSCOPE_HAS_TRANSLATE)
		parquet_set(to, LAT_XLAT, b->translate[row]);
	if (has & PMSCOPE_HAS_SOURCE)
		set_source(part, sample->midr, b->source[row]);
	if (has & PMSCOPE_HAS_COUNTER)
		set_counter(to, b->counter[row]);
}

static void set_addresses(struct parquet *to,
			  const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t row = sample->row;
	uint32_t has = b->has[row];

	if (has & PMSCOPE_HAS_PC)
		parquet_set(to, PC, pmscope_code_address(b->pc[row]));
	if (has & PMSCOPE_HAS_TARGET)
		parquet_set(to, TARGET, pmscope_code_address(b->target[row]));
	if (has & PMSCOPE_HAS_VA)
		parquet_set(to, VA, pmscope_data_address(b->va[row]));
	if (has & PMSCOPE_HAS_PA)
		parquet_set(to, PA, pmscope_physical_address(b->pa[row]));
}

static int set_target(struct lake *lake, const struct thread_cache *current)
{
	static const struct lake_code_columns of_target = {
		.build_id = TARGET_BUILD_ID,
		.offset = TARGET_OFFSET,
		.dso = LAKE_NO_COLUMN,
		.symbol = LAKE_NO_COLUMN,
	};
	const struct pmscope_batch *b = current->sample.batch;
	size_t row = current->sample.row;
	uint32_t place;

	if (!(b->has[row] & PMSCOPE_HAS_TARGET))
		return 0;
	if (places_find(&lake->places, lake->load, current,
			pmscope_code_address(b->target[row]), &place))
		return -ENOMEM;
	lake_set_code(lake, &lake->samples_part, place, &of_target);
	return 0;
}

int lake_samples_open(struct lake *lake)
{
	return lake_part_open(lake, &lake->samples_part, columns);
}

int lake_sample(struct lake *lake, const struct thread_cache *current,
		uint32_t place)
{
	static const struct lake_code_columns of_code = {
		.build_id = BUILD_ID,
		.offset = FILE_OFFSET,
		.dso = DSO,
		.symbol = SYM,
	};
	const struct export_config *config = lake->config;
	struct lake_part *part = &lake->samples_part;
	int ret = lake_samples_open(lake);

	if (ret)
		return ret;
	if (place != LAKE_NO_PLACE)
		lake_set_code(lake, part, place, &of_code);
	set_thread(part, config->redact, &current->sample);
	set_record(part, &current->sample);
	if (current->sample.interval)
		parquet_set(part->parquet, OPERATIONS,
			    current->sample.interval);
	if (config->addresses)
		set_addresses(part->parquet, &current->sample);
	ret = set_target(lake, current);
	lake_end_row(part);
	if (!ret && parquet_rows(part->parquet) == PART_ROWS)
		ret = lake_part_commit(part);
	return ret;
}
