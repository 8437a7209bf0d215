// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/caches.h"

/* Not 0, even for pid 0 without mappings: a space of 0 means none. */
static uint64_t space_part(const struct load *load, uint32_t pid)
{
	return UINT64_C(0x2545f4914f6cdd1d) +
	       pid * UINT64_C(0xc2b2ae3d27d4eb4f) +
	       pmscope_recording_version(load->recording, pid) *
		       UINT64_C(0x165667b19e3779f9);
}

void thread_cache_renew(struct thread_cache *current, const struct load *load,
			const struct pmscope_run *run, size_t row)
{
	struct pmscope_sample *s = &current->sample;

	pmscope_recording_run_sample(load->recording, run, row, s);
	current->known = true;
	current->thread = (uintptr_t)s->comm * UINT64_C(0x9fb21c651e98df25) +
			  (uintptr_t)s->cgroup * UINT64_C(0x85ebca77c2b2ae63) +
			  s->tid * UINT64_C(0x165667b19e3779f9) +
			  s->pid * UINT64_C(0xc2b2ae3d27d4eb4f);
	current->on_cpu = hash_finish(current->thread +
				      s->cpu * UINT64_C(0x27d4eb2f165667c5));
	current->user = space_part(load, s->pid);
	current->kernel = space_part(load, PMSCOPE_NO_ID);
}
