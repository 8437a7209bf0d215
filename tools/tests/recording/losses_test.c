// SPDX-License-Identifier: GPL-2.0-or-later
/* Losses of a recording in the output of script and report. */
#include "command.h"
#include "scenario.h"

#define SCRIPT	 COMMAND("script 2>&1")
#define JSONL	 COMMAND("report --format=jsonl")
#define SPE_FILE BARE, INFO(TYPE_ARM_SPE)
/* One sample, of 64 bytes. */
#define SAMPLE(offset, index, cpu) \
	T_LOAD_OF(10, 10, 0x5000, 0x9000), AREA(offset, index, cpu, NO_TID)

/* As perf inject has it: type, code, CPU, pid, tid, format, IP, time, text. */
STEP_OF(put_errors)
{
	static const uint32_t words[] = {
		1 /* instruction trace */, 5, 0, 10, 10, 1, 0x5000, 0, 20, 0};
	static const char text[64] = "Lost trace data";
	BYTES body = {};

	bytes_add(&body, words, sizeof(words));
	bytes_add(&body, text, sizeof(text));
	for (uint64_t i = 0; i < step->v[0]; i++)
		put_record(&sc->b, PMSCOPE_RECORD_AUXTRACE_ERROR, 0, &body);
}

/* The recording is complete; the loss happened before it was written. */
TEST(errors_in_the_trace_are_counted)
{
	static const char *const views[][2] = {
		{"script 2>&1", "pmscope: 2 trace errors reported"},
		{"script --format=csv 2>&1",
		 "pmscope: 2 trace errors reported"},
		{"report", "# 2 trace errors reported"},
		{"report --cachelines", "# 2 trace errors reported"},
		{"report --timeline", "# 2 trace errors reported"},
		{"report --format=csv 2>&1",
		 "pmscope: 2 trace errors reported"},
		{"report --format=jsonl", "\"trace_errors\":2"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		PLAY(SAMPLE(0, 0, 0), CALL(put_errors, 2), COMMAND(views[i][0]),
		     HAS(views[i][1]));
		PLAY(SAMPLE(0, 0, 0), COMMAND(views[i][0]),
		     LACKS("trace errors"));
	}
}

/* From a newer perf, or damaged: in either case something is not read. */
SCENARIO(records_of_unknown_kinds_are_counted, SPE_FILE, SAMPLE(0, 0, 0),
	 RECORD(60, 0, 0), RECORD(1000, 0, 0),
	 RECORD(0x8001, 0, 0) /* simpleperf's own */, SCRIPT,
	 HAS("pmscope: 2 records of unknown type"), JSONL,
	 HAS("\"unknown_records\":2"));

/* Two traces of an area with 640 bytes between them; offsets of a ring leap. */
#define A_GAP(flags)                                                       \
	SPE_FILE, AUX(64, flags), SAMPLE(0, 0, 0), SAMPLE(64 + 640, 0, 0), \
		SAMPLE(4096, 1, 1)

SCENARIO(missing_trace_is_counted, A_GAP(0), SCRIPT,
	 HAS("pmscope: 640 bytes of trace missing"), JSONL,
	 HAS("\"missing_trace\":640,"), ANEW, A_GAP(PERF_AUX_FLAG_OVERWRITE),
	 SCRIPT, LACKS("missing"));

/* Two traces of one area, and the first of them again, or similar ones. */
#define DOUBLED(at, time)                                                    \
	SPE_FILE, SAMPLE(0, 0, 0), T_LOAD_OF(20, 10, 0x5000, 0x9000),        \
		IS(trace.size, 64), AREA(64, 0, 0, NO_TID),                  \
		T_LOAD_OF(time, 10, 0x5000, 0x9000), AREA(at, 0, 0, NO_TID), \
		JSONL

/* As perf reads it, too. */
SCENARIO(trace_that_is_there_twice_is_reported, DOUBLED(0, 10),
	 HAS("\"doubled_trace\":64,"), HAS("\"samples\":3"), ANEW,
	 DOUBLED(0, 30), LACKS("doubled_trace\":64"), ANEW, DOUBLED(128, 10),
	 LACKS("doubled_trace\":64"));

/* The second loads of 64 bytes of the area are in all of its three traces. */
SCENARIO(traces_that_overlap_are_reported, SPE_FILE,
	 T_LOAD_OF(0, 10, 0x5000, 0x9000), T_LOAD_OF(10, 10, 0x5000, 0x9000),
	 T_LOAD_OF(20, 10, 0x5000, 0x9000), PART(64, 192), PART(0, 128),
	 PART(64, 128), JSONL, HAS("\"doubled_trace\":128,"),
	 HAS("\"samples\":5"));

#define LOST_SAMPLES(misc, count) \
	SIDE(PERF_RECORD_LOST_SAMPLES, misc, 5, 10, 10, count)

STEP_IS(expect_first_line,
	EXPECT_TRUE(!strncmp(sc->out, step->text, strlen(step->text))));

/* perf counts what its filter in BPF kept out in the same kind of record. */
SCENARIO(what_a_filter_of_perf_dropped_is_not_lost, BARE, SAMPLE(0, 0, 0),
	 LOST_SAMPLES(0x8000, 1000), LOST_SAMPLES(0, 3),
	 COMMAND("script 2>&1 >/dev/null"),
	 CALL_SAY(expect_first_line, "pmscope: 3 samples lost", 0));

#define A_PROGRAM BARE, MMAP(0, 10, 10, 0x5000, 0x1000, 0, "/program")

/* perf record notes it in the last mapping that it came to. */
SCENARIO(processes_whose_mappings_perf_did_not_read_are_counted, A_PROGRAM,
	 SAMPLE(0, 0, 0), SCRIPT, LACKS("mappings"), ANEW, A_PROGRAM,
	 MISC(PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT), SAMPLE(0, 0, 0), SCRIPT,
	 HAS("pmscope: 1 processes whose mappings"), HAS("(/program)"), JSONL,
	 HAS("\"unread_mappings\":1"));

STEP_OF(expect_one_line)
{
	char command[512], line[512], second[512];
	FILE *said;

	snprintf(command, sizeof(command), "2>&1 >/dev/null %s script",
		 command_pmscope());
	for (size_t cut = 1; cut < step->v[0]; cut++) {
		sc->b.size--;
		said = command_reads(&sc->b, command);
		ASSERT_TRUE(said);
		ASSERT_TRUE(fgets(line, sizeof(line), said));
		EXPECT_TRUE(strstr(line, "cut short"));
		EXPECT_TRUE(!fgets(second, sizeof(second), said));
		pclose(said);
	}
}

/* Cut inside a record, or between two: the verdict is all that is said. */
SCENARIO(one_line_on_a_cut_recording, LOADS(10, 40, 10, 0, 10), OPENED,
	 CALL(expect_one_line, 70));
