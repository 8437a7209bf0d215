// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dataset "rollup": samples summed up by instruction, operation and data
 * source. Sums of many hosts can be added; percentiles come from the buckets.
 */
#include "export/lake.h"
#include "base/array.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Some 300 bytes each; when there are more, they are written and begin anew. */
#define ROWS_MAX ((size_t)1 << 18)

/* Latencies of 0, 1, 2 to 3, 4 to 7, ..., 32768 to 65535 cycles. */
#define BUCKETS 17

enum {
	RECORDING,
	BUILD_ID,
	FILE_OFFSET,
	DSO,
	SYM,
	OP,
	SOURCE,
	SOURCE_NAME,
	MIDR,
	SAMPLES,
	OPERATIONS,
	LAT_SAMPLES,
	LAT_SUM,
	ISSUE_SAMPLES,
	ISSUE_SUM,
	XLAT_SAMPLES,
	XLAT_SUM,
	L1D_REFILL,
	LLC_REFILL,
	TLB_REFILL,
	MISPREDICTED,
	NOT_TAKEN,
	REMOTE,
	LAT_BUCKETS,
	NR_COLUMNS = LAT_BUCKETS + BUCKETS
};

#define COUNT(name)	PARQUET_REQUIRED(name, UINT64)
#define BUCKET(i, from) [LAT_BUCKETS + (i)] = COUNT("lat_from_" #from)

static const struct parquet_column columns[NR_COLUMNS + 1] = {
	[RECORDING] = LAKE_RECORDING,
	[BUILD_ID] = PARQUET_SORTED("build_id", TEXT),
	[FILE_OFFSET] = PARQUET_SORTED("file_offset", UINT64),
	[DSO] = PARQUET_COLUMN("dso", TEXT),
	[SYM] = PARQUET_COLUMN("sym", TEXT),
	[OP] = PARQUET_COLUMN("op", TEXT),
	[SOURCE] = PARQUET_COLUMN("source", UINT16),
	[SOURCE_NAME] = PARQUET_COLUMN("source_name", TEXT),
	[MIDR] = PARQUET_COLUMN("midr", UINT64),
	[SAMPLES] = COUNT("samples"),
	[OPERATIONS] = PARQUET_COLUMN("operations", UINT64),
	[LAT_SAMPLES] = COUNT("lat_samples"),
	[LAT_SUM] = COUNT("lat_sum"),
	[ISSUE_SAMPLES] = COUNT("issue_samples"),
	[ISSUE_SUM] = COUNT("issue_sum"),
	[XLAT_SAMPLES] = COUNT("xlat_samples"),
	[XLAT_SUM] = COUNT("xlat_sum"),
	[L1D_REFILL] = COUNT("l1d_refill"),
	[LLC_REFILL] = COUNT("llc_refill"),
	[TLB_REFILL] = COUNT("tlb_refill"),
	[MISPREDICTED] = COUNT("mispredicted"),
	[NOT_TAKEN] = COUNT("not_taken"),
	[REMOTE] = COUNT("remote"),
	BUCKET(0, 0),
	BUCKET(1, 1),
	BUCKET(2, 2),
	BUCKET(3, 4),
	BUCKET(4, 8),
	BUCKET(5, 16),
	BUCKET(6, 32),
	BUCKET(7, 64),
	BUCKET(8, 128),
	BUCKET(9, 256),
	BUCKET(10, 512),
	BUCKET(11, 1024),
	BUCKET(12, 2048),
	BUCKET(13, 4096),
	BUCKET(14, 8192),
	BUCKET(15, 16384),
	BUCKET(16, 32768),
};

static const struct {
	uint64_t bit;
	int column;
} counted[] = {
	{PMSCOPE_EVENT_BIT(L1D_REFILL), L1D_REFILL},
	{PMSCOPE_EVENT_BIT(LLC_REFILL), LLC_REFILL},
	{PMSCOPE_EVENT_BIT(TLB_REFILL), TLB_REFILL},
	{PMSCOPE_EVENT_BIT(MISPRED), MISPREDICTED},
	{PMSCOPE_EVENT_BIT(NOT_TAKEN), NOT_TAKEN},
	{PMSCOPE_EVENT_BIT(REMOTE_ACCESS), REMOTE},
};

#define NR_COUNTED (sizeof(counted) / sizeof(counted[0]))

/* What the samples of a row have in common. @op: NULL: not known */
struct rollup_key {
	uint64_t midr;
	const char *op;
	uint32_t place;
	uint16_t source;
	bool sourced;
};

struct rollup_row {
	struct rollup_key key;
	uint32_t next; /* row of the same place, plus 1; 0: none */
	uint64_t samples;
	uint64_t operations; /* that they stand for */
	uint64_t timed;
	uint64_t cycles;
	uint64_t issued;
	uint64_t issue_cycles;
	uint64_t translated;
	uint64_t translate_cycles;
	uint64_t counted[NR_COUNTED];
	uint64_t buckets[BUCKETS];
};

/*
 * struct rollup - the rows so far
 * @first: for each place, after one for samples without: its newest row, plus 1
 */
struct rollup {
	struct rollup_row *rows;
	size_t nr;
	size_t max;
	uint32_t *first;
	size_t nr_first;
};

struct rollup *rollup_new(void)
{
	return calloc(1, sizeof(struct rollup));
}

void rollup_free(struct rollup *rollup)
{
	if (!rollup)
		return;
	free(rollup->rows);
	free(rollup->first);
	free(rollup);
}

static bool key_is(const struct rollup_key *a, const struct rollup_key *b)
{
	return a->place == b->place && a->op == b->op && a->midr == b->midr &&
	       a->sourced == b->sourced && a->source == b->source;
}

