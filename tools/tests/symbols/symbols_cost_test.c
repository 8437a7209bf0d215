// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Malformed ELF files that would take time or memory in proportion to the
 * square of their size, which is minutes here, or all memory.
 */
#include "bytes.h"
#include "elf_fixture.h"
#include "jitdump.h"
#include "ktap.h"
#include "memory.h"
#include "program.h"

#include <pmscope/symbols.h>

#include "base/sanitized.h"
#include "symbols/elf_read.h"
#include "symbols/jit.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

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
	{.sh_name = 1,
	 .sh_type = SHT_PROGBITS,
	 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	 .sh_addr = TEXT_ADDRESS},
	{.sh_name = 7, .sh_type = SHT_STRTAB},
	{.sh_name = 15,
	 .sh_type = SHT_SYMTAB,
	 .sh_link = 2,
	 .sh_info = 1,
	 .sh_entsize = sizeof(Elf64_Sym)},
	{.sh_name = 23,
	 .sh_type = SHT_RELA,
	 .sh_link = 3,
	 .sh_entsize = sizeof(Elf64_Rela)},
	{.sh_name = 33, .sh_type = SHT_PROGBITS, .sh_addr = 0x1000000},
	{.sh_name = 38, .sh_type = SHT_STRTAB},
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

/* Writes the file below the root, and its size to @size. */
static void program_end(struct program *p, size_t *size)
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
	*size = b.size;
}

static int find(uint64_t address, struct pmscope_symbol *symbol, size_t *taken)
{
	const struct pmscope_place place = {
		.dso = "/liar",
		.pid = 1,
		.file_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) +
			       NR_SECTIONS * sizeof(Elf64_Shdr) + address -
			       TEXT_ADDRESS,
	};
	struct pmscope_symbols *symbols = fixture_symbols();
	size_t before = memory_in_use();
	int ret;

	ret = pmscope_symbols_find(symbols, &place, address, symbol);
	*taken = memory_in_use() - before;
	if (!ret)
		ret = symbol->name[0] == 'a' ? 0 : -1;
	pmscope_symbols_free(symbols);
	return ret;
}

TEST(symbols_that_share_one_long_name)
{
	struct pmscope_symbol symbol;
	struct program p;
	size_t size, taken;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, NAME_LENGTH);
	for (uint32_t i = 0; i < 4000; i++)
		put_symbol(&p, 1 + i, TEXT_ADDRESS + i % TEXT_SIZE, 1);
	program_end(&p, &size);
	EXPECT_EQ(find(TEXT_ADDRESS, &symbol, &taken), 0);
	EXPECT_LE(taken, 16 * size);
	fixture_close();
}

/* "/./liar", "/././liar" and so on name the same file. */
TEST(one_file_of_many_names)
{
	static char names[500][1100];
	struct pmscope_symbols *symbols;
	struct program p;
	size_t size, first = 0;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 1);
	for (uint32_t i = 0; i < 4000; i++)
		put_symbol(&p, 1, TEXT_ADDRESS + i, 1);
	program_end(&p, &size);
	symbols = fixture_symbols();
	ASSERT_TRUE(symbols);
	for (size_t i = 0; i < 500; i++) {
		struct pmscope_place place = {.dso = names[i], .pid = 1};
		struct pmscope_symbol symbol;

		for (size_t j = 0; j < i; j++)
			strcat(names[i], "/.");
		strcat(names[i], "/liar");
		place.file_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) +
				    NR_SECTIONS * sizeof(Elf64_Shdr);
		ASSERT_EQ(pmscope_symbols_find(symbols, &place, 0, &symbol), 0);
		ASSERT_STREQ(symbol.name, "a");
		ASSERT_STREQ(symbol.dso, names[i]);
		first = first ? first : memory_in_use();
	}
	EXPECT_LE(memory_in_use() - first, size);
	pmscope_symbols_free(symbols);
	fixture_close();
}

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

TEST(stubs_that_share_one_long_name)
{
	static const unsigned int many = 200000;
	struct pmscope_symbol symbol;
	struct program p;
	size_t size, taken;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 20 * NAME_LENGTH);
	put_symbol(&p, 1, 0, SHN_UNDEF);
	put_symbol(&p, 20 * NAME_LENGTH - 1, TEXT_ADDRESS, 1);
	for (uint64_t i = 0; i < many; i++) {
		const Elf64_Rela rela = {
			.r_offset = 8 * i,
			.r_info = ELF64_R_INFO(1, R_AARCH64_JUMP_SLOT),
		};

		bytes_add(&p.parts[4], &rela, sizeof(rela));
	}
	put_zeros(&p.parts[5], 32 + 16 * many);
	program_end(&p, &size);
	EXPECT_EQ(find(TEXT_ADDRESS, &symbol, &taken), 0);
	EXPECT_LE(taken, 16 * size);
	fixture_close();
}

