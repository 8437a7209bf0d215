// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* What doctor --verify keeps is found by those who count the event. */
#include "session/event.h"
#include "ktap.h"

#include <sys/prctl.h>

/* As nobody, so that the file is in the cache directory. */
static char folder[] = "/tmp/verified.XXXXXX";

static bool find(const char *pmu, uint64_t config, char *text)
{
	struct listed_event event = {.pmu = (char *)pmu};

	event.attr.attr.config = config;
	*text = '\0';
	return verified_find(&event, text, 64);
}

TEST(an_event_is_found_by_kind_and_number)
{
	uint64_t midr = sysfs_midr(PMSCOPE_CPUS, 0);
	char *lines = NULL, text[64];
	struct pmscope_error err;
	size_t size;
	FILE *file = open_memstream(&lines, &size);

	ASSERT_TRUE(mkdtemp(folder) && !chmod(folder, 0777));
	if (!geteuid())
		ASSERT_TRUE(!setegid(65534) && !seteuid(65534));
	setenv("XDG_CACHE_HOME", folder, 1);
	verified_add(file, midr + 1, 3, "l1d_cache_refill", "is fine");
	verified_add(file, midr, 3, "l1d_cache_refill", "is dead");
	verified_add(file, midr, 0x21, "br_retired", "counts other code");
	fputs("6.1 0x0 0x4 l1d_cache is dead\nnonsense\n", file);
	fclose(file);
	EXPECT_EQ(verified_save("old\n", &err), 0);
	EXPECT_EQ(verified_save(lines, &err), 0);
	free(lines);
	EXPECT_TRUE(find("armv8_pmuv3", 3, text));
	EXPECT_STREQ(text, "l1d_cache_refill is dead");
	/* Bits beside the number: pmu_snapshot's, and a threshold */
	EXPECT_TRUE(find("pmu_snapshot", 0x10021, text));
	EXPECT_STREQ(text, "br_retired counts other code");
	EXPECT_TRUE(!find("armv8_pmuv3", 0x13, text));
	EXPECT_TRUE(!find("armv8_pmuv3", 4, text)); /* another kernel */
	EXPECT_TRUE(!find("arm_spe_0", 3, text));
	EXPECT_TRUE(!find(NULL, 3, text));
}

TEST(a_place_that_cannot_be_written)
{
	struct pmscope_error err = {};
	char text[64];

	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	EXPECT_TRUE(verified_save("", &err) < 0);
	EXPECT_TRUE(strstr(err.text, "/proc/none/pmscope/verified"));
	EXPECT_TRUE(!find("armv8_pmuv3", 3, text));
	/* LeakSanitizer looks at this process as its own user. */
	if (!getuid())
		EXPECT_TRUE(!seteuid(0) && !prctl(PR_SET_DUMPABLE, 1));
	for (int i = 0; i < 3; i++) {
		static const char *const made[] = {"/pmscope/verified",
						   "/pmscope", ""};

		snprintf(text, sizeof(text), "%s%s", folder, made[i]);
		EXPECT_EQ(remove(text), 0);
	}
}
