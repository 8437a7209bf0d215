/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "firmware.h"
#include "machine.h"

#define GICD_CTLR	 (*(volatile u32 *)0x08000000)
#define GICR_IGROUPR0	 (*(volatile u32 *)0x080b0080)
#define GICR_ISENABLER0	 (*(volatile u32 *)0x080b0100)
#define GICR_ICENABLER0	 (*(volatile u32 *)0x080b0180)

#define CTLR_ENABLE_GROUP1 BIT(1)

int suspend(u64 function, u64 state, bool hvc);

static bool by_hvc(void)
{
	return highest_el() == 1;
}

struct result firmware(u64 function, u64 arg1, u64 arg2, u64 arg3)
{
	bool hvc = by_hvc();
	register u64 x0 asm("x0") = function;
	register u64 x1 asm("x1") = arg1;
	register u64 x2 asm("x2") = arg2;
	register u64 x3 asm("x3") = arg3;

	if (hvc)
		asm volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
			     : : "memory");
	else
		asm volatile("smc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
			     : : "memory");
	return (struct result){ x0, x1 };
}

int power_down(void)
{
	return suspend(PSCI_CPU_SUSPEND, PSCI_POWERDOWN, by_hvc());
}

void wake_up_by(u32 ppis)
{
	GICR_ICENABLER0 = ~ppis;
	GICR_IGROUPR0 = ~0U;
	GICR_ISENABLER0 = ppis;
	GICD_CTLR |= CTLR_ENABLE_GROUP1;
}
