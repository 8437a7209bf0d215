// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "recorder_priv.h"

#include <signal.h>

#define FIRST_MAX 64

/* Its index, or that of the next larger one. */
static size_t place_of(const struct living *living, pid_t pid)
{
	size_t begin = 0, end = living->nr;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (living->pid[middle] < pid)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static bool has(const struct living *living, size_t at, pid_t pid)
{
	return at < living->nr && living->pid[at] == pid;
}

static int grow(struct living *living)
{
	size_t max;
	pid_t *pids;

	if (living->nr < living->max)
		return 0;
	living_prune(living);
	if (living->nr < living->max / 2)
		return 0;
	max = living->max ? 2 * living->max : FIRST_MAX;
	pids = realloc(living->pid, max * sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	living->pid = pids;
	living->max = max;
	return 0;
}

static int add(struct living *living, pid_t pid)
{
	size_t at;

	if (has(living, place_of(living, pid), pid))
		return 0;
	if (grow(living))
		return -ENOMEM;
	at = place_of(living, pid);
	memmove(living->pid + at + 1, living->pid + at,
		(living->nr - at) * sizeof(*living->pid));
	living->pid[at] = pid;
	living->nr++;
	return 0;
}

int living_note(struct living *living, const struct perf_event_header *header)
{
	uint32_t pid;

	if (header->size < sizeof(*header) + sizeof(pid) ||
	    (header->type != PERF_RECORD_FORK &&
	     header->type != PERF_RECORD_COMM))
		return 0;
	memcpy(&pid, header + 1, sizeof(pid));
	return (pid_t)pid > 0 ? add(living, pid) : 0;
}

void living_prune(struct living *living)
{
	size_t nr = 0;

	for (size_t i = 0; i < living->nr; i++)
		if (!kill(living->pid[i], 0) || errno != ESRCH)
			living->pid[nr++] = living->pid[i];
	living->nr = nr;
}

void living_free(struct living *living)
{
	free(living->pid);
	*living = (struct living){};
}
