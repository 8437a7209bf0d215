// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams of pmu_external: a timer on the CPU that reads captures the watched one, its
 * counters, PC and context, and writes a record.
 */
#include "counter.h"
#include "external/frame.h"
#include "external/group.h"
#include "external/registers.h"
#include "external/stream.h"
#include "snapshot/backing.h"
#include "snapshot/pmu.h"
#include "snapshot/records.h"
#include "sysreg.h"

#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/pmscope.h>
#include <asm/virt.h>

/*
 * Who may open an event that counts the kernel may see its PCs.  With VHE the kernel is
 * at EL2, and EL1 is a guest's.  What is not Non-secure is nobody's.
 */
static bool ext_stream_may_see(const struct perf_event *event, u64 pc)
{
	unsigned int el = FIELD_GET(PMPCSR_EL, pc);

	if ((u32)pc == EXT_NO_PC || !(pc & PMPCSR_NS) || el == 3)
		return false;
	if (!el)
		return !event->attr.exclude_user;
	if (el == 2 && !is_kernel_in_hyp_mode())
		return !event->attr.exclude_hv;
	return !event->attr.exclude_kernel;
}

static void ext_stream_add_member(struct pmscope_record *record,
				  struct perf_event *member,
				  const struct ext_capture *cap)
{
	const struct ext_event *ext = to_ext(member);
	struct pmscope_record_counter *to = snap_records_next_counter(record);

	*to = (struct pmscope_record_counter){
		.flags = PMSCOPE_COUNTER_MEMBER,
		.id = member->id,
		.count = local64_read(&member->count),
	};
	if (ext_is_stopped(member) || !ext->valid) {
		to->flags |= PMSCOPE_COUNTER_STALE;
		return;
	}
	to->number = pmscope_idx_to_counter(ext->idx);
	/* What arm_pmu writes to PMEVTYPER<n>_EL0 there */
	to->type = snap_backing_counter(ext->backing)->hw.config_base;
	to->value = cap->value[to->number];
}

/* snap_record_fn */
static bool ext_stream_fill(struct snap_stream *stream,
			    struct pmscope_record *record,
			    const struct snap_trigger *trigger,
			    const struct pmscope_capture *unused)
{
	struct perf_event *event = stream->event, *member;
	int cpu = to_ext(event)->cpu;
	struct ext_capture cap = { .wants_pc = true };

	if (ext_fold_all(event, &cap))
		return false;
	*record = (struct pmscope_record){
		.magic = PMSCOPE_RECORD_MAGIC,
		.version = PMSCOPE_RECORD_VERSION,
		.counters_at = sizeof(*record),
		.counter_size = sizeof(struct pmscope_record_counter),
		.trigger = trigger->by,
		.backend = ext_frame(cpu)->layout == EXT_LIVE ?
			   PMSCOPE_BACKEND_SKEWED : PMSCOPE_BACKEND_EXTERNAL,
		.cpu = cpu,
		.id = event->id,
		.time = event->clock(),
		.cntvct = read_sysreg(cntvct_el0),
	};
	if (ext_stream_may_see(event, cap.pc)) {
		record->flags |= PMSCOPE_RECORD_HAS_PC;
		record->pc = cap.pc;
	}
	if (stream->sees_all && (u32)cap.pc != EXT_NO_PC) {
		record->flags |= PMSCOPE_RECORD_HAS_CONTEXT;
		record->contextidr = cap.context;
	}
	for (member = event; member; member = snap_next_member(event, member))
		if (ext_is_ours(member) &&
		    record->nr_counters < PMSCOPE_NR_COUNTERS)
			ext_stream_add_member(record, member, &cap);
	return true;
}

/**
 * ext_stream_create() - the streaming side of an event
 * @event: it leads its group, and has a period that can be
 *
 * Context: process.
 * Return: NULL without memory; the caller frees it with kfree().
 */
struct snap_stream *ext_stream_create(struct perf_event *event)
{
	struct snap_stream *stream =
		snap_records_create(event, PMSCOPE_TRIGGER_TIMER,
				    ext_stream_fill, NULL);

	if (stream)
		stream->watches = true;
	return stream;
}
