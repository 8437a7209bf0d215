/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "cli/cli.h"
#include "cli/measure.h"
#include "session/event.h"
#include "session/pmu.h"
#include "session/recorder.h"

/* Which events `pmscope record` opens, from its options. */

/*
 * Translates the words of --filter for SPE's own filters; only those of
 * `pmscope report --filter` for which the hardware has a register.
 */

/* @loads, @stores, @branches: keep these; if none is set: keep all. */
struct record_filter {
	bool loads;
	bool stores;
	bool branches;
	uint64_t min_latency; /* records with at least this; 0: all */
	uint64_t events;      /* records with all of these (PMSEVFR_EL1) */
	uint64_t no_events;   /* records without these (PMSNEVFR_EL1) */
	uint64_t no_sources;  /* no loads from these (PMSDSFR_EL1, inverted) */
};

/*
 * Adds the filters of @text to @filter. @midr: MIDR_EL1 of the CPU, for the
 * names of its data sources. Returns 0; -EINVAL or -ENOMEM after error().
 */
int record_filter_parse(struct record_filter *filter, const char *text,
			uint64_t midr);

/*
 * What `pmscope record` measures beside SPE: a clock, and counters
 * that it captures, tell where the time goes, and how much of it is lost.
 */

/**
 * struct beside
 * @clock: it samples, @freq times a second; 0: the default
 * @counters: of cycles, instructions and stalls
 * @devices: folder to look up PMUs; NULL: PMSCOPE_PMU_DEVICES
 * @cpus: only PMUs with one of these are used; NULL: all
 */
struct beside {
	bool clock;
	bool counters;
	uint64_t freq;
	const char *devices;
	const struct cpulist *cpus;
};

/* The kernel's limit of samples a second. */
uint64_t beside_max_rate(void);

/*
 * Adds these events to @list, which begins with those of SPE. @way: from 0 on:
 * each has less than the one before. Returns 1; 0 if nothing was added, and
 * neither will further ways be; or -errno if events are not there, with @err
 * set.
 */
int beside_add(struct event_list *list, const struct beside *beside,
	       unsigned int way, struct pmscope_error *err);

/*
 * Opens @list, and in the first way that works beside it. @open: opens all,
 * @is_beside: some are not of SPE. @uncounted: set to why there are no
 * counters, if they were wanted. What is refused is left out, and changes
 * nothing else. Return: the result of @open, with @err set.
 */
int beside_open(struct event_list *list, const struct beside *beside,
		int (*open)(void *run, bool is_beside,
			    struct pmscope_error *err),
		void *run, struct pmscope_error *uncounted,
		struct pmscope_error *err);

/* The default sampling interval of SPE, in operations. */
#define RECORD_PERIOD 4096

/*
 * The options that select events. @no_counters, @no_clock: nothing of that kind
 * beside SPE, see record_events_beside().
 */
struct record_events_options {
	char *events;	/* events to record instead of SPE */
	char *snapshot; /* counters, as for `pmscope stat -e` */
	/* of events without their own, of SPE in operations; 0: default */
	uint64_t period;
	uint64_t freq; /* snapshots per second; 0: the default */
	char *filter;  /* as for record_filter_parse() */
	char *source;  /* the same without its "source=" */
	struct record_filter keep;
	bool no_jitter;
	bool physical;
	bool no_spe;
	bool totals; /* the sampled population, with each window */
	bool no_counters;
	bool no_clock;
	bool stacks;	     /* add a clock whose samples have call chains */
	bool cgroups;	     /* some event samples, also the control group */
	const char *devices; /* of PMUs; NULL: PMSCOPE_PMU_DEVICES */
	const struct cpulist *cpus; /* only PMUs with one of them; NULL: all */
	bool user;
	bool kernel;
};

/* Fills @list; -errno after an error was reported. */
int record_events(struct event_list *list,
		  const struct record_events_options *options);

/* What is recorded beside these. */
struct beside record_events_beside(const struct record_events_options *options);
bool record_events_spe(const struct event_list *list);

void record_events_options_free(struct record_events_options *options);

/* When a recording ends by itself, and when it begins a new file. */

/* When a recording ends; 0: no limit */
struct record_limits {
	uint64_t duration_ns; /* after this time */
	uint64_t max_size;    /* when the output has this size, bytes */
};

/*
 * Parses "64K", "4M", "1G" or bytes, or a number of @unit; *@end is set to the
 * rest. Returns 0 if there is no number, or if it is above 1024G.
 */
uint64_t record_read_size(const char *arg, uint64_t unit, char **end);

