// SPDX-License-Identifier: GPL-2.0-or-later
/* How far a command is, in one line. */
#include "ktap.h"
#include "record/record.h"

#define SECOND UINT64_C(1000000000)

static const char *text_of(const char *name, uint64_t done, uint64_t total,
			   uint64_t ns)
{
	static char text[80];

	progress_text(text, sizeof(text), name, done, total, ns);
	return text;
}

TEST(progress_has_bytes_rate_and_time_left)
{
	EXPECT_STREQ(text_of("a", 500000, 2000000, 0), "a  25%, 0.5 of 2.0 MB");
	EXPECT_STREQ(text_of("a", 250000000, 1000000000, SECOND / 2),
		     "a  25%, 0.2 of 1.0 GB, 500 MB/s, 2 s left");
	EXPECT_STREQ(text_of("a", 4000000, 4000000, 2 * SECOND),
		     "a 100%, 4.0 of 4.0 MB, 2 MB/s, 0 s left");
	/* A record that is read twice has more bytes. */
	EXPECT_STREQ(text_of("a", 5000000, 4000000, 2 * SECOND),
		     "a 125%, 5.0 of 4.0 MB");
}

TEST(names_are_short_and_clean)
{
	EXPECT_STREQ(text_of("/a/long/directory/with\033/perf.data", 1000000,
			     2000000, 0),
		     "irectory/with?/perf.data  50%, 1.0 of 2.0 MB");
	EXPECT_TRUE(strlen(text_of("/a/very/long/directory/perf.data",
				   UINT64_C(999999999999),
				   UINT64_C(999999999999), SECOND)) < 80);
}

TEST(recording_shows_samples_and_losses)
{
	struct recorder_stats stats = {.aux_bytes = 6400};
	char text[80];

	record_progress_text(text, sizeof(text), "/a/perf.data", 8000000, 2,
			     &stats);
	EXPECT_STREQ(text, "perf.data: 2 s, 8.0 MB, 4.0 MB/s, about 100 "
			   "samples");
	stats.lost = 2;
	stats.truncated = 1;
	record_progress_text(text, sizeof(text), "perf.data", 8000000, 2,
			     &stats);
	EXPECT_STREQ(text, "perf.data: 2 s, 8.0 MB, 4.0 MB/s, about 100 "
			   "samples, 3 losses");
}
