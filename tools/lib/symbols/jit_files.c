// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "jit_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below @root, where the process has the number @pid. */
static int read_below(struct jit_index *index, const char *root, uint32_t pid,
		      const char *jitdump, struct jit_symbols *jit)
{
	char path[PATH_MAX];
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", root, pid) <
	    (int)sizeof(path))
		ret = jit_read_map(path, jit);
	if (!ret && jitdump &&
	    snprintf(path, sizeof(path), "%s%s", root, jitdump) <
		    (int)sizeof(path))
		ret = jit_read_dump(index, path, pid, jit);
	return ret;
}

/* The process's own number: the last is that of the innermost container. */
static uint32_t own_pid(uint32_t pid)
{
	char path[64], line[256];
	uint32_t own = pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NStgid:\t", 8))
			own = strtoul(strrchr(line, '\t'), NULL, 10);
	if (file)
		fclose(file);
	return own;
}

/* While it runs, what a container calls /tmp can be seen. */
static int read_in_container(struct jit_index *index,
			     const struct pmscope_place *place,
			     struct jit_symbols *jit)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%u/root", place->pid);
	return read_below(index, root, own_pid(place->pid), place->jitdump,
			  jit);
}

int jit_files_read(const struct pmscope_symbols_options *options,
		   struct jit_index *index, const struct pmscope_place *place,
		   struct jit_symbols *jit)
{
	const char *root = options->symfs;
	int ret;

	if (!root && !options->same_machine)
		return 0;
	ret = read_below(index, root ? root : "", place->pid, place->jitdump,
			 jit);
	if (ret || root || jit->table.count)
		return ret;
	return read_in_container(index, place, jit);
}
