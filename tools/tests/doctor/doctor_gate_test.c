// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/doctor.h"
#include "ktap.h"

static struct finding look(const char *backend, const char *gate)
{
	struct doctor_report report = {};

	doctor_gate(&report, backend, gate);
	return report.finding[0];
}

TEST(cpus_that_agree)
{
	struct finding f = look("hardware", "allowed: all levels");

	EXPECT_STREQ(f.text, "back end 'hardware', gate 'allowed: all levels'");
	EXPECT_EQ(f.status, FINDING_OK);
	EXPECT_STREQ(f.advice, "");

	f = look("frozen", "absent: ID_AA64DFR0_EL1.PMSS is 0");
	EXPECT_EQ(f.status, FINDING_INFO);
	EXPECT_TRUE(strstr(f.advice, "FEAT_PMUv3_SS would avoid that"));

	f = look("frozen", "disabled: MDCR_EL3.PMSSE is 0");
	EXPECT_TRUE(strstr(f.advice, "Documentation/reference/firmware.rst"));

	f = look("frozen", "trapped: HDFGRTR2_EL2.nPMSSCR_EL1 is 0 (nVHE)");
	EXPECT_TRUE(strstr(f.advice, "kvm-arm.mode=nvhe"));

	f = look("frozen", "unused: backend=frozen");
	EXPECT_TRUE(strstr(f.advice, "loaded with backend=frozen"));
}

TEST(cpus_of_two_kinds)
{
	struct finding f = look("cpu0 frozen\ncpu1 frozen\ncpu2 hardware\n"
				"cpu4 hardware\ncpu5 frozen",
				"cpu0 absent: no\ncpu1 absent: no\n"
				"cpu2 allowed: yes\ncpu4 allowed: yes\n"
				"cpu5 absent: no");

	EXPECT_STREQ(f.text, "back end 'cpu0-1 frozen; cpu2-4 hardware; "
			     "cpu5 frozen', gate 'cpu0-1 absent: no; "
			     "cpu2-4 allowed: yes; cpu5 absent: no'");
	EXPECT_TRUE(strstr(f.advice, "FEAT_PMUv3_SS would avoid that"));

	f = look("frozen", "cpu0 absent: no\ncpu1 trapped: MDCR_EL3.EnPMSS");
	EXPECT_TRUE(strstr(f.advice, "Documentation/reference/firmware.rst"));
}

/* More text than a finding holds; the advice depends on all of it. */
TEST(many_cpus)
{
	char gate[16384];
	struct finding f;
	size_t at = 0;

	for (int cpu = 0; cpu < 256; cpu++)
		at += sprintf(gate + at, "cpu%d %s: ID_AA64DFR0_EL1.PMSS\n",
			      cpu, cpu % 2 ? "absent" : "allowed");
	f = look("frozen", gate);
	EXPECT_EQ(strncmp(f.text,
			  "back end 'frozen', gate 'cpu0 allowed: ", 39),
		  0);
	EXPECT_TRUE(strstr(f.text, "...'"));
	EXPECT_TRUE(strstr(f.advice, "FEAT_PMUv3_SS would avoid that"));
	sprintf(gate + at, "cpu256 prohibited: MDCR_EL2.PMSSE");
	f = look("frozen", gate);
	EXPECT_TRUE(strstr(f.advice, "Documentation/reference/firmware.rst"));
}

/* The module writes such a last line if the page is full. */
TEST(cpus_that_are_left_out)
{
	struct finding f = look("cpu0 hardware\ncpu1 frozen\n...",
				"cpu0 allowed: yes\ncpu1 absent: no\n...");

	EXPECT_STREQ(f.text, "back end 'cpu0 hardware; cpu1 frozen; ...', "
			     "gate 'cpu0 allowed: yes; cpu1 absent: no; ...'");
	EXPECT_TRUE(strstr(f.advice, "FEAT_PMUv3_SS would avoid that"));
}

TEST(files_that_could_not_be_read)
{
	struct finding f = look("", "");

	EXPECT_STREQ(f.text, "back end '', gate ''");
	EXPECT_EQ(f.status, FINDING_INFO);
}
