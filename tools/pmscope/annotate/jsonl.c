// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object per line: a summary, then each function, followed by its
 * instructions. Keys are stable.
 */
#include "annotate/annotate.h"

static void begin(const struct annotate_output *out)
{
	const struct row_table *table = out->table;
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "summary");
	json_text(&json, "file", out->load->name);
	json_unsigned(&json, "samples", table->samples);
	json_unsigned(&json, "functions", out->nr_functions);
	losses_json(&json, out->load);
	json_unsigned(&json, "timed", table->total.count);
	json_unsigned(&json, "sourced", table->sourced);
	json_text(&json, "disassembler", out->disassembler);
	json_end_line(&json);
}

static void put_function(const struct annotate_output *out,
			 const struct annotated_function *f)
{
	const struct function_code *code = f->code;
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "function");
	json_text(&json, "sym", f->function->sym);
	json_text(&json, "dso", f->function->dso);
	json_unsigned(&json, "samples", f->function->samples);
	json_real(&json, "share", 6, function_share(out->table, f->function));
	if (code->error) {
		json_text(&json, "missing", function_code_why(code));
	} else {
		json_text(&json, "code", code->code.file);
		json_hex(&json, "address", code->code.address);
		json_unsigned(&json, "size", code->code.size);
		json_bool(&json, "cut", code->cut);
	}
	json_end_line(&json);
}

static int print_function(const struct annotate_output *out,
			  const struct annotated_function *f)
{
	put_function(out, f);
	return annotate_rows(out, f, PRINT_JSONL);
}

const struct annotate_printer annotate_jsonl = {
	.begin = begin,
	.function = print_function,
	.codes = true,
};
