// SPDX-License-Identifier: GPL-2.0-or-later
/* What script and report print about files that cannot be read. */
#include "symbols_scenario.h"

/* Loads of process 7 in so many files, which are directories. */
STEP_OF(put_loads)
{
	open_dir(sc);
	comm_at(&sc->b, 0, "many", 100, 7, 7);
	for (unsigned int i = 0; i < step->v[0]; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/lib/\033%02u", i);
		map_at(&sc->b, 0x10000 * (i + 1), name, 101, 7);
		EXPECT_TRUE(fixture_run("mkdir -p 'root%s'", name));
		put_load_of(&sc->trace, 7, 0x10000 * (i + 1), 0x9000, 110 + i);
	}
}
#define FILES(nr)      CALL(put_loads, nr), ITRACE(106, 0, 7, 7), AUX_PART(130, 7)
#define PRINT(command) COMMAND(command " --symfs=$D/root 2>&1")

/* Once: $D is the directory. */
STEP_OF(expect_warning)
{
	char line[256];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(line, sizeof(line),
			 "pmscope: warning: cannot read symbols from "
			 "%s/lib/?%02u: Is a directory\n",
			 fixture_path("root"), i);
		step_times(sc, &(struct step)TIMES(1, line));
	}
}
#define TELLS(command)                                       \
	PLAY(FILES(2), PRINT(command), CALL(expect_warning), \
	     TIMES(2, "warning"))

CASE(script_tells_of_them, TELLS("script -F sym,line"));

TEST(report_tells_of_them)
{
	TELLS("report");
	TELLS("report --sort=line,frames --format=csv");
	TELLS("report --threads=2 --format=jsonl");
	TELLS("report --cachelines");
}

SCENARIO(many_are_not_told_of_one_by_one, FILES(9), PRINT("report"),
	 TIMES(9, "warning"), TIMES(1, "1 more"), ANEW, FILES(8),
	 PRINT("report"), TIMES(8, "warning"), TIMES(0, "more"));
