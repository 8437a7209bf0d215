// SPDX-License-Identifier: GPL-2.0-or-later
#include "parquet/column.h"

#include <endian.h>
#include <zstd.h>

#define PAGE_ROWS	 ((size_t)1 << 16)
#define PAGE_DATA	 0
#define PAGE_DICTIONARY	 2
#define ZSTD_LEVEL	 1
#define SHORTS		 ((size_t)1 << 16)
#define STATISTICS_BYTES 64 /* longer text is left out of them */

enum parquet_physical parquet_physical(enum parquet_type type)
{
	switch (type) {
	case PARQUET_BOOL:
		return PHYSICAL_BOOLEAN;
	case PARQUET_UINT64:
	case PARQUET_INT64:
		return PHYSICAL_INT64;
	case PARQUET_DOUBLE:
		return PHYSICAL_DOUBLE;
	case PARQUET_TEXT:
		return PHYSICAL_BYTES;
	default:
		return PHYSICAL_INT32;
	}
}

static unsigned int bits_of(enum parquet_type type)
{
	return parquet_physical(type) == PHYSICAL_INT32 ? 32 : 64;
}

/* The largest dictionary that is shorter than differences. */
static size_t dictionary_max(size_t values)
{
	return values / 4 < DICTIONARY_MAX - 16 ? values / 4 + 16
						: DICTIONARY_MAX;
}

static size_t slots_for(size_t values)
{
	size_t nr = 1;

	while (nr < 2 * dictionary_max(values))
		nr *= 2;
	return nr;
}

struct parquet_scratch *scratch_new(void)
{
	struct parquet_scratch *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->zstd = ZSTD_createCCtx();
	output_hold(&s->page);
	output_hold(&s->packed);
	if (s->zstd)
		return s;
	scratch_free(s);
	return NULL;
}

/* Contents are lost. */
static bool renew(void *array, size_t size)
{
	void **of = array;

	free(*of);
	*of = malloc(size);
	return *of;
}

int scratch_reserve(struct parquet_scratch *s, size_t rows)
{
	if (rows <= s->rows)
		return 0;
	s->rows = 0;
	if (!renew(&s->order, rows * sizeof(*s->order)) ||
	    !renew(&s->moved, rows * sizeof(*s->moved)) ||
	    !renew(&s->levels, rows * sizeof(*s->levels)) ||
	    !renew(&s->values, rows * sizeof(*s->values)) ||
	    !renew(&s->indices, rows * sizeof(*s->indices)) ||
	    !renew(&s->dictionary, rows * sizeof(*s->dictionary)) ||
	    !renew(&s->of_short, SHORTS * sizeof(*s->of_short)) ||
	    !renew(&s->slots, slots_for(rows) * sizeof(*s->slots)))
		return -ENOMEM;
	s->rows = rows;
	return 0;
}

void scratch_free(struct parquet_scratch *scratch)
{
	free(scratch->order);
	free(scratch->moved);
	free(scratch->levels);
	free(scratch->values);
	free(scratch->indices);
	free(scratch->dictionary);
	free(scratch->of_short);
	free(scratch->slots);
	free(scratch->ranks);
	ZSTD_freeCCtx(scratch->zstd);
	output_free(&scratch->page);
	output_free(&scratch->packed);
	free(scratch);
}

size_t column_count(const struct parquet_values *from, size_t rows)
{
	size_t bytes = (rows + 7) / 8, nr = 0;

	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		size_t left = bytes - i;
		uint64_t word = 0;

		memcpy(&word, from->present + i,
		       left < sizeof(word) ? left : sizeof(word));
		nr += __builtin_popcountll(word);
	}
	return nr;
}

/* All bytes are those of one value, if each is the one a value before it. */
bool column_is_constant(const struct parquet_values *from, size_t rows)
{
	const char *values = from->values;
	size_t bytes = from->bytes;

	return rows && column_count(from, rows) == rows &&
	       !memcmp(values, values + bytes, (rows - 1) * bytes);
}

/* One loop for each size of values: this is where the time goes. */
#define GATHER(type)                                               \
	do {                                                       \
		const type *values = from->values;                 \
		const uint32_t *order = s->order;                  \
		uint64_t *to = s->values;                          \
                                                                   \
		for (size_t i = 0; !some && i < rows; i++)         \
			to[i] = values[order[i]];                  \
		for (size_t i = 0; some && i < rows; i++) {        \
			s->levels[i] = column_has(from, order[i]); \
			to[nr] = values[order[i]];                 \
			nr += s->levels[i];                        \
		}                                                  \
	} while (0)

