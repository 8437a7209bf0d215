// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "records.h"
#include "base/names.h"
#include "system.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/utsname.h>

static struct pmscope_build_id *read_id(const struct mmap2_record *map)
{
	struct pmscope_build_id *id = calloc(1, sizeof(*id));
	char path[96];

	snprintf(path, sizeof(path),
		 "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, map->tid,
		 map->start, map->start + map->len);
	if (id && buildid_of_file(path, id))
		return id;
	free(id);
	return NULL;
}

/*
 * The build-id of a file mapped by a running thread. @ids: a cache of earlier
 * results per file; release its items with free(). Reads the mapped file
 * itself, even if another file has its name by now, or in this mount namespace.
 * Returns NULL if it has none, or if we may not read it.
 */
static const struct pmscope_build_id *
pmscope_mapped_id(struct named *ids, const struct mmap2_record *map)
{
	const struct stat file = {
		.st_dev = makedev(map->maj, map->min),
		.st_ino = map->ino,
	};
	bool is_new;
	void **id;

	if (!map->ino)
		return NULL;
	id = named_file(ids, &file, &is_new);
	if (id && is_new)
		*id = read_id(map);
	return id ? *id : NULL;
}

#define KERNEL_PID UINT32_MAX
#define COMM_MAX   64 /* of the kernel's workers, with a newline */

struct comm_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	char name[];
};

struct namespaces_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	uint64_t nr;
	struct perf_ns_link_info link[NR_NAMESPACES];
};

struct cgroup_record {
	struct perf_event_header header;
	uint64_t id;
	char path[];
};

/* A record with room for a path and a trailer. */
union record {
	struct perf_event_header header;
	struct namespaces_record namespaces;
	struct mmap_record mmap;
	struct mmap2_record mmap2;
	struct comm_record comm;
	struct cgroup_record cgroup;
	char bytes[sizeof(struct mmap2_record) + PATH_MAX + 128];
};

/* Adds the trailer to the first @size bytes of @record. */
static int emit_sized(const struct synth *synth, union record *record,
		      size_t size)
{
	memset(record->bytes + size, 0, synth->trailer);
	record->header.size = size + synth->trailer;
	return synth->emit(synth->context, &record->header);
}

/* Completes @record, whose fields are set, with @name and the trailer. */
static int emit(const struct synth *synth, union record *record, size_t name_at,
		const char *name)
{
	size_t len = strlen(name) + 1, size = name_at + ((len + 7) & ~7UL);

	if (size + synth->trailer > sizeof(*record))
		return 0;
	memset(record->bytes + name_at, 0, size - name_at);
	memcpy(record->bytes + name_at, name, len);
	return emit_sized(synth, record, size);
}

static int emit_kernel_mmap(const struct synth *synth, const char *name,
			    uint64_t start, uint64_t len, uint64_t pgoff)
{
	union record record = {
		.mmap.header.type = PERF_RECORD_MMAP,
		.mmap.header.misc = PERF_RECORD_MISC_KERNEL,
		.mmap.pid = KERNEL_PID,
		.mmap.start = start,
		.mmap.len = len,
		.mmap.pgoff = pgoff,
	};

	return emit(synth, &record, offsetof(struct mmap_record, name), name);
}

/* The kernel's text; @start is 0 if unknown. */
struct text {
	const char *name; /* of the symbol at @start */
	uint64_t start;
	uint64_t end;
};

