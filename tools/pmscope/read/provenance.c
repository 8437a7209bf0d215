// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/load.h"
#include "base/names.h"
#include "fields/fields.h"
#include "perfdata/reader.h"
#include "session/pmu.h"

#include <pmscope/events.h>

#define SPE_NAME "arm_spe"
/* The most bytes of "4294967295-4294967295,". */
#define RANGE_ROOM    24
#define SETTINGS_SIZE 1024

/* The part of a feature that is not read yet. */
struct rest {
	const uint8_t *at;
	size_t size;
};

static struct rest feature_of(const struct pmscope_perfdata *reader,
			      enum pmscope_perf_feature feature)
{
	struct rest rest;

	rest.at = pmscope_perfdata_feature_data(reader, feature, &rest.size);
	return rest;
}

static bool take_u32(struct rest *rest, uint32_t *value)
{
	if (rest->size < 4)
		return false;
	*value = get32(rest->at);
	rest->at += 4;
	rest->size -= 4;
	return true;
}

/* Takes a string: its size, then the text, padded with zeros. */
static bool take_text(struct rest *rest, const char **text, size_t *length)
{
	uint32_t size;

	if (!take_u32(rest, &size) || size > rest->size)
		return false;
	*text = (const char *)rest->at;
	*length = strnlen(*text, size);
	rest->at += size;
	rest->size -= size;
	return true;
}

static char *copy_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (copy)
		*text_bytes(copy, text, length) = '\0';
	return copy;
}

static int read_args(struct provenance *p,
		     const struct pmscope_perfdata *reader)
{
	struct rest rest = feature_of(reader, PMSCOPE_FEATURE_CMDLINE);
	const char *text;
	size_t length;
	uint32_t nr;

	if (!take_u32(&rest, &nr) || !nr || nr > rest.size / 4)
		return 0;
	p->args = arena_alloc(&p->arena, nr * sizeof(*p->args));
	if (!p->args)
		return -ENOMEM;
	while (nr-- && take_text(&rest, &text, &length)) {
		p->args[p->nr_args] = copy_text(&p->arena, text, length);
		if (!p->args[p->nr_args++])
			return -ENOMEM;
	}
	return 0;
}

/* The feature has the CPUs that are available before those online. */
static void read_machine(struct provenance *p,
			 const struct pmscope_perfdata *reader)
{
	struct rest cpus = feature_of(reader, PMSCOPE_FEATURE_NRCPUS);
	struct rest memory = feature_of(reader, PMSCOPE_FEATURE_TOTAL_MEM);

	p->host = pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_HOSTNAME);
	p->kernel = pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_OSRELEASE);
	p->arch = pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_ARCH);
	p->recorder = pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_VERSION);
	p->cpu_desc = pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_CPUDESC);
	if (take_u32(&cpus, &p->cpus_available))
		take_u32(&cpus, &p->cpus_online);
	if (memory.size >= 8)
		p->memory = get64(memory.at) * 1024;
}

struct numbered_cpu {
	uint64_t midr;
	uint32_t number;
};

static COMPARISON(by_kind, struct numbered_cpu,
		  COMPARE(x->midr, y->midr) ?: COMPARE(x->number, y->number));

/* The number of CPUs in a row of consecutive numbers. */
static size_t range_of(const struct numbered_cpu *cpus, size_t nr)
{
	size_t i = 1;

	while (i < nr && cpus[i].number == cpus[0].number + i)
		i++;
	return i;
}

static const char *list_of(struct arena *arena, const struct numbered_cpu *cpus,
			   size_t nr)
{
	char *list = arena_alloc(arena, nr * RANGE_ROOM + 1), *p = list;
	size_t range;

	if (!list)
		return NULL;
	for (size_t i = 0; i < nr; i += range) {
		range = range_of(cpus + i, nr - i);
		if (i)
			*p++ = ',';
		p = text_unsigned(p, cpus[i].number);
		if (range > 1) {
			*p++ = '-';
			p = text_unsigned(p, cpus[i + range - 1].number);
		}
	}
	*p = '\0';
	return list;
}

