// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUv3 common events by name, as armv8_pmuv3 names them.
 */
#include "cpu.h"
#include "snapshot/snapshot.h"

#include <linux/perf_event.h>
#include <linux/sysfs.h>

static ssize_t event_show(struct device *dev, struct device_attribute *attr,
			  char *page)
{
	struct perf_pmu_events_attr *event =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%04llx\n", event->id);
}

#define PMSCOPE_EVENT(name, number, ...) \
	PMU_EVENT_ATTR_ID(name, event_show, number),

static struct attribute *snapshot_events[] = {
#include <events/pmuv3.def>
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
