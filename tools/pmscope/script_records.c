// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: every sample of a recording in one of three forms. */
#include "message.h"
#include "progress.h"
#include "script.h"
#include "script_print.h"

#include <errno.h>
#include <string.h>

static const struct script_printer *const printers[] = {
	&script_text,
	&script_jsonl,
	&script_csv,
};

static void print_spe(struct output *out, const struct script_printer *printer,
		      const struct load *load,
		      const struct pmscope_sample *sample)
{
	struct view view;
	char *p;

	view_fill(&view, sample, load->recording, load->symbols);
	p = output_reserve(out, view_room(&view));
	if (p)
		output_commit(out, printer->spe(p, &view));
}

static void print_group(struct output *out,
			const struct script_printer *printer,
			const struct pmscope_sample *sample)
{
	char *p = output_reserve(out, group_room(sample));

	if (p)
		output_commit(out, printer->group(p, sample));
}

static int print_all(struct output *out, const struct script_printer *printer,
		     const struct load *load)
{
	const struct pmscope_losses *losses =
		pmscope_recording_losses(load->recording);
	struct pmscope_sample sample;
	struct progress progress;
	int ret;

	progress_begin(&progress,
		       pmscope_recording_trace_size(load->recording));
	while ((ret = pmscope_recording_next(load->recording, &sample)) > 0 &&
	       !out->failed) {
		if (sample.kind == PMSCOPE_SAMPLE_SPE)
			print_spe(out, printer, load, &sample);
		else
			print_group(out, printer, &sample);
		progress_set(&progress, losses->decode.bytes);
	}
	progress_end(&progress);
	return ret < 0 ? ret : 0;
}

int script_records(const struct load *load, const struct script_config *config)
{
	const struct script_printer *printer = printers[config->format];
	struct output out = {};
	int ret;

	if (printer->begin)
		output_commit(&out, printer->begin(output_reserve(&out, 1024)));
	ret = print_all(&out, printer, load);
	if (ret)
		error("%s: %s", load->name, strerror(-ret));
	if (output_finish(&out))
		return 1;
	/* Of a damaged recording, the damage is what matters: one line. */
	if (load_verdict(load) || ret)
		return 1;
	load_print_losses(load, stderr, "pmscope: ");
	return 0;
}
