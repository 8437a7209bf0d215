// SPDX-License-Identifier: GPL-2.0-or-later
/* The dataset "samples": a row for each sample, sorted by code. */
#include "export/lake.h"

/* Then another part begins: 16 row groups. */
#define PART_ROWS (16 * (uint64_t)PARQUET_ROWS)

static enum parquet_type type_of(const struct field *field)
{
	if (!field->number)
		return PARQUET_TEXT;
	switch (field->bits) {
	case 1:
		return PARQUET_BOOL;
	case 8:
		return PARQUET_UINT8;
	case 16:
		return PARQUET_UINT16;
	case 32:
		return PARQUET_UINT32;
	default:
		return PARQUET_UINT64;
	}
}

static bool is_withheld(const struct export_config *config,
			const struct field *field)
{
	return (field->privacy == FIELD_PERSONAL && config->redact) ||
	       (field->privacy == FIELD_RAW && !config->addresses);
}

/* The column that is set with the place of code; NULL: not of this name */
static int *code_column(struct lake_samples *samples, const char *name)
{
	const struct {
		const char *name;
		int *column;
	} columns[] = {
		{"build_id", &samples->code.build_id},
		{"file_offset", &samples->code.offset},
		{"dso", &samples->code.dso},
		{"sym", &samples->code.symbol},
		{"target_build_id", &samples->target.build_id},
		{"target_offset", &samples->target.offset},
	};

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcmp(columns[i].name, name))
			return columns[i].column;
	return NULL;
}

/* Withheld fields have a column, too, without values. */
static void add_field(struct lake_samples *samples, const struct field *field,
		      bool withheld)
{
	int column = samples->nr_columns++;
	int *code = code_column(samples, field->name);

	samples->columns[column] = (struct parquet_column){
		.name = field->name,
		.type = type_of(field),
		/* Code is in the order of its binary and place. */
		.sorted = code == &samples->code.build_id ||
			  code == &samples->code.offset,
	};
	if (code)
		*code = column;
	else if (!withheld)
		samples->fields[column] = field;
}

void lake_samples_init(struct lake *lake)
{
	struct lake_samples *samples = &lake->samples_columns;

	*samples = (struct lake_samples){
		.columns = {LAKE_RECORDING},
		.nr_columns = 1,
		.target = {.dso = LAKE_NO_COLUMN, .symbol = LAKE_NO_COLUMN},
	};
	for (const struct field *f = all_fields; f->name; f++)
		if (f->uses & FIELD_LAKE)
			add_field(samples, f, is_withheld(lake->config, f));
}

/* A text at an address of its own is looked up by that. */
static void set_field(struct lake_part *part, int column,
		      const struct field *field, const struct view *view)
{
	char room[FIELD_ROOM];
	const char *text;
	uint64_t value;

	if (!field->text) {
		if (field->number(view, &value))
			parquet_set(part->parquet, column, value);
		return;
	}
	text = field->text(view, room);
	if (text == room)
		parquet_set_text(part->parquet, column, text);
	else
		lake_set_name(part, column, text);
}

static int set_target(struct lake *lake, const struct thread_cache *current)
{
	const struct pmscope_batch *b = current->sample.batch;
	size_t row = current->sample.row;
	uint32_t place;

	if (!(b->has[row] & PMSCOPE_HAS_TARGET))
		return 0;
	if (places_find(&lake->places, lake->load, current,
			pmscope_code_address(b->target[row]), &place))
		return -ENOMEM;
	lake_set_code(lake, &lake->samples_part, place,
		      &lake->samples_columns.target);
	return 0;
}

int lake_samples_open(struct lake *lake)
{
	return lake_part_open(lake, &lake->samples_part,
			      lake->samples_columns.columns);
}

/*
 * The function is named with the stack that it uses. With --redact only
 * variables have names: other memory may have that of a file.
 */
static void name_data(const struct lake *lake,
		      const struct thread_cache *current, uint32_t place,
		      struct view *view)
{
	const struct data_names names = data_names_find(
		lake->data, &lake->load->names, current, DEP_DATA | DEP_MEMBER);

	if (lake->config->redact && !(names.variable && names.variable->name))
		return;
	data_names_show(&names, view);
	if (place != LAKE_NO_PLACE)
		view->symbol.name = lake->places.items[place].symbol;
}

int lake_sample(struct lake *lake, const struct thread_cache *current,
		uint32_t place)
{
	const struct lake_samples *samples = &lake->samples_columns;
	struct lake_part *part = &lake->samples_part;
	int ret = lake_samples_open(lake);
	struct view view;

	if (ret)
		return ret;
	if (place != LAKE_NO_PLACE)
		lake_set_code(lake, part, place, &samples->code);
	view_begin(&view, &current->sample);
	view_flags(&view);
	if (lake->data)
		name_data(lake, current, place, &view);
	for (int i = 0; i < samples->nr_columns; i++)
		if (samples->fields[i])
			set_field(part, i, samples->fields[i], &view);
	ret = set_target(lake, current);
	lake_end_row(part);
	if (!ret && parquet_rows(part->parquet) == PART_ROWS)
		ret = lake_part_commit(part);
	return ret;
}
