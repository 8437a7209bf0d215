// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/segment.h"
#include "script/cell.h"
#include "script/pieces.h"

#include <stdlib.h>

static bool buffer_reserve(struct text_buffer *buffer, size_t room)
{
	if (room <= buffer->size)
		return true;
	free(buffer->text);
	buffer->text = malloc(room);
	buffer->size = buffer->text ? room : 0;
	return buffer->text;
}

static size_t segment_room(const struct segment *s, const struct view *view)
{
	size_t room = PIECE_STEP;

	for (size_t i = 0; i < s->nr; i++)
		room += cell_room(s->columns[i], view);
	return room;
}

bool segment_text(struct text_buffer *buffer, enum script_format format,
		  const struct segment *s, const struct view *view,
		  struct text *text)
{
	bool first = s->first;
	char *p;

	if (!buffer_reserve(buffer, segment_room(s, view)))
		return false;
	text->text = p = buffer->text;
	text->hole = NO_HOLE;
	for (size_t i = 0; i < s->nr; i++, first = false) {
		if (s->columns[i]->kind == COLUMN_OFFSET && view->symbol.name) {
			p = cell_begin(p, format, s->columns[i], first);
			text->hole = p - text->text;
		} else {
			p = cell_put(p, format, s->columns[i], view, first);
		}
	}
	text->length = p - text->text;
	return true;
}
