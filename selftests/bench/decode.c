// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: decode PERF.DATA
 *
 * Decodes SPE data into columns, and copies it with memcpy(3), a few times
 * each; prints the best rates in MB/s and records per second.
 */
#include <pmscope/perfdata.h>
#include <pmscope/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS	5
#define BATCH	4096
#define TRACE	(64UL << 20)

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
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

static uint64_t decode(const uint8_t *buf, size_t len,
		       struct pmscope_batch *batch)
{
	struct pmscope_decode_stats stats = {0};
	size_t pos = 0;

	while (pos < len) {
		size_t used;

		batch->count = 0;
		used = pmscope_decode(buf + pos, len - pos, pos,
				      PMSCOPE_DECODE_LAST, batch, &stats);
		if (!used)
			break;
		pos += used;
	}
	return stats.records;
}

int main(int argc, char **argv)
{
	struct pmscope_batch *batch = pmscope_batch_new(BATCH);
	double decoded = 1e9, copied = 1e9;
	uint64_t records = 0;
	uint8_t *buf, *copy;
	size_t len;

	if (argc != 2 || !batch)
		return 1;
	buf = load_aux(argv[1], TRACE, &len);
	copy = malloc(len);
	if (!copy)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		double t0 = now(), t1, t2;

		records = decode(buf, len, batch);
		t1 = now();
		memcpy(copy, buf, len);
		t2 = now();
		decoded = t1 - t0 < decoded ? t1 - t0 : decoded;
		copied = t2 - t1 < copied ? t2 - t1 : copied;
	}
	if (memcmp(copy, buf, len))
		return 1;
	printf("%.1f\t%.1f\t%.0f\n", len / decoded / 1e6, len / copied / 1e6,
	       records / decoded);
	pmscope_batch_free(batch);
	free(copy);
	free(buf);
	return 0;
}
