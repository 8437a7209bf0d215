// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A power of two of a page or more. */
static int option_size(const struct option_row *row, const char *arg,
		       void *field)
{
	uint64_t size;
	char *end;

	(void)row;
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
static int option_pages(const struct option_row *row, const char *arg,
			void *field)
{
	struct record_sizes *sizes = field;
	char *end;

	(void)row;
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
	{.name = "output",
	 .letter = 'o',
	 .arg = "FILE",
	 .set = option_name,
	 .offset = FIELD(output),
	 .help = "write to FILE; - is standard output (default: perf.data)"},
	MEASURE_OPTIONS(struct record_config, measure),
	{.name = "per-thread",
	 .set = option_true,
	 .offset = FIELD(per_thread),
	 .help = "one buffer per task instead of per CPU; implies -i"},
	{.name = "count",
	 .letter = 'c',
	 .arg = "N",
	 .set = option_count,
	 .offset = FIELD(events.period),
	 .help = "sample one in N operations with SPE (default: 4096)"},
	{.name = "loads",
	 .set = option_true,
	 .offset = FIELD(events.keep.loads),
	 .help = "keep samples of loads"},
	{.name = "stores",
	 .set = option_true,
	 .offset = FIELD(events.keep.stores),
	 .help = "keep samples of stores"},
	{.name = "branches",
	 .set = option_true,
	 .offset = FIELD(events.keep.branches),
	 .help = "keep samples of branches"},
	{.name = "min-latency",
	 .arg = "CYCLES",
	 .set = option_u64,
	 .offset = FIELD(events.keep.min_latency),
	 .help = "keep samples of at least CYCLES cycles"},
	{.name = "event-filter",
	 .arg = "MASK",
	 .set = option_u64,
	 .offset = FIELD(events.keep.events),
	 .help = "keep samples with all these events (PMSEVFR_EL1)"},
	{.name = "source",
	 .arg = "SOURCES",
	 .set = option_join,
	 .offset = FIELD(events.source),
	 .help = "keep loads with data from SOURCES, for example dram|remote"},
	{.name = "filter",
	 .arg = "TERMS",
	 .set = option_join,
	 .offset = FIELD(events.filter),
	 .help = "the same filters in words, for example op=load,lat>=50"},
	{.name = "no-jitter",
	 .set = option_true,
	 .offset = FIELD(events.no_jitter),
	 .help = "do not vary the sampling interval at random"},
	{.name = "physical",
	 .set = option_true,
	 .offset = FIELD(events.physical),
	 .help = "record physical data addresses too"},
	{.name = "totals",
	 .set = option_true,
	 .offset = FIELD(events.totals),
	 .help = "also count the sampled population, so that report can "
		 "estimate totals"},
	{.name = "snapshot",
	 .letter = 's',
	 .arg = "EVENTS",
	 .set = option_join,
	 .offset = FIELD(events.snapshot),
	 .help = "capture these counters at one instant, -F times a second"},
	{.name = "call-graph",
	 .letter = 'g',
	 .set = option_true,
	 .offset = FIELD(events.stacks),
	 .help = "also record call chains, -F times a second, so that report "
		 "can estimate callers"},
	{.name = "freq",
	 .letter = 'F',
	 .arg = "HZ",
	 .set = option_positive_u64,
	 .offset = FIELD(events.freq),
	 .help = "snapshots and call chains per second on each CPU "
		 "(default: 1000)"},
	{.name = "event",
	 .letter = 'e',
	 .arg = "EVENTS",
	 .set = option_join,
	 .offset = FIELD(events.events),
	 .help = "record these events (perf syntax) instead of SPE"},
	{.name = "no-spe",
	 .set = option_true,
	 .offset = FIELD(events.no_spe),
	 .help = "record snapshots only"},
	{.name = "user",
	 .letter = 'u',
	 .set = option_true,
	 .offset = FIELD(events.user),
	 .help = "record user space only"},
	{.name = "kernel",
	 .letter = 'k',
	 .set = option_true,
	 .offset = FIELD(events.kernel),
	 .help = "record the kernel only"},
	{.name = "data",
	 .letter = 'd',
	 .set = option_true,
	 .offset = FIELD(data_maps),
	 .help = "record data mappings, so that data addresses get names"},
	{.name = "cgroup",
	 .letter = 'G',
	 .arg = "NAME",
	 .set = option_name,
	 .offset = FIELD(cgroup),
	 .help = "only tasks in this control group"},
	{.name = "all-cgroups",
	 .set = option_true,
	 .offset = FIELD(events.cgroups),
	 .help = "also record the control group of each thread, -F times a "
		 "second"},
	{.name = "max-loss",
	 .arg = "PERCENT",
	 .set = option_u64,
	 .offset = FIELD(max_loss),
	 .help = "double the sampling interval while more than PERCENT of the "
		 "SPE buffers lose samples"},
	{.name = "rate",
	 .arg = "N",
	 .set = option_positive_u64,
	 .offset = FIELD(rate),
	 .help = "change the sampling interval of each CPU so that it takes "
		 "about N SPE samples per second"},
	{.name = "aux-size",
	 .arg = "SIZE",
	 .set = option_size,
	 .offset = FIELD(sizes.aux),
	 .choices = size_rule,
	 .help = "SPE buffer size per CPU"},
	{.name = "data-size",
	 .arg = "SIZE",
	 .set = option_size,
	 .offset = FIELD(sizes.data),
	 .choices = size_rule,
	 .help = "ring buffer size per CPU, 512K by default"},
	{.name = "mmap-pages",
	 .letter = 'm',
	 .arg = "DATA[,AUX]",
	 .set = option_pages,
	 .offset = FIELD(sizes),
	 .choices = pages_rule,
	 .help = "both sizes, as in perf"},
	{.name = "delay",
	 .letter = 'D',
	 .arg = "MS",
	 .set = option_delay,
	 .offset = FIELD(delay_ms),
	 .help = "start recording MS milliseconds after CMD starts; -1: when "
		 "--control enables the events"},
	{.name = "flight-recorder",
	 .letter = 'S',
	 .arg = "[=SIZE]",
	 .set = option_flight,
	 .offset = FIELD(flight),
	 .choices = size_rule,
	 .help = "keep only the newest SPE data, and write it at SIGUSR2, or "
		 "when CMD dies by a signal; with e before SIZE, also at the "
		 "end"},
	{.name = "control",
	 .arg = "fd:CTL[,ACK]",
	 .set = option_name,
	 .offset = FIELD(control),
	 .help = "take commands from descriptor CTL, or with fifo: from a "
		 "FIFO, as perf: enable, disable, snapshot, evlist, ping, "
		 "stop"},
	{.name = "duration",
	 .arg = "SECONDS",
	 .set = option_duration,
	 .offset = FIELD(limits.duration_ns),
	 .choices = duration_rule,
	 .help = "end recording, and CMD, after SECONDS; also 10m, 1.5h, 2d"},
	{.name = "max-size",
	 .arg = "SIZE",
	 .set = option_max_size,
	 .offset = FIELD(limits.max_size),
	 .choices = max_size_rule,
	 .help = "end recording, and CMD, when SIZE bytes are written"},
	{.name = "switch-output",
	 .arg = "[=WHEN]",
	 .set = option_switch,
	 .offset = FIELD(switching),
	 .choices = switch_rule,
	 .help = "go on in a new file at SIGUSR2, or by size or time"},
	{.name = "switch-max-files",
	 .arg = "N",
	 .set = option_positive_u64,
	 .offset = FIELD(max_files),
	 .help = "keep the newest N of these files"},
	{.name = "compression-level",
	 .letter = 'z',
	 .arg = "[=LEVEL]",
	 .set = option_level,
	 .offset = FIELD(compression),
	 .choices = level_rule,
	 .help = "compress with zstd: records, or with -o FILE.zst all"},
	{.name = "quiet",
	 .letter = 'q',
	 .set = option_true,
	 .offset = FIELD(quiet),
	 .help = "do not print a summary"},
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
