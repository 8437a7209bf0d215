// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The mapped files, identified by name and, if that is ambiguous, build-id. */
#include "base/hash.h"
#include "machine.h"

static int dso_add(struct machine *m, uint64_t key, const char *name,
		   uint32_t *index)
{
	const struct dso new = {.name = name, .first = m->nr_dsos};

	return name ? keyed_add(&m->dso_of_key, sizeof(new), key, &new, index)
		    : -ENOMEM;
}

int machine_dso(struct machine *m, const char *name, size_t size,
		uint32_t *index)
{
	uint32_t number;

	/* No kernel reports a longer path; it is printed with each row. */
	if (size >= PATH_MAX)
		size = PATH_MAX - 1;
	if (strings_intern(&m->names, name, size, &number))
		return -ENOMEM;
	if (keyed_find(&m->dso_of_key, number, index))
		return 0;
	return dso_add(m, number, strings_get(&m->names, number), index);
}

static bool dso_has_id(const struct dso *dso, const uint8_t *id, size_t size)
{
	return dso->build_id_size == size && !memcmp(dso->build_id, id, size);
}

static void dso_set_id(struct dso *dso, const uint8_t *id, size_t size)
{
	memcpy(dso->build_id, id, size);
	dso->build_id_size = size;
}

/* Keys with this bit are hashes of build-ids; numbers of names are smaller. */
#define ID_KEY (UINT64_C(1) << 63)

static uint64_t id_key(uint32_t first, const uint8_t *id, size_t size)
{
	return hash_bytes(first, id, size) | ID_KEY;
}

/* Adds another file with the name of @first, as a copy. */
static int dso_add_with_id(struct machine *m, uint64_t key, uint32_t first,
			   const uint8_t *id, size_t size, uint32_t *index)
{
	const char *name = m->dsos[first].name;
	int ret = dso_add(m, key,
			  arena_copy(&m->names.arena, name, strlen(name) + 1),
			  index);

	if (ret)
		return ret;
	m->dsos[*index].first = first;
	dso_set_id(&m->dsos[*index], id, size);
	return 0;
}

int machine_dso_with_id(struct machine *m, const uint8_t *id, size_t size,
			uint32_t *index)
{
	uint32_t first = *index;
	uint64_t key;

	if (dso_has_id(&m->dsos[first], id, size))
		return 0;
	if (!m->dsos[first].build_id_size) {
		dso_set_id(&m->dsos[first], id, size);
		m->files_version++;
		return 0;
	}
	/* If two have the same hash, the second uses the next key. */
	for (key = id_key(first, id, size);
	     keyed_find(&m->dso_of_key, key, index); key = (key + 1) | ID_KEY)
		if (m->dsos[*index].first == first &&
		    dso_has_id(&m->dsos[*index], id, size))
			return 0;
	return dso_add_with_id(m, key, first, id, size, index);
}
