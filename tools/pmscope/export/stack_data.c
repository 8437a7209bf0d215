// SPDX-License-Identifier: GPL-2.0-or-later
/* What the samples of a profile load and store: objects and members by name. */
#include "base/hash.h"
#include "export/export.h"

static const char *text_of(struct stack_cells *stacks, const char *field,
			   const struct view *view, uint64_t *key)
{
	char room[FIELD_ROOM];
	const char *text = field_row_text(
		field_find(field, strlen(field), FIELD_FILTER), view, room);
	uint32_t number;

	*key = hash_bytes(*key, text, strlen(text)) | 1;
	return strings_intern(&stacks->names, text, strlen(text), &number)
		       ? NULL
		       : strings_get(&stacks->names, number);
}

/* The number of what @names has; @symbol is whose stack it may be. */
static int data_number(struct stack_cells *stacks,
		       const struct pmscope_sample *s, const char *symbol,
		       const struct data_names *names, uint32_t *number)
{
	struct view view = {.sample = s, .has = PMSCOPE_HAS_VA};
	struct stack_data data = {};

	view.va = pmscope_data_address(s->batch->va[s->row]);
	view.symbol.name = symbol;
	data_names_show(names, &view);
	data.object = text_of(stacks, "object", &view, &data.key);
	data.member = text_of(stacks, "member", &view, &data.key);
	return data.object && data.member
		       ? keyed_get(&stacks->data_of_key, sizeof(data), data.key,
				   &data, number)
		       : -ENOMEM;
}

int stack_data_find(struct export_worker *worker,
		    const struct thread_cache *current, struct stack_cell *cell)
{
	struct stack_cells *stacks = worker->state;
	const struct pmscope_sample *s = &current->sample;
	const char *symbol = NULL;
	struct data_names names;
	uint64_t hash = 0;
	uint32_t number;

	if (stacks->slice || stacks->level >= STACK_NO_CPUS ||
	    !(s->batch->has[s->row] & PMSCOPE_HAS_VA))
		return 0;
	if (!stacks->variables)
		stacks->variables = data_symbols_new();
	if (!stacks->variables)
		return -ENOMEM;
	names = data_names_find(stacks->variables, &worker->load.names, current,
				DEP_DATA | DEP_MEMBER);
	if (cell->place != NO_PLACE)
		symbol = stacks->places.items[cell->place].symbol;
	if (!names.variable->name)
		hash = (uintptr_t)symbol;
	hash = deps_data(hash, &names);
	if (!map_get(&stacks->data_of_variable, hash, &number) &&
	    (data_number(stacks, s, symbol, &names, &number) ||
	     map_set(&stacks->data_of_variable, hash, number)))
		return -ENOMEM;
	cell->data = stacks->data[number].key;
	return 0;
}

static COMPARISON(compare_data, struct stack_data,
		  compare_texts(x->object, y->object)
			  ?: compare_texts(x->member, y->member));

int stack_data_sort(struct stack_cells *stacks)
{
	int ret = 0;

	if (stacks->nr_data)
		qsort(stacks->data, stacks->nr_data, sizeof(*stacks->data),
		      compare_data);
	map_fini(&stacks->data_of_key.of_key);
	for (size_t i = 0; i < stacks->nr_data && !ret; i++)
		ret = map_set(&stacks->data_of_key.of_key, stacks->data[i].key,
			      i + 1);
	for (size_t i = 0; i < stacks->nr_cells && !ret; i++) {
		uint32_t number = 0;

		map_get(&stacks->data_of_key.of_key, stacks->cells[i].data,
			&number);
		stacks->cells[i].data = number;
	}
	return ret;
}
