// SPDX-License-Identifier: GPL-2.0-or-later
/* Files with symbols: ELF, modules, kallsyms, perf-PID.map, jitdump. */
#include "fuzz.h"

#include "symbols/elf.h"
#include "symbols/jit.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

#define NR_ADDRESSES (sizeof(addresses) / sizeof(*addresses))

static void check(const struct symbol *symbol, uint64_t address)
{
	ALWAYS(!symbol || symbol->address <= address);
	ALWAYS(!symbol || *symbol->name);
}

static void look(struct symbol_table *table)
{
	for (size_t i = 0; i < NR_ADDRESSES; i++)
		check(symbol_table_find(table, addresses[i], NULL),
		      addresses[i]);
	symbol_table_fini(table);
}

static void look_jit(struct jit_symbols *jit)
{
	for (size_t i = 0; i < NR_ADDRESSES; i++) {
		struct pmscope_line line = {};
		int ret = jit_line_at(jit, addresses[i], 0, &line);

		check(jit_find(jit, addresses[i], NULL), addresses[i]);
		ALWAYS(ret == -ENOENT || (!ret && *line.file));
	}
	jit_fini(jit);
}

static void all_tables(void)
{
	struct missing missing = {};
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

static void one_elf(enum symbol_kind kind, bool is_module)
{
	struct elf_symbols elf = {.kind = kind, .is_module = is_module};
	struct missing missing = {};
	const struct debug_search search = {.missing = &missing};
	uint64_t offset;

	if (elf_read(path, &search, NULL, 0, &elf))
		return;
	for (uint64_t at = 0; at < 0x2000; at += 0x100)
		elf_find(&elf, at, &offset, NULL);
	elf_fini(&elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	write_file(data, size);
	all_tables();
	for (int kind = 0; kind < SYMBOL_KINDS; kind++) {
		one_kallsyms(kind);
		one_elf(kind, false);
		one_elf(kind, true);
	}
	return 0;
}
