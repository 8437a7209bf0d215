// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope trace where room is scarce. */
#include "ktap.h"
#include "programs.h"
#include "../snapshot/events.h"

#include <stdlib.h>

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

/* What trace says of the calls; how many of its lines tell of a loss. */
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

/* The return finds the last place, the entry none: both are probed otherwise.
 */
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

KTAP_MAIN
