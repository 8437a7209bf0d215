// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object a line. Keys are stable; what a sample does not have is
 * left out. Addresses are strings, since JSON numbers lose bits above 2^53.
 */
#include "fields/capture.h"
#include "print/json.h"
#include "print/quick.h"
#include "script/print.h"

/* The length of a name that is known where it is written is known, too. */
#define INLINE static inline __attribute__((always_inline))

INLINE char *key(char *p, const char *name)
{
	*p++ = ',';
	*p++ = '"';
	p = text_string(p, name);
	*p++ = '"';
	*p++ = ':';
	return p;
}

INLINE char *number(char *p, const char *name, uint64_t value)
{
	return quick_unsigned(key(p, name), value);
}

INLINE char *address(char *p, const char *name, uint64_t value)
{
	p = text_string(key(p, name), "\"0x");
	p = quick_hex(p, value);
	*p++ = '"';
	return p;
}

INLINE char *string(char *p, const char *name, const char *value)
{
	return json_quote(key(p, name), value);
}

static char *who(char *p, const struct pmscope_sample *s)
{
	if (s->cpu != PMSCOPE_NO_ID)
		p = number(p, "cpu", s->cpu);
	if (s->pid != PMSCOPE_NO_ID)
		p = number(p, "pid", s->pid);
	if (s->tid != PMSCOPE_NO_ID)
		p = number(p, "tid", s->tid);
	if (s->comm)
		p = string(p, "comm", s->comm);
	return p;
}

static char *code(char *p, const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_PC))
		return p;
	p = number(p, "el", v->el);
	p = number(p, "ns", v->ns);
	p = address(p, "pc", v->pc);
	if (v->symbol.name) {
		p = string(p, "sym", v->symbol.name);
		p = number(p, "symoff", v->symbol.offset);
	}
	if (v->symbol.dso)
		p = string(p, "dso", v->symbol.dso);
	return p;
}

static char *operation(char *p, const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_OPERATION))
		return p;
	p = text_string(key(p, "op"), "{\"class\":\"");
	p = text_string(p, v->op);
	p = text_string(p, "\",\"text\":\"");
	p = text_string(p, v->op_text);
	return text_string(p, "\"}");
}

static char *addresses(char *p, const struct view *v)
{
	if (v->has & PMSCOPE_HAS_VA)
		p = address(p, "va", v->va);
	if (v->has & PMSCOPE_HAS_PA)
		p = address(p, "pa", v->pa);
	if (v->has & PMSCOPE_HAS_TARGET)
		p = address(p, "target", v->target);
	if (v->has & PMSCOPE_HAS_PREVIOUS)
		p = address(p, "previous_target", v->previous);
	return p;
}

static char *events(char *p, const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_EVENTS))
		return p;
	p = key(p, "events");
	*p++ = '[';
	p = print_events(p, v->events, v->sample->midr, ',', '"');
	*p++ = ']';
	return p;
}

/* Members of an object each bring a comma: the first one's is its brace. */
INLINE char *object(char *p, const char *name, char **brace)
{
	p = key(p, name);
	*brace = p;
	return p;
}

static char *object_end(char *p, char *brace)
{
	*brace = '{';
	*p++ = '}';
	return p;
}

static char *latencies(char *p, const struct view *v)
{
	char *brace;

	if (!(v->has &
	      (PMSCOPE_HAS_TOTAL | PMSCOPE_HAS_ISSUE | PMSCOPE_HAS_TRANSLATE)))
		return p;
	p = object(p, "latencies", &brace);
	if (v->has & PMSCOPE_HAS_TOTAL)
		p = number(p, "total", v->total);
	if (v->has & PMSCOPE_HAS_ISSUE)
		p = number(p, "issue", v->issue);
	if (v->has & PMSCOPE_HAS_TRANSLATE)
		p = number(p, "xlat", v->translate);
	return object_end(p, brace);
}

/* By its index, as it has no name. */
static char *counter(char *p, const struct view *v)
{
	if (!(v->has & PMSCOPE_HAS_COUNTER))
		return p;
	p = text_string(key(p, "counts"), "[{\"index\":");
	p = text_unsigned(p, v->counter >> 16);
	p = text_string(p, ",\"value\":");
	p = text_unsigned(p, v->counter & UINT16_MAX);
	return text_string(p, "}]");
}

