/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_TESTS_SYMBOL_EXPECT_H
#define PMSCOPE_TESTS_SYMBOL_EXPECT_H

#include "ktap.h"

#include <pmscope/symbols.h>

#include <errno.h>

/* @ret, @symbol: as the library found it; @name: NULL where there is none */
static inline void expect_symbol(int ret, const struct pmscope_symbol *symbol,
				 const char *name, uint64_t offset,
				 const char *dso)
{
	EXPECT_EQ(ret, name ? 0 : -ENOENT);
	EXPECT_STREQ(symbol->name, name);
	EXPECT_STREQ(symbol->dso, dso);
	if (name)
		EXPECT_EQ(symbol->offset, offset);
}

#endif /* PMSCOPE_TESTS_SYMBOL_EXPECT_H */
