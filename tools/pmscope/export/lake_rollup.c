// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dataset "rollup": samples summed up by instruction, operation, data
 * source and service, which is the thread's name and control group. Sums of
 * many hosts can be added; percentiles come from the buckets.
 */
#include "export/lake.h"
#include "base/hash.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

/* Some 300 bytes each; when there are more, they are written and begin anew. */
#define ROWS_MAX ((size_t)1 << 18)

/* Programs may name each thread otherwise: the samples of more are OTHER's. */
#define SERVICES_MAX 256
#define OTHER	     "[other]"

/* Latencies of 0, 1, 2 to 3, 4 to 7, ..., 32768 to 65535 cycles. */
#define BUCKETS 17

#define COUNT(name) PARQUET_REQUIRED(name, UINT64)

#define ROLLUP_COLUMNS(COLUMN)                                     \
	COLUMN(BUILD_ID, PARQUET_SORTED("build_id", TEXT))         \
	COLUMN(FILE_OFFSET, PARQUET_SORTED("file_offset", UINT64)) \
	COLUMN(DSO, PARQUET_COLUMN("dso", TEXT))                   \
	COLUMN(SYM, PARQUET_COLUMN("sym", TEXT))                   \
	COLUMN(OP, PARQUET_COLUMN("op", TEXT))                     \
	COLUMN(SOURCE, PARQUET_COLUMN("source", UINT16))           \
	COLUMN(SOURCE_NAME, PARQUET_COLUMN("source_name", TEXT))   \
	COLUMN(MIDR, PARQUET_COLUMN("midr", UINT64))               \
	COLUMN(COMM, PARQUET_COLUMN("comm", TEXT))                 \
	COLUMN(CGROUP, PARQUET_COLUMN("cgroup", TEXT))             \
	COLUMN(LABELS, PARQUET_COLUMN("labels", TEXT))             \
	COLUMN(SAMPLES, COUNT("samples"))                          \
	COLUMN(OPERATIONS, PARQUET_COLUMN("operations", UINT64))   \
	COLUMN(LAT_SAMPLES, COUNT("lat_samples"))                  \
	COLUMN(LAT_SUM, COUNT("lat_sum"))                          \
	COLUMN(ISSUE_SAMPLES, COUNT("issue_samples"))              \
	COLUMN(ISSUE_SUM, COUNT("issue_sum"))                      \
	COLUMN(XLAT_SAMPLES, COUNT("xlat_samples"))                \
	COLUMN(XLAT_SUM, COUNT("xlat_sum"))                        \
	COLUMN(L1D_REFILL, COUNT("l1d_refill"))                    \
	COLUMN(LLC_REFILL, COUNT("llc_refill"))                    \
	COLUMN(TLB_REFILL, COUNT("tlb_refill"))                    \
	COLUMN(MISPREDICTED, COUNT("mispredicted"))                \
	COLUMN(NOT_TAKEN, COUNT("not_taken"))                      \
	COLUMN(REMOTE, COUNT("remote"))                            \
	COLUMN(LAT_BUCKETS, COUNT("lat_from_0"))                   \
	COLUMN(LAT_FROM_1, COUNT("lat_from_1"))                    \
	COLUMN(LAT_FROM_2, COUNT("lat_from_2"))                    \
	COLUMN(LAT_FROM_4, COUNT("lat_from_4"))                    \
	COLUMN(LAT_FROM_8, COUNT("lat_from_8"))                    \
	COLUMN(LAT_FROM_16, COUNT("lat_from_16"))                  \
	COLUMN(LAT_FROM_32, COUNT("lat_from_32"))                  \
	COLUMN(LAT_FROM_64, COUNT("lat_from_64"))                  \
	COLUMN(LAT_FROM_128, COUNT("lat_from_128"))                \
	COLUMN(LAT_FROM_256, COUNT("lat_from_256"))                \
	COLUMN(LAT_FROM_512, COUNT("lat_from_512"))                \
	COLUMN(LAT_FROM_1024, COUNT("lat_from_1024"))              \
	COLUMN(LAT_FROM_2048, COUNT("lat_from_2048"))              \
	COLUMN(LAT_FROM_4096, COUNT("lat_from_4096"))              \
	COLUMN(LAT_FROM_8192, COUNT("lat_from_8192"))              \
	COLUMN(LAT_FROM_16384, COUNT("lat_from_16384"))            \
	COLUMN(LAT_FROM_32768, COUNT("lat_from_32768"))

enum {
	RECORDING,
	ROLLUP_COLUMNS(LAKE_NUMBER) NR_COLUMNS
};

static const struct parquet_column columns[NR_COLUMNS + 1] = {
	LAKE_RECORDING, ROLLUP_COLUMNS(LAKE_COLUMN)};

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

/* What the samples of a row have in common: no padding. @op: NULL: not known */
struct rollup_key {
	uint64_t midr;
	const char *op;
	uint32_t place;
	uint32_t service;
	uint32_t source;
	uint32_t sourced;
};

/* Names of a thread and of its control group: the recording has each once. */
struct rollup_service {
	const char *comm;
	const char *cgroup;
};