/* Setters of options, for fields of uint64_t. */
int option_duration(const struct option_row *row, const char *arg, void *field);
int option_max_size(const struct option_row *row, const char *arg, void *field);

/* Texts about valid arguments, for error messages. */
extern const char *const duration_rule[];
extern const char *const max_size_rule[];

/*
 * Why a recording ended by itself. @text: for example "10 s have passed
 * (--duration)"; "" if no limit is reached. @ns: how long it has recorded.
 * @bytes: the size of its output.
 */
void record_limit_text(char *text, size_t size,
		       const struct record_limits *limits, uint64_t ns,
		       uint64_t bytes);

/* --rate: chooses each CPU's interval for about so many samples a second. */

/* Default sizes of SPE's buffers. */

#define AUX_SIZE_MIN (64ULL << 10)

/*
 * Buffer size per CPU in bytes, a power of two. @period: sampling interval,
 * operations. @cpus: number of buffers. @memory: memory of the machine, bytes.
 */
uint64_t record_aux_size(uint64_t period, uint64_t cpus, uint64_t memory);

/* --max-loss: doubles intervals while too many buffers lose samples. */

/* The limit and the current interval */
struct record_adapt {
	int percent;	     /* of buffers may lose samples; negative: any */
	uint64_t period;     /* current interval */
	unsigned int raised; /* how often it was doubled */
	uint64_t buffers;    /* when it was doubled, or the rule last held */
	uint64_t lossy;
};

/* The next interval, given what was recorded so far. */
uint64_t record_adapt(struct record_adapt *adapt,
		      const struct recorder_stats *stats);

/* The wanted rate, and what happened so far */
struct record_rate {
	uint64_t wanted;  /* samples/s of a CPU; 0: the interval stays */
	uint64_t least;	  /* shortest interval to choose, operations */
	uint64_t changes; /* how often the interval of a CPU was changed */
	uint64_t low;	  /* the shortest interval, then the longest */
	uint64_t high;
	struct record_rate_seen {
		uint64_t ns;
		uint64_t samples;
		/* of areas: since when samples count, and how many */
	} * seen;
};

/*
 * The next interval of a CPU. @interval: the current one, with which it took.
 * @samples: in. @ns: nanoseconds. Returns @interval if the rate is near enough.
 */
uint64_t record_rate_next(const struct record_rate *rate, uint64_t interval,
			  uint64_t samples, uint64_t ns);
bool record_rate_is_due(const struct record_rate *rate, uint64_t samples,
			uint64_t ns);

/* Trace, bytes, after which a CPU's samples are looked at. */
uint32_t record_rate_watermark(uint64_t wanted, uint64_t aux_size);

/* Call after each drain; @now: ns. Returns 0, or -errno with @err set. */
int record_rate_follow(struct record_rate *rate, struct recorder *recorder,
		       uint64_t now, struct pmscope_error *err);

void record_rate_fini(struct record_rate *rate);

/*
 * The SPE event of `pmscope record`: filters and intervals that the SPE PMUs of
 * this machine support, according to @devices of the options.
 */

#define RECORD_SPE_EVENT_MAX 512

/* Format attributes of arm_spe in config, with either driver */
#define RECORD_SPE_TS_ENABLE (UINT64_C(1) << 0)
#define RECORD_SPE_JITTER    (UINT64_C(1) << 16)

/* PMSIRR_EL1.INTERVAL: 24 bits, of multiples of 256; 0 is UNKNOWN */
#define RECORD_SPE_STEP	   UINT64_C(256)
#define RECORD_SPE_LARGEST (UINT64_C(0xffffff) * RECORD_SPE_STEP)

bool record_spe_is_there(const struct record_events_options *o);

/* Builds the events of all SPE PMUs, in -e syntax; -errno after error(). */
int record_spe_event(const struct record_events_options *o,
		     char text[RECORD_SPE_EVENT_MAX]);

/* Rounds periods as SPE does, so that the file has the real interval. */
void record_spe_limit_periods(struct event_list *list,
			      const struct record_events_options *o);

/* The shortest interval that the designers of all CPUs recommend. */
uint64_t record_spe_recommended(const struct record_events_options *o,
				const struct event_list *list);

/*
 * The mean of what SPE adds to each interval at random, operations: 0 to 255
 * with PMSIRR_EL1.RND, but nothing with FEAT_SPE_ERnd (Arm ARM D17.3.4).
 */
uint32_t record_spe_jitter(const struct record_events_options *o,
			   const struct event_list *list);

/* The last lines of `pmscope record`: what was recorded, and what was lost. */

