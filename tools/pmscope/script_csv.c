// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comma-separated values (RFC 4180) under a header line. Columns are stable;
 * one a sample does not have is empty.
 */
#include "csv.h"
#include "script_print.h"
#include "text/text.h"

static const char header[] =
	"type,time,ticks,cpu,pid,tid,comm,el,ns,pc,sym,symoff,dso,op,op_text,"
	"va,pa,target,previous_target,events,lat_total,lat_issue,lat_xlat,"
	"source,source_name,context_el1,context_el2,offset,counts\n";

static char *print_header(char *p)
{
	return text_string(p, header);
}

static char *number(char *p, bool known, uint64_t value)
{
	*p++ = ',';
	return known ? text_unsigned(p, value) : p;
}

static char *address(char *p, bool known, uint64_t value)
{
	*p++ = ',';
	if (!known)
		return p;
	p = text_string(p, "0x");
	return text_hex(p, value, 1);
}

static char *string(char *p, const char *value)
{
	*p++ = ',';
	return value ? csv_field(p, value) : p;
}

static char *who(char *p, const struct pmscope_sample *s)
{
	p = number(p, s->cpu != PMSCOPE_NO_ID, s->cpu);
	p = number(p, s->pid != PMSCOPE_NO_ID, s->pid);
	p = number(p, s->tid != PMSCOPE_NO_ID, s->tid);
	return string(p, s->comm);
}

static char *code(char *p, const struct view *v)
{
	bool pc = v->has & PMSCOPE_HAS_PC;

	p = number(p, pc, v->el);
	p = number(p, pc, v->ns);
	p = address(p, pc, v->pc);
	p = string(p, v->symbol.name);
	p = number(p, v->symbol.name, v->symbol.offset);
	p = string(p, v->symbol.dso);
	p = string(p, v->op);
	return string(p, v->op_text);
}

static char *addresses(char *p, const struct view *v)
{
	p = address(p, v->has & PMSCOPE_HAS_VA, v->va);
	p = address(p, v->has & PMSCOPE_HAS_PA, v->pa);
	p = address(p, v->has & PMSCOPE_HAS_TARGET, v->target);
	return address(p, v->has & PMSCOPE_HAS_PREVIOUS, v->previous);
}

static char *costs(char *p, const struct view *v)
{
	*p++ = ',';
	p = print_events(p, v->events, v->sample->midr, '|', 0);
	p = number(p, v->has & PMSCOPE_HAS_TOTAL, v->total);
	p = number(p, v->has & PMSCOPE_HAS_ISSUE, v->issue);
	p = number(p, v->has & PMSCOPE_HAS_TRANSLATE, v->translate);
	p = number(p, v->has & PMSCOPE_HAS_SOURCE, v->source);
	return string(p, v->source_name);
}

static char *print_spe(char *p, const struct view *v)
{
	p = text_string(p, "spe");
	p = number(p, v->sample->has_time, v->sample->time);
	p = number(p, v->has & PMSCOPE_HAS_TIMESTAMP, v->ticks);
	p = who(p, v->sample);
	p = code(p, v);
	p = addresses(p, v);
	p = costs(p, v);
	p = number(p, v->has & PMSCOPE_HAS_CONTEXT_EL1, v->context_el1);
	p = number(p, v->has & PMSCOPE_HAS_CONTEXT_EL2, v->context_el2);
	p = number(p, true, v->offset);
	return text_string(p, ",\n");
}

static char *print_counts(char *p, const struct pmscope_sample *s)
{
	for (size_t i = 0; i < s->nr_counts; i++) {
		const struct pmscope_count *count = &s->counts[i];

		if (i)
			*p++ = '|';
		if (count->name)
			p = text_string(p, count->name);
		else
			p = text_unsigned(p, count->id);
		*p++ = '=';
		p = text_unsigned(p, count->value);
	}
	return p;
}

static char *print_group(char *p, const struct pmscope_sample *s)
{
	static const char between[] = ",,,,,,,,,,,,,,,,,,,,,,"; /* el..offset */

	p = text_string(p, s->is_snapshot ? "snapshot" : "group");
	p = number(p, s->has_time, s->time);
	p = number(p, false, 0);
	p = who(p, s);
	p = text_string(p, between);
	/* Event names have commas in them: always a quoted field. */
	*p++ = '"';
	p = print_counts(p, s);
	return text_string(p, "\"\n");
}

const struct script_printer script_csv = {
	.begin = print_header,
	.spe = print_spe,
	.group = print_group,
};
