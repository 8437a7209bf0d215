// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Query engines scan a recording as an Arrow stream, and find what they find in
 * the Parquet files that export writes of it. What those have for each control
 * group, report prints, too.
 */
#include "command.h"

#include <pmscope/arrow.h>

#include <dlfcn.h>
#if SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

#define RECORDS	  70000 /* more than an array holds */
#define TEXT_SIZE ((size_t)1 << 16)
#define GROUPS	  5 /* of two no path, or nothing, is known */

#ifdef __aarch64__
#define NODE_CPU "arm64"
#else
#define NODE_CPU "x64"
#endif

/* The sums of a table that has samples as rows. */
#define SUMS                                                                 \
	"select op, cgroup, count(*), count(lat_total), "                    \
	"sum(lat_total), count(comm), sum(file_offset %% 1000003), "         \
	"sum(target_offset %% 1000003), count(case when taken then 1 end), " \
	"count(case when events >= 8 then 1 end) from %s "                   \
	"group by op, cgroup order by op, cgroup"
#define BY_GROUP                                                            \
	"select samples, lat_samples, cast(floor(mean) as integer) from "   \
	"(select %s as samples, %s as lat_samples, %s as mean from %s %s) " \
	"as g order by samples"

/**
 * struct engine - of these libraries, what the tests use
 * @open: starts it, with @stream as a table
 * @ask: an answer: lines with tabs
 * @close: ends it
 * @samples, @parquet, @csv: what SQL calls that table, and files
 */
struct engine {
	bool (*open)(struct ArrowArrayStream *stream);
	void (*ask)(const char *sql, char *text);
	void (*close)(void);
	const char *samples, *parquet, *csv;
};

static void *library(const char *name)
{
	const char *consumers = getenv("PMSCOPE_CONSUMERS");
	char path[512];

	if (!consumers)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", consumers, name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void load(void *from, const char *name, void *function)
{
	*(void **)function = dlsym(from, name);
	EXPECT_TRUE(*(void **)function);
}

struct duckdb_result {
	uint64_t members[3];
	void *pointers[3];
};

static struct {
	void *library, *base, *connection;
	int (*open)(const char *path, void **base);
	int (*connect)(void *base, void **connection);
	int (*arrow_scan)(void *connection, const char *name,
			  struct ArrowArrayStream *stream);
	int (*query)(void *connection, const char *sql,
		     struct duckdb_result *result);
	uint64_t (*row_count)(struct duckdb_result *result);
	uint64_t (*column_count)(struct duckdb_result *result);
	char *(*value_varchar)(struct duckdb_result *result, uint64_t column,
			       uint64_t row);
	void (*destroy_result)(struct duckdb_result *result);
	void (*free)(void *text);
	void (*disconnect)(void **connection);
	void (*close)(void **base);
} duckdb;

static bool duckdb_load(void)
{
	duckdb.library = library("@duckdb/node-bindings-linux-" NODE_CPU
				 "/libduckdb.so");
	if (!duckdb.library)
		return false;
	load(duckdb.library, "duckdb_open", &duckdb.open);
	load(duckdb.library, "duckdb_connect", &duckdb.connect);
	load(duckdb.library, "duckdb_arrow_scan", &duckdb.arrow_scan);
	load(duckdb.library, "duckdb_query", &duckdb.query);
	load(duckdb.library, "duckdb_row_count", &duckdb.row_count);
	load(duckdb.library, "duckdb_column_count", &duckdb.column_count);
	load(duckdb.library, "duckdb_value_varchar", &duckdb.value_varchar);
	load(duckdb.library, "duckdb_destroy_result", &duckdb.destroy_result);
	load(duckdb.library, "duckdb_free", &duckdb.free);
	load(duckdb.library, "duckdb_disconnect", &duckdb.disconnect);
	load(duckdb.library, "duckdb_close", &duckdb.close);
	return true;
}

static void duckdb_ask(const char *sql, char *text)
{
	struct duckdb_result result;
	char *end = text;

	*text = '\0';
	EXPECT_EQ(duckdb.query(duckdb.connection, sql, &result), 0);
	for (uint64_t row = 0; row < duckdb.row_count(&result); row++) {
		uint64_t columns = duckdb.column_count(&result);

		for (uint64_t i = 0; i < columns; i++) {
			char *value = duckdb.value_varchar(&result, i, row);
			size_t room = text + TEXT_SIZE - end;

			end += snprintf(end, room, "%s%c", value ? value : "",
					i + 1 < columns ? '\t' : '\n');
			duckdb.free(value);
			ASSERT_TRUE(end < text + TEXT_SIZE);
		}
	}
	duckdb.destroy_result(&result);
}

/*
 * duckdb_arrow_scan() takes streams that leave out columns when a query needs
 * few, which a C stream cannot: so all are read first.
 */
static bool duckdb_open(struct ArrowArrayStream *stream)
{
	char text[TEXT_SIZE];

	if (duckdb.open(NULL, &duckdb.base) ||
	    duckdb.connect(duckdb.base, &duckdb.connection) ||
	    duckdb.arrow_scan(duckdb.connection, "samples", stream))
		return false;
	duckdb_ask("create table loaded as select * from samples", text);
	return true;
}

static void duckdb_close(void)
{
	duckdb.disconnect(&duckdb.connection);
	duckdb.close(&duckdb.base);
}

static const struct engine with_duckdb = {
	.open = duckdb_open,
	.ask = duckdb_ask,
	.close = duckdb_close,
	.samples = "loaded",
	.parquet = "read_parquet('%s/dataset=samples/*/*/*.parquet')",
	.csv = "read_csv('%s/report.csv')",
};

static struct {
	void *library, **connection;
	void **(*connect)(int argc, char **argv);
	int (*arrow_scan)(void *connection, const char *name,
			  struct ArrowArrayStream *stream);
	void *(*query)(void *connection, const char *sql, const char *format);
	char *(*buffer)(void *result);
	size_t (*length)(void *result);
	const char *(*error)(void *result);
	void (*destroy_result)(void *result);
	void (*close)(void **connection);
} chdb;

static bool chdb_load(void)
{
	chdb.library = library("@chdb/lib-linux-" NODE_CPU "-gnu/libchdb.so");
	if (!chdb.library)
		return false;
	load(chdb.library, "chdb_connect", &chdb.connect);
	load(chdb.library, "chdb_arrow_scan", &chdb.arrow_scan);
	load(chdb.library, "chdb_query", &chdb.query);
	load(chdb.library, "chdb_result_buffer", &chdb.buffer);
	load(chdb.library, "chdb_result_length", &chdb.length);
	load(chdb.library, "chdb_result_error", &chdb.error);
	load(chdb.library, "chdb_destroy_query_result", &chdb.destroy_result);
	load(chdb.library, "chdb_close_conn", &chdb.close);
	return true;
}

static void chdb_ask(const char *sql, char *text)
{
	void *result = chdb.query(*chdb.connection, sql, "TSV");
	size_t size = chdb.length(result);

	if (chdb.error(result))
		EXPECT_STREQ(chdb.error(result), "");
	ASSERT_TRUE(size < TEXT_SIZE);
	memcpy(text, size ? chdb.buffer(result) : "", size);
	text[size] = '\0';
	chdb.destroy_result(result);
}

static bool chdb_open(struct ArrowArrayStream *stream)
{
	char name[] = "clickhouse", *argv[] = {name, NULL};

	chdb.connection = chdb.connect(1, argv);
	return chdb.connection &&
	       !chdb.arrow_scan(*chdb.connection, "samples", stream);
}

static void chdb_close(void)
{
	chdb.close(chdb.connection);
}

static const struct engine with_chdb = {
	.open = chdb_open,
	.ask = chdb_ask,
	.close = chdb_close,
	.samples = "arrowstream(samples)",
	.parquet = "file('%s/dataset=samples/*/*/*.parquet', Parquet)",
	.csv = "file('%s/report.csv', CSVWithNames)",
};

/* "-i" and the recording follow. */
static bool write_files(const struct bytes *b, const char *directory)
{
	char command[1024];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "sh -c '%s export --format=parquet -o %s $2 && "
		 "%s report --sort=cgroup --format=csv $2 >%s/report.csv' sh",
		 command_pmscope(), directory, command_pmscope(), directory);
	pipe = command_reads(b, command);
	return pipe && !pclose(pipe);
}

