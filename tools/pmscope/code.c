// SPDX-License-Identifier: GPL-2.0-or-later
#include "code.h"

#include <stdlib.h>

struct codes *codes_new(void)
{
	return calloc(1, sizeof(struct codes));
}

void code_fill(struct code *code, uint64_t hash, const struct load *load,
	       const struct pmscope_sample *sample, uint64_t pc)
{
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	pmscope_recording_place(load->recording, sample, pc, &place);
	pmscope_symbols_find(load->symbols, &place, pc, &symbol);
	*code = (struct code){
		.hash = hash,
		.first = pc - symbol.around.before,
		.last = pc + symbol.around.behind,
		.start = pc - symbol.offset,
		.name = symbol.name,
		.dso = symbol.dso,
	};
	/* Names are kept once: the same name is at the same place. */
	code->key = hash_finish(
		UINT64_C(0x2545f4914f6cdd1d) +
		(uintptr_t)symbol.name * UINT64_C(0xff51afd7ed558ccd) +
		(uintptr_t)symbol.dso * UINT64_C(0xc4ceb9fe1a85ec53));
}
