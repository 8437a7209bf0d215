/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#ifndef PMSCOPE_SYMBOLS_EH_FRAME_H
#define PMSCOPE_SYMBOLS_EH_FRAME_H

#include "table.h"

#include <libelf.h>

/*
 * Functions of a stripped file: unwind tables stay where names are gone, and
 * tell where each function begins. They get names such as "fn_1a2b0", from
 * their address, in the last rank. Returns 0 or -ENOMEM; a file without
 * .eh_frame_hdr, or with a damaged one, just adds nothing.
 */
int eh_frame_read(Elf *file, struct symbol_table *table);

#endif /* PMSCOPE_SYMBOLS_EH_FRAME_H */
