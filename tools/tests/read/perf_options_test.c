// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that perf has, and which samples they select. */
#include "command.h"
#include "scenario.h"

#define TEXT_SIZE 16384
#define SECOND	  UINT64_C(1000000000)

/* Samples at 1, 2, 3, 4 s: two in /opt/one, one in /opt/two, one in neither. */
#define LOAD_AT(second, pc)                        \
	T_LOAD_OF((second)*SECOND, 1, pc, 0x9000), \
		AREA(0, second, second, NO_TID)
#define FOUR                                                       \
	COMM(1, 1, 1, "a"), MAP(2, 1, 0x1000, "/opt/one"),         \
		MAP(3, 1, 0x5000, "/opt/two"), LOAD_AT(1, 0x1100), \
		LOAD_AT(2, 0x1200), LOAD_AT(3, 0x5100), LOAD_AT(4, 0x9100)

/* How many samples report and script say with @options; -1: refused. */
static int samples_of(struct scenario *sc, const char *options)
{
	char text[TEXT_SIZE], command[256], *at;
	int samples, lines = 0;

	if (!sc->ended)
		perfdata_end(&sc->b);
	sc->ended = true;
	snprintf(command, sizeof(command),
		 "report --format=jsonl %s 2>/dev/null", options);
	if (command_pmscope_text(&sc->b, command, text, sizeof(text)))
		return -1;
	at = strstr(text, "\"samples\":");
	samples = at ? atoi(at + strlen("\"samples\":")) : -1;
	snprintf(command, sizeof(command), "script -F time %s 2>/dev/null",
		 options);
	if (command_pmscope_text(&sc->b, command, text, sizeof(text)))
		return -1;
	for (at = text; (at = strchr(at, '\n')); at++)
		lines++;
	EXPECT_EQ(lines, samples);
	return samples;
}

STEP_IS(expect_samples, EXPECT_EQ(samples_of(sc, step->text), (int)step->v[0]));
#define ARE(nr, options) CALL_SAY(expect_samples, options, nr)
#define REFUSED(options) ARE((uint64_t)-1, options)

SCENARIO(time_is_in_seconds, FOUR, ARE(4, ""), ARE(2, "--time=2,3"),
	 ARE(3, "--time=1.5,"), ARE(1, "--time=,1.999999999"),
	 ARE(2, "--time=2.000000001,4"), ARE(3, "--time=2"),
	 ARE(1, "'--filter=time>2s,time<4s'"), ARE(2, "'--filter=time>2000ms'"),
	 REFUSED("--time=,"), REFUSED("--time=a,b"), REFUSED("--time=1,2,3"),
	 REFUSED("--time=1s,2"));

SCENARIO(dsos_are_names_of_files, FOUR, ARE(2, "-d one"),
	 ARE(2, "--dsos=/opt/one"), ARE(3, "--dsos=one,/opt/two"),
	 ARE(0, "-d on"), ARE(1, "-d one --time=,1"), REFUSED("-d one,"),
	 ARE(0, "-d a,b,c,d"), REFUSED("-d a,b,c,d,e"));

/* The same without and with equality, so that each pair has all samples. */
STEP_OF(expect_pairs)
{
	static const char *const terms[] = {"'--filter=time>%d000ms'",
					    "'--filter=time<=%d000ms'",
					    "'--filter=time<%d000ms'",
					    "'--filter=time>=%d000ms'"};

	for (int at = 0; at < 6; at++) {
		int samples[4];

		for (int i = 0; i < 4; i++) {
			char option[64];

			snprintf(option, sizeof(option), terms[i], at);
			samples[i] = samples_of(sc, option);
		}
		EXPECT_EQ(samples[0], at > 4 ? 0 : at ? 4 - at : 4);
		EXPECT_EQ(samples[0] + samples[1], 4);
		EXPECT_EQ(samples[2] + samples[3], 4);
		EXPECT_EQ(samples[1] - samples[2], at >= 1 && at <= 4);
	}
}

SCENARIO(below_and_above_complete_each_other, FOUR, CALL(expect_pairs));
