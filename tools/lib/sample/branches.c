// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "sample/fields.h"
#include "base/text.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>

#define UNKNOWN "[unknown]"

/* A symbol, or a lack of one. */
static char *put_symbol(char *p, const struct pmscope_symbol *symbol)
{
	if (!symbol || !symbol->name)
		return text_string(p, UNKNOWN);
	p = text_bytes(p, symbol->name, strnlen(symbol->name, BRANCHES_NAME));
	return text_hex(text_string(p, "+0x"), symbol->offset, 1);
}

static char *put_end(char *p, uint64_t address,
		     const struct pmscope_symbol *symbol, bool names)
{
	return names ? put_symbol(p, symbol)
		     : text_hex(text_string(p, "0x"), address, 1);
}

/* Bits of the payload: the branch is neither a call nor a return. */
#define CR_MASK	 0x18
#define CR_OTHER 0x18

/* perf calls an indirect branch that is no call a return. */
static const char *type_of(uint8_t payload)
{
	uint32_t flags =
		pmscope_operation_flags(PMSCOPE_OPERATION_BRANCH, payload);
	bool conditional = flags & PMSCOPE_OP_CONDITIONAL;

	if (flags & PMSCOPE_OP_CALL)
		return conditional ? "COND_CALL" : "CALL";
	if (flags & (PMSCOPE_OP_RETURN | PMSCOPE_OP_INDIRECT))
		return conditional ? "COND_RET" : "RET";
	if (conditional)
		return "COND";
	return (payload & CR_MASK) == CR_OTHER ? "UNCOND" : "";
}

/* Predicted or not, not taken, in a transaction, aborted (never), cycles. */
static char *put_flags(char *p, const struct view *v)
{
	bool mispredicted = v->events & PMSCOPE_EVENT_BIT(MISPRED);
	uint8_t payload = v->sample->batch->op[v->sample->row];

	p = text_string(p, mispredicted ? "/M" : "/P");
	if (v->events & PMSCOPE_EVENT_BIT(NOT_TAKEN))
		*p++ = 'N';
	p = text_string(p,
			v->events & PMSCOPE_EVENT_BIT(TXN) ? "/X/-/" : "/-/-/");
	p = text_unsigned(p, v->has & PMSCOPE_HAS_TOTAL ? v->total : 0);
	*p++ = '/';
	return text_string(text_string(p, type_of(payload)), "/-");
}

static char *put_branch(char *p, const struct view *v, bool names)
{
	bool has_target = v->has & PMSCOPE_HAS_TARGET;

	p = put_end(p, v->pc, &v->symbol, names);
	*p++ = '/';
	p = put_end(p, has_target ? v->target : 0, has_target ? v->to : NULL,
		    names);
	return put_flags(p, v);
}

/* Where it came from is not known, nor what it was. */
static char *put_previous(char *p, const struct view *v, bool names)
{
	p = put_end(p, 0, NULL, names);
	*p++ = '/';
	p = put_end(p, v->previous, v->before, names);
	return text_string(p, "/-/-/-/0//-");
}

static bool is_branch(const struct view *v)
{
	const struct pmscope_batch *b = v->sample->batch;

	return v->has & PMSCOPE_HAS_OPERATION &&
	       b->op_class[v->sample->row] == PMSCOPE_OPERATION_BRANCH;
}

const char *branches_text(const struct view *v, bool names, char *text)
{
	char *p = text;

	if (!view_is_spe(v))
		return NULL;
	if (is_branch(v))
		p = put_branch(p, v, names);
	if (v->has & PMSCOPE_HAS_PREVIOUS && v->previous) {
		if (p > text)
			*p++ = ' ';
		p = put_previous(p, v, names);
	}
	*p = '\0';
	return p > text ? text : NULL;
}

const char *place_text(const struct view *v, char *text)
{
	const char *dso = v->symbol.dso;
	char *p = text;

	if (!view_is_spe(v) || !(v->has & PMSCOPE_HAS_PC))
		return NULL;
	if (!dso)
		return UNKNOWN;
	p = text_bytes(p, dso, strnlen(dso, PATH_MAX));
	*text_hex(text_string(p, "+0x"), v->file_offset, 1) = '\0';
	return text;
}
