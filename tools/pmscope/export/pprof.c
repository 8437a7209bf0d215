// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile.proto, compressed by gzip: go tool pprof and others read it.
 * Labels have the names that perf_data_converter gives them. Addresses are
 * offsets in the file: the same code has one location in all processes.
 */
#include "base/hash.h"
#include "export/export.h"

#define FLUSH 65536

/* Of longer chains, the outermost callers are left out. */
#define CALLERS_MAX 1024

/* Fields of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum {
	TYPE_NAME = 1,
	TYPE_UNIT = 2
};
enum {
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3
};
enum {
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	LABEL_UNIT = 4
};
enum {
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,
};
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4
};
enum {
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2
};
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5,
};

static const struct {
	const char *name;
	const char *unit;
} types[] = {
	{"samples", "count"},	     {"latency", "cycles"},
	{"l1d_misses", "count"},     {"llc_misses", "count"},
	{"mispredictions", "count"},
};

enum {
	LABEL_PID,
	LABEL_TID,
	LABEL_COMM,
	LABEL_CPU,
	LABEL_DATA_SRC,
	LABEL_TOTAL,
	LABEL_ISSUE,
	LABEL_TRANSLATION,
	LABEL_OBJECT,
	LABEL_MEMBER,
	NR_LABELS
};

static const char *const label_keys[NR_LABELS] = {
	"pid",	    "tid",	     "comm",	      "cpu",
	"data_src", "total_latency", "issue_latency", "translation_latency",
	"object",   "member",
};

struct pprof {
	struct export *export;
	const struct stack_cells *stacks;
	struct proto_gzip gzip;
	struct proto out; /* of the profile, and scratch for what is in it */
	struct proto message;
	struct proto inner;
	struct strings strings; /* numbers count from 0; in the file from 1 */
	struct map function_of_hash;
	uint32_t nr_functions;
	uint32_t keys[NR_LABELS];
	uint32_t cycles; /* units */
	uint32_t id;
	uint32_t *comms; /* of each thread: a string */
	struct strings callers;
	bool failed;
};

/* The number of a string in the file; text that is not UTF-8 is replaced. */
static uint32_t string_of(struct pprof *p, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	char *clean = length ? malloc(length) : NULL;
	uint32_t number = 0;

	if (!length)
		return 0;
	if (!clean ||
	    strings_intern(&p->strings, clean,
			   text_clean(clean, text, length) - clean, &number)) {
		p->failed = true;
		number = 0;
	}
	free(clean);
	return number + 1;
}

static void flush(struct pprof *p)
{
	if (p->out.used > FLUSH)
		proto_gzip_write(&p->gzip, &p->out);
}

/* Adds @p->message to the profile. */
static void emit(struct pprof *p, unsigned int field)
{
	proto_message(&p->out, field, &p->message);
	proto_clear(&p->message);
	flush(p);
}

static void put_type(struct pprof *p, unsigned int field, const char *name,
		     const char *unit)
{
	proto_number(&p->message, TYPE_NAME, string_of(p, name));
	proto_number(&p->message, TYPE_UNIT, string_of(p, unit));
	emit(p, field);
}

/* Returns the number of a function, which is written when it is new. */
static uint32_t function_of(struct pprof *p, const struct pmscope_frame *frame)
{
	const uint32_t texts[] = {
		string_of(p, frame->name),
		string_of(p, frame->linkage),
		string_of(p, frame->file),
		frame->start,
	};
	uint64_t hash = hash_bytes(0, texts, sizeof(texts));
	uint32_t number;

	if (map_get(&p->function_of_hash, hash, &number))
		return number;
	number = ++p->nr_functions;
	if (map_set(&p->function_of_hash, hash, number))
		p->failed = true;
	proto_number(&p->message, FUNCTION_ID, number);
	proto_number(&p->message, FUNCTION_NAME, texts[0]);
	proto_number(&p->message, FUNCTION_SYSTEM_NAME, texts[1]);
	proto_number(&p->message, FUNCTION_FILE, texts[2]);
	proto_number(&p->message, FUNCTION_START, frame->start);
	emit(p, PROFILE_FUNCTION);
	return number;
}

/*
 * Locations: code by its number, then files, names of threads and callers, as
 * frames around it. Number 0 is none.
 */
static uint64_t code_location(uint32_t place)
{
	return place + UINT64_C(1);
}

static uint64_t binary_location(const struct pprof *p, uint32_t binary)
{
	return p->stacks->places.nr + UINT64_C(1) + binary;
}

