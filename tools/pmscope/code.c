// SPDX-License-Identifier: GPL-2.0-or-later
#include "code.h"

#include <stdlib.h>
#include <string.h>

struct codes *codes_new(void)
{
	struct codes *codes =
		aligned_alloc(alignof(struct codes), sizeof(*codes));

	if (codes)
		memset(codes, 0, sizeof(*codes));
	return codes;
}

static bool is_whole_page(const struct code *code, uint64_t pc)
{
	uint64_t begin = pc >> CODE_PAGE << CODE_PAGE;

	return code->first <= begin &&
	       code->last >= begin + (1 << CODE_PAGE) - 1;
}

static struct code code_look_up(const struct load *load,
				const struct pmscope_sample *sample,
				uint64_t pc)
{
	struct pmscope_symbol symbol;
	struct pmscope_place place;

	pmscope_recording_place(load->recording, sample, pc, &place);
	pmscope_symbols_find(load->symbols, &place, pc, &symbol);
	return (struct code){
		.first = pc - symbol.around.before,
		.last = pc + symbol.around.behind,
		.start = pc - symbol.offset,
		/* Names are kept once: the same name is at the same place. */
		.key = hash_finish(
			UINT64_C(0x2545f4914f6cdd1d) +
			(uintptr_t)symbol.name * UINT64_C(0xff51afd7ed558ccd) +
			(uintptr_t)symbol.dso * UINT64_C(0xc4ceb9fe1a85ec53)),
		.name = symbol.name,
		.dso = symbol.dso,
	};
}

const struct code *code_fill(struct codes *codes, const struct load *load,
			     const struct current *current)
{
	const struct pmscope_sample *sample = &current->sample;
	uint64_t pc = code_pc(sample, sample->row);
	struct code code = code_look_up(load, sample, pc), *kept;
	bool whole = is_whole_page(&code, pc);

	codes->has_blocks |= !whole;
	code.hash = code_hash(pc, whole ? CODE_PAGE : CODE_BLOCK, current);
	kept = code_of(codes, code.hash) + codes->second;
	codes->second = !codes->second;
	*kept = code;
	return kept;
}
