// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Malformed ELF files that would take time or memory in proportion to the
 * square of their size, which is minutes here, or all memory.
 */
#include "command.h"
#include "symbols_scenario.h"

#include "symbols/dso.h"

#define TEXT_ADDRESS 0x10000
#define TEXT_SIZE    0x1000
#define NAME_LENGTH  200000

/* Names in the order of the sections in the file. */
static const char section_names[] =
	"\0.text\0.strtab\0.symtab\0.rela.plt\0.plt\0.shstrtab\0";

enum {
	NR_SECTIONS = 7
};

struct program {
	struct bytes parts[NR_SECTIONS];
	size_t nr_more; /* number of sections like @more, without a name */
	Elf64_Shdr more;
	uint64_t told_stubs; /* size in the headers of .rela.plt and .plt */
	bool is_module;	     /* each of @more is .rela.plt again */
};

static const Elf64_Shdr headers[NR_SECTIONS] = {
	{},
	{1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_ADDRESS, 0, 0, 0, 0,
	 0, 0},
	{7, SHT_STRTAB, 0, 0, 0, 0, 0, 0, 0, 0},
	{15, SHT_SYMTAB, 0, 0, 0, 0, 2, 1, 0, sizeof(Elf64_Sym)},
	{23, SHT_RELA, 0, 0, 0, 0, 3, 0, 0, sizeof(Elf64_Rela)},
	{33, SHT_PROGBITS, 0, 0x1000000, 0, 0, 0, 0, 0, 0},
	{38, SHT_STRTAB, 0, 0, 0, 0, 0, 0, 0, 0},
};

static void program_begin(struct program *p, size_t name_length)
{
	static const Elf64_Sym none;

	*p = (struct program){.more = {.sh_type = SHT_PROGBITS}};
	put_zeros(&p->parts[1], TEXT_SIZE);
	put(&p->parts[2], 0, 1);
	for (size_t i = 0; i < name_length; i++)
		put(&p->parts[2], 'a', 1);
	put(&p->parts[2], 0, 1);
	bytes_add(&p->parts[3], &none, sizeof(none));
	bytes_add(&p->parts[6], section_names, sizeof(section_names));
}

static void put_symbol(struct program *p, uint32_t name, uint64_t address,
		       uint16_t section)
{
	const Elf64_Sym symbol = {
		.st_name = name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = section,
		.st_value = address,
		.st_size = 1,
	};

	bytes_add(&p->parts[3], &symbol, sizeof(symbol));
}

static void put_headers(struct bytes *b, const struct program *p)
{
	const Elf64_Ehdr header =
		program_header(p->is_module ? ET_REL : ET_DYN, 1,
			       sizeof(header) + sizeof(Elf64_Phdr),
			       NR_SECTIONS + p->nr_more, NR_SECTIONS - 1);
	const Elf64_Phdr text = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset =
			header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr),
		.p_vaddr = TEXT_ADDRESS,
		.p_filesz = TEXT_SIZE,
		.p_memsz = TEXT_SIZE,
		.p_align = 1,
	};

	bytes_add(b, &header, sizeof(header));
	bytes_add(b, &text, sizeof(text));
}

static struct program liar;
static size_t liar_size;

static void program_end(struct program *p)
{
	uint64_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) +
		      (NR_SECTIONS + p->nr_more) * sizeof(Elf64_Shdr);
	BYTES b = {};

	put_headers(&b, p);
	for (int i = 0; i < NR_SECTIONS; i++) {
		Elf64_Shdr header = headers[i];

		if (i + 1 < NR_SECTIONS)
			put_zeros(&p->parts[i], -p->parts[i].size & 7);
		header.sh_offset = at;
		header.sh_size = p->parts[i].size;
		at += header.sh_size;
		if (p->is_module && i == 5)
			header.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
		if (p->is_module && i == 4) {
			p->more.sh_offset = header.sh_offset;
			p->more.sh_size = header.sh_size;
		}
		if (p->told_stubs && (i == 4 || i == 5)) {
			header.sh_type = SHT_NOBITS;
			header.sh_size = p->told_stubs;
		}
		bytes_add(&b, &header, sizeof(header));
	}
	for (size_t i = 0; i < p->nr_more; i++)
		bytes_add(&b, &p->more, sizeof(p->more));
	for (int i = 0; i < NR_SECTIONS; i++) {
		bytes_add(&b, p->parts[i].data, p->parts[i].size);
		bytes_fini(&p->parts[i]);
	}
	EXPECT_TRUE(fixture_write("root/liar", b.data, b.size));
	liar_size = b.size;
}

