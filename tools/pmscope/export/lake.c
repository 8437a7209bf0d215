// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --format=parquet: DIR/dataset=NAME/date=YYYY-MM-DD/host=NAME/KEY-N.parquet.
 * The key follows from the recording: to export it again replaces its parts,
 * see lake_commit.c.
 */
#include "export/lake.h"

/* Of a recording without a host: engines differ in what they make of none. */
#define NO_HOST	  "unknown"
#define NS_PER_S  1000000000
#define KEY_BYTES ((size_t)64 << 10)

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
		    (lake_has(lake, LAKE_MAPPINGS) &&
		     count_sample(lake, place)))
			return -ENOMEM;
	}
	lake->samples++;
	if (lake_has(lake, LAKE_SAMPLES))
		ret = lake_sample(lake, current, place);
	if (!ret && lake_has(lake, LAKE_ROLLUP))
		ret = lake_rollup(lake, current, place);
	return ret;
}

static int add_run(void *worker, const struct pmscope_run *run, struct output *)
{
	struct lake *lake = worker;
	struct thread_cache *current = thread_cache_of(lake->currents, run);
	int ret = 0;

	for (size_t row = run->first; row < run->end && !ret; row++) {
		thread_cache_set(current, &lake->load->names, run, row);
		thread_cache_set_time(current, &lake->load->names);
		if (filter_passes_sample(lake->load, current))
			ret = add_sample(lake, current);
	}
	return ret;
}

static int add_group(void *context, const struct pmscope_run *run)
{
	struct lake *lake = context;

	return lake_has(lake, LAKE_COUNTERS) &&
			       filter_passes_group(lake->load, run->group)
		       ? lake_counters(lake, run)
		       : 0;
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

/* Copies of a file have other dates than the one a recording tells. */
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
	if (lake->config->host)
		lake->provenance.host = lake->config->host;
	lake->currents = calloc(THREAD_CACHES, sizeof(*lake->currents));
	lake->rollup = rollup_new();
	if (!lake->currents || !lake->rollup || make_host(lake))
		return -ENOMEM;
	lake->places.bare = !lake->config->symbols;
	if (lake->config->symbols && lake_has(lake, LAKE_SAMPLES) &&
	    !(lake->data = data_symbols_new()))
		return -ENOMEM;
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
	data_symbols_free(lake->data);
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
	if (config->labels && lake_check_labels(config->labels))
		return -EINVAL;
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