/* The values there are, and, if only @some rows have one, the levels. */
static void gather_values(struct parquet_scratch *s,
			  const struct parquet_values *from, size_t rows,
			  bool some)
{
	size_t nr = 0;

	switch (from->bytes) {
	case 1:
		GATHER(uint8_t);
		break;
	case 2:
		GATHER(uint16_t);
		break;
	case 4:
		GATHER(uint32_t);
		break;
	default:
		GATHER(uint64_t);
	}
}

/*
 * The values in the order of the rows; returns how many there are. All being
 * alike, only the first is set.
 */
static size_t gather(struct parquet_scratch *s,
		     const struct parquet_values *from, size_t rows)
{
	size_t nr = column_count(from, rows);

	s->all_levels = nr == rows || !nr;
	s->constant = column_is_constant(from, rows);
	if (s->constant)
		s->values[0] = column_value(from, 0);
	else if (nr)
		gather_values(s, from, rows, nr < rows);
	return nr;
}

static size_t hash_slot(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static uint32_t dictionary_index(struct parquet_scratch *s, uint64_t value)
{
	size_t slot = hash_slot(value) & (s->nr_slots - 1);

	while (s->slots[slot]) {
		uint32_t index = s->slots[slot] - 1;

		if (s->dictionary[index] == value)
			return index;
		slot = (slot + 1) & (s->nr_slots - 1);
	}
	s->dictionary[s->nr_dictionary++] = value;
	s->slots[slot] = s->nr_dictionary;
	return s->nr_dictionary - 1;
}

/* The same, for values of 16 bits. */
static void dictionary_of_shorts(struct parquet_scratch *s, size_t nr)
{
	memset(s->of_short, 0, SHORTS * sizeof(*s->of_short));
	s->nr_dictionary = 0;
	for (size_t i = 0; i < nr; i++) {
		uint32_t *index = &s->of_short[(uint16_t)s->values[i]];

		if (!*index) {
			s->dictionary[s->nr_dictionary++] = s->values[i];
			*index = s->nr_dictionary;
		}
		s->indices[i] = *index - 1;
	}
}

/*
 * Finds the different values. False if there are so many that differences are
 * the shorter way to write them.
 */
static bool dictionary_make(struct parquet_scratch *s, size_t nr)
{
	size_t most = dictionary_max(nr);
	uint64_t last = 0;
	uint32_t index = 0;

	s->nr_slots = slots_for(nr);
	memset(s->slots, 0, s->nr_slots * sizeof(*s->slots));
	s->nr_dictionary = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!i || s->values[i] != last) {
			if (s->nr_dictionary >= most)
				return false;
			last = s->values[i];
			index = dictionary_index(s, last);
		}
		s->indices[i] = index;
	}
	return true;
}

/* The texts that are used, each once. Returns 0 or -ENOMEM. */
static int dictionary_of_text(struct parquet_scratch *s, size_t nr,
			      const struct strings *strings)
{
	if (s->max_ranks < strings->count) {
		uint32_t *ranks =
			realloc(s->ranks, strings->count * sizeof(*ranks));

		if (!ranks)
			return -ENOMEM;
		s->ranks = ranks;
		s->max_ranks = strings->count;
	}
	memset(s->ranks, 0, strings->count * sizeof(*s->ranks));
	s->nr_dictionary = 0;
	for (size_t i = 0; i < nr; i++) {
		uint32_t *rank = &s->ranks[s->values[i]];

		if (!*rank) {
			s->dictionary[s->nr_dictionary++] = s->values[i];
			*rank = s->nr_dictionary;
		}
		s->indices[i] = *rank - 1;
	}
	return 0;
}

static void put_text(struct output *out, const char *text)
{
	uint32_t size = strlen(text), stored = htole32(size);
	char *p = output_reserve(out, sizeof(stored) + size);

	if (!p)
		return;
	memcpy(p, &stored, sizeof(stored));
	memcpy(p + sizeof(stored), text, size);
	output_commit(out, p + sizeof(stored) + size);
}