/* A liar with a name of that length; its symbols and so on follow. */
STEP_OF(begin_liar)
{
	open_dir(sc);
	program_begin(&liar, step->v[0]);
}
#define LIAR(name_length) CALL(begin_liar, name_length)

/* @nr symbols: the first name and address, and how far each is behind it. */
STEP_OF(put_symbols)
{
	for (uint64_t i = 0; i < step->v[0]; i++)
		put_symbol(&liar, step->v[1] + i * step->v[2],
			   step->v[3] + i * step->v[4], step->v[5]);
}
#define SYMBOLS(nr, name, by, address, apart, section) \
	CALL(put_symbols, nr, name, by, address, apart, section)
#define ONE_SYMBOL(name, address, section) \
	SYMBOLS(1, name, 0, address, 0, section)

/* Relocations of the symbols from 1 on, as many as are different. */
STEP_OF(put_relocations)
{
	for (uint64_t i = 0; i < step->v[0]; i++) {
		const Elf64_Rela rela = {
			.r_offset = step->v[2] * i,
			.r_info = ELF64_R_INFO(1 + i % step->v[1], step->v[3]),
		};

		bytes_add(&liar.parts[4], &rela, sizeof(rela));
	}
	put_zeros(&liar.parts[5], step->v[4]);
}
#define RELOCATIONS(nr, symbols, apart, type, zeros) \
	CALL(put_relocations, nr, symbols, apart, type, zeros)
#define STUBS(nr, symbols) \
	RELOCATIONS(nr, symbols, 8, R_AARCH64_JUMP_SLOT, 32 + 16 * (nr))

STEP_OF(end_liar)
{
	program_end(&liar);
	sc->place = (struct pmscope_place){
		.dso = "/liar",
		.pid = 1,
		.file_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) +
			       NR_SECTIONS * sizeof(Elf64_Shdr),
	};
}
#define WRITTEN CALL(end_liar)

/* What is at the begin is called "a...", in little memory; or there is none. */
STEP_OF(find_first)
{
	struct pmscope_symbols *symbols = symbols_of(sc);
	struct pmscope_symbol symbol = {};
	size_t before = memory_in_use();
	int ret = pmscope_symbols_find(symbols, &sc->place, TEXT_ADDRESS,
				       &symbol);

	EXPECT_EQ(!ret && *symbol.name == 'a', step->v[0]);
	if (step->v[1])
		EXPECT_LE(memory_in_use() - before, 16 * liar_size);
}
#define FOUND		CALL(find_first, true, false)
#define FOUND_IN_LITTLE CALL(find_first, true, true)
#define NOT_FOUND	CALL(find_first, false, false)

SCENARIO(symbols_that_share_one_long_name, LIAR(NAME_LENGTH),
	 SYMBOLS(4000, 1, 1, TEXT_ADDRESS, 1, 1), WRITTEN, FOUND_IN_LITTLE);

STEP_OF(find_by_many_names)
{
	static char names[500][1100];
	struct pmscope_symbol symbol;
	size_t first = 0;

	for (size_t i = 0; i < 500; i++) {
		sc->place.dso = names[i];
		for (size_t j = 0; j < i; j++)
			strcat(names[i], "/.");
		strcat(names[i], "/liar");
		ASSERT_EQ(pmscope_symbols_find(symbols_of(sc), &sc->place, 0,
					       &symbol),
			  0);
		ASSERT_STREQ(symbol.name, "a");
		ASSERT_STREQ(symbol.dso, names[i]);
		first = first ? first : memory_in_use();
	}
	EXPECT_LE(memory_in_use() - first, liar_size);
}

/* "/./liar", "/././liar" and so on name the same file. */
SCENARIO(one_file_of_many_names, LIAR(1),
	 SYMBOLS(4000, 1, 0, TEXT_ADDRESS, 1, 1), WRITTEN,
	 CALL(find_by_many_names));

/* modules.dep is not read again for each module. */
TEST(modules_of_a_long_index)
{
	static const size_t many = 80000;
	char(*names)[16] = calloc(many, sizeof(*names));
	struct pmscope_symbols *symbols;
	BYTES index = {};

	ASSERT_TRUE(names && fixture_open());
	for (size_t i = 0; i < many; i++) {
		char line[64];

		snprintf(names[i], sizeof(names[i]), "[m%zu]", i);
		snprintf(line, sizeof(line), "kernel/x/other%zu.ko:\n", i);
		bytes_add(&index, line, strlen(line));
	}
	ASSERT_TRUE(fixture_run("mkdir -p root/lib/modules/6.1"));
	ASSERT_TRUE(fixture_write("root/lib/modules/6.1/modules.dep",
				  index.data, index.size));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (size_t i = 0; i < many; i++) {
		const struct pmscope_place place = {.dso = names[i],
						    .kernel = true};
		struct pmscope_symbol symbol;

		ASSERT_TRUE(pmscope_symbols_find(symbols, &place, 0, &symbol));
	}
	pmscope_symbols_free(symbols);
	fixture_close();
	free(names);
}

