// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Very many rows: if their cost grew faster than their number, a test here
 * would take minutes.
 */
#include "command.h"
#include "ktap.h"
#include "recording_fixture.h"

#include "base/sanitized.h"

#include <pmscope/packet.h>

#include <sys/resource.h>

#define STORE	   1 /* of the operations on memory */
#define LINE_BYTES 64
#define LAST_CPU   8191
#define MANY	   500000
#define MANY_KIB   500000
#define LINES_USES (1U << 20)
#define ROWS_MAX   (1U << 19)

/* The output of the command for @b contains @wanted. */
static void expect_text(struct bytes *b, const char *command,
			const char *wanted)
{
	char text[4096];

	EXPECT_EQ(command_pmscope_text(b, command, text, sizeof(text)), 0);
	EXPECT_TRUE(strstr(text, wanted));
}

static void put_store(struct bytes *b, uint64_t va)
{
	put_packet(b, PMSCOPE_PACKET_OPERATION, PMSCOPE_OPERATION_LOAD_STORE, 1,
		   STORE);
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, va);
	put_timestamp(b, 10);
}

/* The CPUs with the highest numbers there are pass each line around. */
TEST(cache_lines_of_the_last_cpus)
{
	struct bytes b = {}, trace = {};

	for (uint64_t i = 0; i < MANY; i++)
		put_store(&trace, 0x9000 + LINE_BYTES * i);
	begin(&b);
	put_auxtrace(&b, 0, LAST_CPU, NO_TID, &trace);
	put_auxtrace(&b, 1, LAST_CPU - 1, NO_TID, &trace);
	perfdata_end(&b);
	expect_text(&b, "report --cachelines --format=csv --limit=1",
		    "8190-8191");
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* Samples that memory has no room for are told. */
TEST(cache_lines_beyond_their_room)
{
	struct bytes b = {}, trace = {};

	for (uint64_t i = 0; i < LINES_USES + 1234; i++)
		put_store(&trace, 0x9000 + 8 * i);
	begin(&b);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	perfdata_end(&b);
	expect_text(&b, "report --cachelines --format=csv --limit=1 2>&1",
		    "1234 samples are in no line: there are more than 1048576");
	bytes_fini(&trace);
	bytes_fini(&b);
}

/* Each record belongs to its own thread; there are many kinds. */
static void put_thread(struct bytes *b, uint32_t thread)
{
	put_packet(b, PMSCOPE_PACKET_CONTEXT, 0, 4, thread);
	put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, (thread % 200) << 1);
	put_packet(b, PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TOTAL, 2, 50);
	put_timestamp(b, 10);
}

/*
 * A row takes less than 1 KiB, however many kinds of records exist, and further
 * ones none.
 */
TEST(rows_of_one_sample)
{
	struct bytes b = {}, trace = {};
	struct rusage usage;
	char text[4096];

	for (uint32_t thread = 1; thread <= ROWS_MAX + 1234; thread++)
		put_thread(&trace, thread);
	begin(&b);
	put_auxtrace(&b, 0, 0, NO_TID, &trace);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(
			  &b,
			  "report --sort=tid,sym --threads=1 --limit=1 2>&1",
			  text, sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "1234 samples have no row of their own"));
	EXPECT_TRUE(strstr(text, "[others]\n"));
	EXPECT_TRUE(strstr(text, "524288 more rows"));
	getrusage(RUSAGE_CHILDREN, &usage);
	/* ASan keeps what is freed. */
	EXPECT_TRUE(SANITIZED || usage.ru_maxrss < MANY_KIB);
	bytes_fini(&trace);
	bytes_fini(&b);
}

KTAP_MAIN
