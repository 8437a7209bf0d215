// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "records.h"
#include "base/containers.h"
#include "base/names.h"
#include "pmu.h"
#include "system.h"

#include <dirent.h>
#include <sys/utsname.h>
#include <time.h>

#define NODES	 "/sys/devices/system/node"
#define BLOB_MAX 65000 /* fits in a record of a pipe */

/* Hands the feature to the writer, and empties @blob. */
static int blob_write(struct blob *blob, struct pmscope_writer *w,
		      unsigned int feature)
{
	int ret = blob->failed ? -ENOMEM
			       : pmscope_writer_feature(w, feature, blob->data,
							blob->size);

	blob_fini(blob);
	return ret;
}

static int write_uname(struct pmscope_writer *w)
{
	struct utsname name;
	int ret;

	if (uname(&name))
		return 0;
	ret = pmscope_writer_string(w, PMSCOPE_FEATURE_HOSTNAME, name.nodename);
	if (!ret)
		ret = pmscope_writer_string(w, PMSCOPE_FEATURE_OSRELEASE,
					    name.release);
	if (!ret)
		ret = pmscope_writer_string(w, PMSCOPE_FEATURE_VERSION,
					    "pmscope " PMSCOPE_VERSION);
	if (!ret)
		ret = pmscope_writer_string(w, PMSCOPE_FEATURE_ARCH,
					    name.machine);
	return ret;
}

/* perf uses MIDR_EL1 to look up the events of the CPU. */
static int write_cpuid(struct pmscope_writer *w)
{
	uint64_t midr = sysfs_midr(PMSCOPE_CPUS, 0);
	char text[64];

	if (!midr)
		return 0;
	snprintf(text, sizeof(text), "0x%016" PRIx64, midr_cpuid(midr));
	return pmscope_writer_string(w, PMSCOPE_FEATURE_CPUID, text);
}

static int write_cpus(struct pmscope_writer *w)
{
	struct blob blob = {};

	blob_u32(&blob, sysconf(_SC_NPROCESSORS_CONF));
	blob_u32(&blob, sysconf(_SC_NPROCESSORS_ONLN));
	return blob_write(&blob, w, PMSCOPE_FEATURE_NRCPUS);
}

/* Finds the line "NAME: 123 kB" in the text; 0 if there is none. */
static uint64_t kilobytes(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static int write_memory(struct pmscope_writer *w)
{
	struct blob blob = {};
	char text[8192];

	if (sysfs_read(text, sizeof(text), "/proc/meminfo") < 0)
		return 0;
	blob_u64(&blob, kilobytes(text, "MemTotal:"));
	return blob_write(&blob, w, PMSCOPE_FEATURE_TOTAL_MEM);
}

static void blob_numa_node(struct blob *blob, int node)
{
	char memory[8192], cpus[PMSCOPE_CPULIST_TEXT];

	sysfs_read(memory, sizeof(memory), NODES "/node%d/meminfo", node);
	sysfs_read(cpus, sizeof(cpus), NODES "/node%d/cpulist", node);
	blob_u32(blob, node);
	blob_u64(blob, kilobytes(memory, "MemTotal:"));
	blob_u64(blob, kilobytes(memory, "MemFree:"));
	blob_string(blob, cpus);
}

static int write_numa(struct pmscope_writer *w)
{
	struct cpulist nodes = {};
	struct blob blob = {};

	/* Nodes are listed as CPUs are. */
	if (cpulist_read(&nodes, NODES "/online"))
		return 0;
	blob_u32(&blob, nodes.nr);
	for (size_t i = 0; i < nodes.nr; i++)
		blob_numa_node(&blob, nodes.cpu[i]);
	cpulist_free(&nodes);
	return blob_write(&blob, w, PMSCOPE_FEATURE_NUMA_TOPOLOGY);
}

/* Blocks of memory that a node has, as bits; at @bits how many there may be. */
struct blocks {
	uint64_t *words;
	size_t nr_words;
	uint64_t bits;
};

static bool blocks_add(struct blocks *blocks, uint32_t block)
{
	size_t word = block / 64;
	uint64_t *words;

	if (word >= blocks->nr_words) {
		words = realloc(blocks->words, (word + 1) * sizeof(*words));
		if (!words)
			return false;
		memset(words + blocks->nr_words, 0,
		       (word + 1 - blocks->nr_words) * sizeof(*words));
		blocks->words = words;
		blocks->nr_words = word + 1;
	}
	blocks->words[word] |= UINT64_C(1) << block % 64;
	if (block >= blocks->bits)
		blocks->bits = block + 1;
	return true;
}

static void blob_memory_node(struct blob *blob, int node)
{
	struct blocks blocks = {};
	struct dirent *entry;
	unsigned int block;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), NODES "/node%d", node);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "memory%u", &block) == 1 &&
		    !blocks_add(&blocks, block))
			blob->failed = true;
	if (dir)
		closedir(dir);
	blob_u64(blob, node);
	blob_u64(blob, blocks.bits);
	blob_u64(blob, blocks.bits);
	blob_bytes(blob, blocks.words, blocks.nr_words * sizeof(uint64_t));
	free(blocks.words);
}

