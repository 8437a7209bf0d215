// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope trace where room is scarce: on a kernel function, in its tables. */
#include "ktap.h"
#include "programs.h"
#include "../snapshot/events.h"

#include "trace_room.skel.h"

#define MOST 256
#define TRACE                                       \
	"pmscope trace -x, -o - -e inst_retired:k " \
	"__arm64_sys_sched_yield -- ../workload/calls 30 1 2>&1"

static struct trace_room_bpf *stand(void)
{
	struct trace_room_bpf *skel = trace_room_bpf__open_and_load();

	if (!skel || !trace_room_bpf__attach(skel))
		return skel;
	trace_room_bpf__destroy(skel);
	return NULL;
}

static int print_nothing(enum libbpf_print_level level, const char *fmt,
			 va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

/* The output of trace about the calls, and the number of loss lines. */
static void trace(unsigned int *calls, unsigned int *losses)
{
	char line[256];
	FILE *out = popen(TRACE, "r");

	*calls = *losses = 0;
	ASSERT_TRUE(out != NULL);
	while (fgets(line, sizeof(line), out)) {
		printf("# %s", line);
		sscanf(line, "__arm64_sys_sched_yield,%*[^,],%u", calls);
		*losses += !!strstr(line, "not counted");
	}
	EXPECT_EQ(pclose(out), 0);
}

/* The return finds the last place, the entry none; else both are probed. */
TEST(a_function_with_room_for_one)
{
	struct trace_room_bpf *crowd[MOST];
	unsigned int calls, losses;
	int nr = 0, found;

	NEED_KFUNCS();
	if (system("command -v pmscope >/dev/null"))
		SKIP("no pmscope here");
	libbpf_set_print(print_nothing);
	while (nr < MOST && (crowd[nr] = stand()))
		nr++;
	found = nr;
	if (nr > 0 && nr < MOST) {
		trace_room_bpf__destroy(crowd[--nr]);
		trace(&calls, &losses);
		EXPECT_EQ(calls, 30);
		EXPECT_EQ(losses, 0);
	}
	while (nr > 0)
		trace_room_bpf__destroy(crowd[--nr]);
	if (!found || found == MOST)
		SKIP("%d programs find room on a function", found);
}

/* Entries of the table of that name, of all that are loaded. */
static unsigned int entries(const char *name)
{
	struct bpf_map_info info;
	unsigned int nr = 0;
	__u64 key[2], *from;
	__u32 id = 0, size;
	int fd;

	while (!bpf_map_get_next_id(id, &id)) {
		fd = bpf_map_get_fd_by_id(id);
		if (fd < 0)
			continue;
		size = sizeof(info);
		info = (struct bpf_map_info){};
		if (!bpf_map_get_info_by_fd(fd, &info, &size) &&
		    !strcmp(info.name, name) && info.key_size <= sizeof(key))
			for (from = NULL; !bpf_map_get_next_key(fd, from, key);
			     from = key)
				nr++;
		close(fd);
	}
	return nr;
}

/* Calls of 20 processes, which have ended when the line "ready" comes. */
#define TRACE_MANY                                                     \
	"pmscope trace ../workload/calls:calls_short "                 \
	"../workload/calls:calls_long "                                \
	"-- sh -c 'for i in $(seq 20); do ../workload/calls 3; done; " \
	"echo ready; read line' <&%d 2>&1"

TEST(tasks_that_have_ended_take_no_room)
{
	char line[256] = "", command[256];
	int ends[2];
	FILE *out;

	NEED_KFUNCS();
	if (system("command -v pmscope >/dev/null"))
		SKIP("no pmscope here");
	ASSERT_EQ(pipe(ends), 0);
	snprintf(command, sizeof(command), TRACE_MANY, ends[0]);
	out = popen(command, "r");
	ASSERT_TRUE(out != NULL);
	while (strcmp(line, "ready\n") && fgets(line, sizeof(line), out))
		continue;
	EXPECT_EQ(entries("threads"), 0);
	EXPECT_EQ(entries("stacks"), 0);
	EXPECT_GT(entries("totals"), 0);
	EXPECT_LE(entries("totals"), 2 * sysconf(_SC_NPROCESSORS_CONF));
	EXPECT_EQ(write(ends[1], "\n", 1), 1);
	while (fgets(line, sizeof(line), out))
		printf("# %s", line);
	pclose(out);
}
