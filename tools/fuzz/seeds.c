// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: seeds DIR
 *
 * Writes the corpus: DIR/packets and so on, for each target, each with small
 * files of every kind the target reads. They are the same each time.
 */
#include "base/record.h"
#include "elf_fixture.h"
#include "pack/pack.h"
#include "recording_fixture.h"
#include "session/records.h"
#include "symbols/elf.h"

#include <pmscope/stream.h>

#include <elf.h>
#include <zstd.h>

#define TYPE_ARM_SPE 4

static const char *top;

__attribute__((format(printf, 3, 4))) static void
write_seed(struct bytes *b, const char *target, const char *name, ...)
{
	char path[4096];
	va_list args;
	size_t length;
	FILE *out;

	length = snprintf(path, sizeof(path), "%s/%s", top, target);
	if (mkdir(path, 0777) && errno != EEXIST) {
		perror(path);
		exit(1);
	}
	path[length++] = '/';
	va_start(args, name);
	vsnprintf(path + length, sizeof(path) - length, name, args);
	va_end(args);
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

	for (unsigned int i = 0; i < 24; i++) {
		struct bytes b = {};

		put(&b, (i & 3) << 1 | (i & 4) << 5, 1);
		put_stream(&b, &state, 40U << (i / 6));
		corrupt(&b, &state, i % 5);
		write_seed(&b, "packets", "stream-%u", i);
	}
}

/* A record of every type the kernel and perf have, of no sense inside. */
static void put_all_types(struct bytes *b, uint64_t *state)
{
	static const struct where where = {1, 2, 3, 0};

	for (unsigned int type = 1; type < 84; type++) {
		struct bytes body = {};

		/* Those that bytes follow. */
		if (type == PMSCOPE_RECORD_AUXTRACE ||
		    type == PMSCOPE_RECORD_TRACING_DATA)
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
		const struct where end = {10, 10, 50, cpu};
		struct bytes trace = {};

		for (unsigned int i = 0; i < 4; i++)
			put_load_of(&trace, 10 + i % 2, 0x400000 + 4 * i,
				    0x9000, 100 * i + cpu);
		put_any_record(&trace, state);
		put_aux(b, 50 * cpu, 0, &end);
		put_auxtrace_part(b, cpu, &trace, 0, 50 * cpu);
		put_auxtrace_part(b, cpu, &trace, 50 * cpu, trace.size);
		bytes_fini(&trace);
	}
}

