/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a recording comes from: machine, command, events, times. Printed by
 * print/header.h.
 */
#pragma once

#include "base/arena.h"
#include "read/load.h"

/**
 * struct provenance_cpus - CPUs of one kind
 * @midr: MIDR_EL1; without variant and revision if only CPUID has it
 * @name: for instance "Neoverse N2"; NULL when not known
 * @list: their numbers, for instance "0-3,6"; NULL when not listed
 * @nr: how many @list has
 */
struct provenance_cpus {
	uint64_t midr;
	const char *name;
	const char *list;
	size_t nr;
};

/**
 * struct provenance_event - an event that was recorded
 * @name: as the user wrote it; NULL when the file does not tell
 * @is_spe: of an SPE PMU
 * @period: one sample each @period operations or counts; 0: none is taken
 * @frequency: the same as samples per second; 0 if @period is set
 * @least: SPE: the shortest interval, if it changed while recording; else 0
 * @most: the longest, and
 * @changes: how often it changed, on all CPUs
 * @settings: SPE: format fields that are not 0, for instance
 *	      "ts_enable=1,min_latency=30"; "" for other events
 */
struct provenance_event {
	const char *name;
	bool is_spe;
	uint64_t period;
	uint64_t frequency;
	uint64_t least;
	uint64_t most;
	uint64_t changes;
	const char *settings;
};

/**
 * struct provenance - a NULL, "" or 0 means that the recording does not tell
 * @host: name of the machine
 * @kernel: release of its kernel
 * @arch: as of uname(1)
 * @recorder: the program that wrote the recording and its version: perf's
 *	      alone, or "pmscope 0.1.0"
 * @cpu_desc: perf's description of a CPU
 * @cpus_online: number of CPUs, and
 * @cpus_available: with those that were offline
 * @memory: of the machine, bytes
 * @cpus: CPUs with SPE by kind; without a list, the kind in the header
 * @nr_cpus: number of kinds
 * @args: the command line
 * @nr_args: its words
 * @begin: first time by perf's clock, ns, and next the last one
 * @wall: wall clock, ns since 1970, when it was made
 * @events: all events, in the order of the file
 * @nr_events: how many
 * @losses: of the recording; complete when the samples were read
 */
struct provenance {
	const char *host;
	const char *kernel;
	const char *arch;
	const char *recorder;
	const char *cpu_desc;
	uint32_t cpus_online;
	uint32_t cpus_available;
	uint64_t memory;
	struct provenance_cpus *cpus;
	size_t nr_cpus;
	const char **args;
	size_t nr_args;
	uint64_t begin;
	uint64_t end;
	uint64_t wall;
	struct provenance_event *events;
	size_t nr_events;
	const struct pmscope_losses *losses;
	struct arena arena;
};

/*
 * Strings stay valid until provenance_fini() and load_close(). A bare trace has
 * only the losses. Returns 0 or -ENOMEM; provenance_fini() is needed then, too.
 */
int provenance_read(struct provenance *provenance, const struct load *load);
void provenance_fini(struct provenance *provenance);

/*
 * What kind of operations have samples, if not all have, by how they were
 * recorded and by the filter of the user: for instance "loads of 30 cycles or
 * more that match comm=xz"; NULL if all. Shares are of these, and the program's
 * other operations are not known. To be freed. Returns 0 or -ENOMEM.
 */
int population_read(const struct load *load, char **population);

/* The same by how they were recorded alone. */
int population_recorded(const struct load *load, char **population);
