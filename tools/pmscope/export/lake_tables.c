// SPDX-License-Identifier: GPL-2.0-or-later
/* The small datasets: counters, mappings, losses and hosts. */
#include "export/lake.h"
#include "print/print.h"

#define COUNTER_COLUMNS(COLUMN)                                            \
	COLUMN(COUNTER_TIME, PARQUET_COLUMN("time", UINT64))               \
	COLUMN(COUNTER_CPU, PARQUET_COLUMN("cpu", UINT32))                 \
	COLUMN(COUNTER_PID, PARQUET_COLUMN("pid", UINT32))                 \
	COLUMN(COUNTER_TID, PARQUET_COLUMN("tid", UINT32))                 \
	COLUMN(COUNTER_EVENT, PARQUET_COLUMN("event", TEXT))               \
	COLUMN(COUNTER_ID, PARQUET_REQUIRED("id", UINT64))                 \
	COLUMN(COUNTER_VALUE, PARQUET_REQUIRED("value", UINT64))           \
	COLUMN(COUNTER_ENABLED, PARQUET_COLUMN("time_enabled", UINT64))    \
	COLUMN(COUNTER_RUNNING, PARQUET_COLUMN("time_running", UINT64))    \
	COLUMN(COUNTER_IS_SNAPSHOT, PARQUET_REQUIRED("is_snapshot", BOOL)) \
	COLUMN(COUNTER_IS_TOTAL, PARQUET_REQUIRED("is_total", BOOL))

enum {
	COUNTER_RECORDING,
	COUNTER_COLUMNS(LAKE_NUMBER) NR_COUNTER_COLUMNS
};

static const struct parquet_column counter_columns[NR_COUNTER_COLUMNS + 1] = {
	LAKE_RECORDING, COUNTER_COLUMNS(LAKE_COLUMN)};

static void set_group(struct parquet *to, const struct pmscope_sample *group)
{
	if (group->has_time)
		parquet_set(to, COUNTER_TIME, group->time);
	if (group->cpu != PMSCOPE_NO_ID)
		parquet_set(to, COUNTER_CPU, group->cpu);
	if (group->pid != PMSCOPE_NO_ID)
		parquet_set(to, COUNTER_PID, group->pid);
	if (group->tid != PMSCOPE_NO_ID)
		parquet_set(to, COUNTER_TID, group->tid);
	if (group->time_enabled) {
		parquet_set(to, COUNTER_ENABLED, group->time_enabled);
		parquet_set(to, COUNTER_RUNNING, group->time_running);
	}
	parquet_set(to, COUNTER_IS_TOTAL, group->is_total);
}

int lake_counters_open(struct lake *lake)
{
	return lake_part_open(lake, &lake->counters_part, counter_columns);
}

int lake_counters(struct lake *lake, const struct pmscope_run *run)
{
	const struct pmscope_sample *group = run->group;
	struct lake_part *part = &lake->counters_part;
	int ret = lake_counters_open(lake);

	if (group->is_base)
		return ret;
	for (size_t i = 0; i < group->nr_counts && !ret; i++) {
		const struct pmscope_count *count = &group->counts[i];

		set_group(part->parquet, group);
		parquet_set_text(part->parquet, COUNTER_EVENT, count->name);
		parquet_set(part->parquet, COUNTER_ID, count->id);
		parquet_set(part->parquet, COUNTER_VALUE, count->value);
		parquet_set(part->parquet, COUNTER_IS_SNAPSHOT,
			    count->is_snapshot);
		lake_end_row(part);
	}
	return ret;
}

#define MAPPING_COLUMNS(COLUMN)                                    \
	COLUMN(MAPPING_BUILD_ID, PARQUET_COLUMN("build_id", TEXT)) \
	COLUMN(MAPPING_DSO, PARQUET_COLUMN("dso", TEXT))           \
	COLUMN(MAPPING_KERNEL, PARQUET_REQUIRED("kernel", BOOL))   \
	COLUMN(MAPPING_SAMPLES, PARQUET_REQUIRED("samples", UINT64))

enum {
	MAPPING_RECORDING,
	MAPPING_COLUMNS(LAKE_NUMBER) NR_MAPPING_COLUMNS
};

static const struct parquet_column mapping_columns[NR_MAPPING_COLUMNS + 1] = {
	LAKE_RECORDING, MAPPING_COLUMNS(LAKE_COLUMN)};

static int write_mappings(struct lake *lake)
{
	CLEANUP(lake_part_fini) struct lake_part part = {.dataset = "mappings"};
	int ret = lake_part_open(lake, &part, mapping_columns);

	for (size_t i = 0; i < lake->places.nr_binaries && !ret; i++) {
		const struct code_binary *binary = &lake->places.binaries[i];

		lake_set_binary(lake, &part, i, MAPPING_BUILD_ID, MAPPING_DSO);
		parquet_set(part.parquet, MAPPING_KERNEL, binary->kernel);
		parquet_set(part.parquet, MAPPING_SAMPLES,
			    i < lake->nr_samples_of ? lake->samples_of[i] : 0);
		lake_end_row(&part);
	}
	if (!ret)
		ret = lake_part_commit(&part);
	return ret;
}