static void put_header(struct output *out, int type, size_t plain,
		       size_t compressed, size_t values, int encoding)
{
	struct thrift t = {.out = out};

	thrift_i32(&t, 1, type);
	thrift_i32(&t, 2, (int32_t)plain);
	thrift_i32(&t, 3, (int32_t)compressed);
	thrift_begin(&t, type == PAGE_DATA ? 5 : 7);
	thrift_i32(&t, 1, (int32_t)values);
	thrift_i32(&t, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_i32(&t, 3, ENCODING_RLE);
		thrift_i32(&t, 4, ENCODING_RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
}

/* Compresses s->page and writes it after its header. Returns 0 or -errno. */
static int page_write(struct parquet_scratch *s, FILE *file, int type,
		      size_t values, int encoding, struct parquet_chunk *chunk)
{
	size_t bound = ZSTD_compressBound(s->page.used), size, header;
	char *p;

	s->packed.used = 0;
	p = output_reserve(&s->packed, bound);
	if (s->page.failed || !p)
		return -ENOMEM;
	size = ZSTD_compressCCtx(s->zstd, p, bound, s->page.buffer,
				 s->page.used, ZSTD_LEVEL);
	if (ZSTD_isError(size))
		return -ENOMEM;
	output_commit(&s->packed, p + size);
	put_header(&s->packed, type, s->page.used, size, values, encoding);
	if (s->packed.failed)
		return -ENOMEM;
	header = s->packed.used - size;
	chunk->bytes += s->packed.used;
	chunk->plain_bytes += header + s->page.used;
	errno = EIO;
	if (fwrite(s->packed.buffer + size, 1, header, file) != header ||
	    fwrite(s->packed.buffer, 1, size, file) != size)
		return -errno;
	return 0;
}

static int dictionary_write(struct parquet_scratch *s, FILE *file,
			    const struct parquet_values *from,
			    const struct strings *strings,
			    struct parquet_chunk *chunk)
{
	s->page.used = 0;
	if (from->column->type == PARQUET_TEXT)
		for (size_t i = 0; i < s->nr_dictionary; i++)
			put_text(&s->page,
				 strings_get(strings, s->dictionary[i]));
	else
		encode_plain(&s->page, s->dictionary, s->nr_dictionary,
			     bits_of(from->column->type));
	return page_write(s, file, PAGE_DICTIONARY, s->nr_dictionary,
			  ENCODING_PLAIN, chunk);
}

/* Of @rows rows from @row on, @nr of which have a value. */
static void put_levels(struct parquet_scratch *s, size_t row, size_t rows,
		       size_t nr)
{
	size_t at = s->page.used;
	char *p = output_reserve(&s->page, sizeof(uint32_t));
	uint32_t size;

	if (!p)
		return;
	output_commit(&s->page, p + sizeof(size));
	if (s->all_levels)
		encode_same(&s->page, nr != 0, rows, 1);
	else
		encode_runs(&s->page, s->levels + row, rows, 1);
	if (s->page.failed)
		return;
	size = htole32(s->page.used - at - sizeof(size));
	memcpy(s->page.buffer + at, &size, sizeof(size));
}

static void put_bools(struct parquet_scratch *s, size_t first, size_t nr)
{
	char *p = output_reserve(&s->page, nr / 8 + 1);

	if (!p)
		return;
	memset(p, 0, nr / 8 + 1);
	for (size_t i = 0; i < nr; i++) {
		uint64_t value = s->values[s->constant ? 0 : first + i];

		p[i / 8] |= (char)((value & 1) << i % 8);
	}
	output_commit(&s->page, p + (nr + 7) / 8);
}

static void put_indices(struct parquet_scratch *s, size_t first, size_t nr)
{
	unsigned int width = encode_width(s->nr_dictionary - 1);
	char *p = output_reserve(&s->page, 1);

	if (!p)
		return;
	width = width ? width : 1;
	*p = (char)width;
	output_commit(&s->page, p + 1);
	if (s->constant)
		encode_same(&s->page, 0, nr, width);
	else
		encode_runs(&s->page, s->indices + first, nr, width);
}

static void put_values(struct parquet_scratch *s, enum parquet_type type,
		       int encoding, size_t first, size_t nr)
{
	if (encoding == ENCODING_DICTIONARY)
		put_indices(s, first, nr);
	else if (encoding == ENCODING_DELTA)
		encode_deltas(&s->page, s->values + first, nr, bits_of(type));
	else if (type == PARQUET_BOOL)
		put_bools(s, first, nr);
	else
		encode_plain(&s->page, s->values + first, nr, bits_of(type));
}

/* How many of the @rows from @row on have a value, if of all rows @nr do. */
static size_t count_present(const struct parquet_scratch *s, size_t row,
			    size_t rows, size_t nr)
{
	size_t present = 0;

	if (s->all_levels)
		return nr ? rows : 0;
	for (size_t i = 0; i < rows; i++)
		present += s->levels[row + i];
	return present;
}

static int data_write(struct parquet_scratch *s, FILE *file,
		      const struct parquet_values *from, size_t rows,
		      size_t values, struct parquet_chunk *chunk)
{
	size_t first = 0;
	int ret = 0;

	for (size_t row = 0; row < rows && !ret; row += PAGE_ROWS) {
		size_t some = MIN(rows - row, PAGE_ROWS);
		size_t nr = count_present(s, row, some, values);

		s->page.used = 0;
		if (!from->column->required)
			put_levels(s, row, some, nr);
		put_values(s, from->column->type, chunk->encoding, first, nr);
		ret = page_write(s, file, PAGE_DATA, some, chunk->encoding,
				 chunk);
		first += nr;
	}
	return ret;
}

/* Returns an encoding, or -ENOMEM. */
static int encoding_choose(struct parquet_scratch *s,
			   const struct parquet_values *from, size_t nr,
			   const struct strings *strings)
{
	enum parquet_type type = from->column->type;

	if (!nr || type == PARQUET_BOOL)
		return ENCODING_PLAIN;
	if (s->constant) {
		s->dictionary[0] = s->values[0];
		s->nr_dictionary = 1;
		return ENCODING_DICTIONARY;
	}
	if (type == PARQUET_TEXT)
		return dictionary_of_text(s, nr, strings)
			       ?: ENCODING_DICTIONARY;
	if (from->bytes <= sizeof(uint16_t) &&
	    dictionary_max(nr) == DICTIONARY_MAX) {
		dictionary_of_shorts(s, nr);
		return ENCODING_DICTIONARY;
	}
	if (dictionary_make(s, nr))
		return ENCODING_DICTIONARY;
	return type == PARQUET_DOUBLE ? ENCODING_PLAIN : ENCODING_DELTA;
}

static void text_statistics(const struct parquet_scratch *s,
			    const struct strings *strings,
			    struct parquet_statistics *statistics)
{
	const char *least = strings_get(strings, s->dictionary[0]);
	const char *most = least;

	for (size_t i = 1; i < s->nr_dictionary; i++) {
		const char *text = strings_get(strings, s->dictionary[i]);

		least = strcmp(text, least) < 0 ? text : least;
		most = strcmp(text, most) > 0 ? text : most;
	}
	statistics->least = least;
	statistics->least_size = strlen(least);
	statistics->most = most;
	statistics->most_size = strlen(most);
	statistics->known = statistics->least_size <= STATISTICS_BYTES &&
			    statistics->most_size <= STATISTICS_BYTES;
}

static void number_statistics(const uint64_t *values, size_t nr,
			      unsigned int bits, bool is_signed,
			      struct parquet_statistics *statistics)
{
	uint64_t flip = is_signed ? (uint64_t)1 << 63 : 0;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t value = values[i] ^ flip;

		least = MIN(value, least);
		most = MAX(value, most);
	}
	statistics->numbers[0] = htole64(least ^ flip);
	statistics->numbers[1] = htole64(most ^ flip);
	statistics->least = &statistics->numbers[0];
	statistics->most = &statistics->numbers[1];
	statistics->least_size = bits / 8;
	statistics->most_size = bits / 8;
	statistics->known = true;
}

static void statistics_make(const struct parquet_scratch *s,
			    enum parquet_type type, int encoding, size_t nr,
			    const struct strings *strings,
			    struct parquet_statistics *statistics)
{
	bool listed = encoding == ENCODING_DICTIONARY;

	if (!nr || type == PARQUET_BOOL || type == PARQUET_DOUBLE)
		return;
	if (type == PARQUET_TEXT)
		text_statistics(s, strings, statistics);
	else
		number_statistics(listed ? s->dictionary : s->values,
				  listed ? s->nr_dictionary : nr, bits_of(type),
				  type == PARQUET_INT64, statistics);
}

int column_write(struct parquet_scratch *scratch, FILE *file, uint64_t offset,
		 const struct parquet_values *values, size_t rows,
		 const struct strings *strings, struct parquet_chunk *chunk)
{
	size_t nr = gather(scratch, values, rows);
	int ret = 0;

	*chunk = (struct parquet_chunk){};
	chunk->encoding = encoding_choose(scratch, values, nr, strings);
	if (chunk->encoding < 0)
		return chunk->encoding;
	chunk->statistics.nulls = rows - nr;
	statistics_make(scratch, values->column->type, chunk->encoding, nr,
			strings, &chunk->statistics);
	if (chunk->encoding == ENCODING_DICTIONARY) {
		chunk->dictionary_offset = offset;
		ret = dictionary_write(scratch, file, values, strings, chunk);
	}
	chunk->data_offset = offset + chunk->bytes;
	return ret ?: data_write(scratch, file, values, rows, nr, chunk);
}