static void put_body(struct bytes *b, uint64_t *state, bool all)
{
	/* A call chain, a block of it, its end */
	static const uint64_t blocks[] = {
		1,
		(uint64_t)HEAP_SITE << HEAP_KIND_SHIFT | 1,
		0x4000,
		10,
		(uint64_t)HEAP_BLOCK << HEAP_KIND_SHIFT | 0x9000,
		64 << 24 | 1,
		50,
		0x9000};

	put_time_conv(b, 0, 1, 0);
	put_auxtrace_info(b, TYPE_ARM_SPE);
	put_threads(b);
	put_heap(b, 10, 0, blocks, ARRAY_SIZE(blocks));
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

/* Groups that are records of a stream, of CPUs that differ. */
static void recording_of_stream(void)
{
	static const uint64_t cpus[][4] = {{0, 0x410fd0c0, 10},
					   {2, 0x480fd060, 11}};
	static const uint64_t type = PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_IP |
				     PMSCOPE_STREAM_SAMPLE_TYPE;
	static uint64_t sample[8192];
	struct bytes b = {};
	uint64_t state = 6;

	perfdata_begin(&b);
	perfdata_read_groups(&b);
	perfdata_attr(&b)->sample_type = type;
	perfdata_inherit(&b);
	put_auxtrace_info_v2(&b, cpus, 2, 3);
	put_time_conv(&b, 0, 1, 0);
	for (unsigned int nr = 2; nr < 5; nr++) {
		struct pmscope_record record;
		struct bytes one = {};

		put_snapshot(&one, nr, 0);
		pmscope_stream_next(one.data, one.size, &record);
		record.id = PERFDATA_ID;
		bytes_add(&b, sample,
			  stream_sample(one.data, &record, type, 1,
					(void *)sample));
		bytes_fini(&one);
	}
	put_traces(&b, &state);
	perfdata_end(&b);
	write_seed(&b, "recording", "stream");
}

/* With its first maps, or with a trace that is compressed. */
static void recording_of_simpleperf(const char *name, unsigned int feature)
{
	struct bytes b = {}, trace = {}, packed = {}, maps = {};

	put_load(&trace, 0x5000, 0x9000, 100);
	put_packed(&packed, &trace);
	put_comm(&maps, 0, "first", &(struct where){.pid = 7, .tid = 7});
	perfdata_begin(&b);
	put_time_conv(&b, 0, 1, 0);
	put_auxtrace(&b, 0, 0, 7, &packed);
	perfdata_end(&b);
	perfdata_put_feature(&b, feature, &maps);
	write_seed(&b, "recording", "%s", name);
	bytes_fini(&maps);
	bytes_fini(&packed);
	bytes_fini(&trace);
}

static void recording_seeds(void)
{
	uint64_t state = 5;

	for (unsigned int i = 0; i < 8; i++) {
		struct bytes b = {};

		if (i & 1)
			perfdata_begin_pipe(&b);
		else
			perfdata_begin(&b);
		if (!i)
			perfdata_use_clockid(&b, CLOCK_MONOTONIC);
		if (i < 4)
			put_body(&b, &state, i & 2);
		else
			put_compressed_body(&b, &state,
					    i & 2 ? PMSCOPE_RECORD_COMPRESSED2
						  : PMSCOPE_RECORD_COMPRESSED);
		if (!(i & 1))
			perfdata_end(&b);
		write_seed(&b, "recording", "recording-%u", i);
	}
	recording_of_stream();
	recording_of_simpleperf("packed", 129);
	recording_of_simpleperf("maps", 134);
}

static void register_seeds(void)
{
	static const char *const dumps[] = {
		"cpu0 PMCR_EL0 0x41013000\ncpu1 PMSCR_EL1 0x3f\n",
		"cpu12 PMEVCNTSVR30_EL1 0xffffffffffffffff\n\ncpu0 NONE 0x0\n",
		"cpu0 PMBSR_EL1 0x20000000\ncpu-1 PMCR_EL0 1\ncpu0\n",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(dumps); i++) {
		struct bytes b = {};

		bytes_add(&b, dumps[i], strlen(dumps[i]));
		write_seed(&b, "registers", "dump-%u", i);
	}
}

static void snapshot_seeds(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct bytes b = {};

		/* The last ones begin inside a record. */
		put_zeros(&b, i & 2 ? 24 : 0);
		for (unsigned int nr = 0; nr < 4; nr++)
			put_snapshot(&b, 3 * nr, i & 1 ? 8 : 0);
		write_seed(&b, "snapshots", "stream-%u", i);
	}
}

/* A file that the compiler made of other files; @command says how. */
static void put_made(struct bytes *b, const char *name, const char *command)
{
	char data[65536];
	FILE *in;

	if (!fixture_run("%s", command) ||
	    !(in = fopen(fixture_path(name), "rb"))) {
		fprintf(stderr, "cannot make %s: %s\n", name, command);
		exit(1);
	}
	bytes_add(b, data, fread(data, 1, sizeof(data), in));
	fclose(in);
}

/* One function, and the sections that name it. */
static void put_elf(struct bytes *b)
{
	fixture_write_text("elf.s", ".globl main\n.type main, %function\n"
				    "main: .skip 128\n.size main, 128\n");
	put_made(b, "elf",
		 "cc -static -nostdlib -Wl,-n,--build-id=none -o elf elf.s");
}

/* As the child that reads ELF files answers: sizes, then symbols. */
static void put_image(struct bytes *b)
{
	static const struct segment segment = {
		.offset = 0x1000, .size = 0x1000, .memory = 0x1000};
	struct elf_symbols elf = {};
	struct elf_image image;
	char data[4096];
	ssize_t size;
	int fd;

	for (uint64_t i = 0; i < 3; i++) {
		const struct symbol symbol = {
			.address = 0x10 * i, .size = 0x20, .name = "function"};

		symbol_table_add(&elf.table, &symbol);
	}
	symbol_table_sort(&elf.table);
	elf_add_segment(&elf, &segment);
	fd = elf_save(&elf, &image);
	size = pread(fd, data, sizeof(data), 0);
	bytes_add(b, &image, sizeof(image));
	bytes_add(b, data, size > 0 ? size : 0);
	close(fd);
	elf_fini(&elf);
}

