// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* PERF_RECORD_AUXTRACE_INFO of SPE, and PERF_RECORD_TIME_CONV before it. */
#include "base/names.h"
#include "base/options.h"
#include "writer.h"

/* Words per CPU, without and with the event filter. */
#define CPU_WORDS	   CPU_EVENT_FILTER
#define FILTERED_CPU_WORDS (CPU_EVENT_FILTER + 1)

struct info_record {
	struct perf_event_header header;
	uint32_t type;
	uint32_t reserved;
	uint64_t word[];
};

#define RECORD_SIZE(cpus, words) \
	(sizeof(struct info_record) + 8 * (V2_WORDS + (cpus) * (words)))

_Static_assert(RECORD_SIZE(PMSCOPE_WRITER_CPUS_MAX, CPU_WORDS) <= UINT16_MAX &&
		       RECORD_SIZE(PMSCOPE_WRITER_FILTERED_CPUS_MAX,
				   FILTERED_CPU_WORDS) <= UINT16_MAX,
	       "the record of as many CPUs has a size in 16 bits");

struct time_conv_record {
	struct perf_event_header header;
	uint64_t time_shift;
	uint64_t time_mult;
	uint64_t time_zero;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t cap_user_time_zero;
	uint8_t cap_user_time_short;
	uint8_t reserved[6];
};

static bool are_alike(const struct pmscope_written_spe *spe)
{
	for (size_t i = 1; i < spe->nr_cpus; i++)
		if (spe->cpus[i].midr != spe->cpus[0].midr)
			return false;
	return true;
}

static bool has_filters(const struct pmscope_written_spe *spe)
{
	for (size_t i = 0; spe->event_filters && i < spe->nr_cpus; i++)
		if (spe->event_filters[i])
			return true;
	return false;
}

static bool needs_version_2(const struct pmscope_written_spe *spe)
{
	return !are_alike(spe) || has_filters(spe);
}

static size_t fill_version_1(uint64_t *word,
			     const struct pmscope_written_spe *spe)
{
	word[V1_PMU_TYPE] = spe->pmu_type;
	word[V1_PER_CPU] = !spe->per_thread;
	return V1_WORDS;
}

static size_t fill_version_2(uint64_t *word,
			     const struct pmscope_written_spe *spe)
{
	bool filters = has_filters(spe);
	size_t words = filters ? FILTERED_CPU_WORDS : CPU_WORDS;
	uint64_t *to = word + V2_WORDS;

	word[V2_VERSION] = SPE_INFO_VERSION;
	word[V2_HEAD_WORDS] = V2_WORDS;
	word[V2_PMU_TYPE] = spe->pmu_type;
	word[V2_CPUS] = spe->nr_cpus;
	for (size_t i = 0; i < spe->nr_cpus; i++, to += words) {
		to[CPU_MAGIC] = CPU_MAGIC_WORD;
		to[CPU_NUMBER] = spe->cpus[i].cpu;
		to[CPU_PARAMS] = words - CPU_MIDR;
		to[CPU_MIDR] = spe->cpus[i].midr;
		to[CPU_PMU_TYPE] = spe->cpus[i].pmu_type;
		if (filters)
			to[CPU_EVENT_FILTER] = spe->event_filters[i];
	}
	return to - word;
}

struct perf_event_header *
writer_auxtrace_info(const struct pmscope_written_spe *spe)
{
	struct info_record *record;
	size_t words;

	record = calloc(1, RECORD_SIZE(spe->nr_cpus, FILTERED_CPU_WORDS));
	if (!record)
		return NULL;
	words = needs_version_2(spe) ? fill_version_2(record->word, spe)
				     : fill_version_1(record->word, spe);
	record->type = AUXTRACE_ARM_SPE;
	record->header.type = PMSCOPE_RECORD_AUXTRACE_INFO;
	record->header.size = sizeof(*record) + words * sizeof(uint64_t);
	return &record->header;
}

static int write_time_conv(struct pmscope_writer *w,
			   const struct pmscope_time_conv *conv)
{
	struct time_conv_record record = {
		.header.type = PMSCOPE_RECORD_TIME_CONV,
		.header.size = sizeof(record),
		.time_shift = conv->time_shift,
		.time_mult = conv->time_mult,
		.time_zero = conv->time_zero,
		.time_cycles = conv->time_cycles,
		.time_mask = conv->time_mask,
		.cap_user_time_zero = conv->cap_user_time_zero,
		.cap_user_time_short = conv->cap_user_time_short,
	};

	return writer_write(w, &record, sizeof(record));
}

/* Sets CPUID as perf does, because AUXTRACE_INFO version 1 has no MIDR. */
static int tell_model(struct pmscope_writer *w,
		      const struct pmscope_written_spe *spe)
{
	char text[sizeof("0x") + 16];

	if (w->cpuid || !spe->nr_cpus || !spe->cpus[0].midr || !are_alike(spe))
		return 0;
	snprintf(text, sizeof(text), "0x%016" PRIx64,
		 midr_cpuid(spe->cpus[0].midr));
	return pmscope_writer_string(w, PMSCOPE_FEATURE_CPUID, text);
}

/* perf requires ids in all records, and derives its own events from SPE's. */
static int check_events_of(struct pmscope_writer *w, uint32_t pmu_type)
{
	uint32_t event;

	if (!w->sample_id_all)
		return writer_fail(w, EINVAL,
				   "SPE requires sample_id_all in all events");
	if (!(w->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		return writer_fail(w, EINVAL,
				   "SPE requires PERF_SAMPLE_ID or "
				   "PERF_SAMPLE_IDENTIFIER in event 0");
	if (map_get(&w->without_ids, pmu_type, &event))
		return writer_fail(w, EINVAL,
				   "event %" PRIu32 " of SPE's PMU has no ids",
				   event);
	return 0;
}

static int check_spe(struct pmscope_writer *w,
		     const struct pmscope_written_spe *spe)
{
	size_t max = has_filters(spe) ? PMSCOPE_WRITER_FILTERED_CPUS_MAX
				      : PMSCOPE_WRITER_CPUS_MAX;

	if (w->spe)
		return writer_fail(w, EINVAL, "SPE was already described");
	if (spe->nr_cpus && !spe->cpus)
		return writer_fail(w, EINVAL,
				   "SPE on %zu CPUs without their list",
				   spe->nr_cpus);
	if (spe->nr_cpus > max && needs_version_2(spe))
		return writer_fail(
			w, E2BIG,
			"SPE on %zu CPUs of different types: more than %zu",
			spe->nr_cpus, max);
	return check_events_of(w, spe->pmu_type);
}

int pmscope_writer_spe(struct pmscope_writer *w,
		       const struct pmscope_written_spe *given)
{
	struct pmscope_written_spe spe = {};
	struct perf_event_header *info;
	int ret = writer_ready(w);

	if (ret)
		return ret;
	if (!given || options_read(&spe, sizeof(spe), given))
		return writer_fail(w, EINVAL,
				   "the description of SPE is missing, lacks "
				   "its size, or has unknown members");
	ret = check_spe(w, &spe);
	if (ret)
		return ret;
	info = writer_auxtrace_info(&spe);
	if (!info)
		return writer_fail_nomem(w);
	/* TIME_CONV first: perf needs it when it reads AUXTRACE_INFO. */
	if (spe.time_conv)
		ret = write_time_conv(w, spe.time_conv);
	if (!ret)
		ret = writer_write(w, info, info->size);
	free(info);
	if (!ret)
		ret = tell_model(w, &spe);
	w->spe = !ret;
	return w->failed ? writer_cut(w) : ret;
}