static unsigned int lines_of(const char *text)
{
	unsigned int lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

static void compare(const struct engine *engine, const char *directory)
{
	static char stream[TEXT_SIZE], files[TEXT_SIZE];
	char from[256], sql[2048];

	snprintf(sql, sizeof(sql), SUMS, engine->samples);
	engine->ask(sql, stream);
	snprintf(from, sizeof(from), engine->parquet, directory);
	snprintf(sql, sizeof(sql), SUMS, from);
	engine->ask(sql, files);
	EXPECT_STREQ(stream, files);
	EXPECT_TRUE(lines_of(stream) > GROUPS);

	snprintf(sql, sizeof(sql), BY_GROUP, "count(*)", "count(lat_total)",
		 "avg(lat_total)", from, "group by cgroup");
	engine->ask(sql, files);
	snprintf(from, sizeof(from), engine->csv, directory);
	snprintf(sql, sizeof(sql), BY_GROUP, "samples", "lat_samples",
		 "lat_mean", from, "");
	engine->ask(sql, stream);
	EXPECT_STREQ(stream, files);
	EXPECT_EQ(lines_of(stream), (unsigned int)GROUPS);
}

/* Neither engine releases all that it takes. */
static void ignore_leaks(bool ignore)
{
#if SANITIZED
	if (ignore)
		__lsan_disable();
	else
		__lsan_enable();
#endif
	(void)ignore;
}

static void scan(const struct engine *engine)
{
	char directory[] = "/tmp/pmscope-arrow-XXXXXX", command[128];
	struct ArrowArrayStream stream;
	struct pmscope_recording *r;
	BYTES b = {};

	put_activity(&b, &(struct activity){.seed = 5,
					    .records = RECORDS,
					    .rare = 30,
					    .wild = 5,
					    .grouped = true});
	ASSERT_TRUE(mkdtemp(directory));
	EXPECT_TRUE(write_files(&b, directory));
	ASSERT_EQ(pmscope_recording_open(b.data, b.size, NULL, &r), 0);
	ignore_leaks(true);
	ASSERT_EQ(pmscope_recording_arrow_stream(r, &stream), 0);
	ASSERT_TRUE(engine->open(&stream));
	compare(engine, directory);
	engine->close();
	if (stream.release)
		stream.release(&stream);
	ignore_leaks(false);
	pmscope_recording_free(r);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	EXPECT_EQ(system(command), 0);
}

TEST(duckdb_scans_a_recording)
{
	if (!duckdb_load())
		SKIP("no DuckDB: set PMSCOPE_CONSUMERS");
	scan(&with_duckdb);
}

PLAIN_TEST(chdb_scans_a_recording)
{
	if (!chdb_load())
		SKIP("no chdb: set PMSCOPE_CONSUMERS");
	scan(&with_chdb);
}
