// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --format=parquet: DIR/dataset=NAME/date=YYYY-MM-DD/host=NAME/KEY-N.parquet.
 * The key follows from the recording: to export it again replaces its parts,
 * see lake_commit.c.
 */
#include "export/lake.h"
#include "base/kernel_name.h"
#include "base/text.h"
#include "cli/message.h"
#include "read/filter_memo.h"
#include "symbols/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Of a recording without a host: engines differ in what they make of none. */
#define NO_HOST	  "unknown"
#define RECORDING 0 /* the column of LAKE_RECORDING */
#define SOON	  8 /* rows */
#define NS_PER_S  1000000000
#define KEY_BYTES ((size_t)64 << 10)

bool lake_has(const struct lake *lake, enum lake_dataset dataset)
{
	unsigned int wanted = lake->config->datasets;

	return !wanted || wanted & 1U << dataset;
}

int lake_part_open(struct lake *lake, struct lake_part *part,
		   const struct parquet_column *columns)
{
	int ret;

	if (part->parquet)
		return 0;
	part->path = lake_stage_part(lake, part);
	if (!part->path)
		return -ENOMEM;
	ret = whole_file_open(&part->file, part->path, WHOLE_FILE_MODE);
	if (ret)
		return ret;
	part->parquet = parquet_new(part->file.out, columns);
	if (!part->parquet)
		return -ENOMEM;
	part->recording = parquet_text(part->parquet, lake->key);
	parquet_note(part->parquet, "pmscope.dataset", part->dataset);
	parquet_note(part->parquet, "pmscope.schema", "1");
	return 0;
}

void lake_end_row(struct lake_part *part)
{
	parquet_set(part->parquet, RECORDING, part->recording);
	parquet_end_row(part->parquet);
}

static void texts_forget(struct lake_texts *texts)
{
	free(texts->numbers);
	*texts = (struct lake_texts){};
}

void lake_part_fini(struct lake_part *part)
{
	whole_file_discard(&part->file);
	if (part->parquet)
		parquet_free(part->parquet);
	free(part->path);
	texts_forget(&part->build_ids);
	texts_forget(&part->names);
	texts_forget(&part->symbols);
	memset(part->often, 0, sizeof(part->often));
	part->parquet = NULL;
	part->path = NULL;
}

int lake_part_commit(struct lake_part *part)
{
	int ret;

	if (!part->parquet)
		return 0;
	ret = parquet_finish(part->parquet);
	if (ret && ret != -ENOMEM)
		error("%s: %s", part->path, strerror(-ret));
	if (!ret)
		ret = whole_file_commit(&part->file);
	lake_part_fini(part);
	part->number++;
	return ret;
}

/* The number of the @i-th text, or NULL when memory is short. */
static uint32_t *text_of(struct lake_texts *texts, size_t i)
{
	size_t wanted = 2 * i + 64;
	uint32_t *numbers;

	if (i >= texts->nr) {
		numbers = realloc(texts->numbers, wanted * sizeof(*numbers));
		if (!numbers)
			return NULL;
		memset(numbers + texts->nr, 0,
		       (wanted - texts->nr) * sizeof(*numbers));
		texts->numbers = numbers;
		texts->nr = wanted;
	}
	return &texts->numbers[i];
}

/* Sets the @i-th of @texts, which is @text. */
static void set_known(struct lake_part *part, struct lake_texts *texts,
		      size_t i, int column, const char *text)
{
	uint32_t *number = text_of(texts, i);

	if (column == LAKE_NO_COLUMN || !text)
		return;
	if (!number) {
		part->parquet->error = -ENOMEM;
		return;
	}
	if (!*number)
		*number = parquet_text(part->parquet, text) + 1;
	parquet_set(part->parquet, column, *number - 1);
}

void lake_set_name(struct lake_part *part, int column, const char *name)
{
	struct lake_name *known;

	if (!name)
		return;
	known = &part->often[hash_finish((uintptr_t)name) % LAKE_NAMES];
	if (known->name != name) {
		known->name = name;
		known->number = parquet_text(part->parquet, name);
	}
	parquet_set(part->parquet, column, known->number);
}

/* As other commands name it: modules by name, not by the path of their file. */
static const char *kernel_name(const struct lake *lake,
			       const struct code_binary *binary)
{
	const char *name = binary->name ? binary->name : binary->dso;

	if (is_kernel_image(true, name))
		return KERNEL_NAME;
	return *name != '[' && lake->config->redact ? NULL : name;
}

void lake_set_binary(struct lake *lake, struct lake_part *part, uint32_t number,
		     int build_id, int dso)
{
	const struct code_binary *binary = &lake->places.binaries[number];
	char id[BUILD_ID_TEXT] = "";

	if (binary->build_id_size) {
		if (number >= part->build_ids.nr ||
		    !part->build_ids.numbers[number])
			binary_build_id(binary, id);
		set_known(part, &part->build_ids, number, build_id, id);
	}
	if (binary->kernel)
		set_known(part, &part->names, number, dso,
			  kernel_name(lake, binary));
	else if (!lake->config->redact)
		set_known(part, &part->names, number, dso, binary->dso);
}

