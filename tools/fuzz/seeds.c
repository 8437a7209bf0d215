// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: seeds DIR
 *
 * Writes the corpus: DIR/packets and so on, for each target, each with small
 * files of every kind the target reads. They are the same each time.
 */
#include "arm_module.h"
#include "bytes.h"
#include "pack/pack.h"
#include "pack/tar.h"
#include "random.h"
#include "session/stream_sample.h"
#include "stream.h"
#include "symbols/elf.h"

#include <pmscope/packet.h>
#include <pmscope/perfdata.h>
#include <pmscope/stream.h>

#include <elf.h>
#include <linux/pmscope.h>
#include <sys/stat.h>
#include <time.h>
#include <zstd.h>

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
	perfdata_set_sample_type(&b, type);
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
	write_seed("recording", "stream", &b);
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
	write_seed("recording", name, &b);
	bytes_fini(&maps);
	bytes_fini(&packed);
	bytes_fini(&trace);
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
		snprintf(name, sizeof(name), "recording-%u", i);
		write_seed("recording", name, &b);
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
	char name[32];

	for (unsigned int i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		struct bytes b = {};

		bytes_add(&b, dumps[i], strlen(dumps[i]));
		snprintf(name, sizeof(name), "dump-%u", i);
		write_seed("registers", name, &b);
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

/* One segment, one function, and the sections that name it. */
enum {
	ELF_SYMBOLS = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
	ELF_STRINGS = ELF_SYMBOLS + 2 * sizeof(Elf64_Sym),
	ELF_SECTIONS = ELF_STRINGS + 32,
};

static const char elf_strings[] = "\0main\0.symtab\0.strtab\0.text";

static void put_elf_headers(struct bytes *b)
{
	const Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
		.e_type = ET_DYN,
		.e_machine = EM_AARCH64,
		.e_version = 1,
		.e_phoff = sizeof(header),
		.e_shoff = ELF_SECTIONS,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
		.e_shstrndx = 2,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_X | PF_R,
		.p_filesz = 0x1000,
		.p_memsz = 0x1000,
	};

	bytes_add(b, &header, sizeof(header));
	bytes_add(b, &segment, sizeof(segment));
}

static void put_elf_symbols(struct bytes *b)
{
	const Elf64_Sym symbols[2] = {
		{},
		{.st_name = 1,
		 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		 .st_shndx = 3,
		 .st_value = 0x100,
		 .st_size = 0x80},
	};

	bytes_add(b, symbols, sizeof(symbols));
	bytes_add(b, elf_strings, sizeof(elf_strings));
	put_zeros(b, ELF_SECTIONS - b->size);
}

static void put_elf_sections(struct bytes *b)
{
	const Elf64_Shdr sections[4] = {
		{},
		{.sh_name = 6,
		 .sh_type = SHT_SYMTAB,
		 .sh_offset = ELF_SYMBOLS,
		 .sh_size = 2 * sizeof(Elf64_Sym),
		 .sh_link = 2,
		 .sh_info = 1,
		 .sh_entsize = sizeof(Elf64_Sym)},
		{.sh_name = 14,
		 .sh_type = SHT_STRTAB,
		 .sh_offset = ELF_STRINGS,
		 .sh_size = sizeof(elf_strings)},
		{.sh_name = 22,
		 .sh_type = SHT_PROGBITS,
		 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		 .sh_addr = 0x100,
		 .sh_offset = 0x100,
		 .sh_size = 0x80},
	};

	bytes_add(b, sections, sizeof(sections));
}

