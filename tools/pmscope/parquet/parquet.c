// SPDX-License-Identifier: GPL-2.0-or-later
/* See the Thrift definitions of the Parquet format. */
#include "parquet/parquet.h"
#include "base/text.h"
#include "parquet/column.h"

#define MAGIC	   "PAR1"
#define MAGIC_SIZE 4
#define VERSION	   1
#define CODEC_ZSTD 6
#define FIRST_ROWS ((size_t)1 << 10)
#define DIGIT_BITS 11
#define DIGITS	   ((size_t)1 << DIGIT_BITS)

enum {
	REQUIRED = 0,
	OPTIONAL = 1,
};

/* What the footer will hold, already encoded. */
struct parquet_footer {
	struct output groups;
	size_t nr_groups;
	struct output notes;
	size_t nr_notes;
	uint64_t offset; /* in the file, of what comes next */
	uint64_t rows;	 /* written */
};

static unsigned int bytes_of(enum parquet_type type)
{
	switch (type) {
	case PARQUET_BOOL:
	case PARQUET_UINT8:
		return 1;
	case PARQUET_UINT16:
		return 2;
	case PARQUET_UINT32:
	case PARQUET_TEXT:
		return 4;
	default:
		return 8;
	}
}

static bool grow(void *array, size_t size)
{
	uint8_t **of = array;
	uint8_t *moved = realloc(*of, size);

	if (!moved)
		return false;
	*of = moved;
	return true;
}

/*
 * Makes room for more rows. Where no value is present, none is read: a column
 * without values takes no memory.
 */
static bool columns_grow(struct parquet *p)
{
	size_t room = p->room ? 2 * p->room : FIRST_ROWS;

	for (size_t i = 0; i < p->nr_columns; i++) {
		struct parquet_values *c = &p->columns[i];

		if (!grow(&c->values, room * c->bytes) ||
		    !grow(&c->present, room / 8))
			return false;
		memset(c->present + p->room / 8, 0, (room - p->room) / 8);
	}
	p->room = room;
	return true;
}

static bool columns_new(struct parquet *p, const struct parquet_column *columns)
{
	while (columns[p->nr_columns].name)
		p->nr_columns++;
	p->columns = calloc(p->nr_columns, sizeof(*p->columns));
	for (size_t i = 0; p->columns && i < p->nr_columns; i++) {
		p->columns[i].column = &columns[i];
		p->columns[i].bytes = bytes_of(columns[i].type);
	}
	return p->columns && columns_grow(p);
}

static void put(struct parquet *p, const void *data, size_t size)
{
	errno = EIO;
	if (!p->error && fwrite(data, 1, size, p->file) != size)
		p->error = -errno;
	p->footer->offset += size;
}

struct parquet *parquet_new(FILE *file, const struct parquet_column *columns)
{
	struct parquet *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->file = file;
	p->max_rows = PARQUET_ROWS;
	p->scratch = scratch_new();
	p->footer = calloc(1, sizeof(*p->footer));
	if (!p->scratch || !p->footer || !columns_new(p, columns)) {
		parquet_free(p);
		return NULL;
	}
	output_hold(&p->footer->groups);
	output_hold(&p->footer->notes);
	put(p, MAGIC, MAGIC_SIZE);
	return p;
}

void parquet_free(struct parquet *parquet)
{
	for (size_t i = 0; parquet->columns && i < parquet->nr_columns; i++) {
		free(parquet->columns[i].values);
		free(parquet->columns[i].present);
	}
	free(parquet->columns);
	if (parquet->scratch)
		scratch_free(parquet->scratch);
	if (parquet->footer) {
		output_free(&parquet->footer->groups);
		output_free(&parquet->footer->notes);
	}
	free(parquet->footer);
	strings_fini(&parquet->strings);
	free(parquet);
}

void parquet_set_double(struct parquet *parquet, size_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	parquet_set(parquet, column, bits);
}

void parquet_set_text(struct parquet *parquet, size_t column, const char *text)
{
	if (text)
		parquet_set(parquet, column, parquet_text(parquet, text));
}

