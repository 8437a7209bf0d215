// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script: every sample of a recording in one of three forms. */
#include "message.h"
#include "script.h"
#include "script_print.h"

#include <string.h>

static const struct script_printer *const printers[] = {
	&script_text,
	&script_jsonl,
	&script_csv,
};

struct printing {
	struct output out;
	const struct script_printer *printer;
	const struct load *load;
};

static void print_spe(struct printing *to, const struct pmscope_sample *sample)
{
	struct view view;
	char *p;

	view_fill(&view, sample, to->load->recording, to->load->symbols);
	p = output_reserve(&to->out, view_room(&view));
	if (p)
		output_commit(&to->out, to->printer->spe(p, &view));
}

static void print_group(struct printing *to,
			const struct pmscope_sample *sample)
{
	char *p = output_reserve(&to->out, group_room(sample));

	if (p)
		output_commit(&to->out, to->printer->group(p, sample));
}

/* 1 when a write failed: output_finish() tells why. */
static int print(void *context, const struct pmscope_sample *sample)
{
	struct printing *to = context;

	if (sample->kind == PMSCOPE_SAMPLE_SPE)
		print_spe(to, sample);
	else
		print_group(to, sample);
	return to->out.failed;
}

int script_records(const struct load *load, const struct script_config *config)
{
	struct printing to = {
		.printer = printers[config->format],
		.load = load,
	};
	int ret;

	if (to.printer->begin)
		output_commit(&to.out,
			      to.printer->begin(output_reserve(&to.out, 1024)));
	ret = load_each(load, print, &to);
	if (ret < 0)
		error("%s: %s", load->name, strerror(-ret));
	if (output_finish(&to.out))
		return 1;
	/* Of a damaged recording, the damage is what matters: one line. */
	if (load_verdict(load) || ret)
		return 1;
	load_print_losses(load, stderr, "pmscope: ");
	return 0;
}
