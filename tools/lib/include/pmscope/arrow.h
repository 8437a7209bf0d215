/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Samples as Arrow arrays, for engines that take the Arrow C stream interface:
 * DuckDB, pyarrow, Polars. Nothing is copied to a file.
 */
#ifndef PMSCOPE_ARROW_H
#define PMSCOPE_ARROW_H

#include <pmscope/recording.h>
#include <pmscope/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The structs of the Arrow C data interface, which other headers have, too. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE	      2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *schema);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *array);
	void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *stream,
			  struct ArrowSchema *schema);
	int (*get_next)(struct ArrowArrayStream *stream,
			struct ArrowArray *array);
	const char *(*get_last_error)(struct ArrowArrayStream *stream);
	void (*release)(struct ArrowArrayStream *stream);
	void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/**
 * pmscope_recording_arrow_names() - samples with names as a stream
 * @recording: opened without the options shared and ahead, and not read before;
 *	       must stay until the stream is released, and is read by it alone
 * @symbols: of this recording, and must stay as well; or NULL
 * @stream: filled in; its release() ends it
 *
 * Each array is a struct of up to 65536 samples, in the order of
 * pmscope_recording_next(). The columns have the names and meanings of the
 * dataset "samples" of pmscope-export(1): time, cpu, pid, tid, comm, cgroup,
 * build_id, file_offset, sym, dso, el, op, taken, flags (enum
 * pmscope_operation_flag), pc, target, target_offset, va, pa, object, member,
 * events, lat_total, lat_issue, lat_xlat, source, source_name, counter,
 * counter_value, midr, operations. Without @symbols no sample has sym, object
 * and member. All are nullable, and texts are numbers of
 * a dictionary that each array has. Groups of counters are left out. The dso
 * of a kernel module is its path, if the recording has that. Bytes of names
 * that are no UTF-8 become U+FFFD. Arrays own their memory, and outlive both
 * the stream and the recording. With
 * DuckDB's C interface:
 *
 *	pmscope_recording_arrow_stream(recording, &stream);
 *	duckdb_arrow_scan(connection, "samples",
 *			  (duckdb_arrow_stream)&stream);
 *	duckdb_query(connection, "create table s as select * from samples",
 *		     NULL);
 *
 * Return: 0; -EINVAL for a recording with these options; -ENOMEM. The functions
 * of the stream return 0, EINVAL or ENOMEM.
 */
PMSCOPE_API int
pmscope_recording_arrow_names(struct pmscope_recording *recording,
			      struct pmscope_symbols *symbols,
			      struct ArrowArrayStream *stream);

/**
 * pmscope_recording_arrow_stream() - the samples of a recording as a stream
 * @recording: as above
 * @stream: filled in; its release() ends it
 *
 * As pmscope_recording_arrow_names() without symbols.
 *
 * Return: 0; -EINVAL, -ENOMEM, as above.
 */
PMSCOPE_API int
pmscope_recording_arrow_stream(struct pmscope_recording *recording,
			       struct ArrowArrayStream *stream);

#ifdef __cplusplus
}
#endif

#endif /* PMSCOPE_ARROW_H */
