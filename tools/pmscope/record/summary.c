// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <pmscope/input.h>
#include <pmscope/recording.h>
#include <sys/stat.h>

/* Drops pages that were read, so that memory does not grow. */
static void release(void *context)
{
	pmscope_input_release(context);
}

static int count(struct pmscope_recording *recording, const char *path,
		 uint64_t *samples)
{
	struct progress progress;
	struct pmscope_run run;
	int ret;

	progress_begin(&progress, path,
		       pmscope_recording_trace_size(recording));
	while ((ret = pmscope_recording_next_run(recording, false, &run)) ==
	       1) {
		*samples += run.group ? 0 : run.end - run.first;
		progress_set(&progress,
			     pmscope_recording_losses(recording)->decode.bytes);
	}
	progress_end(&progress);
	return ret;
}

/*
 * Reads the file as report does, and counts SPE samples. Returns 0, or -errno
 * if it cannot be read, for instance a pipe.
 */
static int record_count(const char *path, uint64_t *samples)
{
	struct pmscope_recording_options options = {
		.size = sizeof(options), .progress = release, .brief = true};
	struct pmscope_recording *recording = NULL;
	struct pmscope_input *input;
	struct stat st;
	int ret;

	*samples = 0;
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return -EINVAL;
	ret = pmscope_input_open(path, &input);
	if (ret)
		return ret;
	options.context = input;
	ret = pmscope_recording_open(pmscope_input_data(input),
				     pmscope_input_size(input), &options,
				     &recording);
	if (!ret)
		ret = count(recording, path, samples);
	pmscope_recording_free(recording);
	pmscope_input_free(input);
	return ret;
}

#define RECORD_BYTES 64 /* of SPE, on all CPUs known */

static void warn_losses(const struct recorder_stats *stats)
{
	if (stats->lost)
		warning("%" PRIu64 " records lost because a ring buffer was "
			"full or a timer's period too short: try a larger "
			"--data-size or period",
			stats->lost);
	if (stats->truncated)
		warning("%" PRIu64 " of %" PRIu64
			" SPE buffers were truncated: samples are missing; try "
			"a larger --aux-size or -c",
			stats->truncated, stats->aux_buffers);
	if (stats->partial)
		warning("%" PRIu64 " of %" PRIu64
			" SPE buffers end with an incomplete record",
			stats->partial, stats->aux_buffers);
	if (stats->collisions)
		warning("samples collided in %" PRIu64 " of %" PRIu64
			" SPE buffers: some operations were not sampled; try a "
			"larger -c",
			stats->collisions, stats->aux_buffers);
	if (stats->throttled)
		warning("the kernel throttled events %" PRIu64
			" times: try a lower -F, or a larger -c",
			stats->throttled);
}

/* Prints the driver's losses since @was, in all recordings on this machine. */
static void print_losses(const struct spe_losses *was)
{
	struct spe_losses losses;
	const char *before = "pmscope: SPE driver: ";

	spe_losses_read(&losses, PMSCOPE_PMU_DEVICES);
	spe_losses_since(&losses, was);
	if (!losses.valid || !losses.count[PMSCOPE_SPE_WINDOWS])
		return;
	for (int i = 0; i < PMSCOPE_SPE_COUNTS; i++) {
		if (!losses.count[i])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", before, losses.count[i],
			spe_count_words(i));
		before = ", ";
	}
	fputc('\n', stderr);
}

void record_summary(const struct record_summary *s)
{
	const struct recorder_stats *stats = recorder_stats(s->recorder);
	bool is_counted;
	uint64_t samples;

	warn_losses(stats);
	if (s->heap && s->heap->lost)
		warning("%" PRIu64 " allocations, or ends of some, were lost: "
			"programs had no room for them; try a larger --heap",
			s->heap->lost);
	if (s->heap && !s->heap->blocks && !s->heap->lost)
		warning("--heap: no program noted an allocation: it has none "
			"as large, or it is linked statically, or another "
			"user's");
	if (s->quiet)
		return;
	if (*s->limit)
		fprintf(stderr, "pmscope: recording ended: %s\n", s->limit);
	is_counted = stats->aux_buffers && !s->nr_files &&
		     !record_count(s->path, &samples);
	fprintf(stderr, "pmscope: ");
	if (s->nr_files > 1)
		fprintf(stderr, "%" PRIu64 " files up to ", s->nr_files);
	fprintf(stderr, "%s: %.3f MB", s->path,
		recorder_total_size(s->recorder) / 1e6);
	if (is_counted)
		fprintf(stderr, ", %" PRIu64 " SPE samples", samples);
	if (stats->aux_buffers)
		fprintf(stderr, ", %.3f MB of SPE trace in %" PRIu64 " buffers",
			stats->aux_bytes / 1e6, stats->aux_buffers);
	if (stats->samples)
		fprintf(stderr, ", %" PRIu64 " snapshots or samples",
			stats->samples);
	fputc('\n', stderr);
	if (s->is_packed && stats->aux_bytes)
		fprintf(stderr,
			"pmscope: the SPE trace is not compressed, because "
			"perf could not read it; -o FILE.zst compresses it\n");
	if (*s->uncounted)
		fprintf(stderr, "pmscope: no counters beside SPE: %s\n",
			s->uncounted);
	if (s->heap)
		fprintf(stderr, "pmscope: %" PRIu64 " allocations (--heap)\n",
			s->heap->blocks);
	if (s->adapt->raised)
		fprintf(stderr,
			"pmscope: the sampling interval was doubled %u times, "
			"up to %" PRIu64 " (--max-loss)\n",
			s->adapt->raised, s->adapt->period);
	if (s->flight && !s->snapshots)
		fprintf(stderr,
			"pmscope: 0 snapshots: no SIGUSR2 came, and nothing "
			"crashed; --flight-recorder=e writes one at the end\n");
	else if (s->flight)
		fprintf(stderr,
			"pmscope: %u snapshots; %.3f MB of SPE trace was "
			"overwritten before (--flight-recorder)\n",
			s->snapshots, stats->overwritten / 1e6);
	if (s->rate->changes)
		fprintf(stderr,
			"pmscope: the sampling interval was changed %" PRIu64
			" times, to %" PRIu64 " to %" PRIu64
			" operations (--rate)\n",
			s->rate->changes, s->rate->low, s->rate->high);
	if (stats->aux_buffers)
		print_losses(s->before);
}

void record_progress_text(char *text, size_t size, const char *path,
			  uint64_t bytes, double seconds,
			  const struct recorder_stats *stats)
{
	uint64_t lost = stats->lost + stats->truncated;
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t n = snprintf(text, size, "%.24s: %.0f s, %.1f MB, %.1f MB/s",
			    name, seconds, bytes / 1e6, bytes / 1e6 / seconds);

	if (n < size && stats->aux_bytes)
		n += snprintf(text + n, size - n, ", about %" PRIu64 " samples",
			      stats->aux_bytes / RECORD_BYTES);
	if (n < size && lost)
		snprintf(text + n, size - n, ", %" PRIu64 " losses", lost);
}
