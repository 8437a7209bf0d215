// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* The begin and the end of a file: what is known before and after the data. */
#include "pmu.h"
#include "records.h"
#include "recorder_priv.h"
#include "system.h"

#include <time.h>

/* Returns how many; @pmus has room for all events. */
static size_t spe_pmus(const struct recorder *rec, struct spe_pmu *pmus)
{
	size_t nr = 0;

	for (size_t i = 0; i < rec->nr_events; i++)
		if (rec->event[i].aux)
			pmus[nr++] = (struct spe_pmu){
				.type = rec->event[i].written.attr.attr.type,
				.cpus = &rec->event[i].event->cpus,
			};
	return nr;
}

/* Perf's clock now, which user space reads as the kernel does. */
static bool perf_clock(const struct pmscope_time_conv *conv, uint64_t *ns)
{
	uint64_t cycles = 0;

#ifdef __aarch64__
	asm volatile("isb\n mrs %0, cntvct_el0" : "=r"(cycles));
#endif
	if (!cycles)
		return false;
	*ns = time_of_ticks(conv, cycles);
	return true;
}

/* What the wall clock shows at a time of the recording, as perf record -k. */
static int write_clocks(struct pmscope_writer *writer,
			const struct pmscope_time_conv *conv)
{
	struct timespec wall;
	struct {
		uint32_t version;
		uint32_t clockid;
		uint64_t wall;
		uint64_t time;
	} clocks = {.version = 1, .clockid = CLOCK_MONOTONIC};

	if (clock_gettime(CLOCK_REALTIME, &wall) ||
	    !perf_clock(conv, &clocks.time))
		return 0;
	clocks.wall = wall.tv_sec * UINT64_C(1000000000) + wall.tv_nsec;
	return pmscope_writer_feature(writer, PMSCOPE_FEATURE_CLOCK_DATA,
				      &clocks, sizeof(clocks));
}

static int write_spe_of(struct recorder *rec, struct pmscope_writer *writer,
			const struct spe_pmu *pmus, size_t nr)
{
	struct pmscope_time_conv conv;
	struct pmscope_written_spe spe = {
		.size = sizeof(spe),
		.pmu_type = pmus[0].type,
		.per_thread = rec->rules.per_thread,
	};
	struct pmscope_written_cpu *cpus =
		auxtrace_cpus(pmus, nr, PMSCOPE_CPUS, &spe.nr_cpus);
	int ret;

	if (!cpus)
		return -ENOMEM;
	spe.cpus = cpus;
	if (recorder_time_conv(rec, &conv))
		spe.time_conv = &conv;
	ret = pmscope_writer_spe(writer, &spe);
	if (!ret && spe.time_conv)
		ret = write_clocks(writer, &conv);
	free(cpus);
	return ret;
}

static int write_spe(struct recorder *rec, struct pmscope_writer *writer)
{
	FREED struct spe_pmu *pmus = calloc(rec->nr_events, sizeof(*pmus));
	size_t nr = pmus ? spe_pmus(rec, pmus) : 0;
	int ret = pmus ? 0 : -ENOMEM;

	if (nr)
		ret = write_spe_of(rec, writer, pmus, nr);
	return ret;
}

/* Where synthesized records go. */
struct head {
	struct recorder *rec;
	struct pmscope_writer *writer;
	struct tally *tally;
};

static int write_synthesized(void *context,
			     const struct perf_event_header *record)
{
	const struct head *head = context;

	return tally_records(head->tally, record, record->size)
		       ?: pmscope_writer_records(head->writer, record, record->size)
		       ?: recorder_keep_up(head->rec);
}