/* A copy of @text as valid UTF-8. NULL: no memory. */
static char *valid_utf8(const char *text)
{
	char *copy = malloc(TEXT_VALID * strlen(text) + 1);

	if (copy)
		*text_valid(copy, text) = '\0';
	return copy;
}

uint32_t parquet_text(struct parquet *parquet, const char *text)
{
	FREED char *valid = valid_utf8(text);
	uint32_t number = 0;

	if (!valid ||
	    strings_intern(&parquet->strings, valid, strlen(valid), &number))
		parquet->error = -ENOMEM;
	return number;
}

/* Sorts by one digit; rows of the same digit stay in their order. */
static void sort_digit(struct parquet_scratch *s, const uint64_t *keys,
		       size_t rows, unsigned int shift)
{
	size_t counts[DIGITS] = {}, at = 0;
	uint32_t *order = s->order;

	for (size_t i = 0; i < rows; i++)
		counts[keys[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t nr = counts[i];

		counts[i] = at;
		at += nr;
	}
	for (size_t i = 0; i < rows; i++)
		s->moved[counts[keys[order[i]] >> shift & (DIGITS - 1)]++] =
			order[i];
	s->order = s->moved;
	s->moved = order;
}

static int compare_text(const void *a, const void *b, void *strings)
{
	return strcmp(strings_get(strings, *(const uint32_t *)a),
		      strings_get(strings, *(const uint32_t *)b));
}

/* The place of each text in the order of all. NULL: no memory. */
static uint32_t *rank_texts(struct strings *strings)
{
	FREED uint32_t *order = calloc(strings->count + 1, sizeof(*order));
	uint32_t *ranks = calloc(strings->count + 1, sizeof(*ranks));

	for (size_t i = 0; order && i < strings->count; i++)
		order[i] = i;
	if (order && ranks)
		qsort_r(order, strings->count, sizeof(*order), compare_text,
			strings);
	for (size_t i = 0; order && ranks && i < strings->count; i++)
		ranks[order[i]] = i;
	return ranks;
}

/* Numbers in the order of values; the bits that differ. 0 or -ENOMEM. */
static int make_keys(struct parquet *p, const struct parquet_values *from,
		     uint64_t *differ)
{
	bool is_text = from->column->type == PARQUET_TEXT;
	FREED uint32_t *ranks = is_text ? rank_texts(&p->strings) : NULL;

	if (is_text && !ranks)
		return -ENOMEM;
	for (size_t i = 0; i < p->rows; i++) {
		uint64_t value =
			column_has(from, i) ? column_value(from, i) : 0;

		p->scratch->values[i] = is_text ? ranks[value] : value;
		*differ |= p->scratch->values[i] ^ p->scratch->values[0];
	}
	return 0;
}

static int sort_column(struct parquet *p, const struct parquet_values *from)
{
	struct parquet_scratch *s = p->scratch;
	size_t present = column_count(from, p->rows);
	uint64_t differ = 0;

	if (column_is_constant(from, p->rows) || !present)
		return 0;
	if (make_keys(p, from, &differ))
		return -ENOMEM;
	for (unsigned int bit = 0; bit < 8 * from->bytes; bit += DIGIT_BITS)
		if (differ >> bit & (DIGITS - 1))
			sort_digit(s, s->values, p->rows, bit);
	if (present == p->rows)
		return 0;
	for (size_t i = 0; i < p->rows; i++)
		s->values[i] = column_has(from, i);
	sort_digit(s, s->values, p->rows, 0);
	return 0;
}

/* By the last sorted column first, so that the first one decides. */
static int sort_rows(struct parquet *p)
{
	int ret = 0;

	for (size_t i = 0; i < p->rows; i++)
		p->scratch->order[i] = i;
	for (size_t i = p->nr_columns; i-- && !ret;)
		if (p->columns[i].column->sorted)
			ret = sort_column(p, &p->columns[i]);
	return ret;
}

static void put_statistics(struct thrift *t,
			   const struct parquet_statistics *statistics)
{
	thrift_begin(t, 12);
	thrift_i64(t, 3, statistics->nulls);
	if (statistics->known) {
		thrift_binary(t, 5, statistics->most, statistics->most_size);
		thrift_binary(t, 6, statistics->least, statistics->least_size);
	}
	thrift_end(t);
}

static void put_encodings(struct thrift *t, const struct parquet_chunk *chunk)
{
	thrift_list(t, 2, THRIFT_I32, chunk->dictionary_offset ? 3 : 2);
	thrift_element_i32(t, ENCODING_RLE);
	thrift_element_i32(t, chunk->encoding);
	if (chunk->dictionary_offset)
		thrift_element_i32(t, ENCODING_PLAIN);
}

static void put_chunk(struct thrift *t, const struct parquet_column *column,
		      const struct parquet_chunk *chunk, size_t rows)
{
	thrift_element_begin(t);
	thrift_i64(t, 2, 0);
	thrift_begin(t, 3);
	thrift_i32(t, 1, parquet_physical(column->type));
	put_encodings(t, chunk);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_element_binary(t, column->name, strlen(column->name));
	thrift_i32(t, 4, CODEC_ZSTD);
	thrift_i64(t, 5, rows);
	thrift_i64(t, 6, chunk->plain_bytes);
	thrift_i64(t, 7, chunk->bytes);
	thrift_i64(t, 9, chunk->data_offset);
	if (chunk->dictionary_offset)
		thrift_i64(t, 11, chunk->dictionary_offset);
	put_statistics(t, &chunk->statistics);
	thrift_end(t);
	thrift_end(t);
}

static void put_sorting(struct thrift *t, const struct parquet *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr_columns; i++)
		nr += p->columns[i].column->sorted;
	if (!nr)
		return;
	thrift_list(t, 4, THRIFT_STRUCT, nr);
	for (size_t i = 0; i < p->nr_columns; i++) {
		if (!p->columns[i].column->sorted)
			continue;
		thrift_element_begin(t);
		thrift_i32(t, 1, i);
		thrift_bool(t, 2, false);
		thrift_bool(t, 3, true);
		thrift_end(t);
	}
}

