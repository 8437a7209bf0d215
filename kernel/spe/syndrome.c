// SPDX-License-Identifier: GPL-2.0-only
/* PMBSR_EL1 decoded, Arm ARM D24.7 "PMBSR_EL1". */
#include "spe/syndrome.h"

#include <linux/bitfield.h>
#include <linux/kernel.h>

/* No level of a translation table */
#define SPE_NO_LEVEL	(-128)

static unsigned int ec(u64 pmbsr)
{
	return FIELD_GET(PMBSR_EC, pmbsr);
}

static const char *other_text(u64 pmbsr)
{
	switch (FIELD_GET(PMBSR_BSC, pmbsr)) {
	case PMBSR_BSC_NOT_FULL:
		return "access not allowed, or buffer not full";
	case PMBSR_BSC_FULL:
		return "buffer full";
	case PMBSR_BSC_TOO_LARGE:
		return "buffer larger than the hypervisor allows";
	default:
		return "unknown buffer status code";
	}
}

/* The event class (PMBSR.EC and BSC) */
static const char *spe_syndrome_text(u64 pmbsr)
{
	switch (ec(pmbsr)) {
	case PMBSR_EC_OTHER:
		return other_text(pmbsr);
	case PMBSR_EC_GPC:
		return "granule protection check fault";
	case PMBSR_EC_IMPDEF:
		return "IMPLEMENTATION DEFINED event";
	case PMBSR_EC_STAGE1:
		return "stage 1 data abort";
	case PMBSR_EC_STAGE2:
		return "stage 2 data abort";
	default:
		return "unknown event class";
	}
}

static bool has_fsc(u64 pmbsr)
{
	return ec(pmbsr) == PMBSR_EC_STAGE1 || ec(pmbsr) == PMBSR_EC_STAGE2;
}

/* The fault (PMBSR.MSS.FSC), "" if the event class has no fault status code */
static const char *spe_syndrome_detail(u64 pmbsr)
{
	static const char * const fsc[] = {
		[0x00 ... 0x03] = ": address size fault",
		[0x04 ... 0x07] = ": translation fault",
		[0x08 ... 0x0b] = ": access flag fault",
		[0x0c ... 0x0f] = ": permission fault",
		[0x10] = ": external abort",
		[0x11] = ": asynchronous external abort",
		[0x12 ... 0x17] = ": external abort on translation table walk",
		[0x1b] = ": parity error on translation table walk",
		[0x21] = ": alignment fault",
		[0x22 ... 0x27] = ": granule protection fault on walk",
		[0x28] = ": granule protection fault",
		[0x29] = ": address size fault",
		[0x2a ... 0x2b] = ": translation fault",
		[0x2c] = ": address size fault",
		[0x30] = ": TLB conflict",
		[0x31] = ": unsupported atomic hardware update",
	};
	unsigned int code = FIELD_GET(PMBSR_FSC, pmbsr);

	if (!has_fsc(pmbsr))
		return "";
	if (code >= ARRAY_SIZE(fsc) || !fsc[code])
		return ": unknown fault status code";
	return fsc[code];
}

/*
 * The level of the translation table in PMBSR.MSS.FSC: -2 to 3, or SPE_NO_LEVEL
 * if the code names none
 */
static int spe_syndrome_level(u64 pmbsr)
{
	unsigned int code = FIELD_GET(PMBSR_FSC, pmbsr);

	if (!has_fsc(pmbsr))
		return SPE_NO_LEVEL;
	switch (code) {
	case 0x00 ... 0x0f:
		return code & 3;
	case 0x12 ... 0x17:
		return (int)code - 0x14;
	case 0x22 ... 0x27:
		return (int)code - 0x24;
	case 0x29:
	case 0x2b:
		return -1;
	case 0x2a:
	case 0x2c:
		return -2;
	default:
		return SPE_NO_LEVEL;
	}
}

/**
 * spe_syndrome_print() - say why the Profiling Buffer stopped
 * @text: the buffer
 * @size: its size; SPE_SYNDROME_TEXT_MAX is enough
 * @pmbsr: PMBSR_EL1
 *
 * Context: any.
 * Return: as scnprintf()
 */
int spe_syndrome_print(char *text, size_t size, u64 pmbsr)
{
	int level = spe_syndrome_level(pmbsr);
	int len = scnprintf(text, size, "%s%s", spe_syndrome_text(pmbsr),
			    spe_syndrome_detail(pmbsr));

	if (level != SPE_NO_LEVEL)
		len += scnprintf(text + len, size - len, ", level %d", level);
	if (pmbsr & PMBSR_DL)
		len += scnprintf(text + len, size - len, ", data lost");
	if (pmbsr & PMBSR_EA)
		len += scnprintf(text + len, size - len, ", external abort");
	return len;
}
