// SPDX-License-Identifier: GPL-2.0-or-later
/* Data sources: on which CPUs a code means what, as perf has it. */
#include "ktap.h"

#include <pmscope/source.h>

#define NR_CODES 32

/* MIDR_EL1 of r1p2, as a CPU has it. */
#define MIDR(implementer, part) \
	((implementer) << 24 | 0x1f0000U | (part) << 4 | 2U)

static void expect_codes(uint32_t midr, const char *const *names)
{
	for (unsigned int code = 0; code < NR_CODES; code++) {
		const char *name = pmscope_source_name(midr, code);

		EXPECT_STREQ(name ? name : "", names[code] ? names[code] : "");
	}
	EXPECT_TRUE(!pmscope_source_name(midr, 0x100));
}

TEST(codes_of_arm)
{
	static const char *const names[NR_CODES] = {
		[0x0] = "L1",		[0x8] = "L2",
		[0x9] = "peer core",	[0xa] = "local cluster",
		[0xb] = "system cache", [0xc] = "peer cluster",
		[0xd] = "remote",	[0xe] = "DRAM",
	};
	static const uint32_t midrs[] = {
		MIDR(0x41U, 0xd0cU), /* Neoverse N1 */
		MIDR(0x41U, 0xd40U), /* Neoverse V1 */
		MIDR(0x41U, 0xd44U), /* Cortex-X1 */
		MIDR(0x41U, 0xd49U), /* Neoverse N2 */
		MIDR(0x41U, 0xd4bU), /* Cortex-A78C */
		MIDR(0x41U, 0xd4cU), /* Cortex-X1C */
		MIDR(0x41U, 0xd4dU), /* Cortex-A715 */
		MIDR(0x41U, 0xd4eU), /* Cortex-X3 */
		MIDR(0x41U, 0xd4fU), /* Neoverse V2 */
		MIDR(0x41U, 0xd81U), /* Cortex-A720 */
		MIDR(0x41U, 0xd82U), /* Cortex-X4 */
		MIDR(0x41U, 0xd84U), /* Neoverse V3 */
		MIDR(0x41U, 0xd85U), /* Cortex-X925 */
		MIDR(0x41U, 0xd87U), /* Cortex-A725 */
		MIDR(0x41U, 0xd89U), /* Cortex-A720AE */
		MIDR(0x4eU, 0x010U), /* NVIDIA Olympus */
	};

	for (size_t i = 0; i < sizeof(midrs) / sizeof(midrs[0]); i++)
		expect_codes(midrs[i], names);
}

TEST(codes_of_ampere)
{
	static const char *const names[NR_CODES] = {
		[0x0] = "local chip or device",
		[0x3] = "system cache",
		[0x5] = "remote",
		[0x7] = "DRAM",
		[0x8] = "L1",
		[0x9] = "L2",
	};

	expect_codes(MIDR(0xc0U, 0xac4U), names);
}

TEST(codes_of_hisilicon)
{
	static const char *const names[NR_CODES] = {
		[0] = "peer core",
		[1] = "peer core HITM",
		[2] = "L3",
		[3] = "L3 HITM",
		[4] = "peer cluster",
		[5] = "peer cluster HITM",
		[6] = "remote socket",
		[7] = "remote socket HITM",
		[8] = "local memory",
		[9] = "remote memory",
		[13] = "non-cacheable or device",
		[16] = "L2",
		[17] = "L2 HITM",
		[18] = "L1",
	};

	expect_codes(MIDR(0x48U, 0xd06U), names);
}

TEST(codes_of_a_cpu_that_is_not_known)
{
	static const char *const names[NR_CODES] = {};

	expect_codes(0, names);
	expect_codes(MIDR(0x41U, 0xd41U), names); /* Cortex-A78 */
	expect_codes(MIDR(0x4eU, 0xd0cU), names); /* another's part number */
}

KTAP_MAIN
