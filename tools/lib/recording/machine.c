// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "machine.h"
#include "base/names.h"
#include "perfdata/reader.h"
#include "base/hash.h"

/* Offsets in the bodies of the events (include/uapi/linux/perf_event.h). */
enum {
	MMAP_TID = 4,
	MMAP_ADDR = 8,
	MMAP_LEN = 16,
	MMAP_PGOFF = 24,
	MMAP_NAME = 32,
	MMAP2_BUILD_ID_SIZE = 32,
	MMAP2_BUILD_ID = 36,
	MMAP2_FLAGS = 60,
	MMAP2_NAME = 64,
	COMM_NAME = 8,
	FORK_PPID = 4,
	FORK_TID = 8,
	FORK_PTID = 12,
	FORK_SIZE = 16,
	RUNNING_TID = 4,
	KSYM_LEN = 8,
	KSYM_TYPE = 12,
	KSYM_FLAGS = 14,
	KSYM_NAME = 16,
};

/* The length that the kernel shows for worker names in /proc. */
#define COMM_MAX 63

/* The names that kernels use for memory without a file. */
#define HUGE_PAGES "/anon_hugepage"

#define KSYM_UNREGISTER PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER

uint32_t cgroup_of(const struct machine *m, const struct thread *thread,
		   uint32_t tid)
{
	uint32_t group;

	if (thread && thread->cgroup)
		return thread->cgroup;
	return map_get(&m->cgroup_of_tid, tid, &group) ? group : 0;
}

/* Describes a thread, if it is new. NULL if out of memory. */
static struct thread *machine_thread_get(struct machine *m, uint32_t tid,
					 uint32_t pid)
{
	const struct thread new = {.tid = tid, .pid = pid};
	uint32_t index;

	if (keyed_find(&m->thread_of_tid, tid, &index))
		return &m->threads[index];
	m->epoch++;
	return keyed_item(&m->thread_of_tid, sizeof(new), tid, &new);
}

static struct process *process_get(struct machine *m, uint32_t pid)
{
	const struct process new = {.pid = pid};

	return keyed_item(&m->process_of_pid, sizeof(new), pid, &new);
}

/* Returns NULL if out of memory. */
static struct program *program_get(struct machine *m, struct process *process)
{
	if (process->program)
		return &m->programs[process->program - 1];
	if (array_add(m->programs, m->nr_programs, m->max_programs,
		      (struct program){.pid = process->pid}))
		return NULL;
	process->program = m->nr_programs;
	return &m->programs[process->program - 1];
}

/*
 * Code in huge pages is generated, even if it belongs to a file in hugetlbfs.
 * As in perf, its names are in /tmp/perf-PID.map.
 */
static bool is_huge_code(const struct pmscope_perf_event *e)
{
	static const uint16_t other =
		PERF_RECORD_MISC_MMAP_DATA | PERF_RECORD_MISC_MMAP_BUILD_ID;

	return e->type == PERF_RECORD_MMAP2 && !(e->misc & other) &&
	       get32(e->body + MMAP2_FLAGS) & MAP_HUGETLB;
}