#define LOSS_COLUMNS(COLUMN)                                    \
	COLUMN(LOSS_KIND, PARQUET_REQUIRED("kind", TEXT))       \
	COLUMN(LOSS_NUMBER, PARQUET_REQUIRED("number", UINT64)) \
	COLUMN(LOSS_MESSAGE, PARQUET_COLUMN("message", TEXT))

enum {
	LOSS_RECORDING,
	LOSS_COLUMNS(LAKE_NUMBER) NR_LOSS_COLUMNS
};

static const struct parquet_column loss_columns[NR_LOSS_COLUMNS + 1] = {
	LAKE_RECORDING, LOSS_COLUMNS(LAKE_COLUMN)};

static void put_loss(struct lake_part *part, const char *kind, uint64_t number,
		     const char *message)
{
	struct parquet *to = part->parquet;

	parquet_set_text(to, LOSS_KIND, kind);
	parquet_set(to, LOSS_NUMBER, number);
	parquet_set_text(to, LOSS_MESSAGE, message);
	lake_end_row(part);
}

/*
 * A word of --lost, KIND=NUMBER, from @lost on. @kind is to be freed; NULL: the
 * word is wrong, or memory is short. Returns what follows the word.
 */
static const char *lost_word(const char *lost, char **kind, uint64_t *number)
{
	size_t length = strcspn(lost, ",");
	char *equals;

	*kind = strndup(lost, length);
	equals = *kind ? strchr(*kind, '=') : NULL;
	if (!equals || equals == *kind ||
	    number_parse(equals + 1, number_counts, number)) {
		free(*kind);
		*kind = NULL;
	} else {
		*equals = '\0';
	}
	return lost + length + (lost[length] == ',');
}

/* A kind that pmscope counts itself would have two rows. */
static bool is_own_kind(const struct load *load, const char *kind)
{
	const char *own;
	uint64_t number;

	for (size_t i = 0; losses_at(load, i, &own, &number); i++)
		if (!strcmp(own, kind))
			return true;
	return !strcmp(kind, "filtered") || !strcmp(kind, "damage") ||
	       !strcmp(kind, "other_services");
}

int lake_check_lost(const struct export_config *config, const struct load *load)
{
	const char *lost = config->lost;
	uint64_t number;
	char *kind;

	do {
		const char *word = lost;
		bool own;

		lost = lost_word(lost, &kind, &number);
		if (!kind) {
			error("export: --lost: '%s' is not KIND=NUMBER", word);
			return -EINVAL;
		}
		own = is_own_kind(load, kind);
		if (own)
			error("export: --lost: '%s' is counted already; choose "
			      "another name",
			      kind);
		free(kind);
		if (own)
			return -EINVAL;
	} while (*lost);
	return 0;
}

int lake_check_labels(const char *labels)
{
	const char *label = labels;

	while (*label) {
		size_t length = strcspn(label, ",");
		size_t key = strcspn(label, "=");

		if (!key || key >= length) {
			error("export: --label: '%.*s' is not KEY=VALUE",
			      (int)length, label);
			return -EINVAL;
		}
		for (const char *other = labels; other < label;
		     other += strcspn(other, ",") + 1)
			if (!strncmp(other, label, key + 1)) {
				error("export: --label: '%.*s' is given twice",
				      (int)key, label);
				return -EINVAL;
			}
		label += length + (label[length] == ',');
	}
	return 0;
}

static int put_lost(struct lake_part *part, const char *lost)
{
	uint64_t number;
	char *kind;

	while (lost && *lost) {
		lost = lost_word(lost, &kind, &number);
		if (!kind)
			return -ENOMEM;
		put_loss(part, kind, number, NULL);
		free(kind);
	}
	return 0;
}

/* Every kind has a row, so that nothing lost differs from nothing known. */
static int write_losses(struct lake *lake)
{
	const char *damage = pmscope_recording_error(lake->load->recording);
	CLEANUP(lake_part_fini) struct lake_part part = {.dataset = "losses"};
	int ret = lake_part_open(lake, &part, loss_columns);
	const char *kind;
	uint64_t number;

	for (size_t i = 0; !ret && losses_at(lake->load, i, &kind, &number);
	     i++)
		put_loss(&part, kind, number, NULL);
	if (!ret) {
		put_loss(&part, "filtered", lake->load->filtered, NULL);
		put_loss(&part, "damage", *damage != '\0',
			 *damage ? damage : NULL);
		put_loss(&part, "other_services", rollup_others(lake->rollup),
			 NULL);
		ret = put_lost(&part, lake->config->lost);
	}
	if (!ret)
		ret = lake_part_commit(&part);
	return ret;
}