static void put_elf(struct bytes *b)
{
	put_elf_headers(b);
	put_elf_symbols(b);
	put_elf_sections(b);
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
	bytes_add(b, "DTiJ", 4);
	put(b, 1, 4);	/* version */
	put(b, 40, 4);	/* bytes of this header */
	put(b, 183, 4); /* AArch64 */
	put(b, 0, 4);
	put(b, 7, 4);
	put(b, 1000, 8);
	put(b, 0, 8);
	for (unsigned int i = 0; i < 2; i++) {
		put(b, 0, 4); /* a function was loaded */
		put(b, 16 + 40 + 5 + 8, 4);
		put(b, 2000, 8);
		put(b, 7, 4);
		put(b, 7, 4);
		put(b, 0x400000 + 0x100 * i, 8);
		put(b, 0x400000 + 0x100 * i, 8);
		put(b, 0x80, 8);
		put(b, i, 8);
		bytes_add(b, "func", 5);
		put_zeros(b, i ? 0 : 8);
	}
}

static void symbol_seeds(void)
{
	static const char map[] = "400000 80 first\n400100 10 second one\nx\n";
	static const char kallsyms[] = "ffff800000000000 T _text\n"
				       "ffff800000001000 t run\t[module]\n"
				       "0000000000000000 A zero\n";
	struct bytes b[6] = {};

	bytes_add(&b[0], map, strlen(map));
	write_seed("symbols", "map", &b[0]);
	bytes_add(&b[1], kallsyms, strlen(kallsyms));
	write_seed("symbols", "kallsyms", &b[1]);
	put_jitdump(&b[2]);
	write_seed("symbols", "jitdump", &b[2]);
	put_elf(&b[3]);
	write_seed("symbols", "elf", &b[3]);
	put_arm_module(&b[4], 0);
	write_seed("symbols", "module", &b[4]);
	put_image(&b[5]);
	write_seed("symbols", "image", &b[5]);
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
	write_seed("parsers", name, &b);
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

	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
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

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
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
 * One unit "a.c" with "outer" at 0, 0x100 bytes, and "inner" inlined in it; and
 * behind that "table", an array of structs.
 */
static const uint8_t abbreviations[] = {
	1, 0x11, 1, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0, 2,
	0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0, 3, 0x1d, 0, 0x03,
	0x08, 0x11, 0x01, 0x12, 0x07, 0x58, 0x0b, 0x59, 0x0b, 0, 0,
	/* int, struct, member, array, its range, variable */
	4, 0x24, 0, 0x0b, 0x0b, 0, 0, 5, 0x13, 1, 0x0b, 0x0b, 0, 0, 6, 0x0d, 0,
	0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0, 0, 7, 0x01, 1, 0x49, 0x13, 0, 0,
	8, 0x21, 0, 0x2f, 0x0b, 0, 0, 9, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02,
	0x18, 0, 0, 0};

static void put_die(struct bytes *b, unsigned int number, const char *name,
		    uint64_t size)
{
	put(b, number, 1);
	bytes_add(b, name, strlen(name) + 1);
	if (number == 1)
		put(b, 0, 4); /* its line table */
	put(b, 0, 8);
	put(b, size, 8);
}

static void put_member(struct bytes *b, const char *name, uint64_t type,
		       unsigned int offset)
{
	put(b, 6, 1);
	bytes_add(b, name, strlen(name) + 1);
	put(b, type, 4);
	put(b, offset, 1);
}

/* Types are named by where they are in the unit, which has its length first. */
static void put_variable(struct bytes *b)
{
	uint64_t number = b->size + 4, node = number + 2;

	put(b, 0x0404, 2);
	put(b, 0x1005, 2);
	put_member(b, "key", number, 0);
	put_member(b, "next", number, 8);
	put(b, 0, 1);
	put(b, 7, 1);
	put(b, node, 4);
	put(b, 0x000f08, 3);
	put(b, 9, 1);
	bytes_add(b, "table", 6);
	put(b, b->size + 4 - 6 - 1 - 3 - 5, 4);
	put(b, 0x0309, 2);
	put(b, 0x100, 8);
}

static void put_unit(struct bytes *b)
{
	struct bytes body = {};

	put(&body, 4, 2); /* version, abbreviations, size of an address */
	put(&body, 0, 4);
	put(&body, 8, 1);
	put_die(&body, 1, "a.c", 0x100);
	put_die(&body, 2, "outer", 0x100);
	put_die(&body, 3, "inner", 0x20);
	put(&body, 0x0501, 2); /* called from file 1, line 5 */
	put(&body, 0, 1);
	put_variable(&body);
	put(&body, 0, 1);
	put(b, body.size, 4);
	bytes_add(b, body.data, body.size);
	bytes_fini(&body);
}

static void put_lines(struct bytes *b)
{
	static const uint8_t program[] = {
		1, 1, 1, 0xfb, 14, 13,	 0,   1,    1,	 1, 1, 0, 0,
		0, 1, 0, 0,    1,  0,	 'a', '.',  'c', 0, 0, 0, 0,
		0, 0, 9, 2,    0,  0,	 0,   0,    0,	 0, 0, 0, 3,
		4, 1, 2, 32,   1,  0x4b, 2,   0xc0, 1,	 0, 1, 1};

	put(b, 2 + 4 + sizeof(program), 4);
	put(b, 4, 2);
	put(b, 27, 4); /* bytes of the header behind this */
	bytes_add(b, program, sizeof(program));
}

struct dwarf_section {
	const char *name;
	struct bytes data;
	uint64_t flags;
};

/* As gABI has it: type, reserved, size, alignment. */
static void pack_section(struct dwarf_section *section)
{
	size_t room = ZSTD_compressBound(section->data.size);
	struct bytes packed = {};
	char *data = malloc(room);

	put(&packed, 2, 8);
	put(&packed, section->data.size, 8);
	put(&packed, 1, 8);
	bytes_add(&packed, data,
		  ZSTD_compress(data, room, section->data.data,
				section->data.size, 3));
	free(data);
	bytes_fini(&section->data);
	section->data = packed;
	section->flags = SHF_COMPRESSED;
}

/* The segment and the function of put_elf(), with these sections. */
static void put_dwarf(struct bytes *b, bool packed)
{
	struct dwarf_section sections[] = {
		{.name = ".debug_abbrev"},
		{.name = ".debug_info"},
		{.name = ".debug_line"},
		{.name = ".shstrtab"},
	};
	const size_t nr = sizeof(sections) / sizeof(*sections);
	struct bytes headers = {}, *names = &sections[nr - 1].data;
	Elf64_Ehdr *header;

	bytes_add(&sections[0].data, abbreviations, sizeof(abbreviations));
	put_unit(&sections[1].data);
	put_lines(&sections[2].data);
	for (size_t i = 0; i < nr - 1 && packed; i++)
		pack_section(&sections[i]);
	put(names, 0, 1);
	put_elf_headers(b);
	put_zeros(&headers, sizeof(Elf64_Shdr));
	for (size_t i = 0; i < nr; i++) {
		Elf64_Shdr section = {
			.sh_name = names->size,
			.sh_type = i == nr - 1 ? SHT_STRTAB : SHT_PROGBITS,
			.sh_flags = sections[i].flags,
			.sh_offset = b->size,
			.sh_addralign = 1,
		};

		bytes_add(names, sections[i].name,
			  strlen(sections[i].name) + 1);
		section.sh_size = sections[i].data.size;
		bytes_add(b, sections[i].data.data, section.sh_size);
		bytes_add(&headers, &section, sizeof(section));
		bytes_fini(&sections[i].data);
	}
	put_zeros(b, -b->size & 7);
	header = (void *)b->data;
	header->e_shoff = b->size;
	header->e_shnum = nr + 1;
	header->e_shstrndx = nr;
	bytes_add(b, headers.data, headers.size);
	bytes_fini(&headers);
}

static void parser_seeds(void)
{
	struct bytes recording = {}, directory = {}, packed = {}, dwarf[2] = {};
	struct bytes threads = {};
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
	for (size_t i = 0; i < 2; i++) {
		put_dwarf(&dwarf[i], i);
		write_seed("dwarf", i ? "zstd" : "plain", &dwarf[i]);
	}
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
	packet_seeds();
	recording_seeds();
	register_seeds();
	snapshot_seeds();
	symbol_seeds();
	parser_seeds();
	return 0;
}