/* Two functions of process 7, the second without its code. */
static void put_jitdump(struct bytes *b)
{
	put_jit_header(b, 0);
	put_jit_load(b, 2000, 7, 0x400000, "func");
	put_jit_load(b, 2000, 7, 0x400100, "func");
	b->size -= 4;
}

static void symbol_seeds(void)
{
	static const char map[] = "400000 80 first\n400100 10 second one\nx\n";
	static const char kallsyms[] = "ffff800000000000 T _text\n"
				       "ffff800000001000 t run\t[module]\n"
				       "0000000000000000 A zero\n";
	struct bytes b[6] = {};

	bytes_add(&b[0], map, strlen(map));
	write_seed(&b[0], "symbols", "map");
	bytes_add(&b[1], kallsyms, strlen(kallsyms));
	write_seed(&b[1], "symbols", "kallsyms");
	put_jitdump(&b[2]);
	write_seed(&b[2], "symbols", "jitdump");
	put_elf(&b[3]);
	write_seed(&b[3], "symbols", "elf");
	put_arm_module(&b[4], 0);
	write_seed(&b[4], "symbols", "module");
	put_image(&b[5]);
	write_seed(&b[5], "symbols", "image");
}

/* In the order of the targets in parsers.c. */
enum {
	PACK,
	ZSTD,
	DIRECTORY,
	PROVENANCE,
	MAPS,
	FILTER,
	CONTROL,
	OBJDUMP
};

static void parser_seed(unsigned int parser, const char *name,
			const struct bytes *input)
{
	struct bytes b = {};

	put(&b, parser, 1);
	bytes_add(&b, input->data, input->size);
	write_seed(&b, "parsers", "%s", name);
}

static void text_seeds(void)
{
	static const struct {
		unsigned int parser;
		const char *name;
		const char *text;
	} seeds[] = {
		{MAPS, "maps",
		 "aaaac0000000-aaaac0010000 r-xp 00001000 fe:01 123 /bin/ls\n"
		 "ffff80000000-ffff80001000 rw-s 00000000 00:00 0\n"
		 "ffff80001000-ffff80002000 r-xp 0 00:05 7 /a\\012b "
		 "(deleted)\n"},
		{FILTER, "filter",
		 "op=load|store,lat>=50,sym!=main|\"a b\",source=dram,"
		 "event=tlb-walk,time<1.5s,cpu=0-3"},
		{FILTER, "filter-units", "lat>=1K,lat<2us,pc>0x1000,pid!=7"},
		{CONTROL, "control",
		 "enable\ndisable\nsnapshot\nevlist -v\nping\nnone\n\nstop\n"},
		{OBJDUMP, "objdump",
		 "\n   0:\td503201f \tnop\n"
		 "   4:\t54000040 \tb.eq\t0xc  // b.none\n"
		 "   8:\t00000000 \tudf\t#0\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct bytes b = {};

		bytes_add(&b, seeds[i].text, strlen(seeds[i].text));
		parser_seed(seeds[i].parser, seeds[i].name, &b);
		bytes_fini(&b);
	}
}

static void pack_member(struct pack_writer *pack, const char *name,
			const struct bytes *data)
{
	pack_file(pack, name, data->size);
	pack_put(pack, data->data, data->size);
}

/* A pack as it is, and only its tar archive. */
static void pack_seeds(const struct bytes *recording)
{
	static uint8_t plain[1 << 16];
	struct pack_writer pack;
	struct bytes elf = {};
	char *data;
	size_t size;
	FILE *out = open_memstream(&data, &size);

	put_elf(&elf);
	pack_begin(&pack, out, 1);
	pack_member(&pack, PACK_RECORDING, recording);
	pack_member(&pack, PACK_KALLSYMS, &elf);
	pack_member(&pack, PACK_ROOT "bin/parent", &elf);
	pack_member(&pack, "bin/parent/0123456789abcdef/elf", &elf);
	pack_link(&pack, ".build-id/01/23456789abcdef", "../../bin/parent");
	pack_end(&pack);
	fclose(out);
	parser_seed(PACK, "pack",
		    &(struct bytes){.data = (void *)data, .size = size});
	size = ZSTD_decompress(plain, sizeof(plain), data, size);
	parser_seed(PACK, "tar", &(struct bytes){.data = plain, .size = size});
	bytes_fini(&elf);
	free(data);
}

static void put_string(struct bytes *b, const char *text)
{
	put(b, strlen(text) + 1, 4);
	bytes_add(b, text, strlen(text) + 1);
}

static void provenance_seeds(const struct bytes *recording)
{
	static const unsigned int features[] = {
		PMSCOPE_FEATURE_HOSTNAME,  PMSCOPE_FEATURE_VERSION,
		PMSCOPE_FEATURE_NRCPUS,	   PMSCOPE_FEATURE_CPUDESC,
		PMSCOPE_FEATURE_TOTAL_MEM, PMSCOPE_FEATURE_CMDLINE,
		PMSCOPE_FEATURE_EVENT_DESC};
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		struct bytes b = {}, data = {};

		bytes_add(&b, recording->data, recording->size);
		if (features[i] == PMSCOPE_FEATURE_CMDLINE)
			put(&data, 2, 4);
		put_string(&data, "pmscope");
		put_string(&data, "record");
		put_zeros(&data, 8);
		perfdata_put_feature(&b, features[i], &data);
		snprintf(name, sizeof(name), "provenance-%u", features[i]);
		parser_seed(PROVENANCE, name, &b);
		bytes_fini(&data);
		bytes_fini(&b);
	}
}

