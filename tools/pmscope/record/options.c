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

#define CONFIG struct record_config

static const struct option_row options[] = {
	OPT("output", 'o', "FILE", output, name,
	    "write to FILE; - is standard output (default: perf.data)"),
	MEASURE_OPTIONS,
	FLAG("per-thread", 0, per_thread,
	     "one buffer per task instead of per CPU; implies -i"),
	OPT("count", 'c', "N", events.period, count,
	    "sample one in N operations with SPE (default: 4096)"),
	FLAG("loads", 0, events.keep.loads, "keep samples of loads"),
	FLAG("stores", 0, events.keep.stores, "keep samples of stores"),
	FLAG("branches", 0, events.keep.branches, "keep samples of branches"),
	OPT("min-latency", 0, "CYCLES", events.keep.min_latency, u64,
	    "keep samples of at least CYCLES cycles"),
	OPT("event-filter", 0, "MASK", events.keep.events, u64,
	    "keep samples with all these events (PMSEVFR_EL1)"),
	OPT("source", 0, "SOURCES", events.source, join,
	    "keep loads with data from SOURCES, for example dram|remote"),
	OPT("filter", 0, "TERMS", events.filter, join,
	    "the same filters in words, for example op=load,lat>=50"),
	FLAG("no-jitter", 0, events.no_jitter,
	     "do not vary the sampling interval at random"),
	FLAG("physical", 0, events.physical,
	     "record physical data addresses too"),
	FLAG("totals", 0, events.totals,
	     "also count the sampled population, so that report can estimate "
	     "totals"),
	FLAG("no-counters", 0, events.no_counters,
	     "do not count cycles, instructions and stalls beside SPE"),
	FLAG("no-clock", 0, events.no_clock,
	     "do not sample where the time goes beside SPE"),
	OPT("snapshot", 's', "EVENTS", events.snapshot, join,
	    "capture these counters at one instant, -F times a second"),
	FLAG("call-graph", 'g', events.stacks,
	     "also record call chains, -F times a second, so that report can "
	     "estimate callers"),
	OPT("freq", 'F', "HZ", events.freq, positive_u64,
	    "snapshots, call chains and samples of the clock per second on "
	    "each CPU (default: 1000, the clock: 999)"),
	OPT("event", 'e', "EVENTS", events.events, join,
	    "record these events (perf syntax) instead of SPE"),
	FLAG("no-spe", 0, events.no_spe, "record snapshots only"),
	FLAG("user", 'u', events.user, "record user space only"),
	FLAG("kernel", 'k', events.kernel, "record the kernel only"),
	FLAG("data", 'd', data_maps,
	     "record data mappings, so that data addresses get names"),
	OPT_OF("heap", 0, "[=MIN]", heap, heap, heap_rule,
	       "also record what CMD allocates, from MIN bytes on (default: "
	       "4096), so that addresses of it get names; implies -d"),
	OPT("cgroup", 'G', "NAME", cgroup, name,
	    "only tasks in this control group"),
	FLAG("all-cgroups", 0, events.cgroups,
	     "also record the control group of each thread, -F times a second"),
	OPT("max-loss", 0, "PERCENT", max_loss, u64,
	    "double the sampling interval while more than PERCENT of the SPE "
	    "buffers lose samples"),
	OPT("rate", 0, "N", rate, positive_u64,
	    "change the sampling interval of each CPU so that it takes about N "
	    "SPE samples per second"),
	OPT_OF("aux-size", 0, "SIZE", sizes.aux, size, size_rule,
	       "SPE buffer size per CPU"),
	OPT_OF("data-size", 0, "SIZE", sizes.data, size, size_rule,
	       "ring buffer size per CPU, 512K by default"),
	OPT_OF("mmap-pages", 'm', "DATA[,AUX]", sizes, pages, pages_rule,
	       "both sizes, as in perf"),
	OPT("delay", 'D', "MS", delay_ms, delay,
	    "start recording MS milliseconds after CMD starts; -1: when "
	    "--control enables the events"),
	OPT_OF("flight-recorder", 'S', "[=SIZE]", flight, flight, size_rule,
	       "keep only the newest SPE data, and write it at SIGUSR2, or "
	       "when CMD dies by a signal; with e before SIZE, also at the "
	       "end"),
	OPT("control", 0, "fd:CTL[,ACK]", control, name,
	    "take commands from descriptor CTL, or with fifo: from a FIFO, as "
	    "perf: enable, disable, snapshot, evlist, ping, stop"),
	OPT_OF("duration", 0, "SECONDS", limits.duration_ns, duration,
	       duration_rule,
	       "end recording, and CMD, after SECONDS; also 10m, 1.5h, 2d"),
	OPT_OF("max-size", 0, "SIZE", limits.max_size, max_size, max_size_rule,
	       "end recording, and CMD, when SIZE bytes are written"),
	OPT_OF("switch-output", 0, "[=WHEN]", switching, switch, switch_rule,
	       "go on in a new file at SIGUSR2, or by size or time"),
	OPT("switch-max-files", 0, "N", max_files, positive_u64,
	    "keep the newest N of these files"),
	OPT_OF("compression-level", 'z', "[=LEVEL]", compression, level,
	       level_rule,
	       "compress with zstd: records, or with -o FILE.zst all"),
	FLAG("quiet", 'q', quiet, "do not print a summary"),
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
