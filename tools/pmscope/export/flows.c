// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/flows.h"
#include "base/array.h"
#include "read/symbol_cache.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flows_begin(struct export_worker *worker)
{
	struct flows *flows = calloc(1, sizeof(*flows));

	worker->state = flows;
	if (!flows)
		return -ENOMEM;
	flows->places.bare = true;
	return 0;
}

void flows_fini(struct export_worker *worker)
{
	struct flows *flows = worker->state;

	if (!flows)
		return;
	for (size_t i = 0; i < FLOW_KINDS; i++) {
		free(flows->tables[i].items);
		map_fini(&flows->tables[i].of_places);
	}
	places_fini(&flows->places);
	free(flows->newest);
	free(flows);
}

static int flow_number(struct flow_table *table, uint32_t from, uint32_t to,
		       uint32_t *number)
{
	uint64_t key = (uint64_t)from << 32 | to;
	struct flow *items;

	if (map_get(&table->of_places, key, number))
		return 0;
	items = array_reserve(table->items, table->nr, &table->max,
			      sizeof(*items));
	if (!items)
		return -ENOMEM;
	table->items = items;
	if (map_set(&table->of_places, key, table->nr))
		return -ENOMEM;
	items[table->nr] = (struct flow){.from = from, .to = to};
	*number = table->nr++;
	return 0;
}

/* Room for the newest flows of all places. Returns 0 or -ENOMEM. */
static int newest_reserve(struct flows *flows)
{
	size_t max = flows->places.max;
	uint32_t(*newest)[FLOW_KINDS];

	if (flows->max_newest >= flows->places.nr)
		return 0;
	newest = realloc(flows->newest, max * sizeof(*newest));
	if (!newest)
		return -ENOMEM;
	memset(newest + flows->max_newest, 0,
	       (max - flows->max_newest) * sizeof(*newest));
	flows->newest = newest;
	flows->max_newest = max;
	return 0;
}

/* The flow from one address to another; NULL if out of memory. */
static struct flow *flow_find(struct export_worker *worker,
			      const struct thread_cache *current,
			      enum flow_kind kind, uint64_t from, uint64_t to)
{
	struct flows *flows = worker->state;
	struct flow_table *table = &flows->tables[kind];
	uint32_t at, target, number, *newest;

	if (places_find(&flows->places, &worker->load, current, from, &at))
		return NULL;
	target = at;
	if (to != from &&
	    places_find(&flows->places, &worker->load, current, to, &target))
		return NULL;
	if (newest_reserve(flows))
		return NULL;
	newest = &flows->newest[at][kind];
	if (*newest && table->items[*newest - 1].to == target)
		return &table->items[*newest - 1];
	if (flow_number(table, at, target, &number))
		return NULL;
	*newest = number + 1;
	return &table->items[number];
}

static bool is_return(const struct pmscope_batch *batch, size_t row)
{
	return pmscope_operation_flags(batch->op_class[row], batch->op[row]) &
	       PMSCOPE_OP_RETURN;
}

/* Has the branch in @row a target that it went to? */
static bool is_taken(const struct pmscope_batch *batch, size_t row)
{
	return batch->has[row] & PMSCOPE_HAS_TARGET &&
	       batch->op_class[row] == PMSCOPE_OPERATION_BRANCH &&
	       !(batch->events[row] & PMSCOPE_EVENT_BIT(NOT_TAKEN));
}

static int add_taken(struct export_worker *worker,
		     const struct thread_cache *current, uint64_t pc)
{
	const struct pmscope_batch *batch = current->sample.batch;
	uint64_t weight = load_weight(&worker->load, &current->sample);
	size_t row = current->sample.row;
	uint64_t target = pmscope_code_address(batch->target[row]);
	uint64_t before = pmscope_code_address(batch->previous[row]);
	struct flow *flow = flow_find(worker, current, FLOW_TAKEN, pc, target);

	if (!flow)
		return -ENOMEM;
	flow->samples += weight;
	if (batch->events[row] & PMSCOPE_EVENT_BIT(MISPRED))
		flow->mispredicted += weight;
	flow->is_return = is_return(batch, row);
	if (!(batch->has[row] & PMSCOPE_HAS_PREVIOUS) || before > pc)
		return 0;
	flow = flow_find(worker, current, FLOW_PATH, before, pc);
	if (!flow)
		return -ENOMEM;
	flow->samples += weight;
	return 0;
}

int flows_add(struct export_worker *worker, const struct thread_cache *current)
{
	const struct pmscope_batch *batch = current->sample.batch;
	uint64_t weight = load_weight(&worker->load, &current->sample);
	size_t row = current->sample.row;
	struct flows *flows = worker->state;
	uint64_t pc = code_pc(&current->sample, row);
	struct flow *flow;

	if (!(batch->has[row] & PMSCOPE_HAS_PC)) {
		flows->nowhere++;
		return 0;
	}
	if (batch->has[row] & PMSCOPE_HAS_EVENTS &&
	    !(batch->events[row] & PMSCOPE_EVENT_BIT(RETIRED))) {
		flows->wrong++;
		return 0;
	}
	if (is_taken(batch, row))
		return add_taken(worker, current, pc);
	flow = flow_find(worker, current, FLOW_NEXT, pc, pc);
	if (!flow)
		return -ENOMEM;
	flow->samples += weight;
	if (batch->events[row] & PMSCOPE_EVENT_BIT(MISPRED))
		flow->mispredicted += weight;
	return 0;
}

static int table_join(struct flow_table *table, const struct flow_table *from,
		      const uint32_t *numbers)
{
	for (size_t i = 0; i < from->nr; i++) {
		const struct flow *item = &from->items[i];
		uint32_t number;

		if (flow_number(table, numbers[item->from], numbers[item->to],
				&number))
			return -ENOMEM;
		table->items[number].samples += item->samples;
		table->items[number].mispredicted += item->mispredicted;
		table->items[number].is_return |= item->is_return;
	}
	return 0;
}

static int join(struct flows *flows, const struct flows *from)
{
	uint32_t *numbers = calloc(from->places.nr + 1, sizeof(*numbers));
	int ret = numbers ? places_join(&flows->places, &from->places, numbers)
			  : -ENOMEM;

	for (size_t i = 0; i < FLOW_KINDS && !ret; i++)
		ret = table_join(&flows->tables[i], &from->tables[i], numbers);
	free(numbers);
	flows->wrong += from->wrong;
	flows->nowhere += from->nowhere;
	return ret;
}

struct flows *flows_join(struct export *export)
{
	struct flows *flows = export->workers[0].state;

	for (unsigned int i = 1; i < export->nr_workers; i++)
		if (join(flows, export->workers[i].state))
			return NULL;
	return places_resolve(&flows->places, export->load->symbols) ? NULL
								     : flows;
}