struct record_summary {
	const char *path;  /* of the last one with --switch-output */
	uint64_t nr_files; /* of --switch-output */
	bool is_packed;	   /* records were compressed, but not the file */
	bool quiet;	   /* print only losses */
	const char *limit; /* that ended the recording; "": none did */
	/* why SPE has no counters; "" if it has, or there are none */
	const char *uncounted;
	const struct recorder *recorder;
	const struct heap_stats *heap; /* with --heap, else NULL */
	const struct record_adapt *adapt;
	const struct record_rate *rate;
	bool flight; /* the file has only snapshots, and next how many */
	unsigned int snapshots;
	const struct spe_losses *before; /* of the driver, when it began */
};

void record_summary(const struct record_summary *s);

/*
 * What there is after @seconds, in one line; the number of samples is that of
 * the trace in records of 64 bytes.
 */
void record_progress_text(char *text, size_t size, const char *path,
			  uint64_t bytes, double seconds,
			  const struct recorder_stats *stats);

/* The command line of `pmscope record`. */

/* `record --switch-output`: when a new file begins, and the files' names. */

/* When a new file begins */
struct record_switch_rule {
	bool on;	/* --switch-output is given */
	uint64_t size;	/* when the file has so many bytes; 0: never */
	uint64_t ns;	/* after this time; 0: never */
	bool on_signal; /* at SIGUSR2 */
};

struct record_files {
	const char *path; /* the file that is being written */
	uint64_t max;	  /* keep only so many; 0: all */
	char **name;	  /* kept ones, a ring; not without @max */
	size_t room;
	uint64_t nr; /* how many there were */
	char *last;  /* the name of the newest; NULL: none */
};

/* The setter of an option whose field is a struct record_switch_rule. */
int option_switch(const struct option_row *row, const char *arg, void *field);
extern const char *const switch_rule[];

/* Is it time for a new file, by size and age of this one? */
bool record_switch_due(const struct record_switch_rule *rule, uint64_t size,
		       uint64_t ns);

/* Can it be switched? Reports what is wrong: -EINVAL, as of a pipe. */
int record_files_check(const char *path);

/*
 * Renames the file, which is complete or soon will be, to PATH.TIMESTAMP, and
 * removes the oldest beyond the maximum. Reports errors; -errno.
 */
int record_files_move(struct record_files *files);

void record_files_free(struct record_files *files);

/* Bytes of the rings and SPE buffers; 0: automatic */
struct record_sizes {
	uint64_t data;
	uint64_t aux;
};

/* The flight recorder: only the newest trace is kept */
struct record_flight {
	bool on;
	bool at_exit;  /* it is also written when recording ends */
	uint64_t size; /* of each area, bytes; 0: the default */
};

/* Which allocations are recorded: those of @least bytes or more. */
struct record_heap {
	bool on;
	uint64_t least;
};

/* Of struct record_config's delay_ms: until --control enables the events. */
#define DELAY_UNTIL_ENABLED UINT_MAX

struct record_config {
	struct measure_options measure;
	struct record_events_options events;
	const char *output;
	const char *cgroup;
	const char *control;
	struct record_flight flight;
	struct record_heap heap;
	uint64_t max_loss;
	uint64_t rate;
	unsigned int delay_ms;
	struct record_sizes sizes;
	struct record_limits limits;
	struct record_switch_rule switching;
	uint64_t max_files;
	int compression;
	bool per_thread;
	bool data_maps;
	bool quiet;
};

extern const struct command_help record_help;

/* --control, as perf's: commands, a line each, and "ack" when one is done. */
enum control_command {
	CONTROL_NONE, /* no whole line is there */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,
	CONTROL_EVLIST,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
};

/* Longest command, with its end of line. */
#define CONTROL_LINE 512

/* The descriptors, and what was read so far */
struct control {
	int fd;	     /* commands come from here; -1: none */
	int ack_fd;  /* answers go there; -1: nowhere */
	bool owned;  /* they were opened here */
	bool at_end; /* reading found no more; a FIFO may get another writer */
	bool skips;  /* the rest of a line that is too long is ignored */
	size_t nr;
	char line[CONTROL_LINE];
};

/* "fd:CTL[,ACK]" or "fifo:CTL[,ACK]"; NULL: none. -errno after error(). */
int control_open(struct control *control, const char *text);

/* The next command; @argument, which stays until the next call, is what follows
 * its name, or "". */
enum control_command control_next(struct control *control,
				  const char **argument);

void control_acknowledge(const struct control *control);

/* evlist: the events on stderr, as perf; @options: "-v", "-g" or "-F" */
void control_print_events(const struct event_list *events, const char *options);

void control_close(struct control *control);