static char *source(char *p, const struct view *v)
{
	char *brace;

	if (!(v->has & PMSCOPE_HAS_SOURCE))
		return p;
	p = object(p, "source", &brace);
	p = number(p, "code", v->source);
	if (v->source_name)
		p = string(p, "name", v->source_name);
	return object_end(p, brace);
}

static char *context(char *p, const struct view *v)
{
	char *brace;

	if (!(v->has & (PMSCOPE_HAS_CONTEXT_EL1 | PMSCOPE_HAS_CONTEXT_EL2)))
		return p;
	p = object(p, "context", &brace);
	if (v->has & PMSCOPE_HAS_CONTEXT_EL1)
		p = number(p, "el1", v->context_el1);
	if (v->has & PMSCOPE_HAS_CONTEXT_EL2)
		p = number(p, "el2", v->context_el2);
	return object_end(p, brace);
}

static char *print_spe(char *p, const struct view *v)
{
	p = text_string(p, "{\"type\":\"spe\"");
	if (v->sample->has_time)
		p = number(p, "time", v->sample->time);
	if (v->has & PMSCOPE_HAS_TIMESTAMP)
		p = number(p, "ticks", v->ticks);
	p = who(p, v->sample);
	p = code(p, v);
	p = operation(p, v);
	p = addresses(p, v);
	p = events(p, v);
	p = latencies(p, v);
	p = counter(p, v);
	p = source(p, v);
	p = context(p, v);
	p = number(p, "offset", v->offset);
	return text_string(p, "}\n");
}

INLINE char *word(char *p, const char *name, const char *value)
{
	return value ? string(p, name, value) : p;
}

/* The window of SPE data that the capture closes. */
static char *window(char *p, const struct pmscope_record *r)
{
	char *brace;

	if (!(r->flags & PMSCOPE_RECORD_HAS_SPE))
		return p;
	p = object(p, "spe", &brace);
	p = number(p, "frozen", !!(r->flags & PMSCOPE_RECORD_SPE_FROZEN));
	p = address(p, "pmbsr", r->pmbsr);
	p = address(p, "pmbptr", r->pmbptr);
	p = number(p, "aux_offset", r->aux_offset);
	p = number(p, "aux_size", r->aux_size);
	return object_end(p, brace);
}

static char *capture(char *p, const struct view *v)
{
	const struct pmscope_record *r = v->record;

	p = word(p, "trigger", capture_trigger(r));
	p = word(p, "backend", capture_backend(r));
	p = word(p, "result", capture_result(r));
	p = number(p, "throttled", !!(r->flags & PMSCOPE_RECORD_THROTTLED));
	p = number(p, "stopped", r->stopped);
	if (r->backend == PMSCOPE_BACKEND_HARDWARE)
		p = address(p, "pmsscr", r->pmsscr);
	p = number(p, "lost", r->lost);
	if (r->trigger == PMSCOPE_TRIGGER_BPF)
		p = address(p, "cookie", r->cookie);
	p = window(p, r);
	return capture_put_counters(key(p, "counters"), SCRIPT_JSONL, v);
}

static char *print_group(char *p, const struct view *v)
{
	const struct pmscope_sample *s = v->sample;

	p = text_string(p, "{\"type\":\"");
	p = text_string(p, script_group_type(s));
	p = text_string(p, "\"");
	if (s->has_time)
		p = number(p, "time", s->time);
	if (v->record && v->record->cntvct)
		p = number(p, "ticks", v->record->cntvct);
	p = who(p, s);
	p = print_counts_json(key(p, "counts"), s);
	if (s->time_enabled)
		p = number(p, "time_enabled", s->time_enabled);
	if (s->time_running)
		p = number(p, "time_running", s->time_running);
	if (v->record)
		p = capture(p, v);
	return text_string(p, "}\n");
}

const struct script_printer script_jsonl = {
	.spe = print_spe,
	.group = print_group,
};
