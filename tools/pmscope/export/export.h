/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/containers.h"
#include "base/names.h"
#include "cli/output.h"
#include "read/caches.h"
#include "read/load.h"

#include <zlib.h>

/*
 * pmscope export. A format is one file here, and one row in the table of
 * export.c: what it needs, and functions that begin it, add a sample and end
 * it.
 */
struct export;
struct export_config;

/* What one thread adds to */
struct export_worker {
	struct export *export;	       /* the export */
	struct load load;	       /* its own copy, with its filter */
	struct thread_cache *currents; /* its threads */
	void *state;		       /* the format's */
};

/* What a format needs of each sample, besides its thread and its record. */
enum export_need {
	EXPORT_TIME = 1 << 0,	   /* its time */
	EXPORT_BRIEF = 1 << 1,	   /* only columns of PMSCOPE_DECODE_BRIEF */
	EXPORT_DIRECTORY = 1 << 2, /* -o is a directory: no file is opened */
	EXPORT_NOTE = 1 << 3,	   /* has no place for where it comes from */
	EXPORT_MANGLED = 1 << 4,   /* names as the linker has them */
	EXPORT_CALLERS = 1 << 5,   /* load->stacks, and the time with it */
	EXPORT_TWICE = 1 << 6,	   /* reads the recording twice */
};

/* A format; functions return 0 or a negative errno */
struct export_format {
	const char *name;   /* as in --format */
	unsigned int needs; /* enum export_need */
	/* once for each worker, before any sample; may set its state */
	int (*begin)(struct export_worker *worker);
	/*
	 * adds the newest sample of @current, which the filter passed. Threads
	 * call it at once, each with its own worker
	 */
	int (*add)(struct export_worker *worker,
		   const struct thread_cache *current);
	/* counters read together, by one thread at a time, in order; or NULL */
	int (*group)(struct export *export, const struct pmscope_run *run);
	/* after all samples: writes to export->file */
	int (*end)(struct export *export);
	/* frees the state of a worker, also after an error */
	void (*fini)(struct export_worker *worker);
	/* instead of @begin, @add and @group: reads the recording itself */
	int (*read)(struct export *export);
};

struct export_config {
	struct load_config load;
	int format;
	const char *output;
	bool symbols;	/* parquet: with the names of functions */
	bool addresses; /* parquet: with virtual and physical addresses */
	bool redact;	/* parquet: without what may name people */
	unsigned int datasets; /* parquet: bits of enum lake_dataset; 0: all */
	const char *host;      /* parquet: in place of the recording's */
	char *labels;	       /* parquet: KEY=VALUE,... of the host */
	char *lost;	       /* parquet: KIND=NUMBER,... for losses */
	const char *binary;    /* bolt: file name, path or build-id */
	char *skip;	       /* bolt: NAME,... of functions to leave out */
	uint64_t most;	       /* see export_most(); 0: the default */
};

#define EXPORT_MOST ((size_t)1 << 19)

/* So many different samples, or branches, are held in memory. */
static inline size_t export_most(const struct export_config *config)
{
	return config->most ? config->most : EXPORT_MOST;
}

/*
 * An export. @samples: that passed the filter; set before @end. @file: the
 * output; not open for formats that write a directory. @note: where it comes
 * from, beside @file, with EXPORT_NOTE. @state: the format's, for what all
 * workers share.
 */
struct export
{
	const struct export_config *config;
	const struct export_format *format;
	struct load *load;
	struct export_worker *workers;
	unsigned int nr_workers;
	uint64_t samples;
	struct whole_file file;
	struct whole_file note;
	char *note_path;
	void *state;
};

extern const struct export_format export_autofdo;
extern const struct export_format export_bolt;
extern const struct export_format export_firefox;
extern const struct export_format export_folded;
extern const struct export_format export_gcov;
extern const struct export_format export_parquet;
extern const struct export_format export_pprof;

/* Where an export comes from. */

/*
 * The recording's header, the filters and the losses as lines that begin with
 * "# ". Returns an allocated string; NULL if out of memory.
 */
char *note_lines(const struct export *export);

/*
 * The same as a JSON object in "FILE.provenance.json", beside the export, for
 * formats that have no place for it. Not for standard output and devices.
 * note_open() opens export->note before anything is written, note_write() fills
 * it; note_fini() drops it unless it was committed. Return 0, or a negative
 * errno after error().
 */
int note_open(struct export *export);
int note_write(struct export *export);
void note_fini(struct export *export);

/* Places in code: an instruction of a file has one number in all mappings. */