/*
 * Of code in no file there is only its address; and of the kernel, if the
 * recording does not tell where this boot had put it.
 */
static bool has_offset(const struct lake *lake,
		       const struct code_binary *binary)
{
	if (is_kernel_image(binary->kernel, binary->dso))
		return binary->reference || !lake->config->redact;
	return binary->pid == PMSCOPE_NO_ID && binary->dso &&
	       strcmp(binary->dso, BPF_NAME) != 0;
}

/* A JIT compiler may put paths, and any text, into the names of its code. */
static bool has_symbol(const struct lake *lake,
		       const struct code_binary *binary)
{
	return lake->config->symbols &&
	       (!lake->config->redact || binary->kernel ||
		binary->build_id_size || !jit_is_mapping(binary->dso));
}

void lake_set_code(struct lake *lake, struct lake_part *part, uint32_t place,
		   const struct lake_code_columns *columns)
{
	const struct code_place *code = &lake->places.items[place];
	const struct code_binary *binary = &lake->places.binaries[code->binary];

	lake_set_binary(lake, part, code->binary, columns->build_id,
			columns->dso);
	if (has_offset(lake, binary))
		parquet_set(part->parquet, columns->offset,
			    code->offset - binary->reference);
	if (has_symbol(lake, binary))
		set_known(part, &part->symbols, place, columns->symbol,
			  code->symbol);
}

/* Counts a sample of the binary of @place. */
static int count_sample(struct lake *lake, uint32_t place)
{
	uint32_t binary = lake->places.items[place].binary;

	if (binary >= lake->nr_samples_of) {
		size_t wanted = 2 * (size_t)binary + 64;
		uint64_t *counts =
			realloc(lake->samples_of, wanted * sizeof(*counts));

		if (!counts)
			return -ENOMEM;
		memset(counts + lake->nr_samples_of, 0,
		       (wanted - lake->nr_samples_of) * sizeof(*counts));
		lake->samples_of = counts;
		lake->nr_samples_of = wanted;
	}
	lake->samples_of[binary]++;
	return 0;
}

static int add_sample(struct lake *lake, const struct thread_cache *current)
{
	const struct pmscope_batch *b = current->sample.batch;
	size_t row = current->sample.row;
	uint32_t place = LAKE_NO_PLACE;
	int ret = 0;

	if (b->has[row] & PMSCOPE_HAS_PC) {
		if (places_find(&lake->places, lake->load, current,
				pmscope_code_address(b->pc[row]), &place) ||
		    count_sample(lake, place))
			return -ENOMEM;
	}
	lake->samples++;
	if (lake_has(lake, LAKE_SAMPLES))
		ret = lake_sample(lake, current, place);
	if (!ret && lake_has(lake, LAKE_ROLLUP))
		ret = lake_rollup(lake, current, place);
	return ret;
}

/* A row that is soon added; its thread is mostly that of the newest. */
static void look_ahead(const struct lake *lake,
		       const struct thread_cache *current,
		       const struct pmscope_batch *b, size_t row)
{
	if (b->has[row] & PMSCOPE_HAS_PC)
		places_prefetch(&lake->places, current,
				pmscope_code_address(b->pc[row]));
	if (b->has[row] & PMSCOPE_HAS_TARGET)
		places_prefetch(&lake->places, current,
				pmscope_code_address(b->target[row]));
}

static int add_run(void *worker, const struct pmscope_run *run,
		   struct output *out)
{
	struct lake *lake = worker;
	struct thread_cache *current = thread_cache_of(lake->currents, run);
	int ret = 0;

	(void)out;
	for (size_t row = run->first; row < run->end && !ret; row++) {
		if (row + SOON < run->end)
			look_ahead(lake, current, run->batch, row + SOON);
		thread_cache_set(current, lake->load, run, row);
		thread_cache_set_time(current, lake->load);
		if (filter_passes_sample(lake->load, current))
			ret = add_sample(lake, current);
	}
	return ret;
}

static int add_group(void *context, const struct pmscope_run *run)
{
	struct lake *lake = context;

	return lake_has(lake, LAKE_COUNTERS) ? lake_counters(lake, run) : 0;
}

/* A stable name for what the recording holds: FNV-1a of its ends and size. */
static void make_key(struct lake *lake)
{
	const uint8_t *data = pmscope_input_data(lake->load->input);
	size_t size = pmscope_input_size(lake->load->input);
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ size;

	for (size_t i = 0; i < size; i++) {
		if (i == KEY_BYTES && size > 2 * KEY_BYTES)
			i = size - KEY_BYTES;
		hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
	}
	*text_hex(lake->key, hash, 16) = '\0';
}

