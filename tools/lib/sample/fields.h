/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include <pmscope/stream.h>
#include <pmscope/symbols.h>

#include "base/std.h"

/* A sample as the printers need it: plain values and names. */

/* An SPE record; or a group, with only @sample and @record set */
struct view {
	const struct pmscope_sample *sample; /* thread, CPU and time */
	/* stream record of the group, or NULL */
	const struct pmscope_record *record;
	uint32_t has; /* enum pmscope_has bits of the next members */
	uint64_t pc;  /* canonical address, as are @target, @previous and @va */
	unsigned int el;
	unsigned int ns;
	uint64_t target;
	uint64_t previous;
	uint64_t va;
	uint64_t pa;
	uint64_t ticks;
	uint64_t events;
	uint32_t context_el1;
	uint32_t context_el2;
	uint16_t total;
	uint16_t issue;
	uint16_t translate;
	uint16_t alt_issue;
	uint16_t source;
	uint32_t counter;  /* as in struct pmscope_batch */
	uint32_t op_flags; /* enum pmscope_operation_flag: view_flags() */
	char op_text[64];  /* the operation as perf describes it */
	uint64_t offset;
	/* of @pc, see struct pmscope_place; with @symbol, or the caller's */
	uint64_t file_offset;
	/* of @pc in its file, or NULL; only if the caller sets it */
	const struct pmscope_place *place;
	const struct pmscope_place *target_place; /* the same of @target */
	/* of @pc; name and dso are NULL if unknown */
	struct pmscope_symbol symbol;
	struct pmscope_line line; /* of @pc, only after view_line() */
	/* symbol of @va, only if the caller sets it */
	struct pmscope_symbol data;
	/* "table[].next" in that variable, or NULL; likewise */
	const char *member;
	/* enum pmscope_memory, where @data is not known; likewise */
	unsigned int memory;
	/* "main;work", its callers, if the caller sets it: read/caches.h */
	const char *callers;
	const struct pmscope_symbol *to; /* of @target, if the caller sets it */
	/* symbol of @previous, only if the caller sets it */
	const struct pmscope_symbol *before;
	/* see pmscope_data_src(); only if the caller sets it */
	uint64_t event_filter;
	bool has_wall;
	/*
	 * what the wall clock shows later than @sample's time, ns; only if the
	 * caller sets it and @has_wall
	 */
	int64_t wall;
};

/* Is it an SPE record? Otherwise a group of counters. */
static inline bool view_is_spe(const struct view *view)
{
	return view->sample->kind == PMSCOPE_SAMPLE_SPE;
}

/* Fills in all but the operation's text and the symbol; these: view_names(). */
void view_begin(struct view *view, const struct pmscope_sample *sample);
void view_names(struct view *view, const struct pmscope_recording *recording,
		struct pmscope_symbols *symbols);

/* Fills in only the operation, for callers that need no symbol lookup. */
void view_operation(struct view *view);
void view_flags(struct view *view);

/* Fills in the source line, which is slower than all names. */
void view_line(struct view *view, const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols);

/* "file.c:12" at @text; "" if unknown, or if the path is too long. */
#define VIEW_LINE_MAX (PATH_MAX + 16)
void view_line_text(const struct pmscope_line *line, char *text);

/* Fills in all but the source line. */
void view_fill(struct view *view, const struct pmscope_sample *sample,
	       const struct pmscope_recording *recording,
	       struct pmscope_symbols *symbols);

/* The fields of a stream record, besides its counts. */

/* A view of a group sample; @record gets that of a stream, if it is of one. */
struct view capture_view(const struct pmscope_sample *sample,
			 struct pmscope_record *record);

/* Names of its codes. For trigger and backend, NULL if the code is 0. */
const char *capture_trigger(const struct pmscope_record *record);
const char *capture_backend(const struct pmscope_record *record);
const char *capture_result(const struct pmscope_record *record);

/*
 * The fields of a sample. The table is in fields.c: a row can be a column of
 * script, Arrow and Parquet, a sort key of report, a filter, a JSON key, or
 * several of these.
 */

/*
 * Which parts of a record a value depends on. Records that are equal in these
 * parts have the same value, so it is looked up or printed once and then reused
 * (read/caches.h).
 */
enum dep {
	DEP_CODE = 1 << 0, /* symbol and file of the PC */
	DEP_THREAD = 1 << 1,
	DEP_CPU = 1 << 2,
	DEP_OPERATION = 1 << 3,
	DEP_SOURCE = 1 << 4,
	DEP_EVENTS = 1 << 5,
	DEP_LINE = 1 << 6,	 /* source line: slower than a symbol */
	DEP_LEVEL = 1 << 7,	 /* Exception level */
	DEP_TOTAL = 1 << 8,	 /* latency */
	DEP_DATA = 1 << 9,	 /* symbol of the data address: deps_data() */
	DEP_RECORD = 1 << 10,	 /* differs in each record: not worth caching */
	DEP_PC = 1 << 11,	 /* the PC itself */
	DEP_TARGET = 1 << 12,	 /* address that a branch went to */
	DEP_CACHELINE = 1 << 13, /* of the data address */
	DEP_CALLERS = 1 << 14,	 /* the call chain that is nearest in time */
	DEP_OFFSET = 1 << 15,	 /* of the PC in its symbol, if that is known */
	DEP_PLACE = 1 << 16,	 /* files and offsets of PC and target */
	DEP_BRANCH = 1 << 17,	 /* symbols of where branches went */
	DEP_INTERVAL = 1 << 18,	 /* the sampling interval of the CPU */
	DEP_MEMBER = 1 << 19, /* of the variable of DEP_DATA, or the memory */
};

