// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/flows.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

int flows_begin(struct export_worker *worker)
{
	struct flows *flows = calloc(1, sizeof(*flows));

	worker->state = flows;
	if (!flows)
		return -ENOMEM;
	flows->places.bare = true;
	for (size_t i = 0; i < FLOW_KINDS; i++)
		flows->edges[i].most = export_most(worker->export->config);
	return 0;
}

void flows_fini(struct export_worker *worker)
{
	struct flows *flows = worker->state;

	if (!flows)
		return;
	for (size_t i = 0; i < FLOW_KINDS; i++)
		edges_fini(&flows->edges[i]);
	places_fini(&flows->places);
	free(flows->of_place);
	free(flows->numbers);
	free(flows);
}

/* Room for what all places have. Returns 0 or -ENOMEM. */
static int of_place_reserve(struct flows *flows)
{
	size_t size = sizeof(*flows->of_place), max = flows->places.of_hash.max;
	struct flow_place *of_place;

	if (flows->max_of_place >= flows->places.nr)
		return 0;
	of_place = aligned_alloc(size, max * size);
	if (!of_place)
		return -ENOMEM;
	if (flows->max_of_place)
		memcpy(of_place, flows->of_place, flows->max_of_place * size);
	for (size_t i = flows->max_of_place; i < max; i++)
		of_place[i] = (struct flow_place){.taken_to = FLOW_NONE,
						  .path_from = FLOW_NONE};
	free(flows->of_place);
	flows->of_place = of_place;
	flows->max_of_place = max;
	return 0;
}

