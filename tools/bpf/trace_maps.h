/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the BPF programs of `pmscope trace` and the tool share. */
#pragma once

#include <linux/types.h>

#define TRACE_EVENTS  8	 /* of a group */
#define TRACE_DEPTH   16 /* of a function that calls itself */
#define TRACE_COMM    16
#define TRACE_THREADS 16384
#define TRACE_BUCKETS 262144

/* A function in a thread; of totals that are for all threads, on a CPU. */
struct trace_key {
	__u32 tid;
	__u32 func;
};

/*
 * A thread with open calls. Counts of the CPU while the thread is off do not
 * belong to its calls: @out is the value when it left, @away the sum so far.
 */
struct trace_thread {
	__u64 out[TRACE_EVENTS];
	__u64 away[TRACE_EVENTS];
	__u32 open;
	__u32 is_out;
	__u32 spoiled;
	__u32 reserved;
};

/* An open call: the counts at its entry without @away, the stack pointer. */
struct trace_frame {
	__u64 entry[TRACE_EVENTS];
	__u64 sp;
};

struct trace_stack {
	__u32 depth;
	__u32 reserved;
	struct trace_frame frame[TRACE_DEPTH];
};

struct trace_total {
	__u64 calls;
	__u64 sum[TRACE_EVENTS];
	__u64 min[TRACE_EVENTS];
	__u64 max[TRACE_EVENTS];
	char comm[TRACE_COMM];
};

struct trace_bucket {
	__u32 tid;
	__u32 func;
	__u32 event;
	__u32 bucket;
};

/* Calls that are missing in the totals, and why. */
enum trace_loss {
	TRACE_LOST_CAPTURE, /* a capture was refused */
	TRACE_LOST_DEEP,    /* recursion deeper than TRACE_DEPTH */
	TRACE_LOST_FULL,    /* a map was full */
	TRACE_LOST_OPEN,    /* no entry was seen */
	TRACE_LOST_REASONS
};

/* Below 64 a bucket for each value; above 32 for each power of two. */
#define TRACE_EXACT	    64
#define TRACE_MANTISSA_BITS 5
#define TRACE_MANTISSA_MASK ((1U << TRACE_MANTISSA_BITS) - 1)

static inline __u32 trace_log2(__u64 value)
{
	__u32 log = 0;

	for (__u32 step = 32; step; step /= 2) {
		if (value >> step) {
			value >>= step;
			log += step;
		}
	}
	return log;
}

static inline __u32 trace_bucket_of(__u64 value)
{
	__u32 log;

	if (value < TRACE_EXACT)
		return value;
	log = trace_log2(value);
	return TRACE_EXACT + ((log - 6) << TRACE_MANTISSA_BITS) +
	       ((value >> (log - TRACE_MANTISSA_BITS)) & TRACE_MANTISSA_MASK);
}

/* The largest value of a bucket. */
static inline __u64 trace_bucket_end(__u32 bucket)
{
	__u32 log, mantissa;

	if (bucket < TRACE_EXACT)
		return bucket;
	log = 6 + ((bucket - TRACE_EXACT) >> TRACE_MANTISSA_BITS);
	mantissa = (bucket - TRACE_EXACT) & TRACE_MANTISSA_MASK;
	return ((((__u64)TRACE_MANTISSA_MASK + 1 + mantissa + 1)
		 << (log - TRACE_MANTISSA_BITS))) -
	       1;
}
