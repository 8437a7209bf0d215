// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields/capture.h"
#include "session/stream_sample.h"

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
