// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of what was there before a recording began. */
#include "bytes.h"
#include "ktap.h"
#include "session/synth.h"

#include <sys/stat.h>
#include <unistd.h>

#define TRAILER 32

static int take(void *context, const struct perf_event_header *record)
{
	bytes_add(context, record, record->size);
	return 0;
}

/* perf_event_open(2): pid, tid, how many, then device and inode of each. */
TEST(namespaces_of_the_recorder)
{
	struct bytes b = {};
	const struct pmscope_synth synth = {
		.trailer = TRAILER, .emit = take, .context = &b};
	struct perf_event_header header;
	uint64_t word[2 + 2 * NR_NAMESPACES];
	uint32_t id[2];
	struct stat st;

	if (stat("/proc/self/ns/pid", &st))
		SKIP("no PID namespaces");
	ASSERT_EQ(pmscope_synth_namespaces(&synth), 0);
	ASSERT_EQ(b.size, sizeof(header) + sizeof(word) + TRAILER);
	memcpy(&header, b.data, sizeof(header));
	memcpy(word, b.data + sizeof(header), sizeof(word));
	memcpy(id, word, sizeof(id));
	EXPECT_EQ(header.type, PERF_RECORD_NAMESPACES);
	EXPECT_EQ(header.size, b.size);
	EXPECT_EQ(id[0], (uint32_t)getpid());
	EXPECT_EQ(id[1], (uint32_t)getpid());
	EXPECT_EQ(word[1], (uint64_t)NR_NAMESPACES);
	EXPECT_EQ(word[2 + 2 * PID_NS_INDEX], st.st_dev);
	EXPECT_EQ(word[3 + 2 * PID_NS_INDEX], st.st_ino);
	ASSERT_EQ(stat("/proc/self/ns/net", &st), 0);
	EXPECT_EQ(word[3 + 2 * NET_NS_INDEX], st.st_ino);
	bytes_fini(&b);
}

KTAP_MAIN
