/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns for query engines: --format=parquet writes datasets, each a table of
 * its own, below a directory that is partitioned by dataset, date and host.
 */
#pragma once

#include "base/containers.h"
#include "cli/output.h"
#include "export/export.h"
#include "fields/fields.h"
#include "parquet/parquet.h"
#include "read/caches.h"
#include "read/load.h"

#include <time.h>

#define LAKE_NO_PLACE  UINT32_MAX
#define LAKE_NO_COLUMN (-1)

/* Names that come often, by their address: a small cache. */
#define LAKE_NAMES 256
struct lake_name {
	const char *name;
	uint32_t number;
};

/* Bits of export_config.datasets. */
enum lake_dataset {
	LAKE_SAMPLES,
	LAKE_ROLLUP,
	LAKE_COUNTERS,
	LAKE_MAPPINGS,
	LAKE_LOSSES,
	LAKE_HOSTS,
};

/* What a dataset knows of a place or of a binary: numbers of texts, plus 1. */
struct lake_texts {
	uint32_t *numbers;
	size_t nr;
};

/* The first column of each: the key of its recording, see struct lake. */
#define LAKE_RECORDING PARQUET_REQUIRED("recording", TEXT)

/* Of the list of a dataset's columns: their numbers, or the columns. */
#define LAKE_NUMBER(number, ...) number,
#define LAKE_COLUMN(number, ...) __VA_ARGS__,

/* A file of a dataset */
struct lake_part {
	const char *dataset; /* its name */
	char *path;	     /* of the file, until it gets its name */
	struct whole_file file;
	struct parquet *parquet;     /* the rows; NULL: no file is open */
	unsigned int number;	     /* of the file, from 0 on */
	uint32_t recording;	     /* of its key, as a text */
	struct lake_texts build_ids; /* of binaries, and next their names */
	struct lake_texts names;
	struct lake_texts symbols; /* of the places */
	struct lake_name often[LAKE_NAMES];
};

/* The columns of code; LAKE_NO_COLUMN: the part has none for it. */
struct lake_code_columns {
	int build_id;
	int offset;
	int dso;
	int symbol;
};

/* A column for each field of a sample that has FIELD_LAKE, and their order */
#define LAKE_COLUMNS 64

/* The columns of the dataset "samples" */
struct lake_samples {
	/* the recording's key, the fields, and a row that ends the table */
	struct parquet_column columns[LAKE_COLUMNS + 1];
	/* which of them are set from a view of the sample */
	const struct field *fields[LAKE_COLUMNS];
	int nr_columns;
	/*
	 * those that are set with the place of the PC; @target: of the target
	 */
	struct lake_code_columns code;
	struct lake_code_columns target;
};

struct rollup;

/* An export to datasets */
struct lake {
	const struct export_config *config; /* what the user asked for */
	struct load *load;		    /* the recording */
	struct provenance provenance;
	struct thread_cache *currents;
	struct places places;	   /* code that was sampled */
	struct data_symbols *data; /* NULL unless names are wanted */
	uint64_t *samples_of;	   /* how many samples each binary has */
	size_t nr_samples_of;
	uint64_t interval;     /* operations for each sample; 0: not known */
	uint64_t samples;      /* that passed the filter */
	const char *directory; /* of the lake */
	char date[16];	       /* YYYY-MM-DD, of the recording */
	char *host;	       /* its host's name, as a part of a path */
	time_t recorded;       /* seconds since 1970 */
	/* names its parts, so that another export replaces them */
	char key[17];
	char *staging;	  /* where new parts are until named; locked as */
	int lock;	  /* or -1 */
	struct blob list; /* the names that they will get, and */
	size_t staged;	  /* how many there are */
	struct lake_samples samples_columns;
	struct lake_part samples_part;
	struct lake_part rollup_part;
	struct lake_part counters_part;
	struct rollup *rollup;
};

/*
 * lake_part.c: opens a part with these columns, unless one is open. Returns 0
 * or a negative errno, after error() unless it is -ENOMEM, and so do the next.
 */
int lake_part_open(struct lake *lake, struct lake_part *part,
		   const struct parquet_column *columns);

bool lake_has(const struct lake *lake, enum lake_dataset dataset);
void lake_end_row(struct lake_part *part);

/* Gives the file its name; of a part without an open one does nothing. */
int lake_part_commit(struct lake_part *part);
void lake_part_fini(struct lake_part *part);

/* Sets @column to @name, which stays at its address; NULL: to no value. */
void lake_set_name(struct lake_part *part, int column, const char *name);

/* Sets the columns of the binary with @number, in this row. */
void lake_set_binary(struct lake *lake, struct lake_part *part, uint32_t number,
		     int build_id, int dso);

/* Sets them for the code at @place, in this row. */
void lake_set_code(struct lake *lake, struct lake_part *part, uint32_t place,
		   const struct lake_code_columns *columns);

/*
 * lake_samples.c: finds the columns; begins the dataset, which may get no row;
 * and adds the newest sample of @current, whose code is at @place, or
 * LAKE_NO_PLACE.
 */
void lake_samples_init(struct lake *lake);
int lake_samples_open(struct lake *lake);
int lake_sample(struct lake *lake, const struct thread_cache *current,
		uint32_t place);

/* lake_rollup.c */
struct rollup *rollup_new(void);
void rollup_free(struct rollup *rollup);
int lake_rollup(struct lake *lake, const struct thread_cache *current,
		uint32_t place);

/* Writes all rows and forgets them. */
int lake_rollup_flush(struct lake *lake);

/* How many samples are of services that have no row of their own. */
uint64_t rollup_others(const struct rollup *rollup);

/* lake_tables.c: the small datasets. */
int lake_counters_open(struct lake *lake);
int lake_counters(struct lake *lake, const struct pmscope_run *run);
int lake_tables(struct lake *lake);

/*
 * lake_commit.c: begins to replace the parts of this recording, and completes
 * what other exports left. Returns 0, or a negative errno, as the next.
 */
int lake_stage(struct lake *lake);

/* The path of a new part's file; free with free(). NULL: no memory. */
char *lake_stage_part(struct lake *lake, const struct lake_part *part);

/* Replaces the recording's parts by those that were written. */
int lake_commit(struct lake *lake);
void lake_unstage(struct lake *lake);

/* Checks --lost. Returns 0, or -EINVAL after error(). */
int lake_check_lost(const struct export_config *config,
		    const struct load *load);

/* Checks --label in the same way. */
int lake_check_labels(const char *labels);
