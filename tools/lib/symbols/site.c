// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Which function wants the memory that it, or what it calls, allocates. */
#include "source_lines.h"

#define HEAP "[heap]"

/* Room for a name; a longer one ends there. */
#define NAME_MAX_TEXT 1024

static void put(char text[NAME_MAX_TEXT], const struct pmscope_frame *frame)
{
	if (frame->file && frame->line)
		snprintf(text, NAME_MAX_TEXT, HEAP " %s %s:%u", frame->name,
			 basename(frame->file), frame->line);
	else
		snprintf(text, NAME_MAX_TEXT, HEAP " %s", frame->name);
}

/* The functions at @place, or its symbol. Returns their number or -ENOMEM. */
static int frames_at(struct pmscope_symbols *s,
		     const struct pmscope_place *place, uint64_t address,
		     struct pmscope_frame frames[PMSCOPE_FRAMES_MAX])
{
	struct pmscope_symbol symbol;
	uint64_t behind;
	int nr = pmscope_symbols_frames(s, place, frames, &behind), ret;

	if (nr > 0 || nr == -ENOMEM)
		return nr;
	ret = pmscope_symbols_find(s, place, address, &symbol);
	frames[0] = (struct pmscope_frame){.name = symbol.name};
	return ret == -ENOMEM ? ret : !ret;
}

int pmscope_symbols_site(struct pmscope_symbols *s,
			 const struct pmscope_place *places,
			 const uint64_t *callers, size_t nr,
			 struct pmscope_site *site)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	char text[NAME_MAX_TEXT] = HEAP;
	bool wants = false;
	size_t last = 0;
	int ret;

	*site = (struct pmscope_site){.name = HEAP};
	if (nr && places[0].dso)
		snprintf(text, sizeof(text), HEAP " %s",
			 basename(places[0].dso));
	for (size_t i = 0; i < nr && !wants; i++) {
		ret = frames_at(s, &places[i], callers[i], frames);
		if (ret == -ENOMEM)
			return ret;
		for (int k = 0; k < ret && !wants; k++) {
			if (!frames[k].name)
				continue;
			put(text, &frames[k]);
			wants = !is_wrapper(&frames[k]);
			last = i;
		}
	}
	ret = symbols_keep(s, text, &site->name);
	for (size_t i = 0; i < nr && i <= last && !site->type && !ret; i++)
		ret = symbols_block_type(s, &places[i], i < last, site);
	return ret == -ENOENT ? 0 : ret;
}
