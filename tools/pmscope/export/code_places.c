// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export.h"
#include "base/hash.h"

bool binary_is_file(const struct code_binary *binary)
{
	return !binary->kernel && binary->pid == PMSCOPE_NO_ID && binary->dso;
}

bool binary_is_kernel(const struct code_binary *binary)
{
	return binary->kernel && binary->dso && strcmp(binary->dso, BPF_NAME);
}

bool binary_same(const struct code_binary *a, const struct code_binary *b)
{
	if (a->build_id_size != b->build_id_size ||
	    memcmp(a->build_id, b->build_id, a->build_id_size) != 0)
		return false;
	return a->build_id_size ||
	       (a->dso == b->dso && a->pid == b->pid && a->kernel == b->kernel);
}

struct pmscope_place binary_place(const struct code_binary *binary,
				  uint64_t offset)
{
	return (struct pmscope_place){
		.dso = binary->dso,
		.build_id = binary->build_id,
		.build_id_size = binary->build_id_size,
		.file_offset = offset,
		.kernel = binary->kernel,
		.reference = binary->reference_name,
		.reference_address = binary->reference,
		.pid = binary->pid,
		.around = {offset, UINT64_MAX - offset},
	};
}

static struct code_binary binary_of(const struct pmscope_place *place)
{
	struct code_binary binary = {
		.dso = place->dso,
		.kernel = place->kernel,
		.pid = place->pid,
	};
	size_t size = place->build_id_size;

	if (place->reference && is_kernel_image(place->kernel, place->dso)) {
		binary.reference_name = place->reference;
		binary.reference = place->reference_address;
	}

	size = MIN(size, BUILD_ID_MAX);
	if (size)
		memcpy(binary.build_id, place->build_id, size);
	binary.build_id_size = size;
	/* Of memory that is no file, a name such as "//anon" says nothing. */
	if (place->kernel || size || (place->dso && is_file_name(place->dso)))
		binary.pid = PMSCOPE_NO_ID;
	return binary;
}

static bool binary_is(const struct code_binary *a, const struct code_binary *b)
{
	return a->dso == b->dso && a->pid == b->pid && a->kernel == b->kernel &&
	       a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* There are few, and the newest are looked for most. */
static int binary_number(struct places *places,
			 const struct code_binary *wanted, uint32_t *number)
{
	for (size_t i = places->nr_binaries; i-- > 0;)
		if (binary_is(&places->binaries[i], wanted)) {
			*number = i;
			return 0;
		}
	if (array_room(places->binaries, places->nr_binaries,
		       places->max_binaries))
		return -ENOMEM;
	places->binaries[places->nr_binaries] = *wanted;
	*number = places->nr_binaries++;
	return 0;
}

/* Code in memory of no file: at its address there may be other code later. */
static bool is_made(const struct code_binary *binary)
{
	return binary->pid != PMSCOPE_NO_ID ||
	       (binary->dso && !strcmp(binary->dso, BPF_NAME));
}

/* The number of the place with the binary and offset of @wanted, if known. */
static bool known(const struct places *places, const struct code_place *wanted,
		  uint64_t *hash, uint32_t *number)
{
	*hash = hash_bytes(wanted->binary, &wanted->offset,
			   sizeof(wanted->offset));
	for (; keyed_find(&places->of_hash, *hash, number); ++*hash) {
		const struct code_place *item = &places->items[*number];

		if (item->binary == wanted->binary &&
		    item->offset == wanted->offset &&
		    (item->symbol == wanted->symbol ||
		     !is_made(&places->binaries[wanted->binary])))
			return true;
	}
	return false;
}

/* Names and link addresses are looked up once for each place. */
static int place_look_up(struct pmscope_symbols *symbols,
			 const struct pmscope_place *place,
			 struct code_place *item, struct code_binary *binary,
			 bool with_link)
{
	struct pmscope_symbol symbol;

	if (pmscope_symbols_find(symbols, place, item->address, &symbol) ==
	    -ENOMEM)
		return -ENOMEM;
	if (symbol.dso)
		binary->name = symbol.dso;
	item->symbol = symbol.name;
	item->changes = symbol.changes;
	item->into = symbol.offset;
	item->linked =
		with_link &&
		!pmscope_symbols_link_address(symbols, place, &item->link);
	return 0;
}

int places_resolve(struct places *places, struct pmscope_symbols *symbols,
		   bool with_kernel)
{
	for (size_t i = 0; i < places->nr; i++) {
		struct code_place *item = &places->items[i];
		struct code_binary *binary = &places->binaries[item->binary];
		struct pmscope_place place;

		if (!binary_is_file(binary) &&
		    !(with_kernel && binary_is_kernel(binary)))
			continue;
		place = binary_place(binary, item->offset);
		if (place_look_up(symbols, &place, item, binary, true))
			return -ENOMEM;
	}
	return 0;
}

static int place_number(struct places *places, const struct load *load,
			const struct pmscope_sample *sample, uint64_t address,
			uint32_t *number)
{
	struct pmscope_place place;
	struct code_binary binary, *found;
	struct code_place item = {.address = address};
	bool early;
	uint64_t hash;

	pmscope_recording_place(load->recording, sample, address, &place);
	binary = binary_of(&place);
	item.offset = binary.pid == PMSCOPE_NO_ID && (place.kernel || place.dso)
			      ? place.file_offset
			      : address;
	if (binary_number(places, &binary, &item.binary))
		return -ENOMEM;
	found = &places->binaries[item.binary];
	early = is_made(&binary) && !places->bare;
	if (early &&
	    place_look_up(load->symbols, &place, &item, found, !place.kernel))
		return -ENOMEM;
	if (known(places, &item, &hash, number))
		return 0;
	if (!early && !places->bare &&
	    place_look_up(load->symbols, &place, &item, found, !place.kernel))
		return -ENOMEM;
	return keyed_add(&places->of_hash, sizeof(item), hash, &item, number);
}

int places_find(struct places *places, const struct load *load,
		const struct thread_cache *current, uint64_t address,
		uint32_t *number)
{
	uint64_t space = code_space(address, current);
	uint32_t *known;

	if (!places->numbers)
		places->numbers = code_numbers_new();
	if (!places->numbers)
		return -ENOMEM;
	known = code_number(places->numbers, space, address);
	if (!*known) {
		if (place_number(places, load, &current->sample, address,
				 number))
			return -ENOMEM;
		if (places->items[*number].changes)
			return 0;
		*known = *number + 1;
	}
	*number = *known - 1;
	return 0;
}

int places_join(struct places *places, const struct places *from,
		uint32_t *numbers)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct code_place item = from->items[i];
		uint64_t hash;

		if (binary_number(places, &from->binaries[item.binary],
				  &item.binary))
			return -ENOMEM;
		if (!known(places, &item, &hash, &numbers[i]) &&
		    keyed_add(&places->of_hash, sizeof(item), hash, &item,
			      &numbers[i]))
			return -ENOMEM;
	}
	return 0;
}