/* NULL: no memory. */
static uint32_t *first_of(struct rollup *rollup, uint32_t place)
{
	size_t at = place == LAKE_NO_PLACE ? 0 : (size_t)place + 1;
	size_t wanted = 2 * at + 64;
	uint32_t *first;

	if (at < rollup->nr_first)
		return &rollup->first[at];
	first = realloc(rollup->first, wanted * sizeof(*first));
	if (!first)
		return NULL;
	memset(first + rollup->nr_first, 0,
	       (wanted - rollup->nr_first) * sizeof(*first));
	rollup->first = first;
	rollup->nr_first = wanted;
	return &first[at];
}

/* There are few rows for each place. */
static struct rollup_row *row_of_key(struct rollup *rollup,
				     const struct rollup_key *key)
{
	uint32_t *first = first_of(rollup, key->place);
	struct rollup_row *rows;

	if (!first)
		return NULL;
	for (uint32_t i = *first; i; i = rollup->rows[i - 1].next)
		if (key_is(&rollup->rows[i - 1].key, key))
			return &rollup->rows[i - 1];
	rows = array_reserve(rollup->rows, rollup->nr, &rollup->max,
			     sizeof(*rows));
	if (!rows)
		return NULL;
	rollup->rows = rows;
	rows += rollup->nr++;
	*rows = (struct rollup_row){.key = *key, .next = *first};
	*first = rollup->nr;
	return rows;
}

static unsigned int bucket_of(uint16_t cycles)
{
	return cycles ? 32 - __builtin_clz(cycles) : 0;
}

static void row_add(struct rollup_row *row, const struct pmscope_batch *b,
		    size_t at)
{
	uint32_t has = b->has[at];

	row->samples++;
	if (has & PMSCOPE_HAS_TOTAL) {
		row->timed++;
		row->cycles += b->total[at];
		row->buckets[bucket_of(b->total[at])]++;
	}
	if (has & PMSCOPE_HAS_ISSUE) {
		row->issued++;
		row->issue_cycles += b->issue[at];
	}
	if (has & PMSCOPE_HAS_TRANSLATE) {
		row->translated++;
		row->translate_cycles += b->translate[at];
	}
	for (size_t i = 0; i < NR_COUNTED; i++)
		row->counted[i] += (b->events[at] & counted[i].bit) != 0;
}

int lake_rollup(struct lake *lake, const struct thread_cache *current,
		uint32_t place)
{
	const struct pmscope_sample *sample = &current->sample;
	const struct pmscope_batch *b = sample->batch;
	size_t at = sample->row;
	uint32_t has = b->has[at];
	struct rollup_key key = {
		.midr = sample->midr,
		.place = place,
		.sourced = has & PMSCOPE_HAS_SOURCE,
	};
	struct rollup_row *row;

	if (has & PMSCOPE_HAS_SOURCE)
		key.source = b->source[at];
	if (has & PMSCOPE_HAS_OPERATION)
		key.op = pmscope_operation_class_name(b->op_class[at],
						      b->op[at]);
	row = row_of_key(lake->rollup, &key);
	if (!row)
		return -ENOMEM;
	row->operations += sample->interval;
	row_add(row, b, at);
	return lake->rollup->nr < ROWS_MAX ? 0 : lake_rollup_flush(lake);
}

static void set_key(struct lake *lake, const struct rollup_key *key)
{
	static const struct lake_code_columns of_code = {
		.build_id = BUILD_ID,
		.offset = FILE_OFFSET,
		.dso = DSO,
		.symbol = SYM,
	};
	struct parquet *to = lake->rollup_part.parquet;

	if (key->place != LAKE_NO_PLACE)
		lake_set_code(lake, &lake->rollup_part, key->place, &of_code);
	lake_set_name(&lake->rollup_part, OP, key->op);
	if (key->sourced) {
		parquet_set(to, SOURCE, key->source);
		parquet_set_text(to, SOURCE_NAME,
				 pmscope_source_name(key->midr, key->source));
	}
	if (key->midr)
		parquet_set(to, MIDR, key->midr);
}

static void row_write(struct lake *lake, const struct rollup_row *row)
{
	struct parquet *to = lake->rollup_part.parquet;

	set_key(lake, &row->key);
	parquet_set(to, SAMPLES, row->samples);
	if (row->operations)
		parquet_set(to, OPERATIONS, row->operations);
	parquet_set(to, LAT_SAMPLES, row->timed);
	parquet_set(to, LAT_SUM, row->cycles);
	parquet_set(to, ISSUE_SAMPLES, row->issued);
	parquet_set(to, ISSUE_SUM, row->issue_cycles);
	parquet_set(to, XLAT_SAMPLES, row->translated);
	parquet_set(to, XLAT_SUM, row->translate_cycles);
	for (size_t i = 0; i < NR_COUNTED; i++)
		parquet_set(to, counted[i].column, row->counted[i]);
	for (size_t i = 0; i < BUCKETS; i++)
		parquet_set(to, LAT_BUCKETS + i, row->buckets[i]);
	lake_end_row(&lake->rollup_part);
}

int lake_rollup_flush(struct lake *lake)
{
	struct rollup *rollup = lake->rollup;
	int ret = lake_part_open(lake, &lake->rollup_part, columns);

	if (ret || !rollup->nr)
		return ret;
	lake->rollup_part.parquet->max_rows = ROWS_MAX;
	for (size_t i = 0; i < rollup->nr; i++)
		row_write(lake, &rollup->rows[i]);
	rollup->nr = 0;
	memset(rollup->first, 0, rollup->nr_first * sizeof(*rollup->first));
	return 0;
}
