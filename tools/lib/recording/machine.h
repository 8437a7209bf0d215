/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * The state of the recorded machine at one moment: its threads, their names
 * and mappings, and who runs on each CPU. Side-band events update it.
 */
#pragma once

#include "base/space.h"

#define KERNEL_PID UINT32_MAX

struct thread {
	uint32_t tid;
	uint32_t pid;
	const char *comm; /* in machine.names; NULL: unknown */
	uint32_t is_now;  /* TID that it took over in an exec; 0: none */
	uint32_t cgroup;  /* in machine.cgroups, + 1; 0: see cgroup_of_tid */
};

/* A control group; without its path, @name is its number. */
struct cgroup {
	uint64_t id;
	const char *name;
};

/*
 * A process from its fork or exec to the next exec. Forked children may use
 * code that it generated beyond that.
 */
struct program {
	uint32_t pid;
	uint32_t jitdump; /* DSO + 1; 0: none */
};

struct process {
	uint32_t pid;
	uint32_t program; /* index + 1; 0: it has mapped nothing yet */
	uint32_t version; /* counts changes of what is mapped */
	uint32_t parent;  /* that it was forked from; 0: none, or it did exec */
	uint64_t since;	  /* of that, in ns */
	struct space space;
};

/*
 * A mapped file; @build_id_size is 0 if unknown. Files with the same name, for
 * example from containers, differ in the build-id: @first is the one seen
 * first. Each has a copy of the name, so the address of the name identifies the
 * file.
 */
struct dso {
	const char *name;
	uint32_t first;
	uint8_t build_id[20];
	uint8_t build_id_size;
};

struct machine {
	KEYED(struct thread, threads, nr_threads, thread_of_tid);
	KEYED(struct process, processes, nr_processes, process_of_pid);

	struct program *programs;
	size_t nr_programs;
	size_t max_programs;

	KEYED(struct cgroup, cgroups, nr_cgroups, cgroup_of_id);
	struct map cgroup_of_tid; /* the first that is known of a thread, + 1 */

	struct strings names; /* of DSOs, threads and control groups */
	/* The key is the name, or name and build-id. */
	KEYED(struct dso, dsos, nr_dsos, dso_of_key);
	uint32_t files_version; /* counts changes of build-ids and jitdumps */

	uint64_t epoch; /* counts changes, except of tid_of_cpu */
	struct map tid_of_cpu;
	struct map breaks_of_cpu;
	bool switches;	    /* the recording has context switches */
	struct space ksyms; /* code that the kernel generated: BPF */
	uint32_t ksyms_version;
	struct space_pool pool;
	struct mapping kernel; /* of the kernel image; @end is 0: unknown */
};

/* Applies one side-band event. Returns 0 or -ENOMEM. */
int machine_apply(struct machine *m, const struct pmscope_perf_event *event);

/* Would applying @event begin a new epoch? */
bool machine_is_changed_by(const struct machine *m,
			   const struct pmscope_perf_event *event);

/* NULL if no event described the thread. */
const struct thread *machine_thread(const struct machine *m, uint32_t tid);

/* The thread that last ran on @cpu, see @switches. */
bool machine_running(const struct machine *m, uint32_t cpu, uint32_t *tid);

/* @pid may be KERNEL_PID. NULL when nothing is mapped there; see space.h. */
const struct mapping *machine_mapping(const struct machine *m, uint32_t pid,
				      uint64_t address,
				      struct pmscope_around *around);

/*
 * Counts the switches on @cpu, and what machine_break() notes: what ran did not
 * go on. machine_break() returns 0 or -ENOMEM.
 */
uint32_t machine_breaks(const struct machine *m, uint32_t cpu);
int machine_break(struct machine *m, const struct pmscope_perf_event *event);

/* Counts changes of the mappings of @pid, which may be KERNEL_PID. */
uint64_t machine_version(const struct machine *m, uint32_t pid);

/* The current state of @pid; NULL if unknown, or if it has no mappings. */
const struct program *machine_program(const struct machine *m, uint32_t pid);

/* Since when @pid has its memory, and from whom; 0: it has its own. */
uint32_t machine_begin(const struct machine *m, uint32_t pid, uint64_t *since);

/* The BPF program or trampoline at @address; its DSO has its name. */
const struct mapping *machine_ksymbol(const struct machine *m, uint64_t address,
				      struct pmscope_around *around);

/* The first DSO with this name, new or old. Returns 0 or -ENOMEM. */
int machine_dso(struct machine *m, const char *name, size_t size,
		uint32_t *index);

/* Replaces the first DSO of a name by the one with this build-id as well. */
int machine_dso_with_id(struct machine *m, const uint8_t *id, size_t size,
			uint32_t *index);

/*
 * cgroup_name() learns the path of a control group, and
 * cgroup_foresee() the first group of a thread. cgroup_apply() moves a thread
 * to the group that its sample @event tells, which begins a new epoch if
 * cgroup_is_changed_by(). They return 0 or -ENOMEM. cgroup_of() is the group of
 * a thread now, + 1; 0: unknown.
 */
int cgroup_name(struct machine *m, const struct pmscope_perf_event *record);
int cgroup_foresee(struct machine *m, uint32_t tid, uint64_t id);
int cgroup_apply(struct machine *m, const struct pmscope_perf_event *event,
		 uint64_t id);
bool cgroup_is_changed_by(const struct machine *m, uint32_t tid, uint64_t id);
uint32_t cgroup_of(const struct machine *m, const struct thread *thread,
		   uint32_t tid);

void machine_fini(struct machine *m);
