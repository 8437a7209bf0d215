// SPDX-License-Identifier: GPL-2.0
/*
 * `pmscope trace`: counts a group of pmu_snapshot from the entry of a function
 * to its return, for each thread. The groups count CPUs. Each switch of a
 * thread with open calls is a capture, too, so that the work of other threads
 * is subtracted exactly, also when the thread moves to another CPU. The capture
 * is the last thing at an entry and the first at a return.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "trace_maps.h"

#define TRIES 4

/* The members that are used; the kernel's BTF gives their offsets. */
struct task_struct {
	int pid;
	int tgid;
} __attribute__((preserve_access_index));

extern int bpf_pmscope_capture(__u64 group, __u64 *values,
			       __u32 values__sz) __ksym;

/* Set before loading. */
const volatile __u32 nr_events = 1;
const volatile __u32 nr_funcs = 1;
const volatile bool filter;
const volatile bool per_thread;

__u64 lost[TRACE_LOST_REASONS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} groups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct trace_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_key);
	__type(value, struct trace_stack);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_key);
	__type(value, struct trace_total);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_BUCKETS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_bucket);
	__type(value, __u64);
} buckets SEC(".maps");

static const struct trace_thread no_thread;
static const struct trace_stack no_stack;
static const struct trace_total no_total = {
	.min = {[0 ... TRACE_EVENTS - 1] = ~0ULL},
};

static __always_inline void lose(enum trace_loss why)
{
	__sync_fetch_and_add(&lost[why], 1);
}

static __always_inline bool capture(__u64 *values)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 *group = bpf_map_lookup_elem(&groups, &cpu);

	return group && bpf_pmscope_capture(*group, values,
					    TRACE_EVENTS * sizeof(*values)) > 0;
}

static __always_inline bool is_wanted(__u32 tgid)
{
	return !filter || bpf_map_lookup_elem(&processes, &tgid);
}

static __always_inline struct trace_thread *thread_get(__u32 tid)
{
	struct trace_thread *t = bpf_map_lookup_elem(&threads, &tid);

	if (t)
		return t;
	bpf_map_update_elem(&threads, &tid, &no_thread, BPF_NOEXIST);
	return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline struct trace_stack *stack_get(struct trace_key *key)
{
	struct trace_stack *s = bpf_map_lookup_elem(&stacks, key);

	if (s)
		return s;
	bpf_map_update_elem(&stacks, key, &no_stack, BPF_NOEXIST);
	return bpf_map_lookup_elem(&stacks, key);
}

static __always_inline struct trace_total *total_get(struct trace_key *key)
{
	struct trace_total *t = bpf_map_lookup_elem(&totals, key);

	if (t)
		return t;
	bpf_map_update_elem(&totals, key, &no_total, BPF_NOEXIST);
	t = bpf_map_lookup_elem(&totals, key);
	if (t)
		bpf_get_current_comm(t->comm, sizeof(t->comm));
	return t;
}

/* Calls that were left by a jump, below the one at @sp: they never return. */
static __always_inline void drop_left(struct trace_thread *t,
				      struct trace_stack *s, __u64 sp,
				      bool returning)
{
	for (int i = 0; i < TRACE_DEPTH; i++) {
		__u32 top = s->depth - 1;

		if (!s->depth || top >= TRACE_DEPTH)
			return;
		if (s->frame[top].sp > sp ||
		    (returning && s->frame[top].sp == sp))
			return;
		s->depth--;
		t->open -= !!t->open;
	}
}

static __always_inline int enter(__u32 func, __u64 sp)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), values[TRACE_EVENTS] = {};
	struct trace_key key = {.tid = pid_tgid, .func = func};
	struct trace_thread *t;
	struct trace_stack *s;
	__u32 depth;

	if (!is_wanted(pid_tgid >> 32))
		return 0;
	t = thread_get(key.tid);
	s = t ? stack_get(&key) : NULL;
	if (!s) {
		lose(TRACE_LOST_FULL);
		return 0;
	}
	if (sp)
		drop_left(t, s, sp, false);
	if (!t->open)
		t->spoiled = 0;
	t->open++;
	depth = s->depth++;
	if (depth >= TRACE_DEPTH)
		return 0;
	s->frame[depth].sp = sp;
	if (!capture(values))
		t->spoiled = 1;
	for (int i = 0; i < TRACE_EVENTS; i++)
		s->frame[depth].entry[i] = values[i] - t->away[i];
	return 0;
}

