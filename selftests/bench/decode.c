// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: decode PERF.DATA
 *
 * Decodes SPE data into columns as every command does, with one thread and with
 * two, and copies it with memcpy(3), a few times each. Prints the best rates:
 * MB/s decoded by one thread, copied, records per second by one, MB/s by two.
 */
#include <pmscope/recording.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Enough runs to hit a moment in which the host provides both CPUs. */
#define ROUNDS 50
#define TRACE  (64UL << 20)

/* One thread is measured by its own CPU time, two by wall time. */
static double now(unsigned int threads)
{
	struct timespec ts;

	clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
		      &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint8_t *load(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	uint8_t *buf;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) <= 0)
		die(path);
	rewind(file);
	buf = malloc(size);
	if (!buf || fread(buf, 1, size, file) != (size_t)size)
		die(path);
	fclose(file);
	*len = size;
	return buf;
}

/* The AUX data of a recording, again and again until @want bytes are there. */
static uint8_t *load_aux(const char *path, size_t want, size_t *len)
{
	uint8_t *trace = malloc(want);
	size_t size, used;
	uint8_t *data = load(path, &size);

	if (!trace)
		die("malloc");
	*len = 0;
	do {
		struct pmscope_perf_event event;
		struct pmscope_perfdata *reader;

		if (pmscope_perfdata_open(data, size, &reader))
			die(path);
		used = *len;
		while (pmscope_perfdata_next(reader, &event) > 0) {
			if (event.payload_size > want - *len)
				continue;
			memcpy(trace + *len, event.payload, event.payload_size);
			*len += event.payload_size;
		}
		pmscope_perfdata_free(reader);
	} while (*len > used);
	free(data);
	return trace;
}

/* Shared by the threads; @lock protects everything but decoding ahead. */
struct reading {
	struct pmscope_recording *recording;
	pthread_mutex_t lock;
	uint64_t records;
	bool over;
};

static bool take_run(struct reading *reading)
{
	struct pmscope_run run;
	bool more;

	pthread_mutex_lock(&reading->lock);
	more = !reading->over &&
	       pmscope_recording_next_run(reading->recording, false, &run) > 0;
	if (more)
		reading->records += run.end - run.first;
	reading->over = !more;
	pthread_mutex_unlock(&reading->lock);
	return more;
}

/* Like pmscope's threads: decode ahead if possible, then take a run. */
static void *take_runs(void *data)
{
	struct reading *reading = data;

	do
		while (pmscope_recording_ahead(reading->recording))
			;
	while (take_run(reading));
	return NULL;
}

static uint64_t decode(const uint8_t *buf, size_t len, unsigned int threads)
{
	const struct pmscope_recording_options options = {
		.size = sizeof(options),
		.raw = true,
		.ahead = threads > 1 ? threads : 0,
	};
	struct reading reading = {
		.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};
	pthread_t second;

	if (pmscope_recording_open(buf, len, &options, &reading.recording))
		die("recording");
	if (threads > 1 && pthread_create(&second, NULL, take_runs, &reading))
		die("thread");
	take_runs(&reading);
	if (threads > 1)
		pthread_join(second, NULL);
	pmscope_recording_free(reading.recording);
	return reading.records;
}

/* The least time of some rounds, in seconds, and the records of one. */
static double best_decode(const uint8_t *buf, size_t len, unsigned int threads,
			  uint64_t *records)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now(threads), took;

		*records = decode(buf, len, threads);
		took = now(threads) - start;
		best = took < best ? took : best;
	}
	return best;
}

static double best_copy(const uint8_t *buf, size_t len)
{
	uint8_t *copy = malloc(len);
	double best = 1e9;

	if (!copy)
		die("malloc");
	for (int i = 0; i < ROUNDS; i++) {
		double start = now(1), took;

		memcpy(copy, buf, len);
		took = now(1) - start;
		best = took < best ? took : best;
	}
	if (memcmp(copy, buf, len))
		die("memcpy");
	free(copy);
	return best;
}

int main(int argc, char **argv)
{
	double one, two, copied;
	uint64_t records;
	uint8_t *buf;
	size_t len;

	if (argc != 2)
		return 1;
	buf = load_aux(argv[1], TRACE, &len);
	one = best_decode(buf, len, 1, &records);
	two = best_decode(buf, len, 2, &records);
	copied = best_copy(buf, len);
	printf("%.1f\t%.1f\t%.0f\t%.1f\n", len / one / 1e6, len / copied / 1e6,
	       records / one, len / two / 1e6);
	free(buf);
	return 0;
}