static int add_kinds(struct provenance *p, const struct numbered_cpu *cpus,
		     size_t nr)
{
	size_t end;

	p->cpus = arena_alloc(&p->arena, nr * sizeof(*p->cpus));
	if (!p->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i = end) {
		struct provenance_cpus *kind = &p->cpus[p->nr_cpus++];

		for (end = i + 1; end < nr && cpus[end].midr == cpus[i].midr;)
			end++;
		*kind = (struct provenance_cpus){
			.midr = cpus[i].midr,
			.name = midr_name(cpus[i].midr),
			.list = list_of(&p->arena, cpus + i, end - i),
			.nr = end - i,
		};
		if (!kind->list)
			return -ENOMEM;
	}
	return 0;
}

/* perf's CPUID is the MIDR_EL1 of one CPU. */
static int add_cpuid(struct provenance *p,
		     const struct pmscope_perfdata *reader)
{
	const char *id =
		pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_CPUID);
	uint64_t midr =
		id && !strncmp(id, "0x", 2) ? strtoull(id, NULL, 16) : 0;

	if (!midr)
		return 0;
	p->cpus = arena_alloc(&p->arena, sizeof(*p->cpus));
	if (!p->cpus)
		return -ENOMEM;
	p->cpus[p->nr_cpus++] = (struct provenance_cpus){
		.midr = midr,
		.name = midr_name(midr),
	};
	return 0;
}

static int read_cpus(struct provenance *p,
		     const struct pmscope_recording *recording)
{
	struct numbered_cpu *cpus = NULL;
	size_t nr = 0, max = 0;
	struct numbered_cpu cpu;
	int ret = 0;

	for (; pmscope_recording_cpu(recording, nr, &cpu.number, &cpu.midr);
	     nr++) {
		if (array_room(cpus, nr, max)) {
			free(cpus);
			return -ENOMEM;
		}
		cpus[nr] = cpu;
	}
	if (nr) {
		qsort(cpus, nr, sizeof(*cpus), by_kind);
		ret = add_kinds(p, cpus, nr);
	} else {
		ret = add_cpuid(p, pmscope_recording_perfdata(recording));
	}
	free(cpus);
	return ret;
}

/* Is @type a PMU whose name begins with "arm_spe"? */
static bool is_type_of_spe(const struct pmscope_perfdata *reader, uint32_t type)
{
	struct rest rest = feature_of(reader, PMSCOPE_FEATURE_PMU_MAPPINGS);
	uint32_t nr, its;
	const char *name;
	size_t length;

	if (!take_u32(&rest, &nr))
		return false;
	while (nr-- && take_u32(&rest, &its) &&
	       take_text(&rest, &name, &length))
		if (its == type && length >= strlen(SPE_NAME) &&
		    !memcmp(name, SPE_NAME, strlen(SPE_NAME)))
			return true;
	return false;
}

/* Where the driver of Linux and pmscope's have a field. */
static const struct {
	const char *name;
	uint8_t word; /* config, config1, ... */
	uint8_t low;
	uint8_t high;
	bool hex;
} settings[] = {
	{"ts_enable", 0, 0, 0, false},
	{"pa_enable", 0, 1, 1, false},
	{"pct_enable", 0, 2, 2, false},
	{"jitter", 0, 16, 16, false},
	{"branch_filter", 0, 32, 32, false},
	{"load_filter", 0, 33, 33, false},
	{"store_filter", 0, 34, 34, false},
	{"discard", 0, 35, 35, false},
	{"branch_filter_mask", 0, 36, 36, false},
	{"load_filter_mask", 0, 37, 37, false},
	{"store_filter_mask", 0, 38, 38, false},
	{"simd_filter", 0, 39, 39, false},
	{"simd_filter_mask", 0, 40, 40, false},
	{"float_filter", 0, 41, 41, false},
	{"float_filter_mask", 0, 42, 42, false},
	{"freeze", 0, 63, 63, false},
	{"event_filter", 1, 0, 63, true},
	{"min_latency", 2, 0, 15, false},
	{"inv_event_filter", 3, 0, 63, true},
};

