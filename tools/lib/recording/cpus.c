// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* CPU types in a recording: AUXTRACE_INFO, and the header. */
#include "perfdata/writer.h"
#include "recording.h"

/* AUXTRACE_INFO: type, reserved, then 8-byte words (two in version 1). */
enum {
	INFO_WORDS = 8
};

/*
 * Android's simpleperf has another header and no count of parameters; its
 * blocks have the length of two parameters.
 */
enum {
	SIMPLEPERF_HEADER = 3,
	SIMPLEPERF_PARAMS = 2
};

static int add_cpu(struct pmscope_recording *rec, const uint8_t *block,
		   uint64_t params, size_t words)
{
	struct cpu cpu = {
		.number = get64(block + 8 * CPU_NUMBER),
		.midr = get64(block + 8 * CPU_MIDR),
	};
	uint32_t number;

	if (params > CPU_PMU_TYPE - CPU_MIDR && words > CPU_PMU_TYPE)
		cpu.pmu_type = get64(block + 8 * CPU_PMU_TYPE);
	if (params > CPU_EVENT_FILTER - CPU_MIDR && words > CPU_EVENT_FILTER)
		cpu.event_filter = get64(block + 8 * CPU_EVENT_FILTER);
	return keyed_add(&rec->cpu_of_number, sizeof(cpu), cpu.number, &cpu,
			 &number);
}

/* Accepts later versions, too: the start of a block gives its size. */
static bool is_known_layout(const uint8_t *words, size_t nr)
{
	uint64_t head = get64(words + 8 * V2_HEAD_WORDS);

	return get64(words + 8 * V2_VERSION) == SPE_INFO_VERSION ||
	       (nr > SIMPLEPERF_HEADER &&
		get64(words + 8 * SIMPLEPERF_HEADER) == CPU_MAGIC_WORD) ||
	       (head < nr && get64(words + 8 * head) == CPU_MAGIC_WORD);
}

static int read_blocks(struct pmscope_recording *rec,
		       const struct pmscope_perf_event *event, size_t nr)
{
	const uint8_t *words = event->body + INFO_WORDS;
	bool simpleperf =
		get64(words + 8 * SIMPLEPERF_HEADER) == CPU_MAGIC_WORD;
	uint64_t at = simpleperf ? SIMPLEPERF_HEADER
				 : get64(words + 8 * V2_HEAD_WORDS);
	uint64_t told = simpleperf ? 0 : get64(words + 8 * V2_CPUS);

	while (at < nr && nr - at > CPU_MIDR) {
		const uint8_t *block = words + 8 * at;
		uint64_t params = simpleperf ? SIMPLEPERF_PARAMS
					     : get64(block + 8 * CPU_PARAMS);

		if (!params || params > nr)
			break;
		if (add_cpu(rec, block, params, nr - at))
			return -ENOMEM;
		at += CPU_MIDR + params;
	}
	if (rec->nr_cpus < told)
		reader_fail(rec->reader, event->offset,
			    "an AUXTRACE_INFO of %" PRIu64 " CPUs has only %zu",
			    told, rec->nr_cpus);
	return 0;
}

int cpus_read(struct pmscope_recording *rec,
	      const struct pmscope_perf_event *event)
{
	size_t words;

	if (event->size < INFO_WORDS)
		return 0;
	rec->trace_type = get32(event->body);
	words = (event->size - INFO_WORDS) / 8;
	if (rec->trace_type == AUXTRACE_ARM_SPE && words > V1_PMU_TYPE &&
	    words <= V2_CPUS)
		rec->thread.pmu_type =
			get64(event->body + INFO_WORDS + 8 * V1_PMU_TYPE);
	if (rec->trace_type != AUXTRACE_ARM_SPE || words <= V2_CPUS)
		return 0;
	if (is_known_layout(event->body + INFO_WORDS, words))
		return read_blocks(rec, event, words);
	rec->foreign_info = event->offset;
	return 0;
}

/* On arm64, perf's CPUID is MIDR_EL1 of one CPU. */
static uint64_t midr_of_header(const struct pmscope_perfdata *reader)
{
	const char *id =
		pmscope_perfdata_feature(reader, PMSCOPE_FEATURE_CPUID);

	return id && !strncmp(id, "0x", 2) ? strtoull(id, NULL, 16) : 0;
}

static bool are_alike(const struct pmscope_recording *rec)
{
	for (size_t i = 1; i < rec->nr_cpus; i++)
		if (rec->cpus[i].midr != rec->cpus[0].midr)
			return false;
	return rec->nr_cpus;
}

/*
 * The area of a thread has no CPU: its CPU type is known only if all CPUs are
 * alike. The header has the type of one CPU, so it is useless on mixed systems.
 */
static void set_defaults(struct pmscope_recording *rec)
{
	if (are_alike(rec))
		rec->thread = rec->cpus[0];
	else if (!rec->nr_cpus && rec->reader)
		rec->thread.midr = midr_of_header(rec->reader);
	if (!rec->nr_cpus)
		rec->untold = rec->thread;
}

const struct cpu *cpu_get(const struct pmscope_recording *rec, uint32_t number)
{
	uint32_t at;

	if (keyed_find(&rec->cpu_of_number, number, &at))
		return &rec->cpus[at];
	return number == PMSCOPE_NO_ID ? &rec->thread : &rec->untold;
}

static uint64_t midr_of(const struct pmscope_recording *rec, uint32_t number)
{
	uint64_t midr = cpu_get(rec, number)->midr;

	return midr ? midr : rec->options.midr;
}

/* Some vendors' perf has the clock in AUXTRACE_INFO. */
static void tell_foreign(const struct pmscope_recording *rec)
{
	reader_fail(rec->reader, rec->foreign_info,
		    "an AUXTRACE_INFO of an unknown layout: the CPU types in "
		    "it are not read%s",
		    rec->clock.known
			    ? ""
			    : ", nor a clock, so samples have no time; there "
			      "is no TIME_CONV");
}

void cpus_place(struct pmscope_recording *rec)
{
	if (rec->foreign_info)
		tell_foreign(rec);
	set_defaults(rec);
	for (size_t i = 0; i < rec->nr_queues; i++)
		rec->queues[i].midr = midr_of(rec, rec->queues[i].cpu);
	for (size_t i = 0; i < rec->nr_traces; i++)
		rec->traces[i].midr = midr_of(rec, rec->traces[i].cpu);
}

uint64_t pmscope_recording_event_filter(const struct pmscope_recording *rec,
					uint32_t cpu)
{
	return cpu_get(rec, cpu)->event_filter;
}

bool pmscope_recording_cpu(const struct pmscope_recording *rec, size_t index,
			   uint32_t *cpu, uint64_t *midr)
{
	if (index >= rec->nr_cpus)
		return false;
	*cpu = rec->cpus[index].number;
	*midr = rec->cpus[index].midr;
	return true;
}
