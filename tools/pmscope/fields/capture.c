// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields/capture.h"
#include "base/text.h"
#include "session/stream_sample.h"

#define COUNTER_ROOM 160

static const char *word(const char *const *words, size_t nr, unsigned int value)
{
	return value < nr ? words[value] : "other";
}

#define WORD(words, value) word(words, sizeof(words) / sizeof(words[0]), value)

struct view capture_view(const struct pmscope_sample *sample,
			 struct pmscope_record *record)
{
	struct view view = {.sample = sample};

	if (sample->record &&
	    pmscope_stream_next(sample->record, sample->record_size, record) >
		    0)
		view.record = record;
	return view;
}

const char *capture_trigger(const struct pmscope_record *record)
{
	static const char *const words[] = {
		[PMSCOPE_TRIGGER_NONE] = NULL,
		[PMSCOPE_TRIGGER_TIMER] = "timer",
		[PMSCOPE_TRIGGER_OVERFLOW] = "overflow",
		[PMSCOPE_TRIGGER_SPE] = "spe",
		[PMSCOPE_TRIGGER_READ] = "read",
		[PMSCOPE_TRIGGER_BPF] = "bpf",
	};

	return WORD(words, record->trigger);
}

const char *capture_backend(const struct pmscope_record *record)
{
	static const char *const words[] = {
		[PMSCOPE_BACKEND_NONE] = NULL,
		[PMSCOPE_BACKEND_HARDWARE] = "hardware",
		[PMSCOPE_BACKEND_FROZEN] = "frozen",
	};

	return WORD(words, record->backend);
}

const char *capture_result(const struct pmscope_record *record)
{
	static const char *const words[] = {
		[PMSCOPE_CAPTURED] = "captured",
		[PMSCOPE_PROHIBITED] = "prohibited",
		[PMSCOPE_DISABLED] = "disabled",
		[PMSCOPE_TIMED_OUT] = "timed-out",
		[PMSCOPE_RACED] = "raced",
	};

	return WORD(words, record->result);
}

size_t capture_room(const struct pmscope_record *record)
{
	return record ? (size_t)COUNTER_ROOM * record->nr_counters : 0;
}

static char *put_plain(char *p, const struct pmscope_record_counter *c)
{
	p = text_unsigned(p, c->number);
	if (c->flags & PMSCOPE_COUNTER_STALE)
		return text_string(p, ":stale");
	p = text_hex(text_string(p, ":0x"), c->type, 1);
	return text_hex(text_string(p, "=0x"), c->value, 1);
}

static char *put_object(char *p, const struct pmscope_record_counter *c)
{
	p = text_unsigned(text_string(p, "{\"number\":"), c->number);
	if (c->flags & PMSCOPE_COUNTER_STALE) {
		p = text_string(p, ",\"stale\":1");
	} else {
		p = text_hex(text_string(p, ",\"type\":\"0x"), c->type, 1);
		p = text_hex(text_string(p, "\",\"value\":\"0x"), c->value, 1);
		*p++ = '"';
	}
	if (c->flags & PMSCOPE_COUNTER_MEMBER) {
		p = text_unsigned(text_string(p, ",\"id\":"), c->id);
		p = text_unsigned(text_string(p, ",\"count\":"), c->count);
	}
	*p++ = '}';
	return p;
}

static char *put_counter(char *p, enum script_format format,
			 const struct pmscope_record_counter *counter)
{
	return format == SCRIPT_JSONL ? put_object(p, counter)
				      : put_plain(p, counter);
}

char *capture_put_counters(char *p, enum script_format format,
			   const struct view *view)
{
	const struct pmscope_record *record = view->record;
	struct pmscope_record_counter counter;

	if (format == SCRIPT_JSONL)
		*p++ = '[';
	for (unsigned int i = 0; i < record->nr_counters; i++) {
		pmscope_stream_counter(view->sample->record, record, i,
				       &counter);
		if (i)
			*p++ = format == SCRIPT_CSV ? '|' : ',';
		p = put_counter(p, format, &counter);
	}
	if (format == SCRIPT_JSONL)
		*p++ = ']';
	return p;
}

bool capture_expected(const struct pmscope_recording *recording)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(recording);
	size_t nr = reader ? pmscope_perfdata_nr_attrs(reader) : 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t type =
			pmscope_perfdata_attr(reader, i)->attr.sample_type;

		if ((type & PMSCOPE_STREAM_SAMPLE_TYPE) ==
		    PMSCOPE_STREAM_SAMPLE_TYPE)
			return true;
	}
	return false;
}
