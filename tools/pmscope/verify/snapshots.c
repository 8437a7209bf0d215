// SPDX-License-Identifier: GPL-2.0-or-later
/* Captures: members of a group are read at one instant, and it is now. */
#include "base/names.h"
#include "verify/verify.h"

#define READS 50
/* The same twice, if possible also while it is read */
#define TWINS "{%s/event=0x8/u,%s/event=0x11/%s,%s/event=0x11/%s}"

/*
 * What READS reads while a loop runs have given. @first, @last: instructions by
 * then. @enabled, @running: ns, which differ while there are no counters.
 */
struct reads {
	unsigned int same; /* reads in which the twins are equal */
	uint64_t skew;	   /* the largest difference, and */
	uint64_t first;
	uint64_t last;
	uint64_t enabled;
	uint64_t running;
	double seconds; /* that all reads took */
};

static void see(struct reads *reads, const struct pmscope_reading *r,
		unsigned int nr)
{
	uint64_t skew = llabs((int64_t)(r->value[2] - r->value[1]));

	reads->same += !skew;
	reads->skew = skew > reads->skew ? skew : reads->skew;
	reads->enabled = r->enabled;
	reads->running = r->running;
	if (!nr)
		reads->first = r->value[0];
	reads->last = r->value[0];
}

/* Reads between runs of @loop, from the beginning on; -errno */
static int read_twins(struct verify_kind *kind, const char *pmu,
		      const struct loop *loop, struct reads *reads)
{
	const char *level = kind->kernel ? "" : "u";
	const struct pmscope_reading *r;
	struct counting c;
	char text[256];
	int ret;

	memset(reads, 0, sizeof(*reads));
	snprintf(text, sizeof(text), TWINS, pmu, pmu, level, pmu, level);
	ret = counting_open(&c, text)
		      ?: pmscope_counters_enable(c.counters, NULL);
	for (unsigned int i = 0; ret >= 0 && i < READS; i++) {
		loop_run(loop, &kind->memory, loop->n);
		reads->seconds -= verify_now();
		ret = pmscope_counters_read(c.counters, &r, NULL);
		reads->seconds += verify_now();
		if (ret >= 0)
			see(reads, r, i);
	}
	counting_close(&c);
	return ret < 0 ? ret : 0;
}

static struct verify_row *add(struct verify_kind *kind, const char *name,
			      const struct loop *loop, double expected,
			      double counted, double margin)
{
	struct measured m = {
		.known = true, .expected = expected, .counted = counted};
	struct verify_row *row =
		verify_add(kind, name, -1, verdict_of(&m, 1, margin), loop, &m);

	if (row)
		row->used = true;
	return row;
}

int verify_snapshots(struct verify_kind *kind)
{
	/* The same, but for twice the instructions in the loop */
	const struct loop *loop = loop_find("loads");
	struct loop twice = *loop;
	struct reads once, more, plain;
	struct verify_row *row;
	struct pmu pmu;
	bool has = !pmu_open(&pmu, PMSCOPE_PMU_DEVICES, SNAPSHOT_PMU, NULL) &&
		   (!pmu.cpus.nr || cpulist_has(&pmu.cpus, kind->cpu));
	char backend[256];
	int ret;

	pmu_close(&pmu);
	twice.n *= 2;
	if (!has || verify_now() > kind->until)
		return 0;
	ret = read_twins(kind, SNAPSHOT_PMU, loop, &once)
		      ?: read_twins(kind, SNAPSHOT_PMU, &twice, &more);
	if (ret) {
		row = verify_add(kind, "snapshots", -1, (struct judged){}, loop,
				 NULL);
		if (row)
			verify_note(row, "%s", strerror(-ret));
		return 0;
	}
	if (read_twins(kind, kind->pmu.name, loop, &plain))
		plain.skew = 0;
	row = add(kind, "snapshot skew", loop, READS, once.same, 0);
	if (row)
		verify_note(row,
			    "the largest is %" PRIu64
			    ", of reads of %s %" PRIu64,
			    once.skew, kind->pmu.name, plain.skew);
	/* What a read takes itself is in both. */
	add(kind, "snapshot fresh", loop,
	    loop_quantity(loop, INSTRUCTIONS, (READS - 1) * loop->n, 0),
	    (double)(more.last - more.first) - (double)(once.last - once.first),
	    0.01);
	sysfs_read(backend, sizeof(backend),
		   PMSCOPE_PMU_DEVICES "/" SNAPSHOT_PMU "/caps/backend");
	row = add(kind, "snapshot freeze", loop, once.enabled, once.running,
		  0.5);
	if (row)
		verify_note(row, "back end %s: at most the %.0f ns of a read",
			    strtok(backend, "\n") ?: "unknown",
			    1e9 * once.seconds / READS);
	return 0;
}
