// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Very many rows: if their cost grew faster than their number, a test here
 * would take minutes.
 */
#include "scenario.h"

#define STORE	   1 /* of the operations on memory */
#define LINE_BYTES 64
#define LAST_CPU   8191
#define MANY	   500000
#define MANY_KIB   500000
#define LINES_USES (1U << 20)
#define ROWS_MAX   (1U << 19)

/* Stores from 0x9000 on, @v[1] bytes apart. */
STEP_OF(put_stores)
{
	for (uint64_t i = 0; i < step->v[0]; i++) {
		PUT_OPERATION(&sc->trace, LOAD_STORE, STORE);
		PUT_ADDRESS(&sc->trace, VA, 0x9000 + step->v[1] * i);
		put_timestamp(&sc->trace, 10);
	}
}
#define STORES(nr, apart, index, cpu) \
	CALL(put_stores, nr, apart), AREA(0, index, cpu, NO_TID)
#define LINES "report --cachelines --format=csv --limit=1 2>&1"

/* The CPUs with the highest numbers there are pass each line around. */
SCENARIO(cache_lines_of_the_last_cpus, STORES(MANY, LINE_BYTES, 0, LAST_CPU),
	 STORES(MANY, LINE_BYTES, 1, LAST_CPU - 1), COMMAND(LINES),
	 HAS("8190-8191"));

/* Samples that memory has no room for are told. */
SCENARIO(cache_lines_beyond_their_room, STORES(LINES_USES + 1234, 8, 0, 0),
	 COMMAND(LINES),
	 HAS("1234 samples are in no line: there are more than 1048576"));

/* Each record belongs to its own thread; there are many kinds. */
STEP_OF(put_threads)
{
	for (uint32_t thread = 1; thread <= step->v[0]; thread++) {
		PUT_CONTEXT(&sc->trace, 0, thread);
		PUT_EVENTS(&sc->trace, 2, (thread % 200) << 1);
		PUT_COUNTER(&sc->trace, TOTAL, 50);
		put_timestamp(&sc->trace, 10);
	}
}

STEP_OF(expect_memory)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	EXPECT_LT(usage.ru_maxrss, MANY_KIB);
}

/*
 * A row takes less than 1 KiB, however many kinds of records exist, and further
 * ones none. ASan keeps what is freed.
 */
PLAIN_SCENARIO(rows_of_one_sample, CALL(put_threads, ROWS_MAX + 1234),
	       AREA(0, 0, 0, NO_TID),
	       COMMAND("report --sort=tid,sym --threads=1 --limit=1 2>&1"),
	       HAS("1234 samples have no row of their own"), HAS("[others]\n"),
	       HAS("524288 more rows"), CALL(expect_memory));
