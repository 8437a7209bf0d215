// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUv3 common events by name, as armv8_pmuv3 names them.
 */
#include "caps.h"
#include "snapshot.h"

#include <linux/perf_event.h>
#include <linux/sysfs.h>

static ssize_t event_show(struct device *dev, struct device_attribute *attr,
			  char *page)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%04llx\n", event->id);
}

#define EVENT(name, number) PMU_EVENT_ATTR_ID(name, event_show, number)

static struct attribute *snapshot_events[] = {
	EVENT(l1i_cache_refill, 0x0001),
	EVENT(l1i_tlb_refill, 0x0002),
	EVENT(l1d_cache_refill, 0x0003),
	EVENT(l1d_cache, 0x0004),
	EVENT(l1d_tlb_refill, 0x0005),
	EVENT(ld_retired, 0x0006),
	EVENT(st_retired, 0x0007),
	EVENT(inst_retired, 0x0008),
	EVENT(exc_taken, 0x0009),
	EVENT(exc_return, 0x000a),
	EVENT(cid_write_retired, 0x000b),
	EVENT(pc_write_retired, 0x000c),
	EVENT(br_immed_retired, 0x000d),
	EVENT(br_return_retired, 0x000e),
	EVENT(unaligned_ldst_retired, 0x000f),
	EVENT(br_mis_pred, 0x0010),
	EVENT(cpu_cycles, 0x0011),
	EVENT(br_pred, 0x0012),
	EVENT(mem_access, 0x0013),
	EVENT(l1i_cache, 0x0014),
	EVENT(l1d_cache_wb, 0x0015),
	EVENT(l2d_cache, 0x0016),
	EVENT(l2d_cache_refill, 0x0017),
	EVENT(l2d_cache_wb, 0x0018),
	EVENT(bus_access, 0x0019),
	EVENT(memory_error, 0x001a),
	EVENT(inst_spec, 0x001b),
	EVENT(ttbr_write_retired, 0x001c),
	EVENT(bus_cycles, 0x001d),
	EVENT(l1d_cache_allocate, 0x001f),
	EVENT(l2d_cache_allocate, 0x0020),
	EVENT(br_retired, 0x0021),
	EVENT(br_mis_pred_retired, 0x0022),
	EVENT(stall_frontend, 0x0023),
	EVENT(stall_backend, 0x0024),
	EVENT(l1d_tlb, 0x0025),
	EVENT(l1i_tlb, 0x0026),
	EVENT(l2i_cache, 0x0027),
	EVENT(l2i_cache_refill, 0x0028),
	EVENT(l3d_cache_allocate, 0x0029),
	EVENT(l3d_cache_refill, 0x002a),
	EVENT(l3d_cache, 0x002b),
	EVENT(l3d_cache_wb, 0x002c),
	EVENT(l2d_tlb_refill, 0x002d),
	EVENT(l2i_tlb_refill, 0x002e),
	EVENT(l2d_tlb, 0x002f),
	EVENT(l2i_tlb, 0x0030),
	EVENT(remote_access, 0x0031),
	EVENT(ll_cache, 0x0032),
	EVENT(ll_cache_miss, 0x0033),
	EVENT(dtlb_walk, 0x0034),
	EVENT(itlb_walk, 0x0035),
	EVENT(ll_cache_rd, 0x0036),
	EVENT(ll_cache_miss_rd, 0x0037),
	EVENT(remote_access_rd, 0x0038),
	EVENT(l1d_cache_lmiss_rd, 0x0039),
	EVENT(op_retired, 0x003a),
	EVENT(op_spec, 0x003b),
	EVENT(stall, 0x003c),
	EVENT(stall_slot_backend, 0x003d),
	EVENT(stall_slot_frontend, 0x003e),
	EVENT(stall_slot, 0x003f),
	EVENT(sample_pop, 0x4000),
	EVENT(sample_feed, 0x4001),
	EVENT(sample_filtrate, 0x4002),
	EVENT(sample_collision, 0x4003),
	EVENT(cnt_cycles, 0x4004),
	EVENT(stall_backend_mem, 0x4005),
	EVENT(l1i_cache_lmiss, 0x4006),
	EVENT(l2d_cache_lmiss_rd, 0x4009),
	EVENT(l2i_cache_lmiss, 0x400a),
	EVENT(l3d_cache_lmiss_rd, 0x400b),
	EVENT(trb_wrap, 0x400c),
	EVENT(trb_trig, 0x400e),
	EVENT(trcextout0, 0x4010),
	EVENT(trcextout1, 0x4011),
	EVENT(trcextout2, 0x4012),
	EVENT(trcextout3, 0x4013),
	EVENT(cti_trigout4, 0x4018),
	EVENT(cti_trigout5, 0x4019),
	EVENT(cti_trigout6, 0x401a),
	EVENT(cti_trigout7, 0x401b),
	EVENT(ldst_align_lat, 0x4020),
	EVENT(ld_align_lat, 0x4021),
	EVENT(st_align_lat, 0x4022),
	EVENT(mem_access_checked, 0x4024),
	EVENT(mem_access_checked_rd, 0x4025),
	EVENT(mem_access_checked_wr, 0x4026),
	NULL
};

/* PMCEID0 and PMCEID1 name events 0-63 and 0x4000-0x403f */
static umode_t event_is_visible(struct kobject *kobj, struct attribute *attr,
				int unused)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr.attr);

	return pmscope_caps_has_event(event->id) ? attr->mode : 0;
}

const struct attribute_group pmscope_snapshot_events_group = {
	.name = "events",
	.attrs = snapshot_events,
	.is_visible = event_is_visible,
};