/* From the symbols that bound it. */
static struct text find_text(void)
{
	/* Use the first that exists; not every kernel lists all. */
	static const char *const starts[] = {"_text", "_stext"};
	static const char *const ends[] = {"_etext", "_edata", "_end"};
	uint64_t start_at[2] = {}, end_at[3] = {}, address;
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], name[128];

	while (file && !(start_at[0] && end_at[0]) &&
	       fgets(line, sizeof(line), file)) {
		const char *space = strchr(line, ' ');

		/* "ADDRESS T NAME": there are very many of them. */
		if (!space || !space[1] || space[3] != '_' ||
		    sscanf(line, "%" SCNx64 " %*c %127s", &address, name) != 2)
			continue;
		for (int i = 0; i < 2; i++)
			if (!strcmp(name, starts[i]))
				start_at[i] = address;
		for (int i = 0; i < 3; i++)
			if (!strcmp(name, ends[i]))
				end_at[i] = address;
	}
	if (file)
		fclose(file);
	return (struct text){
		.name = starts[!start_at[0]],
		.start = start_at[!start_at[0]],
		.end = end_at[0]   ? end_at[0]
		       : end_at[1] ? end_at[1]
				   : end_at[2],
	};
}

/* A kernel module that is loaded */
struct module {
	char name[64];
	char path[512]; /* its file, or "[name]" */
	uint64_t start;
	uint64_t size;
};

/* A module whose file is unknown keeps its path. */
static int find_paths(struct module *modules, size_t nr)
{
	CLEANUP(module_index_fini) struct module_index index = {};
	char path[PATH_MAX];
	struct utsname uts;
	const char *file;
	int ret = 0;

	uname(&uts);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep",
		 uts.release);
	for (size_t i = 0; i < nr && ret != -ENOMEM; i++) {
		ret = module_index_find(&index, path, modules[i].name, &file);
		if (!ret && file)
			snprintf(modules[i].path, sizeof(modules[i].path),
				 "/lib/modules/%s/%.400s", uts.release, file);
	}
	return ret == -ENOMEM ? ret : 0;
}

static COMPARISON(compare_starts, struct module, COMPARE(x->start, y->start));

/* /proc/modules: name, size, uses, users, state, address. */
static struct module *read_modules(size_t *nr)
{
	FILE *file = fopen("/proc/modules", "re");
	struct module *modules = NULL, m;
	char *line = NULL;
	size_t size = 0;

	*nr = 0;
	while (file && getline(&line, &size, file) > 0) {
		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64,
			   m.name, &m.size, &m.start) != 3 ||
		    !m.start)
			continue;
		snprintf(m.path, sizeof(m.path), "[%s]", m.name);
		if (array_one_more(modules, *nr))
			break;
		modules[(*nr)++] = m;
	}
	free(line);
	if (file)
		fclose(file);
	return modules;
}

static int synth_modules(const struct synth *synth)
{
	FREED struct module *m = NULL;
	size_t nr, i;
	int ret = 0;

	m = read_modules(&nr);
	if (nr) {
		qsort(m, nr, sizeof(*m), compare_starts);
		ret = find_paths(m, nr);
	}
	for (i = 0; i < nr && !ret; i++) {
		/* The size counts data too, which is elsewhere. */
		if (i + 1 < nr && m[i].size > m[i + 1].start - m[i].start)
			m[i].size = m[i + 1].start - m[i].start;
		ret = emit_kernel_mmap(synth, m[i].path, m[i].start, m[i].size,
				       0);
	}
	return ret;
}

int synth_kernel(const struct synth *synth)
{
	struct text text = find_text();
	char name[64];
	int ret;

	if (!text.start || text.end <= text.start)
		return 0;
	/* perf relocates by the symbol in the name, at the address pgoff. */
	snprintf(name, sizeof(name), KERNEL_NAME "%s", text.name);
	ret = emit_kernel_mmap(synth, name, text.start, text.end - text.start,
			       text.start);
	if (!ret)
		ret = synth_modules(synth);
	return ret ? ret : 1;
}

static int synth_comm(const struct synth *synth, pid_t pid, pid_t tid)
{
	union record record = {
		.comm.header.type = PERF_RECORD_COMM,
		.comm.pid = pid,
		.comm.tid = tid,
	};
	char name[COMM_MAX + 1];

	/* The task may have ended in the meantime. */
	if (sysfs_read(name, sizeof(name), "/proc/%d/task/%d/comm", pid, tid) <
	    0)
		return 0;
	return emit(synth, &record, offsetof(struct comm_record, name), name);
}