SCENARIO(stubs_that_share_one_long_name, LIAR(20 * NAME_LENGTH),
	 ONE_SYMBOL(1, 0, SHN_UNDEF),
	 ONE_SYMBOL(20 * NAME_LENGTH - 1, TEXT_ADDRESS, 1), STUBS(200000, 1),
	 WRITTEN, FOUND_IN_LITTLE);

static size_t stub_name_length(const struct elf_symbols *elf, unsigned int i)
{
	const struct symbol *symbol = symbol_table_find(
		&elf->table, headers[5].sh_addr + 32 + 16 * i, NULL);

	return symbol ? strlen(symbol->name) : 0;
}

static int read_liar(struct elf_symbols *elf)
{
	static const struct elf_wanted any;
	const char *path = fixture_path("root/liar");
	struct elf_id id;

	return elf_read(open(path, O_RDONLY | O_CLOEXEC), path, &fixture_search,
			&any, &id, elf);
}

STEP_OF(expect_stub_names)
{
	struct elf_symbols elf = {.kind = SYMBOL_CODE};

	ASSERT_EQ(read_liar(&elf), 0);
	EXPECT_EQ(stub_name_length(&elf, 0), 1000 + strlen("@plt"));
	EXPECT_EQ(stub_name_length(&elf, 1), 999 + strlen("@plt"));
	elf_fini(&elf);
}

/* Template names are long, and may differ only at their end. */
SCENARIO(stubs_of_long_names, LIAR(1000), SYMBOLS(2, 1, 1, 0, 0, SHN_UNDEF),
	 STUBS(2, 2), WRITTEN, CALL(expect_stub_names));

STEP_IS(claim_stubs, liar.told_stubs = UINT64_C(1) << 56);

/* A section without bytes in the file may claim any size. */
SCENARIO(stubs_that_there_are_not, LIAR(1), ONE_SYMBOL(1, TEXT_ADDRESS, 1),
	 CALL(claim_stubs), WRITTEN, FOUND);

static const struct program_symbol good[] = {
	{"good", PROGRAM_TEXT, 16, STT_FUNC, STB_GLOBAL, false}};

/*
 * The child gives up on "liar" with @error, or on a slow machine because of the
 * time; another one reads "good".
 */