static int compare_binaries(const void *a, const void *b, void *binaries)
{
	const struct code_binary *all = binaries;
	const struct code_binary *x = &all[*(const uint32_t *)a];
	const struct code_binary *y = &all[*(const uint32_t *)b];

	return compare_texts(x->dso, y->dso)
		       ?: memcmp(x->build_id, y->build_id, BUILD_ID_MAX)
		       ?: COMPARE(x->pid, y->pid)
		       ?: COMPARE(x->kernel, y->kernel);
}

static int compare_items(const void *a, const void *b, void *items)
{
	const struct code_place *all = items;
	const struct code_place *x = &all[*(const uint32_t *)a];
	const struct code_place *y = &all[*(const uint32_t *)b];

	return COMPARE(x->binary, y->binary)
		       ?: COMPARE(x->offset, y->offset)
		       ?: compare_texts(x->symbol, y->symbol);
}

/*
 * Sorts @nr things of @size bytes by @compare, which compares their numbers.
 * Returns the new number of each, which must be freed, or NULL.
 */
static uint32_t *sort(void *things, size_t nr, size_t size,
		      int (*compare)(const void *, const void *, void *))
{
	uint32_t *order = calloc(2 * nr + 1, sizeof(*order));
	char *sorted = malloc(nr * size + 1);

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return NULL;
	}
	for (size_t i = 0; i < nr; i++)
		order[nr + i] = i;
	qsort_r(order + nr, nr, sizeof(*order), compare, things);
	for (size_t i = 0; i < nr; i++) {
		memcpy(sorted + i * size, (char *)things + order[nr + i] * size,
		       size);
		order[order[nr + i]] = i;
	}
	memcpy(things, sorted, nr * size);
	free(sorted);
	return order;
}

int places_sort(struct places *places, uint32_t *numbers)
{
	uint32_t *binaries = NULL, *items = NULL;
	size_t nr = places->nr_binaries;

	if (!places->nr)
		return 0;
	binaries = sort(places->binaries, nr, sizeof(*places->binaries),
			compare_binaries);
	for (size_t i = 0; binaries && i < places->nr; i++)
		places->items[i].binary = binaries[places->items[i].binary];
	if (binaries)
		items = sort(places->items, places->nr, sizeof(*places->items),
			     compare_items);
	if (items)
		memcpy(numbers, items, places->nr * sizeof(*numbers));
	free(binaries);
	free(items);
	return items ? 0 : -ENOMEM;
}

void places_fini(struct places *places)
{
	free(places->binaries);
	code_numbers_free(places->numbers);
	keyed_fini(&places->of_hash);
	*places = (struct places){};
}