static int write_attrs(struct recorder *rec, struct pmscope_writer *writer)
{
	FREED struct pmscope_written_event *events = NULL;
	FREED unsigned int *group = NULL;
	int ret = -ENOMEM;

	events = calloc(rec->nr_events, sizeof(*events));
	group = calloc(rec->nr_events, sizeof(*group));
	for (size_t i = 0; events && group && i < rec->nr_events; i++) {
		const struct written_event *e = &rec->event[i].written;

		events[i] = (struct pmscope_written_event){
			.attr = &e->attr.attr,
			.name = e->name,
			.ids = e->id,
			.nr_ids = e->nr_ids,
		};
		group[i] = rec->event[i].leader;
	}
	if (events && group)
		ret = pmscope_writer_begin(writer, events, rec->nr_events);
	if (!ret)
		ret = facts_groups(writer, group, rec->nr_events);
	return ret;
}

static int write_facts(struct recorder *rec, struct pmscope_writer *writer,
		       char *const *argv)
{
	int ret = 0;

	if (rec->rules.compression)
		ret = pmscope_writer_compress(
			writer,
			rec->rules.whole_file ? PMSCOPE_COMPRESS_FILE
					      : PMSCOPE_COMPRESS_RECORDS,
			rec->rules.compression);
	if (!ret)
		ret = write_attrs(rec, writer)
			      ?: facts_system(writer)
			      ?: facts_command(writer, argv);
	return ret ? ret : write_spe(rec, writer);
}

/* Tasks that began later have to be there in the second file, too. */
static int write_tasks(const struct synth *synth, struct recorder *rec)
{
	const struct target living = {
		.task = rec->living.pid,
		.nr_tasks = rec->living.nr,
	};

	return synth_tasks(synth, rec->target) ?: synth_tasks(synth, &living);
}

int recorder_write_head(struct recorder *rec, struct pmscope_writer *writer,
			struct tally *tally, char *const *argv)
{
	struct head head = {rec, writer, tally};
	const struct synth synth = {
		.trailer = rec->tally.untimed ? PMSCOPE_TALLY_TRAILER_UNTIMED
					      : PMSCOPE_TALLY_TRAILER_TIMED,
		.data_maps = rec->rules.data_maps,
		.emit = write_synthesized,
		.context = &head,
	};
	int ret, kernel = 0;

	ret = write_facts(rec, writer, argv);
	if (!ret)
		ret = kernel = synth_kernel(&synth);
	if (ret >= 0)
		ret = recorder_write_intervals(rec, writer);
	if (ret >= 0)
		ret = synth_namespaces(&synth);
	if (!ret && rec->rules.cgroups)
		ret = synth_cgroups(&synth);
	if (!ret)
		ret = write_tasks(&synth, rec);
	return ret ? ret : !kernel;
}

int recorder_open_failed(const char *path, struct pmscope_error *err)
{
	if (errno == EINVAL && !strcmp(path, "-"))
		return pmscope_fail(err, EINVAL,
				    "standard output is a terminal; redirect "
				    "it to a file or a pipe");
	if (errno == EEXIST)
		return pmscope_fail(err, EEXIST,
				    "cannot keep %s: %s.old is a directory",
				    path, path);
	if (errno == ELOOP)
		return pmscope_fail(err, ELOOP,
				    "%s is a symbolic link, and a recording is "
				    "not written through one; remove it, or "
				    "name the file that it points to",
				    path);
	return pmscope_fail(err, errno, "%s: %s", path, strerror(errno));
}

int recorder_start_file(struct recorder *rec, const char *path,
			char *const *argv, struct pmscope_error *err)
{
	int ret;

	rec->writer = pmscope_writer_open(path);
	if (!rec->writer)
		return recorder_open_failed(path, err);
	rec->path = path;
	ret = recorder_write_head(rec, rec->writer, &rec->tally, argv);
	return ret < 0 ? recorder_write_failed(rec, ret, err) : ret;
}

int recorder_finish(struct recorder *rec, struct pmscope_error *err)
{
	int ret = recorder_drain(rec, err), end;

	if (!ret)
		ret = recorder_write_totals(rec, err)
			      ?: recorder_end_lost(rec, err)
			      ?: recorder_end_streams(rec, err);
	end = recorder_write_end(rec, rec->writer, &rec->tally);
	if (end && !ret)
		ret = recorder_write_failed(rec, end, err);
	return ret;
}