/*
 * A function inlined in another, and an array of structs, at the addresses that
 * the target asks for.
 */
static void dwarf_seeds(void)
{
	struct bytes plain = {}, packed = {};

	fixture_write_text("a.c",
			   "struct node { int key; struct node *next; };\n"
			   "struct node table[16] = {{1}};\n"
			   "static inline __attribute__((always_inline))\n"
			   "int inner(int i) { return table[i].key * i; }\n"
			   "int outer(int i) { return inner(i) + i; }\n");
	put_made(&plain, "plain",
		 "cc -g -gdwarf-4 -fdebug-prefix-map=$D=. -O1 -no-pie -static "
		 "-nostdlib -Wl,-e,outer,"
		 "-N,-Ttext=0,--build-id=none -o plain a.c");
	put_made(&packed, "zstd",
		 "objcopy --compress-debug-sections=zstd plain zstd || "
		 "objcopy --compress-debug-sections plain zstd");
	write_seed(&plain, "dwarf", "plain");
	write_seed(&packed, "dwarf", "zstd");
}

static void parser_seeds(void)
{
	struct bytes recording = {}, directory = {}, packed = {}, threads = {};
	uint64_t state = 7;

	perfdata_begin(&recording);
	put_body(&recording, &state, false);
	perfdata_end(&recording);
	text_seeds();
	pack_seeds(&recording);
	provenance_seeds(&recording);
	put_threads(&threads);
	put_packed(&packed, &recording);
	parser_seed(ZSTD, "zstd", &packed);
	put(&directory, recording.size, 2);
	bytes_add(&directory, recording.data, recording.size);
	put(&directory, threads.size, 2);
	bytes_add(&directory, threads.data, threads.size);
	bytes_add(&directory, threads.data, threads.size);
	parser_seed(DIRECTORY, "directory", &directory);
	bytes_fini(&recording);
	bytes_fini(&directory);
	bytes_fini(&packed);
	bytes_fini(&threads);
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
	if (!fixture_open()) {
		perror("seeds");
		return 1;
	}
	packet_seeds();
	recording_seeds();
	register_seeds();
	snapshot_seeds();
	symbol_seeds();
	parser_seeds();
	dwarf_seeds();
	fixture_close();
	return 0;
}