static __always_inline void count_value(const struct trace_key *key,
					__u32 event, __u64 value)
{
	struct trace_bucket bucket = {
		.tid = key->tid,
		.func = key->func,
		.event = event,
		.bucket = trace_bucket_of(value),
	};
	__u64 *count = bpf_map_lookup_elem(&buckets, &bucket), one = 1;

	if (!count) {
		if (!bpf_map_update_elem(&buckets, &bucket, &one, BPF_NOEXIST))
			return;
		count = bpf_map_lookup_elem(&buckets, &bucket);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		lose(TRACE_LOST_FULL);
}

/*
 * Threads may count into the same total one in another: each time that one is
 * met, a preemption came between a load and the exchange.
 */
static __always_inline void lower(__u64 *least, __u64 value)
{
	__u64 seen = *least, was;

	for (int i = 0; i < TRIES && value < seen; i++, seen = was) {
		was = __sync_val_compare_and_swap(least, seen, value);
		if (was == seen)
			return;
	}
}

static __always_inline void raise(__u64 *most, __u64 value)
{
	__u64 seen = *most, was;

	for (int i = 0; i < TRIES && value > seen; i++, seen = was) {
		was = __sync_val_compare_and_swap(most, seen, value);
		if (was == seen)
			return;
	}
}

/* What is not asked for by thread is counted by CPU, of which there are few. */
static __always_inline void count_call(__u32 tid, __u32 func,
				       const struct trace_thread *t,
				       const struct trace_frame *frame,
				       const __u64 *values)
{
	struct trace_key key = {
		.tid = per_thread ? tid : bpf_get_smp_processor_id(),
		.func = func,
	};
	struct trace_total *total = total_get(&key);

	if (!total) {
		lose(TRACE_LOST_FULL);
		return;
	}
	for (int i = 0; i < TRACE_EVENTS; i++) {
		__u64 value = values[i] - t->away[i] - frame->entry[i];

		if (i >= nr_events)
			break;
		__sync_fetch_and_add(&total->sum[i], value);
		lower(&total->min[i], value);
		raise(&total->max[i], value);
		count_value(&key, i, value);
	}
	__sync_fetch_and_add(&total->calls, 1);
}

static __always_inline int leave(__u32 func, __u64 sp)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), values[TRACE_EVENTS] = {};
	bool captured = capture(values);
	struct trace_key key = {.tid = pid_tgid, .func = func};
	struct trace_thread *t;
	struct trace_stack *s;
	__u32 depth;

	if (!is_wanted(pid_tgid >> 32))
		return 0;
	t = bpf_map_lookup_elem(&threads, &key.tid);
	s = bpf_map_lookup_elem(&stacks, &key);
	if (t && s && sp)
		drop_left(t, s, sp, true);
	if (!t || !s || !s->depth) {
		lose(TRACE_LOST_OPEN);
		return 0;
	}
	t->open -= !!t->open;
	depth = --s->depth;
	if (depth >= TRACE_DEPTH)
		lose(TRACE_LOST_DEEP);
	else if (!captured || t->spoiled)
		lose(TRACE_LOST_CAPTURE);
	else
		count_call(key.tid, func, t, &s->frame[depth], values);
	return 0;
}

SEC("kprobe") int BPF_KPROBE(on_entry)
{
	return enter(bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx));
}

SEC("kretprobe") int BPF_KRETPROBE(on_return)
{
	return leave(bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx));
}

/* No registers here: a call that was left by a jump is not noticed. */
SEC("?fentry") int BPF_PROG(on_fentry)
{
	return enter(bpf_get_attach_cookie(ctx), 0);
}

SEC("?fexit") int BPF_PROG(on_fexit)
{
	return leave(bpf_get_attach_cookie(ctx), 0);
}

/* One capture ends one thread's turn and begins the other's. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	__u32 prev_tid = prev->pid, next_tid = next->pid;
	__u64 values[TRACE_EVENTS] = {};
	struct trace_thread *p, *n;
	bool leaves, comes, captured;

	p = bpf_map_lookup_elem(&threads, &prev_tid);
	n = bpf_map_lookup_elem(&threads, &next_tid);
	leaves = p && p->open;
	comes = n && n->is_out;
	if (!leaves && !comes)
		return 0;
	captured = capture(values);
	if (leaves) {
		p->is_out = 1;
		p->spoiled |= !captured;
		for (int i = 0; i < TRACE_EVENTS; i++)
			p->out[i] = values[i];
	}
	if (comes) {
		n->is_out = 0;
		n->spoiled |= !captured;
		for (int i = 0; i < TRACE_EVENTS; i++)
			n->away[i] += values[i] - n->out[i];
	}
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = parent->tgid, to = child->tgid, yes = 1;

	if (filter && from != to && bpf_map_lookup_elem(&processes, &from))
		bpf_map_update_elem(&processes, &to, &yes, BPF_ANY);
	return 0;
}

static long forget_stack(__u32 func, void *context)
{
	struct trace_key key = {.tid = *(__u32 *)context, .func = func};

	bpf_map_delete_elem(&stacks, &key);
	return 0;
}

/* Numbers of threads come again. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 tid = task->pid;

	if (!bpf_map_delete_elem(&threads, &tid))
		bpf_loop(nr_funcs, forget_stack, &tid, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
