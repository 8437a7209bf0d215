// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks up each address once, as report does, and notes what files it takes. */
#include "archive/needs.h"
#include "symbols/files.h"

#define SEEN_BITS 14
#define SEEN_PAGE 8 /* one entry for each 2^8 bytes of addresses */

/* Bytes of one function, and of all: kernels have tens of MB of code. */
#define FUNCTION_MAX ((uint64_t)1 << 20)
#define CODE_MAX     ((uint64_t)64 << 20)

/* Addresses that were looked up; programs loop, so few are new. */
struct seen {
	struct {
		uint64_t space; /* 0: unused */
		uint64_t first;
		uint64_t extent;
	} entries[1 << SEEN_BITS];
};

static size_t slot_of(uint64_t space, uint64_t address)
{
	uint64_t sum =
		(address >> SEEN_PAGE) * UINT64_C(0x9e3779b97f4a7c15) + space;

	return sum * UINT64_C(0xe7037ed1a0b428db) >> (64 - SEEN_BITS);
}

/* Processes and versions of what they map; code and data apart. */
static uint64_t space_of(const struct needs *n, uint32_t pid, bool data)
{
	uint64_t version = pmscope_recording_version(n->load->recording, pid);

	return (pid * UINT64_C(0xbf58476d1ce4e5b9) + version) << 2 | data << 1 |
	       1;
}

static bool was_seen(const struct needs *n, uint64_t space, uint64_t address)
{
	size_t slot = slot_of(space, address);

	return n->seen->entries[slot].space == space &&
	       address - n->seen->entries[slot].first <=
		       n->seen->entries[slot].extent;
}

static void see(struct needs *n, uint64_t space, uint64_t address,
		const struct pmscope_around *around)
{
	size_t slot = slot_of(space, address);

	n->seen->entries[slot].space = space;
	n->seen->entries[slot].first = address - around->before;
	n->seen->entries[slot].extent = around->before + around->behind;
}

static int add_file(struct needs *n, const struct pmscope_place *place)
{
	struct need *files;
	uint32_t at;
	int ret;

	if (map_get(&n->file_of_name, (uintptr_t)place->dso, &at))
		return 0;
	if (array_room(n->files, n->nr_files, n->max_files))
		return -ENOMEM;
	if (map_set(&n->file_of_name, (uintptr_t)place->dso, n->nr_files))
		return -ENOMEM;
	files = &n->files[n->nr_files];
	*files = (struct need){.name = place->dso};
	ret = symbols_file(n->load->symbols, place, &files->path,
			   &files->device, &files->inode);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	files->id_size = place->build_id_size;
	if (files->id_size)
		memcpy(files->id, place->build_id, files->id_size);
	n->nr_files++;
	return 0;
}

static int add_generated(struct needs *n, const struct pmscope_place *place)
{
	uint64_t key = ((uint64_t)(uintptr_t)place->jitdump << 20) ^ place->pid;
	const struct generated generated = {place->pid, place->jitdump};

	return place->pid == PMSCOPE_NO_ID
		       ? 0
		       : keyed_get(&n->generated_of_process, sizeof(generated),
				   key, &generated, &(uint32_t){0});
}

/* Files have their code themselves. */
static bool is_in_kcore(const struct needs *n, const char *path)
{
	const char *image = symbols_image(n->load->symbols);

	for (size_t i = 0; i < n->nr_files; i++)
		if (n->files[i].path && !strcmp(n->files[i].path, path))
			return false;
	return !image || strcmp(image, path) != 0;
}

/* Reads the code from @address on into @code; returns 0 or -errno. */
static int read_code(struct needs *n, struct pmscope_place place,
		     struct kernel_code *code, uint64_t size)
{
	struct pmscope_code one;
	int ret = 0;

	for (; code->size < size; code->size += one.size) {
		ret = pmscope_symbols_code(n->load->symbols, &place,
					   code->address + code->size,
					   code->bytes + code->size,
					   size - code->size, &one);
		if (ret || !one.size || !is_in_kcore(n, one.file))
			break;
		n->machine = one.machine;
		place.file_offset += one.size;
	}
	return ret;
}

static int add_code(struct needs *n, const struct pmscope_place *place,
		    uint64_t address, const struct pmscope_around *around)
{
	struct pmscope_place start = *place;
	struct kernel_code code = {.address = address - around->before};
	uint64_t size = around->before + around->behind + 1;
	uint32_t at;

	if (size > FUNCTION_MAX ||
	    map_get(&n->code_of_address, code.address, &at))
		return 0;
	n->code_full |= n->code_bytes + size > CODE_MAX;
	if (array_room(n->code, n->nr_code, n->max_code) ||
	    map_set(&n->code_of_address, code.address, n->nr_code))
		return -ENOMEM;
	if (n->code_full)
		return 0;
	code.bytes = malloc(size);
	start.file_offset -= around->before;
	if (!code.bytes || read_code(n, start, &code, size) == -ENOMEM) {
		free(code.bytes);
		return -ENOMEM;
	}
	if (!code.size) {
		free(code.bytes);
		return 0;
	}
	n->code_bytes += code.size;
	n->code[n->nr_code++] = code;
	return 0;
}