static int columns_write(struct parquet *p, struct thrift *t, uint64_t *bytes)
{
	int ret = 0;

	for (size_t i = 0; i < p->nr_columns && !ret; i++) {
		struct parquet_chunk chunk;

		ret = column_write(p->scratch, p->file, p->footer->offset,
				   &p->columns[i], p->rows, &p->strings,
				   &chunk);
		if (ret)
			break;
		p->footer->offset += chunk.bytes;
		*bytes += chunk.plain_bytes;
		put_chunk(t, p->columns[i].column, &chunk, p->rows);
	}
	return ret;
}

static int group_write(struct parquet *p)
{
	struct thrift t = {.out = &p->footer->groups, .depth = -1};
	uint64_t begin = p->footer->offset, bytes = 0;
	int ret = scratch_reserve(p->scratch, p->rows) ?: sort_rows(p);

	if (ret)
		return ret;
	thrift_element_begin(&t);
	thrift_list(&t, 1, THRIFT_STRUCT, p->nr_columns);
	ret = columns_write(p, &t, &bytes);
	thrift_i64(&t, 2, bytes);
	thrift_i64(&t, 3, p->rows);
	put_sorting(&t, p);
	thrift_i64(&t, 5, begin);
	thrift_i64(&t, 6, p->footer->offset - begin);
	thrift_end(&t);
	p->footer->nr_groups++;
	p->footer->rows += p->rows;
	for (size_t i = 0; i < p->nr_columns; i++)
		memset(p->columns[i].present, 0, (p->rows + 7) / 8);
	p->rows = 0;
	return ret;
}

void parquet_end_row(struct parquet *parquet)
{
	if (++parquet->rows < parquet->room)
		return;
	if (parquet->rows < parquet->max_rows && columns_grow(parquet))
		return;
	if (parquet->rows < parquet->max_rows)
		parquet->error = -ENOMEM;
	if (parquet->error)
		parquet->rows = 0;
	else
		parquet->error = group_write(parquet);
}

