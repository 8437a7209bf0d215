// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: generate KIND MIB CPUS [PROGRAM [SEED]] >PERF.DATA
 *
 * A recording of CPUS CPUs with MIB of SPE data, the same at every call. KIND:
 *
 *   usual   the records of a Neoverse N1: loads, stores, branches, others, each
 *           as often and its values as often
 *   skewed  the same layout, filled as by a program (fixtures/bytes.h)
 *   many    as usual, all over a program of 650,000 functions of 16 bytes
 *   packed  as skewed, laid out as a Kunpeng does
 *   mixed   packets of all types, in an order of each record's own
 *
 * PROGRAM is the file that is said to run, for its symbols.
 */
#include "bytes.h"

#include <elfutils/libdwelf.h>

#define TYPE_ARM_SPE 4
#define PIECE	     (UINT64_C(4) << 20)
#define MAX_CPUS     256
#define AT_DATA_SIZE 48 /* in the header of the file */
#define TASK	     SKEWED_TASK
#define TEXT	     SKEWED_TEXT
#define TEXT_SIZE    0x100000
#define MANY_SIZE    (650000 * 16)
#define NS	     (UINT64_C(1) << 63)

struct stream {
	uint64_t random;
	uint64_t ticks;
	bool many;
	struct skewed skewed;
};

static uint64_t some_pc(struct stream *s)
{
	uint32_t spread = random_below(&s->random, 4) ? 0x800 : TEXT_SIZE;

	if (s->many)
		spread = MANY_SIZE;
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

	PUT_ADDRESS(b, VA, some_data(s));
	put_latency(b, s, PMSCOPE_COUNTER_TRANSLATE);
	put_zeros(b, 9);
	if (load)
		PUT_SOURCE(b, 1, sources[random_below(&s->random, 6)]);
	put_zeros(b, load ? 2 : 4);
}

static void put_jump(struct bytes *b, struct stream *s)
{
	PUT_ADDRESS(b, TARGET, some_pc(s));
	put_zeros(b, 16);
}

/* As in recordings of an N1: 64 bytes each, nothing moves. */
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

	PUT_ADDRESS(b, PC, some_pc(s));
	put_zeros(b, 5);
	PUT_CONTEXT(b, 1, TASK);
	put_packet(b, PMSCOPE_PACKET_OPERATION, kinds[k].class, 1, kinds[k].op);
	PUT_EVENTS(b, 2, kinds[k].events);
	put_latency(b, s, PMSCOPE_COUNTER_ISSUE);
	put_latency(b, s, PMSCOPE_COUNTER_TOTAL);
	if (kinds[k].class == PMSCOPE_OPERATION_LOAD_STORE)
		put_data(b, s, !(kinds[k].op & 1));
	else if (kinds[k].class == PMSCOPE_OPERATION_BRANCH)
		put_jump(b, s);
	else
		put_zeros(b, 25);
	put_timestamp(b, s->ticks);
}