static size_t stub_name_length(const struct elf_symbols *elf, unsigned int i)
{
	const struct symbol *symbol = symbol_table_find(
		&elf->table, headers[5].sh_addr + 32 + 16 * i, NULL);

	return symbol ? strlen(symbol->name) : 0;
}

/* Reads the file in this process. */
static int read_liar(struct elf_symbols *elf)
{
	static const struct elf_wanted any;
	const char *path = fixture_path("root/liar");
	struct elf_id id;

	return elf_read(open(path, O_RDONLY | O_CLOEXEC), path, &fixture_search,
			&any, &id, elf);
}

/* Template names are long, and may differ only at their end. */
TEST(stubs_of_long_names)
{
	struct elf_symbols elf = {.kind = SYMBOL_CODE};
	struct program p;
	size_t size;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 1000);
	put_symbol(&p, 1, 0, SHN_UNDEF);
	put_symbol(&p, 2, 0, SHN_UNDEF);
	for (uint64_t i = 0; i < 2; i++) {
		const Elf64_Rela rela = {
			.r_offset = 8 * i,
			.r_info = ELF64_R_INFO(1 + i, R_AARCH64_JUMP_SLOT),
		};

		bytes_add(&p.parts[4], &rela, sizeof(rela));
	}
	put_zeros(&p.parts[5], 32 + 16 * 2);
	program_end(&p, &size);
	ASSERT_EQ(read_liar(&elf), 0);
	EXPECT_EQ(stub_name_length(&elf, 0), 1000 + strlen("@plt"));
	EXPECT_EQ(stub_name_length(&elf, 1), 999 + strlen("@plt"));
	elf_fini(&elf);
	fixture_close();
}

/* A section without bytes in the file may claim any size. */
TEST(stubs_that_there_are_not)
{
	struct pmscope_symbol symbol;
	struct program p;
	size_t size, taken;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 1);
	put_symbol(&p, 1, TEXT_ADDRESS, 1);
	p.told_stubs = UINT64_C(1) << 56;
	program_end(&p, &size);
	EXPECT_EQ(find(TEXT_ADDRESS, &symbol, &taken), 0);
	fixture_close();
}

static bool write_good(void)
{
	static const struct program_symbol symbol = {
		"good", PROGRAM_TEXT, 16, STT_FUNC, STB_GLOBAL, false};
	BYTES b = {};
	bool ret;

	put_program(&b, &symbol, 1);
	ret = fixture_write("root/good", b.data, b.size);
	return ret;
}

/*
 * The child gives up on "liar" with @error, or on a slow machine because of the
 * time; another one reads "good".
 */
static void expect_limit(const struct pmscope_place *liar, int error)
{
	const struct pmscope_place good = {
		.dso = "/good", .pid = 1, .file_offset = PROGRAM_TEXT};
	struct pmscope_symbols *symbols = fixture_symbols();
	size_t before = memory_in_use();
	struct pmscope_symbol symbol;
	const char *path = "";
	int ret;

	ASSERT_TRUE(symbols && write_good());
	EXPECT_EQ(pmscope_symbols_find(symbols, liar, 0, &symbol), -ENOENT);
	ret = pmscope_symbols_unread(symbols, 0, &path);
	if (ret != -ETIME)
		EXPECT_EQ(ret, error);
	EXPECT_TRUE(strstr(path, liar->dso) != NULL);
	EXPECT_EQ(pmscope_symbols_find(symbols, &good, 0, &symbol), 0);
	EXPECT_STREQ(symbol.name, "good");
	EXPECT_EQ(pmscope_symbols_unread(symbols, 1, &path), 0);
	EXPECT_LE((memory_in_use() - before) >> 20, 1U);
	pmscope_symbols_free(symbols);
}

