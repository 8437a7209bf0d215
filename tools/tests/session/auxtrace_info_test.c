// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU types in a recording: only if CPUs differ, each on its own. */
#include "fake_sysfs.h"
#include "perfdata/writer.h"
#include "recording_fixture.h"
#include "session/pmu.h"

#define MIDR_N1	   "0x00000000410fd0c0"
#define MIDR_HIP12 "0x00000000480fd060"
#define V1_SIZE	   32
#define PMU_LITTLE 10
#define PMU_BIG	   11
#define BIG_CPU	   4
#define ABSENT_CPU 5

/* Two PMUs: CPUs 0 and 1, and 4 with @midr; 5 is off. */
static struct perf_event_header *make(const char *midr)
{
	int little[] = {0, 1}, big[] = {BIG_CPU, ABSENT_CPU};
	const struct cpulist cpus[] = {{little, 2}, {big, 2}};
	const struct spe_pmu pmus[] = {{PMU_LITTLE, &cpus[0]},
				       {PMU_BIG, &cpus[1]}};
	struct pmscope_written_spe spe = {.pmu_type = PMU_LITTLE};
	struct pmscope_written_cpu *told;
	struct perf_event_header *record;
	char folder[FAKE_SYSFS_PATH];

	fake_sysfs_make(folder);
	fake_sysfs_text(folder, "cpu0/regs/identification/midr_el1", MIDR_N1);
	fake_sysfs_text(folder, "cpu1/regs/identification/midr_el1", MIDR_N1);
	fake_sysfs_text(folder, "cpu4/regs/identification/midr_el1", midr);
	told = auxtrace_cpus(pmus, 2, folder, &spe.nr_cpus);
	fake_sysfs_remove(folder);
	spe.cpus = told;
	record = told ? writer_auxtrace_info(&spe) : NULL;
	free(told);
	return record;
}

TEST(cpus_that_are_alike_are_not_distinguished)
{
	FREED struct perf_event_header *record = make(MIDR_N1);
	uint64_t word[V1_SIZE / 8];

	ASSERT_TRUE(record);
	ASSERT_EQ(record->size, V1_SIZE);
	memcpy(word, record, sizeof(word));
	EXPECT_EQ(word[1], (uint64_t)TYPE_ARM_SPE);
	EXPECT_EQ(word[2], (uint64_t)PMU_LITTLE);
	EXPECT_EQ(word[3], 1U);
}

TEST(cpus_that_differ_each_have_their_midr)
{
	static const struct {
		uint32_t cpu;
		uint64_t midr;
	} expected[] = {{0, 0x410fd0c0}, {1, 0x410fd0c0}, {4, 0x480fd060}};
	FREED struct perf_event_header *record = make(MIDR_HIP12);
	struct pmscope_recording *r;
	struct pmscope_sample s;
	BYTES b = {};

	ASSERT_TRUE(record);
	perfdata_begin(&b);
	bytes_add(&b, record, record->size);
	put_time_conv(&b, 0, 1, 0);
	for (unsigned int i = 0; i < 3; i++)
		load_at(&b, expected[i].cpu, 10, 0x5000, 10 + i);
	r = open_bytes(&b);
	for (unsigned int i = 0; i < 3; i++) {
		expect_next(r, &s, 10 + i);
		EXPECT_EQ(s.cpu, expected[i].cpu);
		EXPECT_EQ(s.midr, expected[i].midr);
	}
	pmscope_recording_free(r);
}

/* The words of a version 2 record, as perf's util/arm-spe.h has them. */
TEST(version_2_is_as_perf_reads_it)
{
	static const uint64_t expected[] = {
		2, 4,	       PMU_LITTLE, 3, 0x1010101010101010, 0,
		3, 0x410fd0c0, PMU_LITTLE, 0, 0x1010101010101010, 1,
		3, 0x410fd0c0, PMU_LITTLE, 0, 0x1010101010101010, 4,
		3, 0x480fd060, PMU_BIG,	   0,
	};
	FREED struct perf_event_header *record = make(MIDR_HIP12);

	ASSERT_TRUE(record);
	ASSERT_EQ(record->size, 16 + sizeof(expected));
	EXPECT_EQ(memcmp((char *)record + 16, expected, sizeof(expected)), 0);
}