/* A file with code, or other memory */
struct code_binary {
	const char *dso; /* its name; NULL: nothing known is mapped there */
	/*
	 * the name that symbols give it, or NULL: the kernel and its modules
	 * have another one in recordings
	 */
	const char *name;
	uint8_t build_id[BUILD_ID_MAX]; /* @build_id_size bytes */
	uint8_t build_id_size;
	bool kernel; /* it is the kernel, or a module */
	/* the kernel: a symbol that says where it was; NULL: not known */
	const char *reference_name;
	uint64_t reference; /* the address of that symbol; else 0 */
	/*
	 * process whose memory it is, if no file is known; else PMSCOPE_NO_ID
	 */
	uint32_t pid;
	uint64_t samples; /* of operations there; for those who count them */
};

struct code_place {
	uint32_t binary; /* number of its file */
	bool linked;
	bool changes;	  /* another function may be there later */
	uint64_t offset;  /* in the file; if that is not a file, the address */
	uint64_t address; /* where it was mapped first */
	uint64_t link;	  /* the linker's address, if @linked */
	const char *symbol; /* name of the function, or NULL */
	uint64_t into;	    /* offset in the function */
};

struct code_numbers;

/* Initialize to zeros. */
struct places {
	struct code_binary *binaries;
	size_t nr_binaries;
	size_t max_binaries;
	KEYED(struct code_place, items, nr, of_hash);
	struct code_numbers *numbers; /* of the items, and 1 */
	bool bare; /* without names, until places_resolve() */
};

/* Finds the number of @address, in code of the newest sample. 0 or -ENOMEM. */
int places_find(struct places *places, const struct load *load,
		const struct thread_cache *current, uint64_t address,
		uint32_t *number);

/*
 * Looks up the names and link addresses of all places in files, and of the
 * kernel's @with_kernel. Returns 0 or -ENOMEM.
 */
int places_resolve(struct places *places, struct pmscope_symbols *symbols,
		   bool with_kernel);

/* @numbers gets the number here of each place there. 0 or -ENOMEM. */
int places_join(struct places *places, const struct places *from,
		uint32_t *numbers);

/*
 * Puts them in an order that does not depend on what was found first; after
 * that, nothing more can be found. @numbers gets the new number of each old
 * one. Returns 0 or -ENOMEM.
 */
int places_sort(struct places *places, uint32_t *numbers);
void places_fini(struct places *places);

/* Is it a file that another tool can open by its name or its build-id? */
bool binary_is_file(const struct code_binary *binary);

/* Is it the kernel or a module? Not code that it made. */
bool binary_is_kernel(const struct code_binary *binary);

/* Do both have the same contents, whatever their names? */
bool binary_same(const struct code_binary *a, const struct code_binary *b);

/* An offset in the file, to look up symbols. Valid as long as @binary. */
struct pmscope_place binary_place(const struct code_binary *binary,
				  uint64_t offset);

/* Samples for viewers: those that a viewer shows alike are one cell. */

#define NO_PLACE UINT32_MAX

struct stack_thread {
	const char *comm; /* NULL: unknown */
	uint32_t pid;	  /* or PMSCOPE_NO_ID, and next */
	uint32_t tid;
};

/* Samples that are alike */
struct stack_cell {
	uint32_t place;	  /* number of their code, or NO_PLACE */
	uint32_t thread;  /* number of their thread */
	uint32_t cpu;	  /* or PMSCOPE_NO_ID */
	uint32_t callers; /* of the function: see stacks_text() */
	/*
	 * of enum pmscope_has: which latencies, and whether a source, are known
	 */
	uint32_t has;
	uint32_t slice; /* of the time, see struct stack_cells */
	uint16_t total;
	uint16_t issue;
	uint16_t translate;
	uint16_t source;
	uint64_t midr;
	/* key of a struct stack_data; at the end its number, and 1; 0: none */
	uint64_t data;
	uint64_t samples;    /* or what they stand for: load_weight() */
	uint64_t cycles;     /* sum of their total latencies */
	uint64_t l1d_misses; /* that missed in L1, and so on */
	uint64_t llc_misses;
	uint64_t mispredictions;
};

/* What is at data addresses. @key: a hash of the names, alike in all workers */
struct stack_data {
	uint64_t key;
	const char *object;
	const char *member;
};

/* What cells without slices are not told apart by, one more at each level. */
enum stack_level {
	STACK_ALL,
	STACK_NO_LATENCIES,
	STACK_NO_CPUS, /* nor sources and data */
	STACK_NO_IDS,  /* of threads and processes: only their names */
	STACK_LEVELS
};

/* The newest thread on some CPUs, and its number. */
struct stack_running {
	struct stack_thread thread;
	uint32_t number;
	bool known;
};