static void put_nth(struct bytes *b, struct stream *s, unsigned int n)
{
	uint64_t value = random_next(&s->random);

	switch (n) {
	case 0:
		PUT_ADDRESS(b, PC, some_pc(s));
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

/* Without @record it is skewed. */
static const struct kind {
	const char *name;
	void (*record)(struct bytes *b, struct stream *s);
	bool many;
	enum skewed_layout layout;
} kinds[] = {
	{"usual", put_usual, false, SKEWED_N1},
	{"many", put_usual, true, SKEWED_N1},
	{"mixed", put_mixed, false, SKEWED_N1},
	{"skewed", NULL, false, SKEWED_N1},
	{"packed", NULL, false, SKEWED_KUNPENG},
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

static void put_next(struct bytes *b, struct stream *s, const struct kind *kind)
{
	if (!kind->record) {
		put_skewed(b, &s->skewed);
		return;
	}
	s->ticks += 1 + random_below(&s->random, 100);
	kind->record(b, s);
}

/* The last record, an MMAP2, has the build-id of @program, if there is one. */
static void give_build_id(struct bytes *b, size_t record, const char *program)
{
	uint16_t misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
	uint8_t *at = b->data + record;
	int fd = open(program, O_RDONLY);
	Elf *elf = NULL;
	const void *id;
	ssize_t size;

	elf_version(EV_CURRENT);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0 && size <= 20) {
		memcpy(at + 4, &misc, sizeof(misc));
		at[8 + 32] = size;
		memcpy(at + 8 + 32 + 4, id, size);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static void put_side_bands(struct bytes *b, const char *program)
{
	struct where where = {.time = 1};
	char comm[16];
	size_t record;

	for (int i = 0; i < SKEWED_TASKS; i++) {
		where.pid = where.tid = TASK + i;
		snprintf(comm, sizeof(comm), i ? "bench-%d" : "bench", i);
		put_comm(b, PERF_RECORD_MISC_COMM_EXEC, comm, &where);
		record = b->size;
		put_mmap2(b, TEXT, MANY_SIZE, 0, program, &where);
		give_build_id(b, record, program);
	}
}

/* Records for one AUXTRACE record, at @offset of the area of @cpu. */
static void put_piece(struct bytes *out, unsigned int cpu, uint64_t offset,
		      struct stream *s, const struct kind *kind)
{
	const size_t at_offset = out->size + 16;
	struct bytes trace = {};

	while (trace.size < PIECE)
		put_next(&trace, s, kind);
	put_auxtrace(out, cpu, cpu, -1, &trace);
	memcpy(out->data + at_offset, &offset, sizeof(offset));
	bytes_fini(&trace);
}

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

static void put_begin(struct bytes *out, const char *program)
{
	perfdata_begin(out);
	/* perf names instructions, and data, only of events that have them. */
	perfdata_attr(out)->sample_type = PERFDATA_SAMPLE_TYPE |
					  PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
					  PERF_SAMPLE_DATA_SRC;
	/*
	 * In this order: perf uses the conversion when it reads the other
	 * record.
	 */
	put_time_conv(out, 0, 1, 0);
	put_auxtrace_info(out, TYPE_ARM_SPE);
	put_side_bands(out, program);
	perfdata_end(out);
}

/* All pieces; returns their bytes with all that is around them. */
static uint64_t write_traces(struct bytes *out, uint64_t size,
			     unsigned int cpus, const struct kind *kind,
			     uint64_t seed)
{
	static struct stream streams[MAX_CPUS];
	uint64_t written = 0, traced = 0;

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		streams[cpu] = (struct stream){.random = seed + cpu,
					       .ticks = 1000 + cpu,
					       .many = kind->many};
		streams[cpu].skewed.random = seed + cpu;
		streams[cpu].skewed.ticks = 1000 + cpu;
		streams[cpu].skewed.layout = kind->layout;
	}
	for (uint64_t offset = 0; traced < size; offset += PIECE)
		for (unsigned int cpu = 0; cpu < cpus; cpu++) {
			put_piece(out, cpu, offset, &streams[cpu], kind);
			written += flush(out);
			traced += PIECE;
		}
	return written;
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc > 1 ? find_kind(argv[1]) : NULL;
	uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 0) : 1000;
	struct bytes out = {};
	uint64_t written, data;
	unsigned int cpus;
	size_t size;

	if (argc < 4 || argc > 6 || !kind || !seed || !(size = atoi(argv[2])) ||
	    !(cpus = atoi(argv[3])) || cpus > MAX_CPUS)
		return 1;
	put_begin(&out, argc > 4 ? argv[4] : "/usr/bin/bench");
	memcpy(&data, out.data + AT_DATA_SIZE, sizeof(data));
	flush(&out);
	written = write_traces(&out, (uint64_t)size << 20, cpus, kind, seed);
	data += written;
	if (fseek(stdout, AT_DATA_SIZE, SEEK_SET) ||
	    fwrite(&data, sizeof(data), 1, stdout) != 1 || fclose(stdout)) {
		perror("stdout, which must be a file");
		return 1;
	}
	bytes_fini(&out);
	return 0;
}
