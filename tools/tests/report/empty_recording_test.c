// SPDX-License-Identifier: GPL-2.0-or-later
/* If there is nothing to show, script and report say so, and why. */
#include "command.h"
#include "scenario.h"

#define TYPE_INTEL_PT 1
#define TEXT_SIZE     65536
#define AT_FLAGS      72

static const char *const commands[] = {
	"script 2>&1",
	"script --format=csv 2>&1 >/dev/null",
	"script --packets 2>&1",
	"report 2>&1",
	"report --format=jsonl 2>&1 >/dev/null",
	"report --cachelines 2>&1",
	"report --timeline 2>&1",
};

/* By every command, whatever is in the file so far, with that status. */
STEP_OF(expect_said)
{
	char text[TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		EXPECT_EQ(command_pmscope_text(&sc->b, commands[i], text,
					       TEXT_SIZE),
			  (int)step->v[0]);
		if (!strstr(text, step->text))
			ktap_note("%s: %s", commands[i], text);
		EXPECT_TRUE(strstr(text, step->text) != NULL);
	}
}
#define SAID(words)	CALL_SAY(expect_said, words, 0)
#define REFUSING(words) CALL_SAY(expect_said, words, 1)
#define NOT_RECORDED	REFUSING("offset 0x30: nothing was recorded")
#define NOT_FINISHED	REFUSING("offset 0x30: the recording was not finished")
#define SEVEN		COMM(99, 7, 8, "seven")

STEP_OF(put_arch)
{
	BYTES data = {};

	put(&data, 8, 4);
	bytes_add(&data, "aarch64", 8);
	perfdata_put_feature(&sc->b, PMSCOPE_FEATURE_ARCH, &data);
}

SCENARIO(without_records, BARE, NOT_RECORDED, CALL(put_arch), NOT_RECORDED);

STEP_OF(put_section)
{
	put(&sc->b, sc->b.size + 24, 8);
	put_zeros(&sc->b, 8);
}

#define FLAGGED POKE(AT_FLAGS, 1 << PMSCOPE_FEATURE_ARCH)

/* Then it is unknown what is missing. */
SCENARIO(not_finished, BARE, FLAGGED, NOT_FINISHED, SEVEN, NOT_FINISHED,
	 POKE(AT_FLAGS, 0), NOT_FINISHED, ANEW,
	 /* Room for the sections, but not for the feature after them. */
	 BARE, FLAGGED, CALL(put_section), NOT_FINISHED);

STEP_IS(cut_to_header, sc->b.size = 16);

SCENARIO(pipe_without_records, PIPE, CALL(cut_to_header),
	 REFUSING("offset 0x10: nothing was recorded"));

/* The recording is as it should be. */
SCENARIO(without_traces, PIPE,
	 SAID(": no SPE trace and no counter groups; "
	      "the file samples event 0\n"),
	 EVENT_NAME(PERFDATA_ID, "cycles:u\033[1m"), SEVEN,
	 SAID("the file samples cycles:u?[1m\n"), ANEW, PIPE,
	 CALL(cut_to_header), CONV(0, 1, 0),
	 SAID("; the file names no event\n"));

STEP_OF(end_file)
{
	perfdata_end(&sc->b);
	sc->ended = true;
}

SCENARIO(with_traces_of_another_unit, BARE, INFO(TYPE_INTEL_PT), T_LOAD(10),
	 AREA(0, 0, 0, 7), CALL(end_file),
	 SAID(": no SPE trace and no counter groups;"));

STEP_OF(put_many_events)
{
	char name[1000] = "";

	memset(name, 'x', sizeof(name) - 1);
	for (uint64_t id = 1; id <= 1000; id++) {
		BYTES body = {};

		bytes_add(&body, sc->b.data + 24, PERF_ATTR_SIZE_VER5);
		put(&body, id, 8);
		put_record(&sc->b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
		put_event_name(&sc->b, id, name);
	}
}

STEP_IS(expect_short, EXPECT_LE(strlen(sc->out), 600U));

/* As many as fit; and names without end. */
SCENARIO(of_many_events, PIPE, CALL(put_many_events), SAID(" more\n"),
	 COMMAND("script 2>&1"), CALL(expect_short));

#define SILENCE COMMAND("script 2>&1 >/dev/null"), OUT("")

SCENARIO(a_recording_of_something, BARE, T_LOAD(10), AREA(0, 0, 0, 7), SILENCE,
	 ANEW, BARE, APPLY(perfdata_read_groups), SEVEN, SILENCE);
