// SPDX-License-Identifier: GPL-2.0-or-later
/* For people, in the manner of perf script; free to change. */
#include "base/text.h"
#include "fields/capture.h"
#include "script/print.h"

static char *pad(char *p, char *from, int width)
{
	while (p - from < width)
		*p++ = ' ';
	return p;
}

static char *seconds(char *p, uint64_t ns)
{
	char fraction[24];

	p = text_unsigned(p, ns / 1000000000);
	*p++ = '.';
	/* A one before the nine digits keeps their zeros. */
	text_unsigned(fraction, 1000000000 + ns % 1000000000);
	return text_bytes(p, fraction + 1, 9);
}

static char *id(char *p, uint32_t value)
{
	return value == PMSCOPE_NO_ID ? text_string(p, "?")
				      : text_unsigned(p, value);
}

static char *who(char *p, const struct pmscope_sample *s)
{
	char *from = p;

	p = print_clean(p, s->comm ? s->comm : "?");
	p = pad(p, from, 15);
	*p++ = ' ';
	from = p;
	p = id(p, s->pid);
	*p++ = '/';
	p = id(p, s->tid);
	p = pad(p, from, 12);
	p = text_string(p, " [");
	p = id(p, s->cpu);
	p = text_string(p, "] ");
	if (s->has_time) {
		p = seconds(p, s->time);
		*p++ = ':';
	}
	return p;
}

static char *code(char *p, const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_PC))
		return text_string(p, " ?");
	*p++ = ' ';
	p = text_hex(p, v->pc, 1);
	*p++ = ' ';
	if (v->symbol.name) {
		p = print_clean(p, v->symbol.name);
		p = text_string(p, "+0x");
		p = text_hex(p, v->symbol.offset, 1);
	} else {
		p = text_string(p, "[unknown]");
	}
	p = text_string(p, " (");
	p = print_clean(p, v->symbol.dso ? v->symbol.dso : "[unknown]");
	return text_string(p, ")");
}

static char *address(char *p, const char *name, bool known, uint64_t value)
{
	if (!known)
		return p;
	p = text_string(p, name);
	return text_hex(p, value, 1);
}

static char *latency(char *p, const char *name, bool known, uint16_t value)
{
	if (!known)
		return p;
	p = text_string(p, name);
	return text_unsigned(p, value);
}

static char *details(char *p, const struct view *v)
{
	p = address(p, " va 0x", v->has & PMSCOPE_HAS_VA, v->va);
	p = address(p, " pa 0x", v->has & PMSCOPE_HAS_PA, v->pa);
	p = address(p, " to 0x", v->has & PMSCOPE_HAS_TARGET, v->target);
	p = address(p, " prev 0x", v->has & PMSCOPE_HAS_PREVIOUS, v->previous);
	p = latency(p, " lat ", v->has & PMSCOPE_HAS_TOTAL, v->total);
	p = latency(p, " issue ", v->has & PMSCOPE_HAS_ISSUE, v->issue);
	return latency(p, " xlat ", v->has & PMSCOPE_HAS_TRANSLATE,
		       v->translate);
}

static char *source(char *p, const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_SOURCE))
		return p;
	p = text_string(p, " from ");
	if (v->source_name)
		return text_string(p, v->source_name);
	return text_unsigned(text_string(p, "source "), v->source);
}

static char *print_spe(char *p, const struct view *v)
{
	char *from;

	p = who(p, v->sample);
	*p++ = ' ';
	from = p;
	p = text_string(p, v->op ? v->op_text : "?");
	p = pad(p, from, 12);
	p = code(p, v);
	p = details(p, v);
	p = source(p, v);
	if (v->events) {
		*p++ = ' ';
		p = print_events(p, v->events, v->sample->midr, ',', 0);
	}
	*p++ = '\n';
	return p;
}

static char *amount(char *p, const char *name, uint64_t value)
{
	return value ? text_unsigned(text_string(p, name), value) : p;
}

/* The window of SPE data that the capture closes. */
static char *window(char *p, const struct pmscope_record *r)
{
	if (!(r->flags & PMSCOPE_RECORD_HAS_SPE))
		return p;
	p = text_hex(text_string(p, " aux 0x"), r->aux_offset, 1);
	p = text_hex(text_string(p, "+0x"), r->aux_size, 1);
	p = text_hex(text_string(p, " pmbsr 0x"), r->pmbsr, 1);
	if (r->flags & PMSCOPE_RECORD_SPE_FROZEN)
		p = text_string(p, " frozen");
	return p;
}

/* Of what is as it should be, nothing. */
static char *capture(char *p, const struct pmscope_record *r)
{
	if (capture_trigger(r))
		p = text_string(text_string(p, " by "), capture_trigger(r));
	if (r->trigger == PMSCOPE_TRIGGER_BPF)
		p = address(p, " cookie 0x", true, r->cookie);
	p = window(p, r);
	if (r->result != PMSCOPE_CAPTURED)
		p = text_string(text_string(p, " "), capture_result(r));
	p = amount(p, " stopped ", r->stopped);
	if (r->flags & PMSCOPE_RECORD_THROTTLED)
		p = text_string(p, " throttled");
	return amount(p, " lost ", r->lost);
}

/* Of a group that shared its counters with others, so far. */
static char *time_share(char *p, const struct pmscope_sample *s)
{
	unsigned int share = 10000.0 * s->time_running / s->time_enabled;

	p = text_unsigned(text_string(p, " ("), share / 100);
	*p++ = '.';
	return text_string(text_two(p, share % 100), "% of the time)");
}

static char *print_group(char *p, const struct view *v)
{
	const struct pmscope_sample *s = v->sample;

	p = who(p, s);
	p = text_string(p, " ");
	p = text_string(p, script_group_type(s));
	for (size_t i = 0; i < s->nr_counts; i++) {
		const struct pmscope_count *count = &s->counts[i];

		*p++ = ' ';
		if (count->name)
			p = print_clean(p, count->name);
		else
			p = text_unsigned(text_string(p, "id "), count->id);
		*p++ = '=';
		p = text_unsigned(p, count->value);
	}
	if (s->time_running < s->time_enabled)
		p = time_share(p, s);
	if (v->record)
		p = capture(p, v->record);
	*p++ = '\n';
	return p;
}

const struct script_printer script_text = {
	.spe = print_spe,
	.group = print_group,
};
