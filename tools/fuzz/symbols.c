// SPDX-License-Identifier: GPL-2.0-or-later
/* Files with symbols: ELF, kallsyms, perf-PID.map, jitdump. */
#include "fuzz.h"

#include "symbols/elf.h"
#include "symbols/jit.h"
#include "symbols/kallsyms.h"

#include <errno.h>
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

static void look(struct symbol_table *table)
{
	static const uint64_t addresses[] = {
		0, 1, 0x400010, 0x1000, UINT64_C(1) << 63, UINT64_MAX};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		const struct symbol *symbol =
			symbol_table_find(table, addresses[i], NULL);

		ALWAYS(!symbol || symbol->address <= addresses[i]);
		ALWAYS(!symbol || *symbol->name);
	}
	symbol_table_fini(table);
}

static void all_tables(void)
{
	struct symbol_table map = {}, dump = {};

	ALWAYS(!jit_read_map(path, &map));
	symbol_table_sort(&map);
	look(&map);
	ALWAYS(!jit_read_dump(path, PID, &dump));
	symbol_table_sort(&dump);
	look(&dump);
}

static void one_kallsyms(enum symbol_kind kind)
{
	struct symbol_table kallsyms = {};
	int ret = kallsyms_read(path, kind, &kallsyms);

	ALWAYS(!ret || ret == -ENODATA);
	look(&kallsyms);
}

static void one_elf(enum symbol_kind kind)
{
	struct elf_symbols elf = {.kind = kind};
	uint64_t offset;

	if (elf_read(path, NULL, NULL, 0, &elf))
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
		one_elf(kind);
	}
	return 0;
}