/* If the last name has no NUL, libelf searches for it for each section. */
TEST(sections_with_names_that_do_not_end)
{
	struct pmscope_symbol symbol;
	struct program p;
	size_t size, taken;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 2);
	put_symbol(&p, 1, TEXT_ADDRESS, 1);
	for (size_t i = 0; i < 40 * NAME_LENGTH; i++)
		put(&p.parts[6], 'a', 1);
	p.nr_more = 60000;
	program_end(&p, &size);
	EXPECT_TRUE(find(TEXT_ADDRESS, &symbol, &taken) != 0);
	fixture_close();
}

/* A module with 10000 lists of the same 20000 relocations. */
TEST(relocations_that_are_all_the_same)
{
	static const struct pmscope_place liar = {
		.dso = "/liar.ko", .kernel = true, .pid = PMSCOPE_NO_ID};
	static const Elf64_Rela call = {
		.r_info = ELF64_R_INFO(1, R_AARCH64_CALL26)};
	struct program p;
	size_t size;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 1);
	put_symbol(&p, 1, 0, SHN_UNDEF);
	for (size_t i = 0; i < 20000; i++)
		bytes_add(&p.parts[4], &call, sizeof(call));
	put_zeros(&p.parts[5], 16);
	p.is_module = true;
	p.nr_more = 10000;
	p.more = (Elf64_Shdr){.sh_type = SHT_RELA,
			      .sh_link = 3,
			      .sh_info = 1,
			      .sh_entsize = sizeof(call)};
	program_end(&p, &size);
	ASSERT_TRUE(fixture_run("mv root/liar root/liar.ko"));
	expect_limit(&liar, -ETIME);
	fixture_close();
}

/*
 * A compressed file of 1 MB with 8 million symbols. ASan does not run with
 * limited memory.
 */
PLAIN_TEST(symbols_that_would_fill_the_memory)
{
	static const struct pmscope_place liar = {.dso = "/liar", .pid = 1};
	struct program p;
	size_t size;

	ASSERT_TRUE(fixture_open());
	program_begin(&p, 1);
	for (size_t i = 0; i < 8000000; i++)
		put_symbol(&p, 1, TEXT_ADDRESS, 1);
	program_end(&p, &size);
	ASSERT_TRUE(fixture_run("gzip -1 root/liar && "
				"mv root/liar.gz root/liar"));
	expect_limit(&liar, -EFBIG);
	fixture_close();
}

/* Each note section is the whole file, and is searched for a build-id. */
TEST(notes_that_are_all_the_same)
{
	struct program p;
	size_t size;

	ASSERT_TRUE(fixture_open());
	for (int i = 0; i < 2; i++) {
		struct elf_symbols elf = {.kind = SYMBOL_CODE};

		program_begin(&p, 1);
		put_symbol(&p, 1, TEXT_ADDRESS, 1);
		p.nr_more = 10000;
		p.more.sh_type = SHT_NOTE;
		p.more.sh_size = i ? 64 : 1000;
		program_end(&p, &size);
		EXPECT_EQ(read_liar(&elf), i ? 0 : -ENOENT);
		elf_fini(&elf);
	}
	fixture_close();
}

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

/* A jitdump record: header, PID, TID, and the rest. */
static void put_code(struct bytes *b, uint32_t type, const uint64_t *rest,
		     size_t nr, const char *name, size_t length)
{
	put(b, type, 4);
	put(b, 16 + 8 + 8 * nr + length, 4);
	put(b, 0, 8);
	put(b, 10, 4);
	put(b, 10, 4);
	bytes_add(b, rest, 8 * nr);
	if (length)
		bytes_add(b, name, length);
}

TEST(moves_of_code_with_a_long_name)
{
	static const uint64_t load[] = {0, 0x1000, 16, 0};
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
	put_code(&b, 0, load, 4, name, sizeof(name));
	for (uint64_t i = 0; i < many; i++) {
		const uint64_t move[] = {0, 0x1000, 0x2000 + 16 * i, 16, 0};

		put_code(&b, 1, move, 5, NULL, 0);
	}
	ASSERT_TRUE(fixture_write("jit-10.dump", b.data, b.size));
	before = memory_in_use();
	ASSERT_EQ(jit_read_dump(&index, fixture_path("jit-10.dump"), 10, &jit),
		  0);
	EXPECT_LE(memory_in_use() - before, 8 * b.size);
	EXPECT_EQ(jit.table.count, many + 1);
	EXPECT_STREQ(jit_find(&jit, 0x2000 + 16 * many - 1, NULL)->name, name);
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

KTAP_MAIN
