// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: generate KIND MIB CPUS >PERF.DATA
 *
 * A recording of CPUS CPUs with MIB of SPE data, the same at every call. KIND:
 *
 *   usual   the records of a Neoverse N1: loads, stores, branches, others
 *   mixed   packets of all types, in an order of each record's own
 */
#include "bytes.h"
#include "random.h"

#include <pmscope/packet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_ARM_SPE 4
#define PIECE	     (UINT64_C(4) << 20)
#define MAX_CPUS     256
#define AT_DATA_SIZE 48 /* in the header of the file */
#define TASK	     1000
#define TEXT	     UINT64_C(0x400000)
#define TEXT_SIZE    0x100000
#define NS	     (UINT64_C(1) << 63)

struct stream {
	uint64_t random;
	uint64_t ticks;
};

static uint64_t some_pc(struct stream *s)
{
	uint32_t spread = random_below(&s->random, 4) ? 0x800 : TEXT_SIZE;

	return NS | (TEXT + (random_below(&s->random, spread) & ~3U));
}

static uint64_t some_data(struct stream *s)
{
	return UINT64_C(0xffff80000000) + random_below(&s->random, 1U << 26);
}

static void put_latency(struct bytes *b, struct stream *s, unsigned int index)
{
	put_packet(b, PMSCOPE_PACKET_COUNTER, index, 2,
		   1 + random_below(&s->random, 200));
}

static void put_data(struct bytes *b, struct stream *s, bool load)
{
	static const uint8_t sources[] = {0x0, 0x0, 0x0, 0x8, 0xb, 0xe};

	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8,
		   some_data(s));
	put_latency(b, s, PMSCOPE_COUNTER_TRANSLATE);
	put_zeros(b, 9);
	if (load)
		put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0, 1,
			   sources[random_below(&s->random, 6)]);
	put_zeros(b, load ? 2 : 4);
}

static void put_branch(struct bytes *b, struct stream *s)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_TARGET, 8,
		   some_pc(s));
	put_zeros(b, 16);
}

/* As captures of an N1 have them: 64 bytes each, nothing moves. */
static void put_usual(struct bytes *b, struct stream *s)
{
	static const struct {
		uint8_t class, op;
		uint16_t events;
	} kinds[] = {
		{1, 0x00, 0x016}, {1, 0x00, 0x01e}, {1, 0x04, 0x116},
		{1, 0x01, 0x016}, {1, 0x01, 0x012}, {2, 0x01, 0x002},
		{2, 0x01, 0x082}, {2, 0x02, 0x042}, {0, 0x00, 0x002},
	};
	unsigned int k = random_below(&s->random, 9);

	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   some_pc(s));
	put_zeros(b, 5);
	put_packet(b, PMSCOPE_PACKET_CONTEXT, 1, 4, TASK);
	put_packet(b, PMSCOPE_PACKET_OPERATION, kinds[k].class, 1, kinds[k].op);
	put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, kinds[k].events);
	put_latency(b, s, PMSCOPE_COUNTER_ISSUE);
	put_latency(b, s, PMSCOPE_COUNTER_TOTAL);
	if (kinds[k].class == PMSCOPE_OPERATION_LOAD_STORE)
		put_data(b, s, !(kinds[k].op & 1));
	else if (kinds[k].class == PMSCOPE_OPERATION_BRANCH)
		put_branch(b, s);
	else
		put_zeros(b, 25);
	put_timestamp(b, s->ticks);
}

static void put_nth(struct bytes *b, struct stream *s, unsigned int n)
{
	uint64_t value = random_next(&s->random);

	switch (n) {
	case 0:
		put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
			   some_pc(s));
		break;
	case 1:
		put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 1 << (value & 3),
			   value >> 32 & 0x3ff);
		break;
	case 2:
		put_packet(b, PMSCOPE_PACKET_OPERATION, value % 3, 1, 0);
		break;
	case 3:
	case 4:
	case 5:
		put_latency(b, s, n - 3);
		break;
	case 6:
	case 7:
	case 8:
		put_packet(b, PMSCOPE_PACKET_ADDRESS, n - 5, 8, some_data(s));
		break;
	case 9:
		put_packet(b, PMSCOPE_PACKET_CONTEXT, value & 1, 4, TASK);
		break;
	case 10:
		put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0, 1 << (value & 1),
			   value >> 32 & 0xf);
		break;
	}
}