static uint64_t unknown_location(const struct pprof *p)
{
	return binary_location(p, p->stacks->places.nr_binaries);
}

static uint64_t comm_location(const struct pprof *p, uint32_t thread)
{
	return unknown_location(p) + 1 + thread;
}

static uint64_t caller_location(const struct pprof *p, uint32_t caller)
{
	return comm_location(p, p->stacks->nr_threads) + caller;
}

static void put_location(struct pprof *p, uint64_t id, uint32_t mapping,
			 uint64_t address, const struct pmscope_frame *frames,
			 int nr)
{
	uint32_t functions[PMSCOPE_FRAMES_MAX];

	for (int i = 0; i < nr; i++)
		functions[i] = function_of(p, &frames[i]);
	proto_number(&p->message, LOCATION_ID, id);
	proto_number(&p->message, LOCATION_MAPPING, mapping);
	proto_number(&p->message, LOCATION_ADDRESS, address);
	for (int i = 0; i < nr; i++) {
		proto_number(&p->inner, LINE_FUNCTION, functions[i]);
		proto_number(&p->inner, LINE_NUMBER, frames[i].line);
		proto_message(&p->message, LOCATION_LINE, &p->inner);
		proto_clear(&p->inner);
	}
	emit(p, PROFILE_LOCATION);
}

static void put_name(struct pprof *p, uint64_t id, uint32_t mapping,
		     const char *name)
{
	const struct pmscope_frame frame = {.name = name, .linkage = name};

	put_location(p, id, mapping, 0, &frame, 1);
}

static int put_locations(struct pprof *p)
{
	const struct places *places = &p->stacks->places;
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];

	for (uint32_t i = 0; i < places->nr; i++) {
		const struct code_place *place = &places->items[i];
		int nr = stacks_frames(p->export, places, place, frames);

		if (nr < 0)
			return nr;
		put_location(p, code_location(i), place->binary + 1,
			     place->offset, frames, nr);
	}
	for (uint32_t i = 0; i < places->nr_binaries; i++)
		put_name(p, binary_location(p, i), i + 1,
			 stacks_binary(&places->binaries[i]));
	put_name(p, unknown_location(p), 0, "[unknown]");
	for (uint32_t i = 0; i < p->stacks->nr_threads; i++)
		put_name(p, comm_location(p, i), 0,
			 stacks_comm(&p->stacks->threads[i]));
	return 0;
}

/* The end of the highest sampled instruction in each file. */
static uint64_t limit_of(const struct places *places, uint32_t binary)
{
	uint64_t limit = 4;

	for (size_t i = 0; i < places->nr; i++) {
		const struct code_place *place = &places->items[i];

		if (place->binary == binary && place->offset + 4 > limit)
			limit = place->offset + 4;
	}
	return limit;
}

static void put_mapping(struct pprof *p, uint32_t number)
{
	const struct places *places = &p->stacks->places;
	const struct code_binary *binary = &places->binaries[number];
	char id[BUILD_ID_TEXT];

	build_id_text(id, binary->build_id, binary->build_id_size);
	proto_number(&p->message, MAPPING_ID, number + 1);
	proto_number(&p->message, MAPPING_LIMIT, limit_of(places, number));
	proto_number(&p->message, MAPPING_FILE,
		     string_of(p, stacks_binary(binary)));
	proto_number(&p->message, MAPPING_BUILD_ID, string_of(p, id));
	for (unsigned int has = MAPPING_HAS_FUNCTIONS;
	     has <= MAPPING_HAS_INLINED; has++)
		proto_number(&p->message, has, true);
	emit(p, PROFILE_MAPPING);
}

/* The file with most samples in user space; the first, if there is none. */
static int program_find(const struct pprof *p, uint32_t *program)
{
	const struct places *places = &p->stacks->places;
	uint64_t most = 0, *samples;

	samples = calloc(places->nr_binaries + 1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < p->stacks->nr_cells; i++) {
		const struct stack_cell *cell = &p->stacks->cells[i];

		if (cell->place != NO_PLACE)
			samples[places->items[cell->place].binary] +=
				cell->samples;
	}
	*program = 0;
	for (uint32_t i = 0; i < places->nr_binaries; i++)
		if (binary_is_file(&places->binaries[i]) && samples[i] > most) {
			most = samples[i];
			*program = i;
		}
	free(samples);
	return 0;
}