/* The copies of a file have other dates; a recording that tells its own has
 * one. */
static void make_date(struct lake *lake)
{
	const char *of = "today's";
	struct stat st;
	struct tm tm;

	lake->recorded = lake->provenance.wall / NS_PER_S;
	if (!lake->recorded) {
		lake->recorded = time(NULL);
		if (strcmp(lake->load->name, "-") != 0 &&
		    !stat(lake->config->load.input, &st) &&
		    S_ISREG(st.st_mode)) {
			lake->recorded = st.st_mtime;
			of = "that of its file";
		}
	}
	gmtime_r(&lake->recorded, &tm);
	strftime(lake->date, sizeof(lake->date), "%F", &tm);
	if (!lake->provenance.wall)
		warning("%s: the recording does not tell its date; its parts "
			"get %s: %s",
			lake->load->name, of, lake->date);
}

/* A host's name comes from a file: it must not lead out of the directory. */
static int make_host(struct lake *lake)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	const char *name = lake->provenance.host;
	char *p;

	if (!name || !*name)
		name = NO_HOST;
	lake->host = malloc(3 * strlen(name) + 1);
	if (!lake->host)
		return -ENOMEM;
	p = lake->host;
	for (const char *c = name; *c; c++) {
		if (strchr(plain, *c) && (*c != '.' || c > name)) {
			*p++ = *c;
			continue;
		}
		*p++ = '%';
		p = text_hex(p, (uint8_t)*c, 2);
	}
	*p = '\0';
	return 0;
}

static void find_interval(struct lake *lake)
{
	const struct provenance *p = &lake->provenance;

	for (size_t i = 0; i < p->nr_events && !lake->interval; i++)
		if (p->events[i].is_spe)
			lake->interval = p->events[i].period;
}

static int lake_begin(struct lake *lake)
{
	if (provenance_read(&lake->provenance, lake->load))
		return -ENOMEM;
	if (!lake->provenance.host)
		lake->provenance.host = lake->config->host;
	lake->currents = calloc(THREAD_CACHES, sizeof(*lake->currents));
	lake->rollup = rollup_new();
	if (!lake->currents || !lake->rollup || make_host(lake))
		return -ENOMEM;
	lake->places.bare = !lake->config->symbols;
	lake_samples_init(lake);
	find_interval(lake);
	make_date(lake);
	make_key(lake);
	return lake_stage(lake);
}

static int read_all(struct lake *lake)
{
	void *workers[1] = {lake};
	const struct work work = {
		.threads = 1,
		.take = add_run,
		.workers = workers,
		.group = add_group,
		.context = lake,
	};

	return load_runs(lake->load, &work);
}

/* A part that nothing was added to is written, too, unless it is unwanted. */
static int lake_end(struct lake *lake)
{
	int ret = 0;

	if (lake_has(lake, LAKE_SAMPLES))
		ret = lake_samples_open(lake)
			      ?: lake_part_commit(&lake->samples_part);
	if (!ret && lake_has(lake, LAKE_ROLLUP))
		ret = lake_rollup_flush(lake)
			      ?: lake_part_commit(&lake->rollup_part);
	if (!ret && lake_has(lake, LAKE_COUNTERS))
		ret = lake_counters_open(lake)
			      ?: lake_part_commit(&lake->counters_part);
	return ret ?: lake_tables(lake);
}

static void lake_fini(struct lake *lake)
{
	lake_part_fini(&lake->samples_part);
	lake_part_fini(&lake->rollup_part);
	lake_part_fini(&lake->counters_part);
	rollup_free(lake->rollup);
	places_fini(&lake->places);
	lake_unstage(lake);
	provenance_fini(&lake->provenance);
	free(lake->samples_of);
	free(lake->currents);
	free(lake->host);
}

static int check(const struct export_config *config, const struct load *load)
{
	if (!strcmp(config->output, "-")) {
		error("export: --format=parquet writes several files: -o takes "
		      "a directory");
		return -EINVAL;
	}
	if (config->addresses && config->redact) {
		error("export: --addresses and --redact are mutually "
		      "exclusive");
		return -EINVAL;
	}
	return config->lost ? lake_check_lost(config, load) : 0;
}

static int lake_read(struct export *export)
{
	struct lake lake = {
		.config = export->config,
		.load = export->load,
		.directory = export->config->output,
		.lock = -1,
		.samples_part = {.dataset = "samples"},
		.rollup_part = {.dataset = "rollup"},
		.counters_part = {.dataset = "counters"},
	};
	int ret = check(export->config, export->load);

	if (ret)
		return ret;
	ret = lake_begin(&lake)
		      ?: read_all(&lake)
			      ?: lake_end(&lake) ?: lake_commit(&lake);
	lake_fini(&lake);
	return ret;
}

const struct export_format export_parquet = {
	.name = "parquet",
	.needs = EXPORT_DIRECTORY | EXPORT_TWICE,
	.read = lake_read,
};
