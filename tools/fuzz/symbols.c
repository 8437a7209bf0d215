// SPDX-License-Identifier: GPL-2.0-or-later
/* Files with symbols: ELF, modules, kallsyms, perf-PID.map, jitdump. */
#include "fuzz.h"

#include "symbols/dso.h"

#define PID 7

static char path[] = "/tmp/pmscope-fuzz-XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

/* The readers want a name: one file, whose content is exchanged. */
static void write_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0) {
		fd = mkstemp(path);
		ALWAYS(fd >= 0);
		atexit(remove_file);
	}
	ALWAYS(!ftruncate(fd, 0));
	ALWAYS(pwrite(fd, data, size, 0) == (ssize_t)size);
}

static const uint64_t addresses[] = {
	0, 1, 0x400010, 0x1000, UINT64_C(1) << 63, UINT64_MAX};

static void check(const struct symbol *symbol, uint64_t address)
{
	ALWAYS(!symbol || symbol->address <= address);
	ALWAYS(!symbol || *symbol->name);
}

static void look(struct symbol_table *table)
{
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		check(symbol_table_find(table, addresses[i], NULL),
		      addresses[i]);
	symbol_table_fini(table);
}

static void look_jit(struct jit_symbols *jit)
{
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct pmscope_line line = {};
		int ret = jit_line_at(jit, addresses[i], 0, &line);

		check(jit_find(jit, addresses[i], NULL), addresses[i]);
		ALWAYS(ret == -ENOENT || (!ret && *line.file));
	}
	jit_fini(jit);
}

static void all_tables(void)
{
	struct unreadable_files missing = {};
	struct jit_symbols map = {.missing = &missing}, dump = map;
	struct jit_index index = {};

	ALWAYS(!jit_read_map(path, &map));
	look_jit(&map);
	ALWAYS(!jit_read_dump(&index, path, PID, &dump));
	look_jit(&dump);
	jit_index_fini(&index);
}

static void one_kallsyms(enum symbol_kind kind)
{
	struct symbol_table kallsyms = {};
	int ret = kallsyms_read(open(path, O_RDONLY | O_CLOEXEC), kind,
				&kallsyms);

	ALWAYS(!ret || ret == -ENODATA);
	look(&kallsyms);
}

static void look_elf(struct elf_symbols *elf)
{
	uint64_t offset;

	for (uint64_t at = 0; at < 0x2000; at += 0x100)
		elf_find(elf, at, &offset, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		symbol_table_find(&elf->table, addresses[i], NULL);
	elf_fini(elf);
}

static void one_elf(enum symbol_kind kind, bool is_module)
{
	struct elf_symbols elf = {.kind = kind, .is_module = is_module};
	struct unreadable_files missing = {};
	const struct debug_search search = {.missing = &missing};
	const struct elf_wanted any = {};
	struct elf_id id;

	if (!elf_read(open(path, O_RDONLY | O_CLOEXEC), path, &search, &any,
		      &id, &elf))
		look_elf(&elf);
	unreadable_fini(&missing);
}

/* What a child that a file has taken over could answer. */
static void one_image(enum symbol_kind kind, const uint8_t *data, size_t size)
{
	struct elf_symbols elf = {.kind = kind};
	struct elf_image image;
	int fd;

	if (size < sizeof(image))
		return;
	memcpy(&image, data, sizeof(image));
	fd = memfd_create("image", MFD_CLOEXEC);
	ALWAYS(fd >= 0);
	data += sizeof(image);
	size -= sizeof(image);
	ALWAYS(pwrite(fd, data, size, 0) == (ssize_t)size);
	if (!elf_load(fd, &image, &elf))
		look_elf(&elf);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	write_file(data, size);
	all_tables();
	for (int kind = 0; kind < SYMBOL_KINDS; kind++) {
		one_kallsyms(kind);
		one_elf(kind, false);
		one_elf(kind, true);
		one_image(kind, data, size);
	}
	return 0;
}
