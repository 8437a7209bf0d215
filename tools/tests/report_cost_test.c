// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that there are very many of: where they cost far more than their number,
 * a test here would take minutes.
 */
#include "command.h"
#include "happening.h"
#include "ktap.h"

#include <pmscope/packet.h>

#define STORE	   1 /* of the operations on memory */
#define LINE_BYTES 64
#define LAST_CPU   8191
#define MANY	   500000

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
	char text[4096];

	for (uint64_t i = 0; i < MANY; i++)
		put_store(&trace, 0x9000 + LINE_BYTES * i);
	begin(&b);
	put_auxtrace(&b, 0, LAST_CPU, NO_TID, &trace);
	put_auxtrace(&b, 1, LAST_CPU - 1, NO_TID, &trace);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b,
				       "report --cachelines --format=csv "
				       "--limit=1",
				       text, sizeof(text)),
		  0);
	EXPECT_TRUE(strstr(text, "8190-8191"));
	bytes_fini(&trace);
	bytes_fini(&b);
}

KTAP_MAIN