/* Readers take the first mapping for the program. */
static int put_mappings(struct pprof *p)
{
	uint32_t nr = p->stacks->places.nr_binaries, program;
	int ret = program_find(p, &program);

	if (!ret && nr)
		put_mapping(p, program);
	for (uint32_t i = 0; !ret && i < nr; i++)
		if (i != program)
			put_mapping(p, i);
	return ret;
}

static void put_label(struct pprof *p, unsigned int key, uint32_t text,
		      uint64_t number, uint32_t unit)
{
	proto_number(&p->inner, LABEL_KEY, p->keys[key]);
	proto_number(&p->inner, LABEL_TEXT, text);
	proto_number(&p->inner, LABEL_NUMBER, number);
	proto_number(&p->inner, LABEL_UNIT, unit);
	proto_message(&p->message, SAMPLE_LABEL, &p->inner);
	proto_clear(&p->inner);
}

static void put_latency(struct pprof *p, const struct stack_cell *cell,
			unsigned int key, uint32_t has, uint16_t cycles)
{
	if (cell->has & has)
		put_label(p, key, 0, cycles, p->cycles);
}

static void put_labels(struct pprof *p, const struct stack_cell *cell)
{
	const struct stack_thread *thread = &p->stacks->threads[cell->thread];
	char text[32];
	const char *source = stacks_source(cell, text);
	const struct stack_data *data =
		cell->data ? &p->stacks->data[cell->data - 1] : NULL;

	if (thread->pid != PMSCOPE_NO_ID)
		put_label(p, LABEL_PID, 0, thread->pid, 0);
	if (thread->tid != PMSCOPE_NO_ID)
		put_label(p, LABEL_TID, 0, thread->tid, 0);
	if (thread->comm)
		put_label(p, LABEL_COMM, p->comms[cell->thread], 0, 0);
	/* Readers drop a number of 0 that has no unit. */
	if (cell->cpu != PMSCOPE_NO_ID)
		put_label(p, LABEL_CPU, 0, cell->cpu, p->id);
	if (source)
		put_label(p, LABEL_DATA_SRC, string_of(p, source), 0, 0);
	if (data) {
		put_label(p, LABEL_OBJECT, string_of(p, data->object), 0, 0);
		put_label(p, LABEL_MEMBER, string_of(p, data->member), 0, 0);
	}
	put_latency(p, cell, LABEL_TOTAL, PMSCOPE_HAS_TOTAL, cell->total);
	put_latency(p, cell, LABEL_ISSUE, PMSCOPE_HAS_ISSUE, cell->issue);
	put_latency(p, cell, LABEL_TRANSLATION, PMSCOPE_HAS_TRANSLATE,
		    cell->translate);
}

/* The location of a caller, which is written when it is new. */
static uint64_t caller_of(struct pprof *p, const char *name, size_t length)
{
	size_t known = p->callers.count;
	uint32_t number = 0;

	if (strings_intern(&p->callers, name, length, &number))
		p->failed = true;
	else if (number == known)
		put_name(p, caller_location(p, number), 0,
			 strings_get(&p->callers, number));
	return caller_location(p, number);
}

/* Of "main;work", the innermost first. Returns how many. */
static size_t callers_of(struct pprof *p, const char *callers,
			 uint64_t locations[CALLERS_MAX])
{
	const char *end = callers + strlen(callers), *begin;
	size_t nr = 0;

	for (; end > callers && nr < CALLERS_MAX; end = begin - 1) {
		begin = memrchr(callers, ';', end - callers);
		begin = begin ? begin + 1 : callers;
		locations[nr++] = caller_of(p, begin, end - begin);
		if (begin == callers)
			break;
	}
	return nr;
}

/* From the code outwards. Returns how many. */
static size_t locations_of(struct pprof *p, const struct stack_cell *cell,
			   uint64_t locations[CALLERS_MAX + 3])
{
	const struct places *places = &p->stacks->places;
	const char *callers =
		stacks_text(p->export->load->stacks, cell->callers);
	bool known = cell->place != NO_PLACE;
	size_t nr = 0;

	locations[nr++] =
		known ? code_location(cell->place) : unknown_location(p);
	locations[nr++] =
		known ? binary_location(p, places->items[cell->place].binary)
		      : unknown_location(p);
	if (callers)
		nr += callers_of(p, callers, locations + nr);
	locations[nr++] = comm_location(p, cell->thread);
	return nr;
}