static const char *settings_of(struct arena *arena,
			       const struct perf_event_attr *attr)
{
	char text[SETTINGS_SIZE] = "";
	union attr copy;
	size_t at = 0;

	/* The library has room for more than its headers declare. */
	memcpy(&copy, attr, sizeof(copy));

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		uint64_t value = *attr_config(&copy, settings[i].word)
					 << (63 - settings[i].high) >>
				 (63 - settings[i].high + settings[i].low);

		if (value)
			at += snprintf(text + at, sizeof(text) - at,
				       settings[i].hex ? "%s%s=0x%" PRIx64
						       : "%s%s=%" PRIu64,
				       at ? "," : "", settings[i].name, value);
	}
	return copy_text(arena, text, strlen(text));
}

static bool is_spe_event(const struct pmscope_perfdata *reader,
			 const struct pmscope_perf_attr *attr)
{
	return (attr->name &&
		!strncmp(attr->name, SPE_NAME, strlen(SPE_NAME))) ||
	       is_type_of_spe(reader, attr->attr.type);
}

/* Filters, with the bits of config and, of format 1.4, those of their masks. */
static const struct {
	uint8_t bit;
	uint8_t mask;
	const char *what;
} populations[] = {
	{33, 37, "loads"},
	{34, 38, "stores"},
	{32, 36, "branches"},
	{39, 40, "SIMD operations"},
	{41, 42, "floating-point operations"},
};

static void put_filter_events(FILE *out, const char *words, uint64_t events)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = pmscope_event_name(bit, 0);

		if (!(events >> bit & 1))
			continue;
		if (name)
			fprintf(out, "%s%s", words, name);
		else
			fprintf(out, "%sevent %u", words, bit);
		words = " and ";
	}
}

/* With a mask: of that kind, or, with its bit clear, not of that kind. */
static void put_population(FILE *out, union attr *attr)
{
	uint64_t config = *attr_config(attr, 0);
	uint64_t latency = *attr_config(attr, 2) & 0xffff;
	const char *words = "", *others = " other than ";

	for (size_t i = 0; i < ARRAY_SIZE(populations); i++)
		if (config >> populations[i].bit & 1) {
			fprintf(out, "%s%s", words, populations[i].what);
			words = config >> populations[i].mask & 1 ? " that are "
								  : " and ";
		}
	fputs(*words ? "" : "operations", out);
	for (size_t i = 0; i < ARRAY_SIZE(populations); i++)
		if (config >> populations[i].mask & 1 &&
		    !(config >> populations[i].bit & 1)) {
			fprintf(out, "%s%s", others, populations[i].what);
			others = " and ";
		}
	if (latency)
		fprintf(out, " of %" PRIu64 " cycles or more", latency);
	put_filter_events(out, " with ", *attr_config(attr, 1));
	put_filter_events(out, " without ", *attr_config(attr, 3));
}

/* NULL: no memory. */
static char *population_of_event(const struct perf_event_attr *attr)
{
	union attr copy;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	/* The library has room for more than its headers declare. */
	memcpy(&copy, attr, sizeof(copy));
	put_population(out, &copy);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int population_recorded(const struct load *load, char **population)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(load->recording);
	const struct pmscope_perf_attr *attr;
	char *all = NULL;

	*population = NULL;
	for (int i = 0; reader && (attr = pmscope_perfdata_attr(reader, i));
	     i++) {
		char *text, *both = NULL;

		if (!is_spe_event(reader, attr))
			continue;
		text = population_of_event(&attr->attr);
		if (!text || !strcmp(text, "operations")) {
			free(all);
			free(text);
			return text ? 0 : -ENOMEM;
		}
		if (!all || !strcmp(all, text)) {
			free(all);
			all = text;
			continue;
		}
		if (asprintf(&both, "%s or %s", all, text) < 0)
			both = NULL;
		free(all);
		free(text);
		all = both;
		if (!all)
			return -ENOMEM;
	}
	*population = all;
	return 0;
}

int population_read(const struct load *load, char **population)
{
	const char *filter = load->filter ? load->filter->said : NULL;
	char *recorded;
	int ret = population_recorded(load, &recorded);

	*population = recorded;
	if (ret || !filter)
		return ret;
	if (asprintf(population, "%s that match %s", recorded ?: "operations",
		     filter) < 0)
		*population = NULL;
	free(recorded);
	return *population ? 0 : -ENOMEM;
}