/* Writes the memory blocks of each node, if the kernel has memory blocks. */
static int write_memory_nodes(struct pmscope_writer *w)
{
	struct cpulist nodes = {};
	CLEANUP(blob_fini) struct blob blob = {};
	char block_size[32];

	if (sysfs_read(block_size, sizeof(block_size),
		       "/sys/devices/system/memory/block_size_bytes") <= 0 ||
	    cpulist_read(&nodes, NODES "/online"))
		return 0;
	blob_u64(&blob, 1); /* the version */
	blob_u64(&blob, strtoull(block_size, NULL, 16));
	blob_u64(&blob, nodes.nr);
	for (size_t i = 0; i < nodes.nr; i++)
		blob_memory_node(&blob, nodes.cpu[i]);
	cpulist_free(&nodes);
	/* Memory may be too far apart for a record of a pipe. */
	if (blob.size <= BLOB_MAX)
		return blob_write(&blob, w, PMSCOPE_FEATURE_MEM_TOPOLOGY);
	return 0;
}

static int write_pmus(struct pmscope_writer *w)
{
	DIR *dir = opendir(PMSCOPE_PMU_DEVICES);
	struct blob blob = {}, pmus = {};
	struct pmu pmu;
	struct dirent *entry;
	uint32_t nr = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    pmu_open(&pmu, PMSCOPE_PMU_DEVICES, entry->d_name, NULL))
			continue;
		blob_u32(&pmus, pmu.type);
		blob_string(&pmus, pmu.name);
		pmu_close(&pmu);
		nr++;
	}
	closedir(dir);
	blob_u32(&blob, nr);
	blob_bytes(&blob, pmus.data, pmus.size);
	blob.failed |= pmus.failed;
	blob_fini(&pmus);
	return blob_write(&blob, w, PMSCOPE_FEATURE_PMU_MAPPINGS);
}

int facts_system(struct pmscope_writer *w)
{
	static int (*const facts[])(struct pmscope_writer *) = {
		write_uname, write_cpus,	 write_cpuid, write_memory,
		write_numa,  write_memory_nodes, write_pmus,
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(facts) && !ret; i++)
		ret = facts[i](w);
	return ret;
}

int facts_command(struct pmscope_writer *w, char *const *argv)
{
	struct blob blob = {};
	uint32_t nr = 0;

	while (argv[nr])
		nr++;
	blob_u32(&blob, nr);
	for (uint32_t i = 0; i < nr; i++)
		blob_string(&blob, argv[i]);
	return blob_write(&blob, w, PMSCOPE_FEATURE_CMDLINE);
}

static size_t members(const unsigned int *group, size_t nr, size_t leader)
{
	size_t last = leader;

	while (last < nr && group[last] == group[leader])
		last++;
	return last - leader;
}

int facts_groups(struct pmscope_writer *w, const unsigned int *group, size_t nr)
{
	struct blob blob = {}, groups = {};
	uint32_t nr_groups = 0;

	for (size_t i = 0; i < nr; i += members(group, nr, i)) {
		if (members(group, nr, i) < 2)
			continue;
		nr_groups++;
		/* perf's name for a group that has none. */
		blob_string(&groups, "{anon_group}");
		blob_u32(&groups, i);
		blob_u32(&groups, members(group, nr, i));
	}
	blob_u32(&blob, nr_groups);
	blob_bytes(&blob, groups.data, groups.size);
	blob.failed |= groups.failed;
	blob_fini(&groups);
	return blob_write(&blob, w, PMSCOPE_FEATURE_GROUP_DESC);
}

int facts_times(struct pmscope_writer *w, uint64_t first, uint64_t last)
{
	struct timespec now;
	uint64_t times[] = {first, last, 0};

	/* perf reads the first two. */
	if (!clock_gettime(CLOCK_REALTIME, &now))
		times[2] = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	return pmscope_writer_feature(w, PMSCOPE_FEATURE_SAMPLE_TIME, times,
				      sizeof(times));
}