#define HOST_COLUMNS(COLUMN)                                        \
	COLUMN(HOST_NAME, PARQUET_COLUMN("name", TEXT))             \
	COLUMN(HOST_KERNEL, PARQUET_COLUMN("kernel", TEXT))         \
	COLUMN(HOST_ARCH, PARQUET_COLUMN("arch", TEXT))             \
	COLUMN(HOST_CPU, PARQUET_COLUMN("cpu", TEXT))               \
	COLUMN(HOST_CPUS, PARQUET_COLUMN("cpus", UINT32))           \
	COLUMN(HOST_MEMORY, PARQUET_COLUMN("memory", UINT64))       \
	COLUMN(HOST_RECORDER, PARQUET_COLUMN("recorder", TEXT))     \
	COLUMN(HOST_EXPORTER, PARQUET_REQUIRED("exporter", TEXT))   \
	COLUMN(HOST_COMMAND, PARQUET_COLUMN("command", TEXT))       \
	COLUMN(HOST_FILTER, PARQUET_COLUMN("filter", TEXT))         \
	COLUMN(HOST_LABELS, PARQUET_COLUMN("labels", TEXT))         \
	COLUMN(HOST_RECORDED, PARQUET_REQUIRED("recorded", UINT64)) \
	COLUMN(HOST_BEGIN, PARQUET_COLUMN("time_begin", UINT64))    \
	COLUMN(HOST_END, PARQUET_COLUMN("time_end", UINT64))        \
	COLUMN(HOST_INTERVAL, PARQUET_COLUMN("interval", UINT64))   \
	COLUMN(HOST_SAMPLES, PARQUET_REQUIRED("samples", UINT64))

enum {
	HOST_RECORDING,
	HOST_COLUMNS(LAKE_NUMBER) NR_HOST_COLUMNS
};

static const struct parquet_column host_columns[NR_HOST_COLUMNS + 1] = {
	LAKE_RECORDING, HOST_COLUMNS(LAKE_COLUMN)};

/* Joined by @separator; free with free(). NULL: no memory. */
static char *join_texts(const char *const *texts, size_t nr,
			const char *separator)
{
	size_t size = 1;
	char *all, *p;

	for (size_t i = 0; i < nr; i++)
		size += strlen(texts[i]) + strlen(separator);
	all = malloc(size);
	p = all;
	for (size_t i = 0; all && i < nr; i++)
		p = stpcpy(stpcpy(p, i ? separator : ""), texts[i]);
	if (all)
		*p = '\0';
	return all;
}

static int set_command(struct lake *lake, struct parquet *to)
{
	const struct provenance *p = &lake->provenance;
	FREED char *command = NULL;

	if (lake->config->redact || !p->nr_args)
		return 0;
	command = join_texts(p->args, p->nr_args, " ");
	if (!command)
		return -ENOMEM;
	parquet_set_text(to, HOST_COMMAND, command);
	return 0;
}

static int set_cpus(const struct provenance *p, struct parquet *to)
{
	const char **names = calloc(p->nr_cpus + 1, sizeof(*names));
	FREED char *all = NULL;
	size_t nr = 0;

	for (size_t i = 0; names && i < p->nr_cpus; i++)
		if (p->cpus[i].name)
			names[nr++] = p->cpus[i].name;
	if (names)
		all = join_texts(names, nr, ", ");
	free(names);
	if (!all)
		return -ENOMEM;
	if (nr)
		parquet_set_text(to, HOST_CPU, all);
	return 0;
}

static void set_number(struct parquet *to, size_t column, uint64_t value)
{
	if (value)
		parquet_set(to, column, value);
}

static int set_host(struct lake *lake, struct parquet *to)
{
	const struct provenance *p = &lake->provenance;

	parquet_set_text(to, HOST_NAME, p->host);
	parquet_set_text(to, HOST_KERNEL, p->kernel);
	parquet_set_text(to, HOST_ARCH, p->arch);
	parquet_set_text(to, HOST_RECORDER, p->recorder);
	parquet_set_text(to, HOST_EXPORTER, "pmscope " PMSCOPE_VERSION);
	if (!lake->config->redact)
		parquet_set_text(to, HOST_FILTER, lake->config->load.filter);
	parquet_set_text(to, HOST_LABELS, lake->config->labels);
	set_number(to, HOST_CPUS, p->cpus_online);
	set_number(to, HOST_MEMORY, p->memory);
	parquet_set(to, HOST_RECORDED, lake->recorded);
	set_number(to, HOST_BEGIN, p->begin);
	set_number(to, HOST_END, p->end);
	set_number(to, HOST_INTERVAL, lake->interval);
	parquet_set(to, HOST_SAMPLES, lake->samples);
	return set_cpus(p, to) ?: set_command(lake, to);
}

static int write_host(struct lake *lake)
{
	CLEANUP(lake_part_fini) struct lake_part part = {.dataset = "hosts"};
	int ret = lake_part_open(lake, &part, host_columns)
			  ?: set_host(lake, part.parquet);

	if (!ret) {
		lake_end_row(&part);
		ret = lake_part_commit(&part);
	}
	return ret;
}

int lake_tables(struct lake *lake)
{
	int ret = 0;

	if (lake_has(lake, LAKE_MAPPINGS))
		ret = write_mappings(lake);
	if (!ret && lake_has(lake, LAKE_LOSSES))
		ret = write_losses(lake);
	if (!ret && lake_has(lake, LAKE_HOSTS))
		ret = write_host(lake);
	return ret;
}
