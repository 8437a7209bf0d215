// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

/* A power of two of a page or more. */
static int option_size(const struct option_row *, const char *arg, void *field)
{
	uint64_t size;
	char *end;

	size = record_read_size(arg, 1, &end);
	if (*end || size & (size - 1) || size < (uint64_t)sysconf(_SC_PAGESIZE))
		return -EINVAL;
	*(uint64_t *)field = size;
	return 0;
}

/* The next of "PAGES,PAGES", made a power of two; none leaves @field alone. */
static int read_pages(const char *arg, char **end, uint64_t *field)
{
	uint64_t page = sysconf(_SC_PAGESIZE), size, power = page;

	size = record_read_size(arg, page, end);
	if (*end == arg)
		return 0;
	if (!size)
		return -EINVAL;
	while (power < size)
		power *= 2;
	*field = power;
	return 0;
}

/* As in perf: "DATA", "DATA,AUX" or ",AUX" in pages, or bytes with a letter. */
static int option_pages(const struct option_row *, const char *arg, void *field)
{
	struct record_sizes *sizes = field;
	char *end;

	if (!*arg || read_pages(arg, &end, &sizes->data))
		return -EINVAL;
	if (*end == ',' && (!end[1] || read_pages(end + 1, &end, &sizes->aux)))
		return -EINVAL;
	return *end ? -EINVAL : 0;
}

/* A level of zstd: without one, the fastest. */
static int option_level(const struct option_row *row, const char *arg,
			void *field)
{
	unsigned int level = 1;

	if (arg && (option_unsigned(row, arg, &level) || !level || level > 22))
		return -EINVAL;
	*(int *)field = level;
	return 0;
}

static const char *const level_rule[] = {"1 to 22, 1 by default", NULL};

/* As perf's -S: "SIZE", or "eSIZE" or "e" for a snapshot at the end, too. */
static int option_flight(const struct option_row *row, const char *arg,
			 void *field)
{
	struct record_flight *flight = field;

	*flight = (struct record_flight){.on = true};
	if (!arg)
		return 0;
	flight->at_exit = *arg == 'e';
	arg += flight->at_exit;
	return *arg || !flight->at_exit ? option_size(row, arg, &flight->size)
					: 0;
}

static int option_heap(const struct option_row *, const char *arg, void *field)
{
	struct record_heap *heap = field;
	char *end = "";

	*heap = (struct record_heap){.on = true, .least = 4096};
	if (arg)
		heap->least = record_read_size(arg, 1, &end);
	return *end || (arg && !*arg) ? -EINVAL : 0;
}

static const char *const heap_rule[] = {"bytes, or with K, M, G", NULL};

static int option_delay(const struct option_row *row, const char *arg,
			void *field)
{
	if (strcmp(arg, "-1") != 0)
		return option_unsigned(row, arg, field) ||
				       *(unsigned int *)field ==
					       DELAY_UNTIL_ENABLED
			       ? -EINVAL
			       : 0;
	*(unsigned int *)field = DELAY_UNTIL_ENABLED;
	return 0;
}

static const char *const size_rule[] = {"a power of two, one page to 1024G",
					NULL};
static const char *const pages_rule[] = {
	"pages, or with B, K, M, G; one page to 1024G", NULL};

#define FIELD(member) offsetof(struct record_config, member)