static int read_event(struct provenance *p,
		      const struct pmscope_perfdata *reader,
		      const struct pmscope_perf_attr *attr)
{
	struct provenance_event *event = &p->events[p->nr_events];
	bool is_spe = is_spe_event(reader, attr);

	*event = (struct provenance_event){
		.name = attr->name ? copy_text(&p->arena, attr->name,
					       strlen(attr->name))
				   : NULL,
		.is_spe = is_spe,
		.settings = is_spe ? settings_of(&p->arena, &attr->attr) : "",
	};
	if (attr->attr.freq)
		event->frequency = attr->attr.sample_freq;
	else
		event->period = attr->attr.sample_period;
	p->nr_events++;
	return (attr->name && !event->name) || !event->settings ? -ENOMEM : 0;
}

static int read_events(struct provenance *p,
		       const struct pmscope_perfdata *reader)
{
	size_t nr = pmscope_perfdata_nr_attrs(reader);
	int ret = 0;

	if (!nr)
		return 0;
	p->events = arena_alloc(&p->arena, nr * sizeof(*p->events));
	if (!p->events)
		return -ENOMEM;
	for (size_t i = 0; i < nr && !ret; i++)
		ret = read_event(p, reader, pmscope_perfdata_attr(reader, i));
	return ret;
}

/* The interval that changed is that of all SPE events. */
static void read_intervals(struct provenance *p,
			   const struct pmscope_recording *recording)
{
	struct pmscope_intervals intervals;

	pmscope_recording_intervals(recording, &intervals);
	for (size_t i = 0; intervals.changes && i < p->nr_events; i++) {
		struct provenance_event *event = &p->events[i];

		if (!event->is_spe)
			continue;
		event->least = intervals.least;
		event->most = intervals.most;
		event->changes = intervals.changes;
	}
}

/* Our recordings have it after the times, those of perf record -k elsewhere. */
static void read_wall(struct provenance *p,
		      const struct pmscope_perfdata *reader)
{
	struct rest times = feature_of(reader, PMSCOPE_FEATURE_SAMPLE_TIME);
	struct rest clocks = feature_of(reader, PMSCOPE_FEATURE_CLOCK_DATA);

	if (times.size >= 24)
		p->wall = get64(times.at + 16);
	else if (clocks.size >= 16)
		p->wall = get64(clocks.at + 8);
}

/* Without the feature, for instance in a pipe: the times of all records. */
static int scan_times(struct provenance *p, const struct load *load)
{
	struct pmscope_perfdata *reader;
	struct pmscope_perf_event event;
	int ret =
		pmscope_perfdata_open(pmscope_input_data(load->input),
				      pmscope_input_size(load->input), &reader);

	while (!ret && (ret = pmscope_perfdata_next(reader, &event)) == 1) {
		uint64_t time = event.id.time;

		ret = 0;
		if (!(event.id.has & PERF_SAMPLE_TIME) || !time)
			continue;
		if (!p->begin || time < p->begin)
			p->begin = time;
		p->end = MAX(p->end, time);
	}
	pmscope_perfdata_free(reader);
	return ret == -ENOMEM ? ret : 0;
}

static int read_times(struct provenance *p, const struct load *load,
		      const struct pmscope_perfdata *reader)
{
	struct rest rest = feature_of(reader, PMSCOPE_FEATURE_SAMPLE_TIME);

	if (rest.size >= 16) {
		p->begin = get64(rest.at);
		p->end = get64(rest.at + 8);
	}
	if (p->begin && p->begin <= p->end)
		return 0;
	p->begin = p->end = 0;
	if (!load->stream)
		return scan_times(p, load);
	reader_times(reader, &p->begin, &p->end);
	return 0;
}

int provenance_read(struct provenance *p, const struct load *load)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(load->recording);
	int ret;

	*p = (struct provenance){
		.losses = pmscope_recording_losses(load->recording),
	};
	if (!reader)
		return 0;
	read_machine(p, reader);
	read_wall(p, reader);
	ret = read_args(p, reader)
		      ?: read_cpus(p, load->recording)
		      ?: read_events(p, reader);
	if (!ret)
		read_intervals(p, load->recording);
	return ret ?: read_times(p, load, reader);
}

void provenance_fini(struct provenance *p)
{
	arena_fini(&p->arena);
}