struct rollup_row {
	struct rollup_key key;
	uint64_t samples;
	uint64_t operations; /* that they stand for */
	uint64_t timed;
	uint64_t cycles;
	uint64_t issued;
	uint64_t issue_cycles;
	uint64_t translated;
	uint64_t translate_cycles;
	uint64_t counted[ARRAY_SIZE(counted)];
	uint64_t buckets[BUCKETS];
};

struct rollup {
	KEYED(struct rollup_row, rows, nr, row_of_hash);
	uint64_t seed;
	KEYED(struct rollup_service, services, nr_services, service_of_hash);
	uint32_t newest; /* the service of the newest sample */
	uint64_t others; /* samples of more services */
};

struct rollup *rollup_new(void)
{
	struct rollup *rollup = calloc(1, sizeof(*rollup));

	if (rollup)
		rollup->seed = table_seed();
	return rollup;
}

void rollup_free(struct rollup *rollup)
{
	if (rollup) {
		keyed_fini(&rollup->row_of_hash);
		keyed_fini(&rollup->service_of_hash);
	}
	free(rollup);
}

uint64_t rollup_others(const struct rollup *rollup)
{
	return rollup->others;
}

/* Sets the number of the service in rollup->newest. */
static int find_service(struct rollup *rollup,
			const struct rollup_service *service)
{
	uint64_t hash = rollup->seed;

	if (rollup->newest < rollup->nr_services &&
	    !memcmp(&rollup->services[rollup->newest], service,
		    sizeof(*service)))
		return 0;
	hash = hash_word(hash, hash, (uintptr_t)service->comm);
	hash = hash_word(rollup->seed, hash, (uintptr_t)service->cgroup);
	if (keyed_find_same(&rollup->service_of_hash, sizeof(*service), &hash,
			    service, sizeof(*service), &rollup->newest))
		return 0;
	if (rollup->nr_services < SERVICES_MAX)
		return keyed_add(&rollup->service_of_hash, sizeof(*service),
				 hash, service, &rollup->newest);
	rollup->newest = SERVICES_MAX;
	return 0;
}

static uint64_t hash_of(uint64_t seed, const struct rollup_key *key)
{
	uint64_t hash = hash_word(seed, seed, key->midr);

	hash = hash_word(seed, hash, (uintptr_t)key->op);
	hash = hash_word(seed, hash, (uint64_t)key->place << 32 | key->service);
	return hash_word(seed, hash, key->source << 1 | key->sourced);
}

static unsigned int bucket_of(uint16_t cycles)
{
	return cycles ? 32 - __builtin_clz(cycles) : 0;
}

static void row_add(struct rollup_row *row, const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t at = sample->row;
	uint32_t has = b->has[at];

	row->samples++;
	row->operations += sample->interval;
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
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		row->counted[i] += (b->events[at] & counted[i].bit) != 0;
}

static struct rollup_row *find_row(struct rollup *rollup,
				   const struct rollup_key *key)
{
	const struct rollup_row row = {.key = *key};
	uint64_t hash = hash_of(rollup->seed, key);
	uint32_t number;

	if (!keyed_find_same(&rollup->row_of_hash, sizeof(row), &hash, key,
			     sizeof(*key), &number) &&
	    keyed_add(&rollup->row_of_hash, sizeof(row), hash, &row, &number))
		return NULL;
	return &rollup->rows[number];
}

int lake_rollup(struct lake *lake, const struct thread_cache *current,
		uint32_t place)
{
	const struct pmscope_sample *sample = &current->sample;
	const struct pmscope_batch *b = sample->batch;
	struct rollup *rollup = lake->rollup;
	size_t at = sample->row;
	uint32_t has = b->has[at];
	struct rollup_key key = {.midr = sample->midr, .place = place};
	struct rollup_service service = {};
	struct rollup_row *row;

	if (!lake->config->redact)
		service = (struct rollup_service){sample->comm, sample->cgroup};
	if (find_service(rollup, &service))
		return -ENOMEM;
	key.service = rollup->newest;
	rollup->others += rollup->newest == SERVICES_MAX;
	if (has & PMSCOPE_HAS_SOURCE) {
		key.sourced = 1;
		key.source = b->source[at];
	}
	if (has & PMSCOPE_HAS_OPERATION)
		key.op = pmscope_operation_class_name(b->op_class[at],
						      b->op[at]);
	row = find_row(rollup, &key);
	if (!row)
		return -ENOMEM;
	row_add(row, sample);
	return rollup->nr < ROWS_MAX ? 0 : lake_rollup_flush(lake);
}

static void set_key(struct lake *lake, const struct rollup_key *key)
{
	static const struct lake_code_columns of_code = {
		.build_id = BUILD_ID,
		.offset = FILE_OFFSET,
		.dso = DSO,
		.symbol = SYM,
	};
	struct rollup_service service = {OTHER, OTHER};
	struct parquet *to = lake->rollup_part.parquet;

	if (key->service < SERVICES_MAX)
		service = lake->rollup->services[key->service];
	lake_set_name(&lake->rollup_part, COMM, service.comm);
	lake_set_name(&lake->rollup_part, CGROUP, service.cgroup);
	lake_set_name(&lake->rollup_part, LABELS, lake->config->labels);
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
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
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
	keyed_fini(&rollup->row_of_hash);
	return 0;
}
