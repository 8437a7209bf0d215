// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "sample/fields.h"

static const char *word(const char *const *words, size_t nr, unsigned int value)
{
	return value < nr ? words[value] : "other";
}

#define WORD(words, value) word(words, ARRAY_SIZE(words), value)

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