static const struct option_row options[] = {
	{"output", 'o', "FILE", FIELD(output), option_name, NULL,
	 "write to FILE; - is standard output (default: perf.data)"},
	MEASURE_OPTIONS(struct record_config, measure),
	{"per-thread", 0, NULL, FIELD(per_thread), option_true, NULL,
	 "one buffer per task instead of per CPU; implies -i"},
	{"count", 'c', "N", FIELD(events.period), option_count, NULL,
	 "sample one in N operations with SPE (default: 4096)"},
	{"loads", 0, NULL, FIELD(events.keep.loads), option_true, NULL,
	 "keep samples of loads"},
	{"stores", 0, NULL, FIELD(events.keep.stores), option_true, NULL,
	 "keep samples of stores"},
	{"branches", 0, NULL, FIELD(events.keep.branches), option_true, NULL,
	 "keep samples of branches"},
	{"min-latency", 0, "CYCLES", FIELD(events.keep.min_latency), option_u64,
	 NULL, "keep samples of at least CYCLES cycles"},
	{"event-filter", 0, "MASK", FIELD(events.keep.events), option_u64, NULL,
	 "keep samples with all these events (PMSEVFR_EL1)"},
	{"source", 0, "SOURCES", FIELD(events.source), option_join, NULL,
	 "keep loads with data from SOURCES, for example dram|remote"},
	{"filter", 0, "TERMS", FIELD(events.filter), option_join, NULL,
	 "the same filters in words, for example op=load,lat>=50"},
	{"no-jitter", 0, NULL, FIELD(events.no_jitter), option_true, NULL,
	 "do not vary the sampling interval at random"},
	{"physical", 0, NULL, FIELD(events.physical), option_true, NULL,
	 "record physical data addresses too"},
	{"totals", 0, NULL, FIELD(events.totals), option_true, NULL,
	 "also count the sampled population, so that report can "
	 "estimate totals"},
	{"no-counters", 0, NULL, FIELD(events.no_counters), option_true, NULL,
	 "do not count cycles, instructions and stalls beside SPE"},
	{"no-clock", 0, NULL, FIELD(events.no_clock), option_true, NULL,
	 "do not sample where the time goes beside SPE"},
	{"snapshot", 's', "EVENTS", FIELD(events.snapshot), option_join, NULL,
	 "capture these counters at one instant, -F times a second"},
	{"call-graph", 'g', NULL, FIELD(events.stacks), option_true, NULL,
	 "also record call chains, -F times a second, so that report "
	 "can estimate callers"},
	{"freq", 'F', "HZ", FIELD(events.freq), option_positive_u64, NULL,
	 "snapshots, call chains and samples of the clock per second on "
	 "each CPU (default: 1000, the clock: 999)"},
	{"event", 'e', "EVENTS", FIELD(events.events), option_join, NULL,
	 "record these events (perf syntax) instead of SPE"},
	{"no-spe", 0, NULL, FIELD(events.no_spe), option_true, NULL,
	 "record snapshots only"},
	{"user", 'u', NULL, FIELD(events.user), option_true, NULL,
	 "record user space only"},
	{"kernel", 'k', NULL, FIELD(events.kernel), option_true, NULL,
	 "record the kernel only"},
	{"data", 'd', NULL, FIELD(data_maps), option_true, NULL,
	 "record data mappings, so that data addresses get names"},
	{"heap", 0, "[=MIN]", FIELD(heap), option_heap, heap_rule,
	 "also record what CMD allocates, from MIN bytes on (default: 4096), "
	 "so that addresses of it get names; implies -d"},
	{"cgroup", 'G', "NAME", FIELD(cgroup), option_name, NULL,
	 "only tasks in this control group"},
	{"all-cgroups", 0, NULL, FIELD(events.cgroups), option_true, NULL,
	 "also record the control group of each thread, -F times a "
	 "second"},
	{"max-loss", 0, "PERCENT", FIELD(max_loss), option_u64, NULL,
	 "double the sampling interval while more than PERCENT of the "
	 "SPE buffers lose samples"},
	{"rate", 0, "N", FIELD(rate), option_positive_u64, NULL,
	 "change the sampling interval of each CPU so that it takes "
	 "about N SPE samples per second"},
	{"aux-size", 0, "SIZE", FIELD(sizes.aux), option_size, size_rule,
	 "SPE buffer size per CPU"},
	{"data-size", 0, "SIZE", FIELD(sizes.data), option_size, size_rule,
	 "ring buffer size per CPU, 512K by default"},
	{"mmap-pages", 'm', "DATA[,AUX]", FIELD(sizes), option_pages,
	 pages_rule, "both sizes, as in perf"},
	{"delay", 'D', "MS", FIELD(delay_ms), option_delay, NULL,
	 "start recording MS milliseconds after CMD starts; -1: when "
	 "--control enables the events"},
	{"flight-recorder", 'S', "[=SIZE]", FIELD(flight), option_flight,
	 size_rule,
	 "keep only the newest SPE data, and write it at SIGUSR2, or "
	 "when CMD dies by a signal; with e before SIZE, also at the "
	 "end"},
	{"control", 0, "fd:CTL[,ACK]", FIELD(control), option_name, NULL,
	 "take commands from descriptor CTL, or with fifo: from a "
	 "FIFO, as perf: enable, disable, snapshot, evlist, ping, "
	 "stop"},
	{"duration", 0, "SECONDS", FIELD(limits.duration_ns), option_duration,
	 duration_rule,
	 "end recording, and CMD, after SECONDS; also 10m, 1.5h, 2d"},
	{"max-size", 0, "SIZE", FIELD(limits.max_size), option_max_size,
	 max_size_rule, "end recording, and CMD, when SIZE bytes are written"},
	{"switch-output", 0, "[=WHEN]", FIELD(switching), option_switch,
	 switch_rule, "go on in a new file at SIGUSR2, or by size or time"},
	{"switch-max-files", 0, "N", FIELD(max_files), option_positive_u64,
	 NULL, "keep the newest N of these files"},
	{"compression-level", 'z', "[=LEVEL]", FIELD(compression), option_level,
	 level_rule, "compress with zstd: records, or with -o FILE.zst all"},
	{"quiet", 'q', NULL, FIELD(quiet), option_true, NULL,
	 "do not print a summary"},
	{}};

const struct command_help record_help = {
	.synopsis = "record [OPTIONS] [-- CMD [ARG...]]",
	.about = "Records SPE samples, counter snapshots or both: while CMD "
		 "runs, or of CPUs or\n"
		 "running tasks until the tasks end or Ctrl-C is pressed.  The "
		 "file is a perf.data\n"
		 "that 'pmscope report', 'pmscope script' and perf read.",
	.options = options,
	.program_follows = 1,
};