/* Ends the line; the kernel writes a newline within the name as \012. */
static void decode_name(char *name)
{
	char *to = name;

	name[strcspn(name, "\n")] = '\0';
	while (*name) {
		bool newline = !strncmp(name, "\\012", 4);

		*to++ = newline ? '\n' : *name;
		name += newline ? 4 : 1;
	}
	*to = '\0';
}

/* In place of device and inode. */
static void set_build_id(struct mmap2_record *map,
			 const struct pmscope_build_id *id)
{
	memset(map->reserved, 0, sizeof(map->reserved));
	memset(map->build_id, 0, sizeof(map->build_id));
	map->build_id_size = id->size;
	memcpy(map->build_id, id->id, id->size);
	map->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
}

int synth_map(const struct synth *synth, pid_t pid, pid_t tid, char *line)
{
	const struct pmscope_build_id *id;
	unsigned int maj, min;
	char perms[5], *name;
	uint64_t start, end, pgoff, ino;
	union record record;
	int at = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   "%n",
		   &start, &end, perms, &pgoff, &maj, &min, &ino, &at) != 7)
		return 0;
	if (perms[2] != 'x' && !synth->data_maps)
		return 0;
	name = line + at + strspn(line + at, " ");
	decode_name(name);
	record.mmap2 = (struct mmap2_record){
		.header.type = PERF_RECORD_MMAP2,
		.header.misc =
			PERF_RECORD_MISC_USER |
			(perms[2] == 'x' ? 0 : PERF_RECORD_MISC_MMAP_DATA),
		.pid = pid,
		.tid = tid,
		.start = start,
		.len = end - start,
		.pgoff = pgoff,
		.maj = maj,
		.min = min,
		.ino = ino,
		.prot = (perms[0] == 'r' ? PROT_READ : 0) |
			(perms[1] == 'w' ? PROT_WRITE : 0) |
			(perms[2] == 'x' ? PROT_EXEC : 0),
		.flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
	};
	id = pmscope_mapped_id(synth->ids, &record.mmap2);
	if (id)
		set_build_id(&record.mmap2, id);
	return emit(synth, &record, offsetof(struct mmap2_record, name),
		    *name ? name : "//anon");
}

/* Returns 1 if there is none, for example because the thread has ended. */
static int synth_maps(const struct synth *synth, pid_t pid, pid_t tid)
{
	char path[64], line[PATH_MAX + 128];
	FILE *file;
	int ret = 1;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/maps", pid, tid);
	file = fopen(path, "re");
	while (file && ret >= 0 && fgets(line, sizeof(line), file))
		ret = synth_map(synth, pid, tid, line);
	if (file)
		fclose(file);
	return ret;
}

/* The process of a thread; 0 when it has ended. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[128];
	FILE *file;
	pid_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	/* The groups follow, possibly very many. */
	while (file && !pid && fgets(line, sizeof(line), file))
		if (!strncmp(line, "Tgid:", 5))
			pid = atoi(line + 5);
	if (file)
		fclose(file);
	return pid;
}

/* Also writes names of other threads than the first. */
static int synth_comms(const struct synth *synth, pid_t pid, pid_t *other)
{
	struct dirent *entry;
	char path[64];
	int ret;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	/* The process's own name comes first: threads are its children. */
	ret = synth_comm(synth, pid, pid);
	while (dir && !ret && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || tid == pid)
			continue;
		*other = tid;
		ret = synth_comm(synth, pid, tid);
	}
	if (dir)
		closedir(dir);
	return ret;
}

static int synth_process(const struct synth *synth, pid_t pid)
{
	pid_t other = 0;
	int ret =
		synth_comms(synth, pid, &other) ?: synth_maps(synth, pid, pid);

	/* The process continues after its first thread has ended. */
	if (ret > 0 && other)
		ret = synth_maps(synth, pid, other);
	return ret > 0 ? 0 : ret;
}

