/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/*
 * Lists of address ranges have entries that are no ranges, but set the base of
 * those behind them. libdw goes over them until there is a range: how far it
 * may have to go tells what each range costs.
 */
#ifndef PMSCOPE_SYMBOLS_BASE_RUN_H
#define PMSCOPE_SYMBOLS_BASE_RUN_H

#include <libelf.h>
#include <stdint.h>

/*
 * The most such entries there are one behind the other, from wherever a list
 * may begin, in .debug_ranges and .debug_rnglists, also those of a .dwo.
 */
uint32_t base_run_longest(Elf *elf);

#endif /* PMSCOPE_SYMBOLS_BASE_RUN_H */