void parquet_note(struct parquet *parquet, const char *key, const char *text)
{
	struct thrift t = {.out = &parquet->footer->notes, .depth = -1};
	char *valid = valid_utf8(text);

	if (!valid) {
		parquet->error = -ENOMEM;
		return;
	}
	thrift_element_begin(&t);
	thrift_binary(&t, 1, key, strlen(key));
	thrift_binary(&t, 2, valid, strlen(valid));
	thrift_end(&t);
	parquet->footer->nr_notes++;
	free(valid);
}

/* The logical type, in the new words and, for old readers, in the old ones. */
static void put_logical(struct thrift *t, enum parquet_type type)
{
	enum {
		CONVERTED_UTF8 = 0,
		CONVERTED_UINT8 = 11
	};
	int power = type - PARQUET_UINT8;

	if (type == PARQUET_TEXT) {
		thrift_i32(t, 6, CONVERTED_UTF8);
		thrift_begin(t, 10);
		thrift_begin(t, 1);
	} else {
		thrift_i32(t, 6, CONVERTED_UINT8 + power);
		thrift_begin(t, 10);
		thrift_begin(t, 10);
		thrift_i8(t, 1, (int8_t)(8 << power));
		thrift_bool(t, 2, false);
	}
	thrift_end(t);
	thrift_end(t);
}

static void put_schema(struct thrift *t, const struct parquet *p)
{
	thrift_list(t, 2, THRIFT_STRUCT, p->nr_columns + 1);
	thrift_element_begin(t);
	thrift_binary(t, 4, "schema", strlen("schema"));
	thrift_i32(t, 5, p->nr_columns);
	thrift_end(t);
	for (size_t i = 0; i < p->nr_columns; i++) {
		const struct parquet_column *c = p->columns[i].column;

		thrift_element_begin(t);
		thrift_i32(t, 1, parquet_physical(c->type));
		thrift_i32(t, 3, c->required ? REQUIRED : OPTIONAL);
		thrift_binary(t, 4, c->name, strlen(c->name));
		if (c->type == PARQUET_TEXT ||
		    (c->type >= PARQUET_UINT8 && c->type <= PARQUET_UINT64))
			put_logical(t, c->type);
		thrift_end(t);
	}
}

/* A list of what is encoded already. */
static void put_list(struct thrift *t, int id, size_t nr,
		     const struct output *elements)
{
	char *p;

	thrift_list(t, id, THRIFT_STRUCT, nr);
	p = output_reserve(t->out, elements->used);
	if (!p || !elements->used)
		return;
	memcpy(p, elements->buffer, elements->used);
	output_commit(t->out, p + elements->used);
}

static void put_footer(struct thrift *t, const struct parquet *p)
{
	static const char creator[] = "pmscope version " PMSCOPE_VERSION;

	thrift_i32(t, 1, VERSION);
	put_schema(t, p);
	thrift_i64(t, 3, p->footer->rows);
	put_list(t, 4, p->footer->nr_groups, &p->footer->groups);
	if (p->footer->nr_notes)
		put_list(t, 5, p->footer->nr_notes, &p->footer->notes);
	thrift_binary(t, 6, creator, strlen(creator));
	thrift_list(t, 7, THRIFT_STRUCT, p->nr_columns);
	for (size_t i = 0; i < p->nr_columns; i++) {
		thrift_element_begin(t);
		thrift_begin(t, 1);
		thrift_end(t);
		thrift_end(t);
	}
	thrift_end(t);
}

int parquet_finish(struct parquet *parquet)
{
	struct output footer = {};
	struct thrift t = {.out = &footer};

	output_hold(&footer);
	if (parquet->rows && !parquet->error)
		parquet->error = group_write(parquet);
	put_footer(&t, parquet);
	if (footer.failed || parquet->footer->groups.failed ||
	    parquet->footer->notes.failed) {
		parquet->error = parquet->error ?: -ENOMEM;
	} else {
		uint64_t size = footer.used;

		put(parquet, footer.buffer, size);
		footer.used = 0;
		encode_plain(&footer, &size, 1, 32);
		put(parquet, footer.buffer, footer.used);
		put(parquet, MAGIC, MAGIC_SIZE);
	}
	output_free(&footer);
	return parquet->error;
}

uint64_t parquet_rows(const struct parquet *parquet)
{
	return parquet->footer->rows + parquet->rows;
}
