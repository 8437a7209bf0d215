// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of random rows, as four independent readers see them. They are in the
 * directory of PMSCOPE_CONSUMERS ("tools/machine/build consumers").
 */
#include "ktap.h"
#include "bytes.h"

#include "parquet/parquet.h"

#define MODULUS	    1000003
#define READERS	    PMSCOPE_TESTS "/parquet/readers.mjs"
#define TEXT_SIZE   1024
#define ALL_READERS "duckdb clickhouse hyparquet polars"

static const struct parquet_column columns[] = {
	{.name = "code", .type = PARQUET_TEXT, .sorted = true},
	{.name = "offset",
	 .type = PARQUET_UINT64,
	 .sorted = true,
	 .required = true},
	{.name = "name", .type = PARQUET_TEXT},
	{.name = "byte", .type = PARQUET_UINT8, .required = true},
	{.name = "latency", .type = PARQUET_UINT16},
	{.name = "flag", .type = PARQUET_BOOL},
	{.name = "weight", .type = PARQUET_DOUBLE},
	{.name = "time", .type = PARQUET_UINT64, .required = true},
	{.name = "signed", .type = PARQUET_INT64},
	{.name = "empty", .type = PARQUET_UINT32},
	{.name = "word", .type = PARQUET_UINT32},
	{.name = "constant", .type = PARQUET_UINT16, .required = true},
	{},
};

#define NR_COLUMNS (ARRAY_SIZE(columns) - 1)

/* Of each column: how many values, and their sum as the readers compute it. */
struct sums {
	uint64_t rows;
	uint64_t values[NR_COLUMNS];
	int64_t sums[NR_COLUMNS];
};

static void put_number(struct parquet *file, struct sums *sums, size_t column,
		       uint64_t value)
{
	enum parquet_type type = columns[column].type;

	parquet_set(file, column, value);
	sums->values[column]++;
	sums->sums[column] += type == PARQUET_INT64
				      ? (int64_t)value % MODULUS
				      : (int64_t)(value % MODULUS);
}

/* @bytes: of the text when it is UTF-8 */
static void put_text(struct parquet *file, struct sums *sums, size_t column,
		     const char *text, size_t bytes)
{
	parquet_set_text(file, column, text);
	sums->values[column]++;
	sums->sums[column] += bytes;
}

static void put_texts(struct parquet *file, struct sums *sums, uint64_t *state)
{
	char text[32];
	size_t size;

	if (random_below(state, 7)) {
		size = snprintf(text, sizeof(text), "build%u",
				random_below(state, 13));
		put_text(file, sums, 0, text, size);
	}
	/* A byte that is no UTF-8 becomes one character of three bytes. */
	size = snprintf(text, sizeof(text), "f\xff<%u>",
			random_below(state, 500));
	put_text(file, sums, 2, text, size + 2);
}

static void put_row(struct parquet *file, struct sums *sums, uint64_t *state,
		    uint64_t row)
{
	uint32_t half = random_below(state, 3);

	put_texts(file, sums, state);
	put_number(file, sums, 1,
		   UINT64_C(0xffff800000000000) +
			   4 * random_below(state, 100000));
	put_number(file, sums, 3, random_below(state, 200));
	if (random_below(state, 3))
		put_number(file, sums, 4, random_below(state, 4096));
	if (random_below(state, 5))
		put_number(file, sums, 5, random_below(state, 2));
	if (random_below(state, 11)) {
		parquet_set_double(file, 6, half / 2.0);
		sums->values[6]++;
		sums->sums[6] += half;
	}
	put_number(file, sums, 7, row * 1000000000 + random_below(state, 1000));
	put_number(file, sums, 8, (uint64_t)random_below(state, 2001) - 1000);
	put_number(file, sums, 10, random_next(state) >> 32);
	put_number(file, sums, 11, 7);
	parquet_end_row(file);
	sums->rows++;
}

/* Returns the result of parquet_finish(). */
static int write_rows(FILE *out, uint64_t rows, struct sums *sums)
{
	struct parquet *file = parquet_new(out, columns);
	uint64_t state = 7 + rows;
	int ret;

	if (!file)
		return -1;
	for (uint64_t row = 0; row < rows; row++)
		put_row(file, sums, &state, row);
	parquet_note(file, "pmscope.host", "a\xe4 \"host\"");
	ret = parquet_finish(file);
	if (parquet_rows(file) != rows)
		ret = -1;
	parquet_free(file);
	return ret;
}

static void expected_line(const struct sums *sums, char *text)
{
	char *p = text + sprintf(text, "%llu", (unsigned long long)sums->rows);

	for (size_t i = 0; i < NR_COLUMNS; i++)
		p += sprintf(p, " %llu %lld",
			     (unsigned long long)sums->values[i],
			     (long long)sums->sums[i]);
	strcpy(p, "\n");
}

/* Compares what each of @readers sees with @sums. */
static void read_by(const char *path, const char *readers,
		    const struct sums *sums)
{
	char command[TEXT_SIZE], line[TEXT_SIZE], expected[TEXT_SIZE];
	unsigned int lines = 0;
	FILE *pipe;

	expected_line(sums, expected);
	snprintf(command, sizeof(command), "node %s %s %s %s", READERS,
		 getenv("PMSCOPE_CONSUMERS"), path, readers);
	pipe = popen(command, "r");
	ASSERT_TRUE(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		const char *sep = strstr(line, ": ");

		ASSERT_TRUE(sep);
		if (!strncmp(line, "order", 5))
			EXPECT_STREQ(sep + 2, "0\n");
		else
			EXPECT_STREQ(sep + 2, expected);
		lines++;
	}
	EXPECT_EQ(pclose(pipe), 0);
	for (EXPECT_TRUE(lines > 0); lines; lines--)
		readers += strcspn(readers, " ") + (lines > 1);
	EXPECT_EQ(*readers, '\0');
}

static void write_and_read(uint64_t rows, const char *readers)
{
	char path[] = "/tmp/pmscope-XXXXXX.parquet";
	struct sums sums = {};
	FILE *out;
	int fd;

	if (!getenv("PMSCOPE_CONSUMERS"))
		SKIP("no readers of Parquet: set PMSCOPE_CONSUMERS");
	fd = mkstemps(path, strlen(".parquet"));
	ASSERT_TRUE(fd >= 0);
	out = fdopen(fd, "w");
	EXPECT_EQ(write_rows(out, rows, &sums), 0);
	EXPECT_EQ(fclose(out), 0);
	read_by(path, readers, &sums);
	unlink(path);
}

PLAIN_CASE(four_readers_see_the_same,
	   write_and_read(70001, ALL_READERS " order"));

CASE(one_row, write_and_read(1, ALL_READERS));
CASE(no_row, write_and_read(0, "duckdb hyparquet polars"));

PLAIN_CASE(two_row_groups,
	   write_and_read(PARQUET_ROWS + 12345, "duckdb clickhouse order"));

TEST(full_disk)
{
	struct sums sums = {};
	FILE *out = fopen("/dev/full", "w");

	ASSERT_TRUE(out);
	EXPECT_TRUE(write_rows(out, 70001, &sums) < 0);
	fclose(out);
}
