// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object per line: a summary, then each function, followed by its
 * instructions. Keys are stable.
 */
#include "annotate/annotate.h"
#include "print/json.h"
#include "print/losses.h"
#include "print/row_json.h"

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

static void put_names(struct json *json, const struct function *function)
{
	json_text(json, "sym", function->sym);
	json_text(json, "dso", function->dso);
}

static void put_function(const struct annotate_output *out,
			 const struct annotated_function *f)
{
	const struct function_code *code = f->code;
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "function");
	put_names(&json, f->function);
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

static void put_insn(struct json *json, const struct insn *insn)
{
	json_hex(json, "address", insn->address);
	json_hex(json, "word", insn->word);
	if (insn->text)
		json_text(json, "text", insn->text);
}

static void put_target(struct json *json, const struct annotated_function *f,
		       const struct annotated *a)
{
	uint64_t offset;
	const char *name = annotated_target(f, a, &offset);

	if (!a->insn->branches)
		return;
	json_hex(json, "target", a->insn->target);
	if (!name)
		return;
	json_text(json, "target_sym", name);
	json_unsigned(json, "target_symoff", offset);
}

static void put_line(struct json *json, const struct pmscope_line *line)
{
	char text[VIEW_LINE_MAX];

	view_line_text(line, text);
	if (!*text)
		return;
	json_text(json, "line", text);
	json_text(json, "file", line->file);
	if (line->frames)
		json_text(json, "frames", line->frames);
}

static void put_annotated(const struct annotate_output *out,
			  const struct annotated_function *f,
			  const struct annotated *a)
{
	static const struct row none;
	const struct row *row = a->row ? a->row : &none;
	struct json json = {.out = stdout};

	json_begin_line(&json);
	json_text(&json, "type", "instruction");
	put_names(&json, f->function);
	if (a->offset == UINT64_MAX)
		json_null(&json, "symoff");
	else
		json_unsigned(&json, "symoff", a->offset);
	if (a->insn) {
		put_insn(&json, a->insn);
		put_target(&json, f, a);
	}
	put_line(&json, &a->line);
	json_unsigned(&json, "samples", row->samples);
	json_real(&json, "share", 6, row_share(out->table, row));
	row_json_parts(&json, out->table, row, &a->parts);
	json_end_line(&json);
}

static int print_function(const struct annotate_output *out,
			  const struct annotated_function *f)
{
	put_function(out, f);
	for (size_t i = 0; i < f->nr; i++)
		put_annotated(out, f, &f->insns[i]);
	return 0;
}

const struct annotate_printer annotate_jsonl = {
	.begin = begin,
	.function = print_function,
	.codes = true,
};
