/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fgt.h"

static bool writes;

static bool has_access(const struct fgt_reg *reg)
{
	return writes ? reg->write : reg->read;
}

static u64 touch(u64 address)
{
	const struct fgt_reg *reg = (const struct fgt_reg *)address;

	if (!has_access(reg))
		return 0;
	return writes ? TRY(reg->write()) : TRY(reg->read());
}

static void set_trap(unsigned bit)
{
	u64 bits = FGT_BY_0 ^ BIT(bit);

	clear_fgt();
	if (writes)
		write_sysreg(bits, HDFGWTR_EL2);
	else
		write_sysreg(bits, HDFGRTR_EL2);
	isb();
}

void check_fgt(const struct fgt_reg *regs, unsigned count, bool write)
{
	writes = write;
	for (const struct fgt_reg *trapped = regs; trapped < regs + count;
	     trapped++) {
		set_trap(trapped->bit);
		for (const struct fgt_reg *r = regs; r < regs + count; r++) {
			bool wanted = r->bit == trapped->bit && has_access(r);

			if (!EXPECT_EQ(run_at(1, touch, (u64)r), wanted))
				note("%s, bit %u", r->name, trapped->bit);
			if (wanted)
				EXPECT_EQ(trap.el, 2);
		}
		EXPECT_EQ(touch((u64)trapped), 0);
	}
	clear_fgt();
}

void clear_fgt(void)
{
	write_sysreg(FGT_BY_0, HDFGRTR_EL2);
	set_sysreg(FGT_BY_0, HDFGWTR_EL2);
}