static int place_of(struct export_worker *worker,
		    const struct thread_cache *current, uint64_t address,
		    uint32_t *number)
{
	struct flows *flows = worker->state;

	return places_find(&flows->places, &worker->load, current, address,
			   number)
		       ?: of_place_reserve(flows);
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

/* Was the operation in @row executed, at an address that is known? */
static bool is_flow(const struct pmscope_batch *batch, size_t row)
{
	return batch->has[row] & PMSCOPE_HAS_PC &&
	       (!(batch->has[row] & PMSCOPE_HAS_EVENTS) ||
		batch->events[row] & PMSCOPE_EVENT_BIT(RETIRED));
}

/* Puts the newest flows of a place to the others. */
static int newest_branch_end(struct flows *flows, uint32_t number)
{
	struct flow_place *at = &flows->of_place[number];
	const struct edge edge = {
		.from = number,
		.to = at->taken_to,
		.samples = at->taken,
		.mispredicted = at->mispredicted,
	};

	at->taken = 0;
	at->mispredicted = 0;
	return edge.to == FLOW_NONE
		       ? 0
		       : edges_add(&flows->edges[FLOW_TAKEN], &edge);
}

static int newest_path_end(struct flows *flows, uint32_t number)
{
	struct flow_place *at = &flows->of_place[number];
	const struct edge edge = {
		.from = at->path_from,
		.to = number,
		.samples = at->path,
	};

	at->path = 0;
	return edge.from == FLOW_NONE
		       ? 0
		       : edges_add(&flows->edges[FLOW_PATH], &edge);
}

static int add_path(struct export_worker *worker,
		    const struct thread_cache *current, uint32_t number,
		    uint64_t before, uint64_t weight)
{
	struct flows *flows = worker->state;
	struct flow_place *at;
	uint32_t from;
	int ret = place_of(worker, current, before, &from);

	if (!ret && flows->of_place[number].path_from != from)
		ret = newest_path_end(flows, number);
	if (ret)
		return ret;
	at = &flows->of_place[number];
	at->path_from = from;
	at->path += weight;
	return 0;
}

static int add_taken(struct export_worker *worker,
		     const struct thread_cache *current, uint32_t number,
		     uint64_t weight)
{
	const struct pmscope_batch *batch = current->sample.batch;
	size_t row = current->sample.row;
	uint64_t target = pmscope_code_address(batch->target[row]);
	struct flows *flows = worker->state;
	struct flow_place *at;
	uint32_t to;
	int ret = place_of(worker, current, target, &to);

	if (!ret && flows->of_place[number].taken_to != to)
		ret = newest_branch_end(flows, number);
	if (ret)
		return ret;
	at = &flows->of_place[number];
	at->taken_to = to;
	at->samples += weight;
	at->taken += weight;
	if (batch->events[row] & PMSCOPE_EVENT_BIT(MISPRED))
		at->mispredicted += weight;
	if (is_return(batch, row)) {
		at->is_return = true;
		flows->of_place[to].returned += weight;
	}
	return 0;
}

int flows_add(struct export_worker *worker, const struct thread_cache *current)
{
	const struct pmscope_batch *batch = current->sample.batch;
	uint64_t weight = load_weight(&worker->load, &current->sample);
	struct flows *flows = worker->state;
	size_t row = current->sample.row;
	uint64_t pc = code_pc(&current->sample, row), before;
	uint32_t number;
	int ret;

	if (!is_flow(batch, row))
		return 0;
	if (place_of(worker, current, pc, &number))
		return -ENOMEM;
	flows->has_others |= batch->op_class[row] != PMSCOPE_OPERATION_BRANCH;
	if (!is_taken(batch, row)) {
		flows->of_place[number].samples += weight;
		flows->of_place[number].next += weight;
		return 0;
	}
	ret = add_taken(worker, current, number, weight);
	if (ret || !(batch->has[row] & PMSCOPE_HAS_PREVIOUS))
		return ret;
	before = pmscope_code_address(batch->previous[row]);
	return before > pc ? 0
			   : add_path(worker, current, number, before, weight);
}

/* What is alike in both, for the place with another number. */
static void place_join(struct flow_place *to, const struct flow_place *from)
{
	to->samples += from->samples;
	to->next += from->next;
	to->returned += from->returned;
	to->is_return |= from->is_return;
}

static int newest_end(struct flows *flows)
{
	int ret = 0;

	for (uint32_t i = 0; i < flows->places.nr && !ret; i++)
		ret = newest_branch_end(flows, i) ?: newest_path_end(flows, i);
	return ret;
}

static int join(struct flows *flows, struct flows *from)
{
	int ret = newest_end(from);

	flows->has_others |= from->has_others;
	if (ret || flows == from)
		return ret;
	from->numbers = calloc(from->places.nr + 1, sizeof(*from->numbers));
	if (!from->numbers ||
	    places_join(&flows->places, &from->places, from->numbers) ||
	    of_place_reserve(flows))
		return -ENOMEM;
	for (size_t i = 0; i < from->places.nr; i++)
		place_join(&flows->of_place[from->numbers[i]],
			   &from->of_place[i]);
	return 0;
}

/* Of branches alone, profiles can be made; of other filters, not. */
static int warn_of_filters(const struct load *load)
{
	FREED char *population = NULL;
	int ret = population_read(load, &population);

	if (!ret && population && strcmp(population, "branches") != 0)
		warning("%s: only %s were taken, and the profile has no "
			"other code: record all operations, or branches with "
			"branch_filter=1 alone",
			load->name, population);
	return ret;
}

int flows_join(struct export *export, struct flows **joined)
{
	struct flows *flows = export->workers[0].state;
	int ret = warn_of_filters(export->load);

	*joined = flows;
	for (unsigned int i = 0; i < export->nr_workers && !ret; i++)
		ret = join(flows, export->workers[i].state);
	return ret
		       ?: places_resolve(&flows->places, export->load->symbols,
					 export->config->binary);
}

/* The numbers of its places, and then by @ranks. NULL if out of memory. */
static uint32_t *numbers_of(const struct flows *flows, const uint32_t *ranks)
{
	uint32_t *numbers = malloc((flows->places.nr + 1) * sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < flows->places.nr; i++) {
		numbers[i] = flows->numbers ? flows->numbers[i] : i;
		if (ranks)
			numbers[i] = ranks[numbers[i]];
	}
	return numbers;
}

static int order(struct flows *flows, enum flow_kind kind,
		 const uint32_t *ranks)
{
	FREED uint32_t *numbers = numbers_of(flows, ranks);

	return numbers ? edges_order(&flows->edges[kind], numbers) : -ENOMEM;
}

int flows_each(struct export *export, enum flow_kind kind,
	       const uint32_t *ranks,
	       int (*take)(void *context, const struct edge *edge),
	       void *context)
{
	const struct edges *sets[MAX_THREADS];
	int ret = 0;

	for (unsigned int i = 0; i < export->nr_workers && !ret; i++) {
		struct flows *flows = export->workers[i].state;

		ret = order(flows, kind, ranks);
		sets[i] = &flows->edges[kind];
	}
	return ret ?: edges_merge(sets, export->nr_workers, take, context);
}

bool flows_have(const struct export *export, enum flow_kind kind)
{
	bool any = false;

	for (unsigned int i = 0; i < export->nr_workers; i++) {
		const struct flows *flows = export->workers[i].state;

		any |= flows->edges[kind].nr || flows->edges[kind].nr_runs;
	}
	return any;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_name(const struct code_binary *binary, const char *name)
{
	char id[BUILD_ID_TEXT];

	build_id_text(id, binary->build_id, binary->build_id_size);
	return !strcmp(binary->dso, name) ||
	       !strcmp(base_name(binary->dso), name) ||
	       (binary->name && !strcmp(binary->name, name)) ||
	       (*id && !strcasecmp(id, name));
}

static void count_samples(struct flows *flows)
{
	struct places *places = &flows->places;

	for (size_t i = 0; i < places->nr; i++)
		places->binaries[places->items[i].binary].samples +=
			flows->of_place[i].samples;
}

int flows_binary(const struct export *export, struct flows *flows,
		 const struct code_binary **chosen)
{
	const char *name = export->config->binary;
	struct places *places = &flows->places;
	uint64_t most = 0, kernel = 0;

	*chosen = NULL;
	count_samples(flows);
	for (size_t i = 0; i < places->nr_binaries; i++) {
		const struct code_binary *binary = &places->binaries[i];

		kernel += binary_is_kernel(binary) ? binary->samples : 0;
		if (binary->samples <= most ||
		    !(binary_is_file(binary) ||
		      (name && binary_is_kernel(binary))) ||
		    (name && !has_name(binary, name)))
			continue;
		*chosen = binary;
		most = binary->samples;
	}
	if (*chosen || (!name && !kernel))
		return 0;
	if (name)
		error("%s has no samples of '%s'; see report --sort=dso",
		      export->load->name, name);
	else
		error("%s has no samples of a program or a library; "
		      "--binary='[kernel.kallsyms]' takes those of the kernel",
		      export->load->name);
	return -ENOENT;
}