static int synth_all(const struct synth *synth)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int ret = 0;

	while (dir && !ret && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = synth_process(synth, atoi(entry->d_name));
	if (dir)
		closedir(dir);
	return ret;
}

int synth_namespaces(const struct synth *synth)
{
	static const char *const names[NR_NAMESPACES] = {
		[NET_NS_INDEX] = "net",	      [UTS_NS_INDEX] = "uts",
		[IPC_NS_INDEX] = "ipc",	      [PID_NS_INDEX] = "pid",
		[USER_NS_INDEX] = "user",     [MNT_NS_INDEX] = "mnt",
		[CGROUP_NS_INDEX] = "cgroup",
	};
	union record record = {
		.namespaces.header.type = PERF_RECORD_NAMESPACES,
		.namespaces.pid = getpid(),
		.namespaces.tid = getpid(),
		.namespaces.nr = NR_NAMESPACES,
	};
	char path[64];
	struct stat st;

	for (int i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		if (stat(path, &st))
			continue;
		record.namespaces.link[i].dev = st.st_dev;
		record.namespaces.link[i].ino = st.st_ino;
	}
	/* A kernel without modules has nothing to write. */
	if (!record.namespaces.link[PID_NS_INDEX].ino)
		return 0;
	return emit_sized(synth, &record, sizeof(record.namespaces));
}

/* The number of a control group is that of its directory. */
static int emit_cgroup(const struct synth *synth, int dir, const char *path)
{
	union record record = {.cgroup.header.type = PERF_RECORD_CGROUP};
	struct stat st;

	if (fstat(dir, &st))
		return 0;
	record.cgroup.id = st.st_ino;
	return emit(synth, &record, offsetof(struct cgroup_record, path),
		    *path ? path : "/");
}

/* The groups in @dir, which this closes; @path has room for PATH_MAX. */
static int synth_cgroups_in(const struct synth *synth, int dir, char *path)
{
	size_t length = strlen(path);
	int ret = emit_cgroup(synth, dir, path);
	DIR *entries = fdopendir(dir);
	struct dirent *entry;

	if (!entries)
		close(dir);
	while (entries && !ret && (entry = readdir(entries))) {
		int child;

		if (entry->d_type != DT_DIR || *entry->d_name == '.' ||
		    length + strlen(entry->d_name) + 2 > PATH_MAX)
			continue;
		child = openat(dir, entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child < 0)
			continue;
		sprintf(path + length, "/%s", entry->d_name);
		ret = synth_cgroups_in(synth, child, path);
		path[length] = '\0';
	}
	if (entries)
		closedir(entries);
	return ret;
}

int synth_cgroups(const struct synth *synth)
{
	char path[PATH_MAX];
	int dir = cgroup_open("", path);
	struct statfs fs;

	if (dir < 0)
		return 0;
	/* Where version 1 is mounted, the directory above is no group. */
	if (fstatfs(dir, &fs) || (fs.f_type != CGROUP2_SUPER_MAGIC &&
				  fs.f_type != CGROUP_SUPER_MAGIC)) {
		close(dir);
		return 0;
	}
	*path = '\0';
	return synth_cgroups_in(synth, dir, path);
}

static int synth_target(const struct synth *synth, const struct target *target)
{
	pid_t pid, last = 0;
	int ret = 0;

	if (target->system_wide)
		return synth_all(synth);
	/* The threads of a process are adjacent. */
	for (size_t i = 0; i < target->nr_tasks && !ret; i++, last = pid) {
		pid = process_of(target->task[i]);
		if (pid && pid != last)
			ret = synth_process(synth, pid);
	}
	return ret;
}

int synth_tasks(const struct synth *synth, const struct target *target)
{
	struct named ids = {};
	struct synth looked_up = *synth;
	int ret;

	looked_up.ids = &ids;
	ret = synth_target(&looked_up, target);
	named_fini(&ids, free);
	return ret;
}
