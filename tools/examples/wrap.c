// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * usage: wrap TRACE PERF.DATA
 *
 * Makes a perf.data of bare SPE data, so that perf reads it: as an example of
 * libpmscope's writer. PERF.DATA may be "-", a pipe.
 *
 *	cc wrap.c $(pkg-config --cflags --libs pmscope)
 */
#include <pmscope/input.h>
#include <pmscope/writer.h>

#include <stdio.h>
#include <string.h>

#define SPE_PMU \
	10 /* any number: /sys/.../arm_spe_0/type of the recorded machine */
#define TASK 1000

/* What samples and the records that explain them say of place and time. */
#define SAMPLE_TYPE                                            \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static uint64_t id = 1;

/* A PERF_RECORD_COMM as of a kernel that was asked for sample_id_all. */
struct comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[16];
	struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t id;
	} place;
};

static int write_events(struct pmscope_writer *writer)
{
	struct perf_event_attr attr = {
		.type = SPE_PMU,
		.size = sizeof(attr),
		.sample_type = SAMPLE_TYPE,
		.sample_id_all = 1,
	};
	struct pmscope_written_event event = {
		.attr = &attr,
		.name = "arm_spe_0//",
		.ids = &id,
		.nr_ids = 1,
	};

	return pmscope_writer_begin(writer, &event, 1);
}

static int write_comm(struct pmscope_writer *writer)
{
	struct comm comm = {
		.header = {.type = PERF_RECORD_COMM, .size = sizeof(comm)},
		.pid = TASK,
		.tid = TASK,
		.name = "traced",
		.place = {.pid = TASK, .tid = TASK, .id = id},
	};

	return pmscope_writer_records(writer, &comm, sizeof(comm));
}

static int write_trace(struct pmscope_writer *writer,
		       const struct pmscope_input *input)
{
	struct pmscope_time_conv ticks_are_ns = {
		.time_mult = 1,
		.cap_user_time_zero = true,
	};
	struct pmscope_written_spe spe = {
		.size = sizeof(spe),
		.pmu_type = SPE_PMU,
		.time_conv = &ticks_are_ns,
	};
	struct pmscope_written_trace trace = {
		.cpu = 0,
		.tid = -1,
		.data = {pmscope_input_data(input)},
		.part_size = {pmscope_input_size(input)},
	};
	int ret = pmscope_writer_spe(writer, &spe);

	return ret ? ret : pmscope_writer_trace(writer, &trace);
}

int main(int argc, char **argv)
{
	struct pmscope_writer *writer;
	struct pmscope_input *input;
	int ret;

	if (argc != 3)
		return 1;
	ret = pmscope_input_open(argv[1], &input);
	if (ret) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-ret));
		return 1;
	}
	writer = pmscope_writer_open(argv[2]);
	if (!writer) {
		perror(argv[2]);
		pmscope_input_free(input);
		return 1;
	}
	ret = write_events(writer);
	if (!ret)
		ret = write_comm(writer);
	if (!ret)
		ret = write_trace(writer, input);
	if (!ret)
		ret = pmscope_writer_finish(writer);
	if (ret)
		fprintf(stderr, "%s: %s\n", argv[2],
			pmscope_writer_error(writer));
	pmscope_writer_free(writer);
	pmscope_input_free(input);
	return ret ? 1 : 0;
}