/* The file that @e maps. */
static int mapped_dso(struct machine *m, const struct pmscope_perf_event *e,
		      size_t name_at, uint32_t *index)
{
	const char *name = (const char *)e->body + name_at;
	uint8_t size = e->body[MMAP2_BUILD_ID_SIZE];

	if (is_huge_code(e) && strncmp(name, HUGE_PAGES, strlen(HUGE_PAGES)))
		return machine_dso(m, HUGE_PAGES, strlen(HUGE_PAGES), index);
	if (machine_dso(m, name, strnlen(name, e->size - name_at), index))
		return -ENOMEM;
	if (e->type != PERF_RECORD_MMAP2 ||
	    !(e->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || !size ||
	    size > BUILD_ID_MAX)
		return 0;
	if (size == BUILD_ID_MAX)
		size = build_id_size(e->body + MMAP2_BUILD_ID);
	return machine_dso_with_id(m, e->body + MMAP2_BUILD_ID, size, index);
}

/* ".../jit-PID.dump" */
static bool is_jitdump(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t digits;

	if (!slash || strncmp(slash, "/jit-", 5) != 0)
		return false;
	digits = strspn(slash + 5, "0123456789");
	return digits && !strcmp(slash + 5 + digits, ".dump");
}

/* Forks with the same code learn it too. */
static void set_jitdump(struct machine *m, struct program *program,
			uint32_t dso)
{
	if (program->jitdump == dso + 1)
		return;
	program->jitdump = dso + 1;
	m->files_version++;
}

/*
 * Since Linux 6.4 only the code of a module is where perf says, but the size
 * includes its data. The code ends where the next module starts.
 */
static void end_module(const struct space *kernel, struct mapping *module)
{
	const struct mapping *at = space_find(kernel, module->start, NULL);
	uint64_t end = at ? at->end : module->start;
	struct pmscope_around around = {.behind = module->end - end - 1};

	if (end >= module->end)
		return;
	if (!space_find(kernel, end, &around))
		end += around.behind + 1;
	module->end = end;
}

static int apply_mmap(struct machine *m, const struct pmscope_perf_event *e,
		      size_t name_at)
{
	struct mapping mapping;
	struct process *process;
	struct program *program;
	const char *name;
	uint64_t length;

	if (e->size <= name_at)
		return 0;
	if (mapped_dso(m, e, name_at, &mapping.dso))
		return -ENOMEM;
	length = get64(e->body + MMAP_LEN);
	mapping.start = get64(e->body + MMAP_ADDR);
	mapping.end = mapping.start + length;
	if (mapping.end < mapping.start)
		mapping.end = UINT64_MAX;
	mapping.file_offset = get64(e->body + MMAP_PGOFF);
	process = process_get(m, get32(e->body));
	program = process ? program_get(m, process) : NULL;
	if (!program)
		return -ENOMEM;
	mapping.program = program - m->programs;
	if (process->pid != KERNEL_PID &&
	    !machine_thread_get(m, get32(e->body + MMAP_TID), process->pid))
		return -ENOMEM;
	process->version++;
	name = m->dsos[mapping.dso].name;
	if (process->pid == KERNEL_PID && is_kernel_name(name))
		m->kernel = mapping;
	else if (process->pid == KERNEL_PID)
		end_module(&process->space, &mapping);
	if (is_jitdump(name))
		set_jitdump(m, program, mapping.dso);
	return space_map(&m->pool, &process->space, &mapping);
}

/* After an exec, the process has no mappings. */
static int drop_space(struct machine *m, const struct pmscope_perf_event *e,
		      uint32_t pid)
{
	struct process *process = process_get(m, pid);

	if (!process)
		return -ENOMEM;
	process->parent = 0;
	process->since = e->id.time;
	process->space.root = NULL;
	process->program = 0;
	process->version++;
	return 0;
}

/*
 * A thread that calls exec takes over the TID of the main thread. There is no
 * switch event for that, and CONTEXTIDR keeps the old TID until the next
 * switch.
 */
static int take_number(struct machine *m, const struct pmscope_perf_event *e,
		       uint32_t pid, uint32_t tid)
{
	uint32_t was, index;

	if (!m->switches || !(e->id.has & PERF_SAMPLE_CPU) ||
	    !machine_running(m, e->id.cpu, &was) || was == tid)
		return 0;
	if (keyed_find(&m->thread_of_tid, was, &index) &&
	    m->threads[index].pid == pid)
		m->threads[index].is_now = tid;
	return map_set(&m->tid_of_cpu, e->id.cpu, tid);
}

static int apply_exec(struct machine *m, const struct pmscope_perf_event *e,
		      uint32_t pid)
{
	return take_number(m, e, pid, get32(e->body + 4))
		       ?: drop_space(m, e, pid);
}

static int apply_comm(struct machine *m, const struct pmscope_perf_event *e)
{
	const char *comm = (const char *)e->body + COMM_NAME;
	struct thread *thread;
	uint32_t pid, name;
	size_t n;

	if (e->size <= COMM_NAME)
		return 0;
	n = e->size - COMM_NAME;
	n = strnlen(comm, MIN(n, COMM_MAX));
	pid = get32(e->body);
	thread = machine_thread_get(m, get32(e->body + 4), pid);
	if (!thread || strings_intern(&m->names, comm, n, &name))
		return -ENOMEM;
	thread->pid = pid;
	thread->comm = strings_get(&m->names, name);
	thread->is_now = 0;
	return e->misc & PERF_RECORD_MISC_COMM_EXEC ? apply_exec(m, e, pid) : 0;
}

static int fork_space(struct machine *m, const struct pmscope_perf_event *e,
		      uint32_t ppid, uint32_t pid)
{
	struct process *parent = process_get(m, ppid);
	uint32_t at = parent ? parent - m->processes : 0;
	struct process *child = parent ? process_get(m, pid) : NULL;

	if (!child)
		return -ENOMEM;
	/* The second call may have moved the array. */
	space_fork(&m->pool, &m->processes[at].space, &child->space);
	child->program = 0;
	child->version++;
	child->parent = ppid;
	child->since = e->id.time;
	return 0;
}

static int apply_fork(struct machine *m, const struct pmscope_perf_event *e)
{
	const struct thread *parent;
	const char *comm = NULL;
	struct thread *child;
	uint32_t pid, ppid, cgroup;

	if (e->size < FORK_SIZE)
		return 0;
	pid = get32(e->body);
	ppid = get32(e->body + FORK_PPID);
	parent = machine_thread(m, get32(e->body + FORK_PTID));
	if (parent)
		comm = parent->comm;
	cgroup = cgroup_of(m, parent, get32(e->body + FORK_PTID));
	child = machine_thread_get(m, get32(e->body + FORK_TID), pid);
	if (!child)
		return -ENOMEM;
	child->pid = pid;
	child->comm = comm;
	child->is_now = 0;
	/* What existed before may have been moved since it was started. */
	child->cgroup = e->misc & PERF_RECORD_MISC_FORK_EXEC ? 0 : cgroup;
	if (pid == ppid)
		return 0;
	/* Existed before the recording: perf synthesizes its mappings, too. */
	return e->misc & PERF_RECORD_MISC_FORK_EXEC
		       ? drop_space(m, e, pid)
		       : fork_space(m, e, ppid, pid);
}

static bool is_switch(uint32_t type)
{
	return type == PERF_RECORD_SWITCH ||
	       type == PERF_RECORD_SWITCH_CPU_WIDE ||
	       type == PERF_RECORD_ITRACE_START;
}

/* The first switch event makes tid_of_cpu usable: see machine.switches. */
static bool is_first_switch(const struct machine *m,
			    const struct pmscope_perf_event *e)
{
	return !m->switches && e->type != PERF_RECORD_ITRACE_START;
}

/* The thread that runs after @e on its CPU; false if @e does not name one. */
static bool running_of(const struct pmscope_perf_event *e, uint32_t *pid,
		       uint32_t *tid)
{
	bool out = e->misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (!(e->id.has & PERF_SAMPLE_CPU))
		return false;
	if (e->type != PERF_RECORD_ITRACE_START && !out) {
		*pid = e->id.pid;
		*tid = e->id.tid;
		return e->id.has & PERF_SAMPLE_TID;
	}
	/* A switch in another context names the next thread. */
	if (e->type == PERF_RECORD_SWITCH || e->size < 8)
		return false;
	*pid = get32(e->body);
	*tid = get32(e->body + RUNNING_TID);
	return true;
}

uint32_t machine_breaks(const struct machine *m, uint32_t cpu)
{
	uint32_t breaks;

	return map_get(&m->breaks_of_cpu, cpu, &breaks) ? breaks : 0;
}

int machine_break(struct machine *m, const struct pmscope_perf_event *e)
{
	if (!(e->id.has & PERF_SAMPLE_CPU))
		return 0;
	return map_set(&m->breaks_of_cpu, e->id.cpu,
		       machine_breaks(m, e->id.cpu) + 1);
}

static int apply_switch(struct machine *m, const struct pmscope_perf_event *e)
{
	uint32_t pid, tid;

	if (is_first_switch(m, e)) {
		m->epoch++;
		m->switches = true;
	}
	if (machine_break(m, e))
		return -ENOMEM;
	if (!running_of(e, &pid, &tid))
		return 0;
	if (!machine_thread_get(m, tid, pid))
		return -ENOMEM;
	return map_set(&m->tid_of_cpu, e->id.cpu, tid);
}

/* Unregistered symbols stay, without a name. The type is the file offset. */
static int apply_ksymbol(struct machine *m, const struct pmscope_perf_event *e)
{
	struct mapping mapping = {};
	const char *name = "";
	size_t length = 0;

	if (e->size <= KSYM_NAME)
		return 0;
	mapping.start = get64(e->body);
	mapping.end = mapping.start + get32(e->body + KSYM_LEN);
	mapping.file_offset = get16(e->body + KSYM_TYPE);
	if (!(get16(e->body + KSYM_FLAGS) & KSYM_UNREGISTER)) {
		name = (const char *)e->body + KSYM_NAME;
		length = strnlen(name, e->size - KSYM_NAME);
	}
	if (machine_dso(m, name, length, &mapping.dso))
		return -ENOMEM;
	m->ksyms_version++;
	return space_map(&m->pool, &m->ksyms, &mapping);
}

bool machine_is_changed_by(const struct machine *m,
			   const struct pmscope_perf_event *e)
{
	uint32_t pid, tid;

	/* Threads and addresses of a guest are unrelated to the host's. */
	if (is_of_guest(e->misc))
		return false;
	if (!is_switch(e->type) || is_first_switch(m, e))
		return true;
	return running_of(e, &pid, &tid) && !machine_thread(m, tid);
}

int machine_apply(struct machine *m, const struct pmscope_perf_event *e)
{
	if (is_of_guest(e->misc))
		return 0;
	if (is_switch(e->type))
		return apply_switch(m, e);
	m->epoch++;
	switch (e->type) {
	case PERF_RECORD_MMAP:
		return apply_mmap(m, e, MMAP_NAME);
	case PERF_RECORD_MMAP2:
		return apply_mmap(m, e, MMAP2_NAME);
	case PERF_RECORD_COMM:
		return apply_comm(m, e);
	case PERF_RECORD_FORK:
		return apply_fork(m, e);
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(m, e);
	default:
		return 0;
	}
}

const struct thread *machine_thread(const struct machine *m, uint32_t tid)
{
	uint32_t index;

	return keyed_find(&m->thread_of_tid, tid, &index) ? &m->threads[index]
							  : NULL;
}

bool machine_running(const struct machine *m, uint32_t cpu, uint32_t *tid)
{
	return map_get(&m->tid_of_cpu, cpu, tid);
}

const struct mapping *machine_mapping(const struct machine *m, uint32_t pid,
				      uint64_t address,
				      struct pmscope_around *around)
{
	uint32_t index;

	if (!keyed_find(&m->process_of_pid, pid, &index))
		return NULL;
	return space_find(&m->processes[index].space, address, around);
}

uint64_t machine_version(const struct machine *m, uint32_t pid)
{
	uint64_t version = m->files_version;
	uint32_t index;

	if (keyed_find(&m->process_of_pid, pid, &index))
		version += m->processes[index].version;
	if (pid == KERNEL_PID)
		version += m->ksyms_version;
	return version;
}

const struct program *machine_program(const struct machine *m, uint32_t pid)
{
	uint32_t index;

	if (!keyed_find(&m->process_of_pid, pid, &index) ||
	    !m->processes[index].program)
		return NULL;
	return &m->programs[m->processes[index].program - 1];
}

uint32_t machine_begin(const struct machine *m, uint32_t pid, uint64_t *since)
{
	uint32_t index;

	*since = 0;
	if (!keyed_find(&m->process_of_pid, pid, &index))
		return 0;
	*since = m->processes[index].since;
	return m->processes[index].parent;
}

const struct mapping *machine_ksymbol(const struct machine *m, uint64_t address,
				      struct pmscope_around *around)
{
	const struct mapping *found = space_find(&m->ksyms, address, around);

	return found && *m->dsos[found->dso].name ? found : NULL;
}

void machine_fini(struct machine *m)
{
	strings_fini(&m->names);
	keyed_fini(&m->dso_of_key);
	free(m->programs);
	keyed_fini(&m->cgroup_of_id);
	map_fini(&m->cgroup_of_tid);
	keyed_fini(&m->thread_of_tid);
	keyed_fini(&m->process_of_pid);
	map_fini(&m->tid_of_cpu);
	map_fini(&m->breaks_of_cpu);
	space_pool_fini(&m->pool);
}

/* The mapped files, identified by name and, if that is ambiguous, build-id. */

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

/*
 * Control groups of threads. No record tells that a thread is moved; samples
 * with PERF_SAMPLE_CGROUP tell where it is. PERF_RECORD_CGROUP has the path of
 * a group.
 */

#define CGROUP_PATH 8  /* in the body of the record, behind the number */
#define NUMBER_MAX  20 /* decimal digits of 64 bits */

static int set_name(struct machine *m, uint32_t group, const char *name,
		    size_t size)
{
	uint32_t number;

	if (strings_intern(&m->names, name, size, &number))
		return -ENOMEM;
	m->cgroups[group].name = strings_get(&m->names, number);
	return 0;
}

static int group_get(struct machine *m, uint64_t id, uint32_t *group)
{
	char number[NUMBER_MAX + 1];
	const struct cgroup new = {.id = id};

	if (keyed_find(&m->cgroup_of_id, id, group))
		return 0;
	if (keyed_add(&m->cgroup_of_id, sizeof(new), id, &new, group))
		return -ENOMEM;
	return set_name(m, *group, number, text_unsigned(number, id) - number);
}

int cgroup_name(struct machine *m, const struct pmscope_perf_event *record)
{
	const char *path = (const char *)record->body + CGROUP_PATH;
	uint32_t group;
	size_t length;

	if (record->size <= CGROUP_PATH)
		return 0;
	length = strnlen(path, record->size - CGROUP_PATH);
	if (group_get(m, get64(record->body), &group))
		return -ENOMEM;
	return length ? set_name(m, group, path, length) : 0;
}

int cgroup_foresee(struct machine *m, uint32_t tid, uint64_t id)
{
	uint32_t group;

	if (map_get(&m->cgroup_of_tid, tid, &group))
		return 0;
	return group_get(m, id, &group)
		       ?: map_set(&m->cgroup_of_tid, tid, group + 1);
}

bool cgroup_is_changed_by(const struct machine *m, uint32_t tid, uint64_t id)
{
	uint32_t group = cgroup_of(m, machine_thread(m, tid), tid);

	return !group || m->cgroups[group - 1].id != id;
}

int cgroup_apply(struct machine *m, const struct pmscope_perf_event *event,
		 uint64_t id)
{
	struct thread *thread;
	uint32_t group;

	if (!cgroup_is_changed_by(m, event->id.tid, id))
		return 0;
	thread = machine_thread_get(m, event->id.tid, event->id.pid);
	if (!thread || group_get(m, id, &group))
		return -ENOMEM;
	thread->cgroup = group + 1;
	m->epoch++;
	return 0;
}
