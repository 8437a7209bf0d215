// SPDX-License-Identifier: GPL-2.0-or-later
/* A part: the file of a dataset, and what its rows tell of code. */
#include "export/lake.h"

#define RECORDING 0 /* the column of LAKE_RECORDING */

bool lake_has(const struct lake *lake, enum lake_dataset dataset)
{
	unsigned int wanted = lake->config->datasets;

	return !wanted || wanted & 1U << dataset;
}

int lake_part_open(struct lake *lake, struct lake_part *part,
		   const struct parquet_column *columns)
{
	int ret;

	if (part->parquet)
		return 0;
	part->path = lake_stage_part(lake, part);
	if (!part->path)
		return -ENOMEM;
	ret = whole_file_open(&part->file, part->path, WHOLE_FILE_MODE);
	if (ret)
		return ret;
	part->parquet = parquet_new(part->file.out, columns);
	if (!part->parquet)
		return -ENOMEM;
	part->recording = parquet_text(part->parquet, lake->key);
	parquet_note(part->parquet, "pmscope.dataset", part->dataset);
	parquet_note(part->parquet, "pmscope.schema", "1");
	return 0;
}

void lake_end_row(struct lake_part *part)
{
	parquet_set(part->parquet, RECORDING, part->recording);
	parquet_end_row(part->parquet);
}

static void texts_forget(struct lake_texts *texts)
{
	free(texts->numbers);
	*texts = (struct lake_texts){};
}

void lake_part_fini(struct lake_part *part)
{
	whole_file_discard(&part->file);
	if (part->parquet)
		parquet_free(part->parquet);
	free(part->path);
	texts_forget(&part->build_ids);
	texts_forget(&part->names);
	texts_forget(&part->symbols);
	memset(part->often, 0, sizeof(part->often));
	part->parquet = NULL;
	part->path = NULL;
}

int lake_part_commit(struct lake_part *part)
{
	int ret;

	if (!part->parquet)
		return 0;
	ret = parquet_finish(part->parquet);
	if (ret && ret != -ENOMEM)
		error("%s: %s", part->path, strerror(-ret));
	if (!ret)
		ret = whole_file_commit(&part->file);
	lake_part_fini(part);
	part->number++;
	return ret;
}

/* The number of the @i-th text, or NULL when memory is short. */
static uint32_t *text_of(struct lake_texts *texts, size_t i)
{
	size_t wanted = 2 * i + 64;
	uint32_t *numbers;

	if (i >= texts->nr) {
		numbers = realloc(texts->numbers, wanted * sizeof(*numbers));
		if (!numbers)
			return NULL;
		memset(numbers + texts->nr, 0,
		       (wanted - texts->nr) * sizeof(*numbers));
		texts->numbers = numbers;
		texts->nr = wanted;
	}
	return &texts->numbers[i];
}

/* Sets the @i-th of @texts, which is @text. */
static void set_known(struct lake_part *part, struct lake_texts *texts,
		      size_t i, int column, const char *text)
{
	uint32_t *number = text_of(texts, i);

	if (column == LAKE_NO_COLUMN || !text)
		return;
	if (!number) {
		part->parquet->error = -ENOMEM;
		return;
	}
	if (!*number)
		*number = parquet_text(part->parquet, text) + 1;
	parquet_set(part->parquet, column, *number - 1);
}

void lake_set_name(struct lake_part *part, int column, const char *name)
{
	struct lake_name *known;

	if (!name)
		return;
	known = &part->often[hash_finish((uintptr_t)name) % LAKE_NAMES];
	if (known->name != name) {
		known->name = name;
		known->number = parquet_text(part->parquet, name);
	}
	parquet_set(part->parquet, column, known->number);
}

/* As other commands name it: modules by name, not by the path of their file. */
static const char *kernel_name(const struct lake *lake,
			       const struct code_binary *binary)
{
	const char *name = binary->name ? binary->name : binary->dso;

	if (is_kernel_image(true, name))
		return KERNEL_NAME;
	return *name != '[' && lake->config->redact ? NULL : name;
}

void lake_set_binary(struct lake *lake, struct lake_part *part, uint32_t number,
		     int build_id, int dso)
{
	const struct code_binary *binary = &lake->places.binaries[number];
	char id[BUILD_ID_TEXT] = "";

	if (binary->build_id_size) {
		if (number >= part->build_ids.nr ||
		    !part->build_ids.numbers[number])
			build_id_text(id, binary->build_id,
				      binary->build_id_size);
		set_known(part, &part->build_ids, number, build_id, id);
	}
	if (binary->kernel)
		set_known(part, &part->names, number, dso,
			  kernel_name(lake, binary));
	else if (!lake->config->redact)
		set_known(part, &part->names, number, dso, binary->dso);
}

/*
 * Of code in no file there is only its address; and of the kernel, if the
 * recording does not tell where this boot had put it.
 */
static bool has_offset(const struct lake *lake,
		       const struct code_binary *binary)
{
	if (is_kernel_image(binary->kernel, binary->dso))
		return binary->reference || !lake->config->redact;
	return binary->pid == PMSCOPE_NO_ID && binary->dso &&
	       strcmp(binary->dso, BPF_NAME) != 0;
}

/* A JIT compiler may put paths, and any text, into the names of its code. */
static bool has_symbol(const struct lake *lake,
		       const struct code_binary *binary)
{
	return lake->config->symbols &&
	       (!lake->config->redact || binary->kernel ||
		binary->build_id_size || !jit_is_mapping(binary->dso));
}

void lake_set_code(struct lake *lake, struct lake_part *part, uint32_t place,
		   const struct lake_code_columns *columns)
{
	const struct code_place *code = &lake->places.items[place];
	const struct code_binary *binary = &lake->places.binaries[code->binary];

	lake_set_binary(lake, part, code->binary, columns->build_id,
			columns->dso);
	if (has_offset(lake, binary))
		parquet_set(part->parquet, columns->offset,
			    code->offset - binary->reference);
	if (has_symbol(lake, binary))
		set_known(part, &part->symbols, place, columns->symbol,
			  code->symbol);
}
