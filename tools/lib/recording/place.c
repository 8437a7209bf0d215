// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The place of an address in a file, or in the kernel. */
#include "base/names.h"
#include "recording.h"

/*
 * Sets the kernel's reference address, also used for its modules. Modules split
 * the mapping of the kernel; only the first part keeps the recorded offset.
 */
static void place_refer(const struct pmscope_recording *rec,
			struct pmscope_place *place)
{
	const struct mapping *kernel = &rec->machine.kernel;
	const char *name;

	if (!kernel->end)
		return;
	name = rec->machine.dsos[kernel->dso].name;
	if (!name[KERNEL_NAME_LENGTH])
		return;
	place->reference = name + KERNEL_NAME_LENGTH;
	place->reference_address = kernel->file_offset;
}

static void place_fill(const struct pmscope_recording *rec,
		       const struct mapping *m, uint64_t address,
		       struct pmscope_place *place)
{
	const struct dso *dso = &rec->machine.dsos[m->dso];
	bool kernel = place->kernel && is_kernel_name(dso->name);

	place->dso = dso->name;
	place->file_offset = address - m->start + m->file_offset;
	if (place->kernel)
		place_refer(rec, place);
	if (kernel) {
		place->file_offset = address;
		if (rec->kernel)
			dso = &rec->machine.dsos[rec->kernel - 1];
	}
	place->build_id = dso->build_id;
	place->build_id_size = dso->build_id_size;
}

/* For addresses outside of recorded mappings, for example kernel data. */
static void place_fill_kernel(const struct pmscope_recording *rec,
			      uint64_t address, struct pmscope_place *place)
{
	const struct mapping *kernel = &rec->machine.kernel;

	if (kernel->end)
		place_fill(rec, kernel, kernel->start, place);
	place->dso = NULL;
	place->file_offset = address;
}

/* On arm64, the kernel uses the upper half of the address space. */
static struct pmscope_place place_of(const struct pmscope_sample *sample,
				     uint64_t address)
{
	return (struct pmscope_place){
		.kernel = address >> 63,
		.pid = address >> 63 ? PMSCOPE_NO_ID : sample->pid,
		.around = {address & INT64_MAX, ~address & INT64_MAX},
	};
}

/* PMSCOPE_NO_ID equals KERNEL_PID: do not look up an unknown process there. */
static const struct mapping *mapping_at(const struct pmscope_recording *rec,
					uint64_t address,
					struct pmscope_place *place)
{
	if (!place->kernel && place->pid == KERNEL_PID)
		return NULL;
	return machine_mapping(&rec->machine, place->pid, address,
			       &place->around);
}

static uint64_t monotonic_time(const struct pmscope_recording *rec,
			       const struct pmscope_sample *sample)
{
	uint64_t time;

	if (!rec->monotonic || sample->kind != PMSCOPE_SAMPLE_SPE ||
	    !row_time(rec, sample->batch, sample->row, &time))
		return 0;
	return time + rec->skew;
}

/* The process that generated the code describes it, not one that inherited. */
static void place_program(const struct pmscope_recording *rec,
			  const struct pmscope_sample *sample,
			  const struct mapping *m, struct pmscope_place *place)
{
	const struct machine *machine = &rec->machine;
	const struct program *program =
		m ? &machine->programs[m->program]
		  : machine_program(machine, place->pid);

	if (!program)
		return;
	place->pid = program->pid;
	if (!program->jitdump)
		return;
	place->jitdump = machine->dsos[program->jitdump - 1].name;
	place->time = monotonic_time(rec, sample);
}

void pmscope_recording_place(const struct pmscope_recording *rec,
			     const struct pmscope_sample *sample,
			     uint64_t address, struct pmscope_place *place)
{
	const struct mapping *m;

	*place = place_of(sample, address);
	m = place->kernel
		    ? machine_ksymbol(&rec->machine, address, &place->around)
		    : NULL;
	if (m) {
		place->symbol = rec->machine.dsos[m->dso].name;
		place->symbol_offset = address - m->start;
		place->dso = m->file_offset == PERF_RECORD_KSYMBOL_TYPE_BPF
				     ? BPF_NAME
				     : KERNEL_NAME;
		place->file_offset = address;
		return;
	}
	m = mapping_at(rec, address, place);
	if (!place->kernel)
		place_program(rec, sample, m, place);
	if (m)
		place_fill(rec, m, address, place);
	else if (place->kernel)
		place_fill_kernel(rec, address, place);
}

/* Limit for adjacent anonymous mappings that are searched for a file. */
#define MAX_PIECES 16

static bool is_file(const struct pmscope_recording *rec,
		    const struct mapping *m)
{
	return is_file_name(rec->machine.dsos[m->dso].name);
}

bool pmscope_recording_place_below(const struct pmscope_recording *rec,
				   const struct pmscope_sample *sample,
				   uint64_t address,
				   struct pmscope_place *place)
{
	const struct machine *machine = &rec->machine;
	const struct mapping *m;

	*place = place_of(sample, address);
	if (place->kernel)
		return false;
	m = mapping_at(rec, address, place);
	if (!m || is_file(rec, m))
		return false;
	for (int i = 0; i < MAX_PIECES && m && !is_file(rec, m); i++)
		m = machine_mapping(machine, sample->pid, m->start - 1, NULL);
	if (!m || !is_file(rec, m))
		return false;
	place_program(rec, sample, m, place);
	place_fill(rec, m, address, place);
	return true;
}
