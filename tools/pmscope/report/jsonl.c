// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object per line: a summary, then the rows, then the counters. Keys
 * are stable.
 */
#include "judgement/judgement.h"
#include "report/report.h"

static int print_summary(struct json *json, const struct report_output *out)
{
	const struct row_table *r = out->report;
	int ret;

	json_begin_line(json);
	json_text(json, "type", "summary");
	json_text(json, "file", out->load->name);
	json_unsigned(json, "samples", r->samples);
	json_unsigned(json, "snapshots", r->snapshots);
	json_unsigned(json, "groups", r->groups);
	json_unsigned(json, "rows", r->nr_rows);
	losses_json(json, out->load);
	ret = judgement_json(json, "judgement", r, out->load);
	json_unsigned(json, "timed", r->total.count);
	json_unsigned(json, "sourced", r->sourced);
	if (out->totals.by_interval) {
		json_real(json, "operations", 0, r->weight.operations);
		json_real(json, "sampled", 9, out->totals.all.sampled);
	} else if (out->totals.all.each) {
		json_unsigned(json, "population", out->totals.population);
		json_real(json, "sampled", 9, out->totals.all.sampled);
		json_unsigned(json, "lost_records", out->totals.all.lost);
	}
	json_end_line(json);
	return ret;
}

int report_print_jsonl(const struct report_output *out)
{
	double ipc = counters_ipc(&out->report->counters);
	struct json json = {.out = stdout};
	int ret = print_summary(&json, out)
			  ?: report_print_rows(out, PRINT_JSONL)
			  ?: report_print_rates(out, PRINT_JSONL);

	if (ipc >= 0) {
		json_begin_line(&json);
		json_text(&json, "type", "ipc");
		json_real(&json, "value", 6, ipc);
		json_end_line(&json);
	}
	return ret;
}