static void put_cell(struct pprof *p, const struct stack_cell *cell)
{
	uint64_t locations[CALLERS_MAX + 3];
	size_t nr = locations_of(p, cell, locations);
	const uint64_t values[ARRAY_SIZE(types)] = {
		cell->samples,	  cell->cycles,		cell->l1d_misses,
		cell->llc_misses, cell->mispredictions,
	};

	proto_numbers(&p->message, SAMPLE_LOCATIONS, locations, nr);
	proto_numbers(&p->message, SAMPLE_VALUES, values, ARRAY_SIZE(types));
	put_labels(p, cell);
	emit(p, PROFILE_SAMPLE);
}

static int put_header(struct pprof *p)
{
	struct provenance provenance;
	int ret = provenance_read(&provenance, p->export->load);

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		put_type(p, PROFILE_SAMPLE_TYPE, types[i].name, types[i].unit);
	for (size_t i = 0; !ret && i < provenance.nr_events; i++)
		if (!p->export->load->varies && provenance.events[i].is_spe &&
		    provenance.events[i].period) {
			put_type(p, PROFILE_PERIOD_TYPE, "operations", "count");
			proto_number(&p->out, PROFILE_PERIOD,
				     provenance.events[i].period);
			break;
		}
	if (!ret && provenance.end)
		proto_number(&p->out, PROFILE_DURATION,
			     provenance.end - provenance.begin);
	provenance_fini(&provenance);
	proto_number(&p->out, PROFILE_DEFAULT_TYPE,
		     string_of(p, types[0].name));
	return ret;
}

/* Each line of the note is a comment. */
static int put_comments(struct pprof *p)
{
	char *note = note_lines(p->export), *rest = note, *line;
	char *left_out = stacks_left_out(p->stacks);

	if (!note || (p->stacks->level && !left_out)) {
		free(note);
		return -ENOMEM;
	}
	while ((line = strsep(&rest, "\n"))) {
		while (*line == '#' || *line == ' ')
			line++;
		if (*line && *line != '=')
			proto_number(&p->out, PROFILE_COMMENT,
				     string_of(p, line));
	}
	if (left_out) {
		proto_number(&p->out, PROFILE_COMMENT, string_of(p, left_out));
		warning("%s", left_out);
	}
	free(left_out);
	free(note);
	return 0;
}

/* The strings are complete only now. */
static void put_strings(struct pprof *p)
{
	proto_bytes(&p->out, PROFILE_STRING, "", 0);
	for (size_t i = 0; i < p->strings.count; i++) {
		const char *text = strings_get(&p->strings, i);

		proto_bytes(&p->out, PROFILE_STRING, text, strlen(text));
		flush(p);
	}
}

static int names_make(struct pprof *p)
{
	size_t nr = p->stacks->nr_threads;

	p->comms = calloc(nr + 1, sizeof(*p->comms));
	if (!p->comms)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		p->comms[i] = string_of(p, stacks_comm(&p->stacks->threads[i]));
	for (size_t i = 0; i < NR_LABELS; i++)
		p->keys[i] = string_of(p, label_keys[i]);
	p->cycles = string_of(p, "cycles");
	p->id = string_of(p, "id");
	return 0;
}

static int write_profile(struct pprof *p)
{
	int ret = put_header(p) ?: names_make(p);

	ret = ret ?: put_comments(p);
	if (ret)
		return ret;
	ret = put_mappings(p) ?: put_locations(p);
	for (size_t i = 0; !ret && i < p->stacks->nr_cells; i++)
		put_cell(p, &p->stacks->cells[i]);
	put_strings(p);
	proto_gzip_write(&p->gzip, &p->out);
	return ret || p->failed || p->out.failed ? -ENOMEM : 0;
}

static int end(struct export *export)
{
	struct pprof pprof = {
		.export = export,
		.stacks = stacks_join(export),
	};
	int ret = pprof.stacks ? 0 : -ENOMEM, error_code = 0;

	if (!ret)
		ret = proto_gzip_begin(&pprof.gzip, export->file.out);
	if (!ret) {
		ret = write_profile(&pprof);
		error_code = proto_gzip_end(&pprof.gzip);
	}
	if (!ret && error_code) {
		error("%s: %s", export->file.path, strerror(-error_code));
		ret = -EIO;
	}
	proto_fini(&pprof.out);
	proto_fini(&pprof.message);
	proto_fini(&pprof.inner);
	strings_fini(&pprof.strings);
	strings_fini(&pprof.callers);
	map_fini(&pprof.function_of_hash);
	free(pprof.comms);
	return ret;
}

const struct export_format export_pprof = {
	.name = "pprof",
	.needs = EXPORT_CALLERS,
	.begin = stacks_begin,
	.add = stacks_add,
	.end = end,
	.fini = stacks_fini,
};