/* These values need symbols to be looked up first. */
#define DEPS_OF_NAMES (DEP_CODE | DEP_THREAD | DEP_LINE | DEP_DATA | DEP_MEMBER)

/* Branches and places of code in the words of perf script. */

/* Of a longer name, only the beginning is printed. */
#define BRANCHES_NAME ((size_t)4096)
#define BRANCHES_ROOM (2 * (2 * (BRANCHES_NAME + 32) + 64))

/*
 * The branch of an SPE record and, with a space between, the one before it:
 * "FROM/TO/EVENTS/X/A/CYCLES/TYPE/-". FROM and TO are addresses or, with
 * @names, symbols and offsets. NULL if the record has neither.
 *
 * @text: room for the text, BRANCHES_ROOM bytes
 */
const char *branches_text(const struct view *view, bool names, char *text);

/* The file of the PC and the offset in it: "FILE+0xOFFSET"; NULL without PC. */
const char *place_text(const struct view *view, char *text);

enum field_type {
	FIELD_NUMBER,	 /* decimal */
	FIELD_FLAG,	 /* 1 or 0 */
	FIELD_ADDRESS,	 /* hexadecimal */
	FIELD_SOURCE,	 /* the code of a data source: CPUs have names for it */
	FIELD_TEXT,	 /* a name */
	FIELD_OPERATION, /* the class of an operation, one of a few words */
	FIELD_EVENTS,	 /* a bit for each event; a list of names */
	FIELD_COUNTS,	 /* a list: events of a group and their counts */
	FIELD_COUNTERS,	 /* a list: the registers of a stream's record */
	/* Texts as those of perf script, in the text format: */
	FIELD_IP,      /* an address, without 0x */
	FIELD_PLACE,   /* a file and an offset, in parentheses */
	FIELD_BRANCHES /* branches, or nothing */
};

enum field_use {
	FIELD_COLUMN = 1 << 0, /* script -F */
	FIELD_CSV = 1 << 1,    /* script --format=csv without -F */
	FIELD_STREAM = 1 << 2, /* the same, for recordings with streams */
	FIELD_JSON = 1 << 3,   /* script --format=jsonl without -F */
	FIELD_SORT = 1 << 4,   /* report --sort */
	FIELD_FILTER = 1 << 5, /* --filter */
	FIELD_ARROW = 1 << 6,  /* pmscope_recording_arrow_stream() */
	FIELD_LAKE = 1 << 7,   /* the dataset "samples" of --format=parquet */
};

enum field_privacy {
	FIELD_PUBLIC,
	FIELD_PERSONAL, /* left out by --redact */
	FIELD_RAW,	/* of the lake, only with --addresses */
};

/* One property of a sample */
struct field {
	const char *name; /* name of the column, and key in JSON */
	/* perf's names and short ones, with spaces between them, or NULL */
	const char *also;
	const char *heading;  /* in report, and key in its JSON; NULL: @name */
	const char *unit;     /* unit of numbers, or NULL */
	enum field_type type; /* its getter, and how the value is printed */
	unsigned int bits;    /* of a number in columns; 0: 64 */
	enum field_privacy privacy; /* enum field_privacy */
	unsigned int uses;	    /* enum field_use */
	int width;		    /* width of its column in report */
	/* enum dep: what the value depends on; 0: equal for all, or absent */
	unsigned int deps;
	/* of numbers, addresses, codes, event bits; false: there is none */
	bool (*number)(const struct view *view, uint64_t *value);
	/*
	 * getter of names and words; NULL if the sample has no value. It may
	 * write the text into @room, FIELD_ROOM bytes
	 */
	const char *(*text)(const struct view *view, char *room);
	/* the text that report groups by, instead of @number or @text */
	const char *(*row_text)(const struct view *view, char *room);
};

/* The table; it ends with a row of zeros. */
extern const struct field all_fields[];

/* Room for the longest text: two branches by name */
#define FIELD_ROOM BRANCHES_ROOM

/* The version of the keys of script's JSON lines: see pmscope-script(1). */
#define FIELDS_SCHEMA 1

static inline const char *field_heading(const struct field *field)
{
	return field->heading ? field->heading : field->name;
}

/* Writes an event's name or "IMPDEF:n", EVENT_NAME_MAX at most. Its end. */
#define EVENT_NAME_MAX 64
char *event_put(char *p, unsigned int bit, uint64_t midr);

/* Writes the names of the bits of @events, separated by @separator. */
#define EVENTS_TEXT_MAX 2048
char *events_put(char *p, uint64_t events, uint64_t midr, char separator);

/*
 * The type of a group: a snapshot, or the counts at the end of the recording.
 */
const char *group_type(const struct pmscope_sample *group);