/*
 * All cells; initialize to zeros. The level is the lowest with at most @most
 * cells, or the last one: it follows from all samples together, not from the
 * worker that takes them. This bounds the memory, and what a viewer must hold.
 */
struct stack_cells {
	/*
	 * length of a slice of time in ns: cells have nothing but a slice,
	 * thread, code and callers. 0: they have no slice, but all else
	 */
	uint64_t slice;
	uint64_t begin;	    /* of the first slice */
	unsigned int level; /* enum stack_level; slices: doublings */
	size_t most;	    /* cells, before the level is raised */
	struct places places;
	KEYED(struct stack_thread, threads, nr_threads, thread_of_hash);
	struct stack_running running[THREAD_CACHES];
	KEYED(struct stack_cell, cells, nr_cells, cell_of_hash);
	KEYED(struct stack_data, data, nr_data, data_of_key);
	struct data_symbols *variables; /* found at data addresses, or NULL */
	struct map data_of_variable;	/* numbers of @data */
	struct strings names;		/* of @data */
};

/* For struct export_format; the state of a worker is a struct stack_cells. */
int stacks_begin(struct export_worker *worker);
int stacks_add(struct export_worker *worker,
	       const struct thread_cache *current);
void stacks_fini(struct export_worker *worker);

/*
 * Joins those of all workers in the first one's, in an order that does not
 * depend on the workers. NULL if out of memory.
 */
struct stack_cells *stacks_join(struct export *export);

/*
 * The functions at a place, innermost first, at least one: with names, files
 * and lines as far as they are known. Returns how many, or -ENOMEM.
 */
int stacks_frames(const struct export *export, const struct places *places,
		  const struct code_place *place,
		  struct pmscope_frame frames[PMSCOPE_FRAMES_MAX]);

/* Cells are ordered by @major, then by @minor. */
struct cell_key {
	uint64_t major;
	uint64_t minor;
};

struct cell_sort {
	size_t nr_groups; /* groups that follow each other */
	/* the number of a cell's group */
	size_t (*group)(const struct cell_sort *by,
			const struct stack_cell *cell);
	size_t slices; /* for @group */
	/* the order of most cells in a group */
	struct cell_key (*key)(const struct stack_cell *cell);
	/* as qsort() needs it; cells for which it is 0 become one */
	int (*compare)(const void *a, const void *b);
};

/* What its level leaves out, for a person; NULL: nothing. Free with free(). */
char *stacks_left_out(const struct stack_cells *stacks);
int stacks_sort(struct stack_cells *stacks, const struct cell_sort *by);

/* The name of a binary, and of a thread; never NULL. */
const char *stacks_binary(const struct code_binary *binary);
const char *stacks_comm(const struct stack_thread *thread);

/*
 * stack_data.c: sets the key of what the sample loads or stores, if it is kept;
 * and at the end numbers in the order of names, as hashes differ from run to
 * run. Both return 0 or -ENOMEM.
 */
int stack_data_find(struct export_worker *worker,
		    const struct thread_cache *current,
		    struct stack_cell *cell);
int stack_data_sort(struct stack_cells *stacks);

/* The name of a cell's data source, or its number; NULL without one. */
const char *stacks_source(const struct stack_cell *cell, char text[32]);

/*
 * Writes messages of Protocol Buffers, compressed by gzip. This is all that
 * pprof's format needs, so no generated code and no library is used.
 */

/* A message in memory. Initialize to zeros. */
struct proto {
	uint8_t *data;
	size_t used;
	size_t size;
	bool failed; /* out of memory */
};

/* Each adds a field; a number of 0 is the default, and left out. */
void proto_number(struct proto *proto, unsigned int field, uint64_t value);
void proto_bytes(struct proto *proto, unsigned int field, const void *data,
		 size_t size);
void proto_message(struct proto *proto, unsigned int field,
		   const struct proto *message);

/* Packed repeated numbers, also zeros. */
void proto_numbers(struct proto *proto, unsigned int field,
		   const uint64_t *values, size_t nr);

static inline void proto_clear(struct proto *proto)
{
	proto->used = 0;
}

void proto_fini(struct proto *proto);

/* Compresses what is written to a file. */
struct proto_gzip {
	FILE *out;
	z_stream stream;
	int error; /* -errno of the first write that failed */
};

int proto_gzip_begin(struct proto_gzip *gzip, FILE *out);

/* Writes @proto and clears it. */
void proto_gzip_write(struct proto_gzip *gzip, struct proto *proto);

/* Writes the rest. Returns 0, or -errno if not all could be written. */
int proto_gzip_end(struct proto_gzip *gzip);