static void put_mixed(struct bytes *b, struct stream *s)
{
	uint8_t order[11];

	for (unsigned int i = 0; i < sizeof(order); i++) {
		unsigned int j = random_below(&s->random, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (unsigned int i = 0; i < sizeof(order); i++)
		if (random_below(&s->random, 8))
			put_nth(b, s, order[i]);
	put_timestamp(b, s->ticks);
}

static void put_side_bands(struct bytes *b)
{
	struct where where = {.pid = TASK, .tid = TASK, .time = 1};

	put_comm(b, PERF_RECORD_MISC_COMM_EXEC, "bench", &where);
	put_mmap2(b, TEXT, TEXT_SIZE, 0, "/usr/bin/bench", &where);
}

/* Records for one AUXTRACE record, at @offset of the area of @cpu. */
static void put_piece(struct bytes *out, unsigned int cpu, uint64_t offset,
		      struct stream *s, bool usual)
{
	const size_t at_offset = out->size + 16;
	struct bytes trace = {};

	while (trace.size < PIECE) {
		s->ticks += 1 + random_below(&s->random, 100);
		if (usual)
			put_usual(&trace, s);
		else
			put_mixed(&trace, s);
	}
	put_auxtrace(out, cpu, cpu, -1, &trace);
	memcpy(out->data + at_offset, &offset, sizeof(offset));
	bytes_fini(&trace);
}

/* Writes what is there and empties it. */
static size_t flush(struct bytes *out)
{
	size_t size = out->size;

	if (fwrite(out->data, 1, size, stdout) != size) {
		perror("stdout");
		exit(1);
	}
	out->size = 0;
	return size;
}

static void put_begin(struct bytes *out)
{
	perfdata_begin(out);
	/* perf names instructions only for events that have their address. */
	perfdata_set_sample_type(out, PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_IP);
	/* In this order: perf takes the conversion when it meets the other. */
	put_time_conv(out, 0, 1, 0);
	put_auxtrace_info(out, TYPE_ARM_SPE);
	put_side_bands(out);
	perfdata_end(out);
}

/* All pieces; returns their bytes with all that is around them. */
static uint64_t write_traces(struct bytes *out, uint64_t size,
			     unsigned int cpus, bool usual)
{
	struct stream streams[MAX_CPUS];
	uint64_t written = 0, traced = 0;

	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		streams[cpu] = (struct stream){1000 + cpu, 1000 + cpu};
	for (uint64_t offset = 0; traced < size; offset += PIECE)
		for (unsigned int cpu = 0; cpu < cpus; cpu++) {
			put_piece(out, cpu, offset, &streams[cpu], usual);
			written += flush(out);
			traced += PIECE;
		}
	return written;
}

int main(int argc, char **argv)
{
	struct bytes out = {};
	uint64_t written, data;
	unsigned int cpus;
	size_t size;

	if (argc != 4 || !(size = atoi(argv[2])) || !(cpus = atoi(argv[3])) ||
	    cpus > MAX_CPUS)
		return 1;
	put_begin(&out);
	memcpy(&data, out.data + AT_DATA_SIZE, sizeof(data));
	flush(&out);
	written = write_traces(&out, (uint64_t)size << 20, cpus,
			       !strcmp(argv[1], "usual"));
	data += written;
	if (fseek(stdout, AT_DATA_SIZE, SEEK_SET) ||
	    fwrite(&data, sizeof(data), 1, stdout) != 1 || fclose(stdout)) {
		perror("stdout, which must be a file");
		return 1;
	}
	bytes_fini(&out);
	return 0;
}