static int add_kernel(struct needs *n, const struct pmscope_place *place,
		      uint64_t address, const struct pmscope_symbol *symbol)
{
	n->kernel = true;
	if (!module_is(place->dso) && place->build_id_size &&
	    !n->kernel_id_size) {
		n->kernel_id_size = place->build_id_size;
		memcpy(n->kernel_id, place->build_id, place->build_id_size);
	}
	return symbol->name ? add_code(n, place, address, &symbol->around) : 0;
}

static int add_place(struct needs *n, const struct pmscope_place *place,
		     uint64_t address, const struct pmscope_symbol *symbol)
{
	int ret = 0;

	if (place->symbol)
		return 0;
	if (place->kernel) {
		if (module_is(place->dso))
			ret = add_file(n, place);
		return ret ? ret : add_kernel(n, place, address, symbol);
	}
	if (jit_is_mapping(place->dso) && !place->build_id_size)
		return place->dso ? add_generated(n, place) : 0;
	return add_file(n, place);
}

/* Asking for the line is what opens the debug information. */
static int add_address(struct needs *n, const struct pmscope_sample *sample,
		       uint64_t address)
{
	bool kernel = address >> 63;
	uint64_t space =
		space_of(n, kernel ? PMSCOPE_NO_ID : sample->pid, false);
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	struct pmscope_line line;
	int ret;

	if (was_seen(n, space, address))
		return 0;
	pmscope_recording_place(n->load->recording, sample, address, &place);
	ret = pmscope_symbols_find(n->load->symbols, &place, address, &symbol);
	if (ret != -ENOMEM)
		ret = pmscope_symbols_line(n->load->symbols, &place, address,
					   &line);
	if (ret != -ENOMEM)
		ret = add_place(n, &place, address, &symbol);
	see(n, space, address, &symbol.around);
	return ret;
}

/* The start of memory without a file may be the .bss of the file below it. */
static int add_data(struct needs *n, const struct pmscope_sample *sample,
		    uint64_t address)
{
	bool kernel = address >> 63;
	uint64_t space =
		space_of(n, kernel ? PMSCOPE_NO_ID : sample->pid, true);
	const struct load *load = n->load;
	struct pmscope_symbol symbol;
	struct pmscope_place place;
	int ret;

	if (was_seen(n, space, address))
		return 0;
	pmscope_recording_place(load->recording, sample, address, &place);
	ret = pmscope_symbols_find_data(load->symbols, &place, address,
					&symbol);
	see(n, space, address, &symbol.around);
	if (ret == -ENOMEM)
		return ret;
	if (ret && pmscope_recording_place_below(load->recording, sample,
						 address, &place))
		ret = pmscope_symbols_find_data(load->symbols, &place, address,
						&symbol);
	/* Memory without a name needs no file. */
	if (ret || place.symbol)
		return ret == -ENOMEM ? ret : 0;
	n->kernel |= place.kernel;
	if (place.kernel && !module_is(place.dso))
		return 0;
	return jit_is_mapping(place.dso) ? 0 : add_file(n, &place);
}

static int add_record(struct needs *n, const struct pmscope_sample *sample)
{
	const struct pmscope_batch *b = sample->batch;
	size_t row = sample->row;
	int ret = 0;

	if (b->has[row] & PMSCOPE_HAS_PC)
		ret = add_address(n, sample, pmscope_code_address(b->pc[row]));
	if (!ret && b->has[row] & PMSCOPE_HAS_TARGET)
		ret = add_address(n, sample,
				  pmscope_code_address(b->target[row]));
	if (!ret && b->has[row] & PMSCOPE_HAS_VA)
		ret = add_data(n, sample, pmscope_data_address(b->va[row]));
	return ret;
}

/* A return address may belong to the function behind the caller. */
static int add_chain(struct needs *n, const struct pmscope_sample *sample)
{
	int ret = 0;

	for (size_t i = 0; i < sample->nr_chain && !ret; i++)
		ret = add_address(n, sample, sample->chain[i] - !!i);
	return ret;
}

int needs_find(struct needs *n, struct load *load)
{
	struct pmscope_sample sample;
	int ret;

	*n = (struct needs){.load = load, .seen = calloc(1, sizeof(*n->seen))};
	if (!n->seen)
		return -ENOMEM;
	while ((ret = pmscope_recording_next(load->recording, &sample)) > 0) {
		load->has_data = true;
		ret = sample.kind == PMSCOPE_SAMPLE_SPE ? add_record(n, &sample)
		      : sample.kind == PMSCOPE_SAMPLE_CHAIN
			      ? add_chain(n, &sample)
			      : 0;
		if (ret)
			break;
	}
	return ret;
}

void needs_fini(struct needs *n)
{
	for (size_t i = 0; i < n->nr_code; i++)
		free(n->code[i].bytes);
	free(n->code);
	free(n->files);
	free(n->seen);
	map_fini(&n->file_of_name);
	keyed_fini(&n->generated_of_process);
	map_fini(&n->code_of_address);
}
