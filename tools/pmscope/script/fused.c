// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/fused.h"
#include "script/step.h"

#define MAX_FUSED 3

/* The steps as they were: what is not known yet is found there. */
static NOINLINE char *put_apart(enum column_value first, char *p,
				const struct step *step, struct row *row,
				size_t at)
{
	return row_step(first)(p, step, row, at);
}

/* Time, ticks and thread, but for the text before them. */
static bool head_fill(struct group *g, const struct step *step,
		      const struct row *row, uint64_t time, uint64_t ticks)
{
	uint64_t thread = row->current->on_cpu;
	const struct piece *piece = piece_of(step[2].pieces, thread);
	char *end = g->text;

	if (piece->hash != thread)
		return false;
	end = group_begin(g, 0, end, time);
	end = group_begin(g, 1, text_put(end, step + 1), ticks);
	end = piece_put(text_put(end, step + 2),
			step[2].pieces->pool + piece->at, piece->length);
	g->length = end - g->text;
	g->key = thread;
	return true;
}

static NOINLINE char *head_put_new(char *p, const struct step *step,
				   struct row *row, size_t at, uint64_t time,
				   uint64_t ticks)
{
	struct group *g = &row->memory->layout.head;
	bool same = g->length && g->key == row->current->on_cpu;

	if ((!same || !group_renew(g, 0, time) || !group_renew(g, 1, ticks)) &&
	    !head_fill(g, step, row, time, ticks)) {
		group_forget(g);
		return put_apart(VALUE_TIME, p, step, row, at);
	}
	p = piece_put(text_put(p, step), g->text, g->length);
	return next_put(p, step + 2, row, at);
}

static char *put_head(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	const struct group *g = &row->memory->layout.head;
	uint64_t time = row->times[at], ticks = member_64(row, step + 1, at);
	char *end;

	if (g->key != row->current->on_cpu || !group_has(g, 0, time) ||
	    !group_has(g, 1, ticks))
		return head_put_new(p, step, row, at, time, ticks);
	p = text_put(p, step);
	end = piece_put(p, g->text, g->length);
	group_put(g, 0, p, time);
	group_put(g, 1, p, ticks);
	return next_put(end, step + 2, row, at);
}

/* What seldom changes, a number, and the end of the row. */
static void tail_fill(struct group *g, const struct step *step, uint32_t value,
		      uint64_t number)
{
	char *end = text_put(quick_unsigned(g->text, value), step + 1);

	end = text_put(group_begin(g, 0, end, number), step + 2);
	g->length = end - g->text;
	g->key = value;
}

static NOINLINE char *tail_put_new(char *p, const struct step *step,
				   struct row *row, uint32_t value,
				   uint64_t number)
{
	struct group *g = &row->memory->layout.tail;

	if (!g->length || g->key != value || !group_renew(g, 0, number))
		tail_fill(g, step, value, number);
	return piece_put(text_put(p, step), g->text, g->length);
}

static char *put_tail(char *p, const struct step *step, struct row *row,
		      size_t at)
{
	const struct group *g = &row->memory->layout.tail;
	uint64_t number = member_64(row, step + 1, at);
	uint32_t value = member_32(row, step, at);
	char *end;

	if (g->key != value || !group_has(g, 0, number))
		return tail_put_new(p, step, row, value, number);
	p = text_put(p, step);
	end = piece_put(p, g->text, g->length);
	group_put(g, 0, p, number);
	return end;
}

/* Latencies, @nr of them, which is constant: without loops. */
HOT char *put_small(char *p, const struct step *step, struct row *row,
		    size_t at, size_t nr)
{
	uint16_t values[MAX_FUSED], any = 0;

#pragma GCC unroll 3
	for (size_t i = 0; i < nr; i++)
		any |= values[i] = member_16(row, step + i, at);
	if (any >= SMALL_NUMBERS)
		return put_apart(VALUE_16, p, step, row, at);
#pragma GCC unroll 3
	for (size_t i = 0; i < nr; i++)
		p = small_unsigned(&row->memory->small, text_put(p, step + i),
				   values[i]);
	return next_put(p, step + nr - 1, row, at);
}

static char *put_two(char *p, const struct step *step, struct row *row,
		     size_t at)
{
	return put_small(p, step, row, at, 2);
}

static char *put_three(char *p, const struct step *step, struct row *row,
		       size_t at)
{
	return put_small(p, step, row, at, 3);
}

/*
 * @group: that of the layout, where the steps share one text. It is for two
 *	   columns only; and between them no plan has what others have not
 */
static const struct fused {
	step_put *put;
	size_t nr;
	enum column_value values[MAX_FUSED];
	size_t group;
} all_fused[] = {
	{put_head,
	 3,
	 {VALUE_TIME, VALUE_64, VALUE_OF_THREAD},
	 offsetof(struct layout, head)},
	{put_tail,
	 3,
	 {VALUE_32, VALUE_64, VALUE_NONE},
	 offsetof(struct layout, tail)},
	{put_three, 3, {VALUE_16, VALUE_16, VALUE_16}, 0},
	{put_two, 2, {VALUE_16, VALUE_16}, 0},
};

static bool group_is_for(struct group *g, const struct step *steps)
{
	if (!g->of[0]) {
		g->of[0] = steps[0].recent;
		g->of[1] = steps[1].recent;
	}
	return g->of[0] == steps[0].recent && g->of[1] == steps[1].recent &&
	       !steps[1].settled && !steps[2].settled;
}

static bool fits(const struct fused *f, const struct step *steps, size_t nr,
		 struct layout *layout)
{
	if (nr < f->nr)
		return false;
	for (size_t i = 0; i < f->nr; i++)
		if (steps[i].put != row_step(f->values[i]))
			return false;
	return !f->group ||
	       group_is_for((void *)((char *)layout + f->group), steps);
}

size_t steps_fuse(struct step *steps, size_t nr, struct layout *layout)
{
	for (size_t i = 0; i < sizeof(all_fused) / sizeof(all_fused[0]); i++) {
		if (!fits(&all_fused[i], steps, nr, layout))
			continue;
		steps->put = all_fused[i].put;
		return all_fused[i].nr;
	}
	return 1;
}