STEP_OF(expect_limit)
{
	struct pmscope_symbols *symbols = symbols_of(sc);
	size_t before = memory_in_use();
	struct pmscope_symbol symbol;
	const char *path = "", *dso = sc->place.dso;
	int ret;

	EXPECT_EQ(pmscope_symbols_find(symbols, &sc->place, 0, &symbol),
		  -ENOENT);
	ret = pmscope_symbols_unread(symbols, 0, &path);
	if (ret != -ETIME)
		EXPECT_EQ(ret, -(int)step->v[0]);
	EXPECT_TRUE(strstr(path, dso) != NULL);
	sc->place = (struct pmscope_place){
		.dso = "/good", .pid = 1, .file_offset = PROGRAM_TEXT};
	EXPECT_EQ(pmscope_symbols_find(symbols, &sc->place, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "good");
	EXPECT_EQ(pmscope_symbols_unread(symbols, 1, &path), 0);
	EXPECT_LE((memory_in_use() - before) >> 20, 1U);
}
#define LIMIT(error) ELF("root/good", good), NEW, CALL(expect_limit, error)

STEP_OF(put_endless_names)
{
	for (size_t i = 0; i < 40 * NAME_LENGTH; i++)
		put(&liar.parts[6], 'a', 1);
	liar.nr_more = 60000;
}

/* If the last name has no NUL, libelf searches for it for each section. */
SCENARIO(sections_with_names_that_do_not_end, LIAR(2),
	 ONE_SYMBOL(1, TEXT_ADDRESS, 1), CALL(put_endless_names), WRITTEN,
	 NOT_FOUND);

STEP_OF(become_module)
{
	liar.is_module = true;
	liar.nr_more = 10000;
	liar.more = (Elf64_Shdr){.sh_type = SHT_RELA,
				 .sh_link = 3,
				 .sh_info = 1,
				 .sh_entsize = sizeof(Elf64_Rela)};
}

/* A module with 10000 lists of the same 20000 relocations. */
SCENARIO(relocations_that_are_all_the_same, LIAR(1),
	 ONE_SYMBOL(1, 0, SHN_UNDEF),
	 RELOCATIONS(20000, 1, 0, R_AARCH64_CALL26, 16), CALL(become_module),
	 WRITTEN, RUN("mv root/liar root/liar.ko"), KERNEL_AT("/liar.ko", 0),
	 LIMIT(ETIME));

/*
 * A compressed file of 1 MB with 8 million symbols. ASan does not run with
 * limited memory.
 */
PLAIN_SCENARIO(symbols_that_would_fill_the_memory, LIAR(1),
	       SYMBOLS(8000000, 1, 0, TEXT_ADDRESS, 0, 1), WRITTEN,
	       RUN("gzip -1 root/liar && mv root/liar.gz root/liar"),
	       AT("/liar", 0), SET(pid, 1), LIMIT(EFBIG));

STEP_OF(add_notes)
{
	liar.nr_more = 10000;
	liar.more.sh_type = SHT_NOTE;
	liar.more.sh_size = step->v[0];
}

STEP_OF(expect_read)
{
	struct elf_symbols elf = {.kind = SYMBOL_CODE};

	EXPECT_EQ(read_liar(&elf), -(int)step->v[0]);
	elf_fini(&elf);
}

#define NOTES(size) \
	LIAR(1), ONE_SYMBOL(1, TEXT_ADDRESS, 1), CALL(add_notes, size), WRITTEN

/* Each note section is the whole file, and is searched for a build-id. */
SCENARIO(notes_that_are_all_the_same, NOTES(1000), CALL(expect_read, ENOENT),
	 NOTES(64), CALL(expect_read, 0));

TEST(segments_without_number)
{
	static const uint64_t many = 200000;
	struct elf_symbols elf = {.kind = SYMBOL_DATA};
	uint64_t address;

	for (uint64_t i = 0; i < many; i++) {
		const struct segment segment = {8 * i, 4, 8, 16 * i, 0};

		ASSERT_EQ(elf_add_segment(&elf, &segment), 0);
	}
	ASSERT_EQ(elf_place_segments(&elf), 0);
	for (uint64_t at = 0; at < 8 * many; at++) {
		struct pmscope_around around = {at, UINT64_MAX - at};

		ASSERT_TRUE(elf_address(&elf, at, &address, &around));
		ASSERT_EQ(address, at / 8 * 16 + at % 8);
		ASSERT_LE(around.before, at % 8);
	}
	EXPECT_FALSE(elf_address(&elf, 8 * many, &address, NULL));
	elf_fini(&elf);
}

TEST(moves_of_code_with_a_long_name)
{
	static const size_t many = 20000;
	char name[4096];
	struct jit_symbols jit = {.missing = fixture_search.missing};
	struct jit_index index = {};
	BYTES b = {};
	size_t before;

	ASSERT_TRUE(fixture_open());
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	put_jit_header(&b, 0);
	put_jit_load(&b, 0, 10, 0x1000, name);
	for (uint64_t i = 0; i < many; i++)
		put_jit_move(&b, 0, 10, 0x1000, 0x2000 + 4 * i);
	ASSERT_TRUE(fixture_write("jit-10.dump", b.data, b.size));
	before = memory_in_use();
	ASSERT_EQ(jit_read_dump(&index, fixture_path("jit-10.dump"), 10, &jit),
		  0);
	EXPECT_LE(memory_in_use() - before, 8 * b.size);
	EXPECT_EQ(jit.table.count, many + 1);
	EXPECT_STREQ(jit_find(&jit, 0x2000 + 4 * many - 1, NULL)->name, name);
	jit_fini(&jit);
	jit_index_fini(&index);
	fixture_close();
}

/* Forked children have their parent's jitdump mapped, too. */
TEST(jitdump_of_many_processes)
{
	static const uint32_t many = 40000;
	struct pmscope_symbols *symbols;
	BYTES b = {};

	ASSERT_TRUE(fixture_open());
	put_jit_header(&b, 0);
	for (uint32_t pid = 0; pid < many; pid++)
		put_jit_load(&b, 1, many - pid, 0x1000 * pid, "code");
	ASSERT_TRUE(fixture_write("root/jit-1.dump", b.data, b.size));
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (uint32_t pid = 0; pid < many; pid++) {
		const struct pmscope_place place = {.pid = many - pid,
						    .jitdump = "/jit-1.dump"};
		struct pmscope_symbol symbol;

		ASSERT_FALSE(pmscope_symbols_find(symbols, &place, 0x1000 * pid,
						  &symbol));
	}
	pmscope_symbols_free(symbols);
	fixture_close();
}
