// SPDX-License-Identifier: GPL-2.0-or-later
/* A test fails wherever it is that what it expects does not come true. */
#include "happening.h"
#include "ktap.h"

/* The note of the helper, of another time than the load's, is meant to be. */
TEST(what_a_helper_in_another_file_finds_counts)
{
	struct pmscope_recording *r;
	struct pmscope_sample s;
	struct bytes b = {};
	int result;

	begin(&b);
	load_at(&b, 0, 10, 0x5010, 50);
	r = open_bytes(&b);
	expect_next(r, &s, 60);
	result = ktap_result;
	ktap_result = KTAP_PASS;
	EXPECT_EQ(result, (int)KTAP_FAIL);
	pmscope_recording_free(r);
	bytes_fini(&b);
}

KTAP_MAIN
