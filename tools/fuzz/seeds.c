// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: seeds DIR
 *
 * Writes the corpus: DIR/packets and so on, for each target, each with small
 * files of every kind the target reads. They are the same each time.
 */
#include "bytes.h"
#include "random.h"
#include "stream.h"

#include <pmscope/packet.h>
#include <pmscope/perfdata.h>

#include <errno.h>
#include <linux/pmscope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TYPE_ARM_SPE 4

static const char *top;

static void write_seed(const char *target, const char *name, struct bytes *b)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", top, target);
	if (mkdir(path, 0777) && errno != EEXIST) {
		perror(path);
		exit(1);
	}
	snprintf(path, sizeof(path), "%s/%s/%s", top, target, name);
	out = fopen(path, "wb");
	if (!out || fwrite(b->data, 1, b->size, out) != b->size ||
	    fclose(out)) {
		perror(path);
		exit(1);
	}
	bytes_fini(b);
}

static void packet_seeds(void)
{
	uint64_t state = 4;
	char name[32];

	for (unsigned int i = 0; i < 24; i++) {
		struct bytes b = {};

		put(&b, (i & 3) << 1 | (i & 4) << 5, 1);
		put_stream(&b, &state, 40U << (i / 6));
		corrupt(&b, &state, i % 5);
		snprintf(name, sizeof(name), "stream-%u", i);
		write_seed("packets", name, &b);
	}
}

/* A record of every type the kernel and perf have, of no sense inside. */
static void put_all_types(struct bytes *b, uint64_t *state)
{
	static const struct where where = {1, 2, 3, 0};

	for (unsigned int type = 1; type < 84; type++) {
		struct bytes body = {};

		/* Those that bytes follow. */
		if (type == PMSCOPE_RECORD_AUXTRACE || type == 66)
			continue;
		for (int i = 0; i < 48; i++)
			put(&body, random_below(state, 3), 1);
		put_side_band(b, type, random_below(state, 3), &body, &where);
		bytes_fini(&body);
	}
}

static void put_threads(struct bytes *b)
{
	static const struct where first = {10, 10, 100, 0};
	static const struct where child = {11, 11, 200, 1};

	put_comm(b, PERF_RECORD_MISC_COMM_EXEC, "parent", &first);
	put_mmap2(b, 0x400000, 0x10000, 0x1000, "/bin/parent", &first);
	put_fork(b, 10, 10, &child);
	put_comm(b, 0, "child", &child);
	put_mmap2(b, 0x500000, 0x10000, 0, "[vdso]", &child);
}

static void put_traces(struct bytes *b, uint64_t *state)
{
	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		struct bytes trace = {};

		for (unsigned int i = 0; i < 4; i++)
			put_load_of(&trace, 10 + i % 2, 0x400000 + 4 * i,
				    0x9000, 100 * i + cpu);
		put_any_record(&trace, state);
		put_auxtrace(b, cpu, cpu, -1, &trace);
		bytes_fini(&trace);
	}
}

static void put_body(struct bytes *b, uint64_t *state, bool all)
{
	put_time_conv(b, 0, 1, 0);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_threads(b);
	if (all)
		put_all_types(b, state);
	put_traces(b, state);
}

static void put_compressed_body(struct bytes *b, uint64_t *state, uint32_t type)
{
	struct bytes plain = {};

	put_threads(&plain);
	put_time_conv(b, 0, 1, 0);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_compressed(b, &plain, type, 64);
	put_traces(b, state);
	bytes_fini(&plain);
}

static void recording_seeds(void)
{
	uint64_t state = 5;
	char name[32];

	for (unsigned int i = 0; i < 8; i++) {
		struct bytes b = {};

		if (i & 1)
			perfdata_begin_pipe(&b);
		else
			perfdata_begin(&b);
		if (i < 4)
			put_body(&b, &state, i & 2);
		else
			put_compressed_body(&b, &state,
					    i & 2 ? PMSCOPE_RECORD_COMPRESSED2
						  : PMSCOPE_RECORD_COMPRESSED);
		if (!(i & 1))
			perfdata_end(&b);
		snprintf(name, sizeof(name), "recording-%u", i);
		write_seed("recording", name, &b);
	}
}

static void register_seeds(void)
{
	static const char *const dumps[] = {
		"cpu0 PMCR_EL0 0x41013000\ncpu1 PMSCR_EL1 0x3f\n",
		"cpu12 PMEVCNTSVR30_EL1 0xffffffffffffffff\n\ncpu0 NONE 0x0\n",
		"cpu0 PMBSR_EL1 0x20000000\ncpu-1 PMCR_EL0 1\ncpu0\n",
	};
	char name[32];

	for (unsigned int i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		struct bytes b = {};

		bytes_add(&b, dumps[i], strlen(dumps[i]));
		snprintf(name, sizeof(name), "dump-%u", i);
		write_seed("registers", name, &b);
	}
}

/* @nr counters, each @pad bytes longer than we know them. */
static void put_snapshot(struct bytes *b, unsigned int nr, unsigned int pad)
{
	struct pmscope_record record = {
		.magic = PMSCOPE_RECORD_MAGIC,
		.version = PMSCOPE_RECORD_VERSION,
		.counters_at = sizeof(record),
		.counter_size = sizeof(struct pmscope_record_counter) + pad,
		.nr_counters = nr,
		.cpu = 1,
		.time = 1000,
	};

	record.size = record.counters_at + nr * record.counter_size;
	bytes_add(b, &record, sizeof(record));
	for (unsigned int i = 0; i < nr; i++) {
		struct pmscope_record_counter counter = {
			.number = i,
			.flags = i & 1 ? PMSCOPE_COUNTER_MEMBER : 0,
			.type = i,
			.value = 1ULL << i,
			.id = 70 + i,
		};

		bytes_add(b, &counter, sizeof(counter));
		put_zeros(b, pad);
	}
}

static void snapshot_seeds(void)
{
	char name[32];

	for (unsigned int i = 0; i < 4; i++) {
		struct bytes b = {};

		/* The last ones begin inside a record. */
		put_zeros(&b, i & 2 ? 24 : 0);
		for (unsigned int nr = 0; nr < 4; nr++)
			put_snapshot(&b, 3 * nr, i & 1 ? 8 : 0);
		snprintf(name, sizeof(name), "stream-%u", i);
		write_seed("snapshots", name, &b);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	top = argv[1];
	if (mkdir(top, 0777) && errno != EEXIST) {
		perror(top);
		return 1;
	}
	packet_seeds();
	recording_seeds();
	register_seeds();
	snapshot_seeds();
	return 0;
}
