// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* A line of kallsyms: address, type, name and, for modules, [module]. */
#include "kallsyms.h"
#include "base/line.h"
#include "base/regular.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Real kernels with all their modules have 30 MB and 500,000 symbols. */
#define MAX_BYTES   (1 << 27)
#define MAX_SYMBOLS (1U << 22)

/* Splits the next word off @line; returns "" at the end. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t\n");

	*line = word + strcspn(word, " \t\n");
	if (**line)
		*(*line)++ = '\0';
	return word;
}

/* Symbols of a module are adjacent, so compare with the last name first. */
static const char *intern_module(struct symbol_table *table, const char *name)
{
	const char *last =
		table->count ? table->symbols[table->count - 1].module : NULL;

	if (last && !strcmp(last, name))
		return last;
	return arena_copy(&table->names, name, strlen(name) + 1);
}

/*
 * Types are as in nm. Code has its name in data tables, too, since it may
 * contain data. Before Linux 6.19 very long names may show a wrong type: the
 * last four of CODE, which perf accepts, too.
 */
#define LONG_NAME 127
#define CODE	  "tTwWulN1"

static bool is_wanted(char type, enum symbol_kind kind, const char *name,
		      bool of_module)
{
	if (!type || !*name)
		return false;
	return strchr(kind == SYMBOL_CODE ? CODE : CODE "dDbBrRvV", type) ||
	       (!of_module && strlen(name) >= LONG_NAME);
}

static uint8_t rank_of(char type)
{
	if (strchr("wWvV", type))
		return 2;
	return !isupper((unsigned char)type);
}

static int read_line(struct symbol_table *table, enum symbol_kind kind,
		     char *line)
{
	struct symbol symbol = {};
	char *type, *name, *module;

	symbol.address = strtoull(next_word(&line), NULL, 16);
	type = next_word(&line);
	name = next_word(&line);
	module = next_word(&line);
	if (!symbol.address || !is_wanted(*type, kind, name, *module))
		return 0;
	/* AAELF64 mapping symbols mark code and data; they are not names. */
	if (*name == '$')
		return 0;
	symbol.name = name;
	symbol.rank = rank_of(*type);
	if (*module) {
		symbol.module = intern_module(table, module);
		if (!symbol.module)
			return -ENOMEM;
	}
	return symbol_table_add(table, &symbol);
}

static int read_lines(FILE *file, enum symbol_kind kind,
		      struct symbol_table *table)
{
	char line[LINE_ROOM];
	struct stat st;
	int ret = fstat(fileno(file), &st) ? -errno
		  : st.st_size > MAX_BYTES ? -EFBIG
					   : 0;

	while (!ret && line_next(file, line))
		ret = table->count < MAX_SYMBOLS ? read_line(table, kind, line)
						 : -EFBIG;
	return ret || feof(file) ? ret : -errno;
}

int kallsyms_read(int fd, enum symbol_kind kind, struct symbol_table *table)
{
	FILE *file;
	int ret = fd < 0 ? fd : regular_stream(fd, &file);

	if (ret)
		return ret;
	ret = read_lines(file, kind, table);
	fclose(file);
	if (ret) {
		symbol_table_fini(table);
		*table = (struct symbol_table){};
		return ret;
	}
	symbol_table_sort(table);
	return table->count ? 0 : -ENODATA;
}
