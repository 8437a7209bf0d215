// SPDX-License-Identifier: GPL-2.0-or-later
/* The code of the heaviest functions, with what each instruction costs. */
#include "code/code.h"
#include "html/html.h"

#include <pmscope/events.h>

/* Instructions before and after one with samples, where not all fit. */
#define AROUND 6

/* Longer texts of instructions and targets are cut. */
#define TEXT_MAX_BYTES 160

static const enum pmscope_event events[] = {
	PMSCOPE_EVENT_L1D_REFILL,
	PMSCOPE_EVENT_LLC_REFILL,
	PMSCOPE_EVENT_TLB_REFILL,
	PMSCOPE_EVENT_MISPRED,
};

/* What functions and instructions are chosen by; equal ones stay in order. */
struct rank {
	double share;
	size_t index;
};

static COMPARISON(compare_ranks, struct rank,
		  COMPARE(y->share, x->share) ?: COMPARE(x->index, y->index));

static struct rank *rank_functions(const struct html *html,
				   const struct functions *functions)
{
	struct rank *ranks = calloc(functions->nr + 1, sizeof(*ranks));

	for (size_t i = 0; ranks && i < functions->nr; i++) {
		const struct function *f = &functions->all[i];

		ranks[i] =
			(struct rank){html_rank(html, f->samples,
						function_share(&html->code, f)),
				      i};
	}
	if (ranks)
		qsort(ranks, functions->nr, sizeof(*ranks), compare_ranks);
	return ranks;
}

/* Shows the surroundings of @at. Returns how many more are then shown. */
static size_t show_around(bool *shown, size_t nr, size_t at)
{
	size_t first = at > AROUND ? at - AROUND : 0, more = 0;

	for (size_t i = first; i < nr && i <= at + AROUND; i++) {
		more += !shown[i];
		shown[i] = true;
	}
	return more;
}

/* Chooses about @max instructions: the heaviest and those around them. */
static int choose(const struct html *html, const struct annotated_function *f,
		  size_t max, bool *shown)
{
	FREED struct rank *ranks = NULL;
	size_t nr = 0, sum = 0;

	if (f->nr <= max) {
		memset(shown, true, f->nr);
		return 0;
	}
	ranks = calloc(f->nr, sizeof(*ranks));
	if (!ranks)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++) {
		const struct row *row = f->insns[i].row;

		if (row)
			ranks[nr++] =
				(struct rank){html_rank(html, row->samples,
							f->insns[i].share),
					      i};
	}
	qsort(ranks, nr, sizeof(*ranks), compare_ranks);
	for (size_t i = 0; i < nr && sum + 2 * AROUND < max; i++)
		sum += show_around(shown, f->nr, ranks[i].index);
	return 0;
}

static void put_cut(struct json *json, const char *text)
{
	char cut[TEXT_MAX_BYTES + 1];

	snprintf(cut, sizeof(cut), "%s", text);
	json_text(json, NULL, cut);
}

static void put_text(struct json *json, const struct annotated *a)
{
	char word[16];

	if (!a->insn) {
		json_null(json, NULL);
		return;
	}
	snprintf(word, sizeof(word), "0x%08" PRIx32, a->insn->word);
	put_cut(json, a->insn->text ?: word);
}

static void put_target(struct json *json, const struct annotated_function *f,
		       const struct annotated *a)
{
	char text[TEXT_MAX_BYTES];
	uint64_t offset;
	const char *name = annotated_target(f, a, &offset);

	if (!name) {
		json_null(json, NULL);
		return;
	}
	snprintf(text, sizeof(text), "%.*s+0x%" PRIx64, TEXT_MAX_BYTES - 24,
		 name == f->function->sym ? "" : name, offset);
	put_cut(json, text);
}

static void put_line(struct json *json, struct html_names *names,
		     const struct pmscope_line *line)
{
	html_put_name(json, NULL, names, line->file);
	if (line->file)
		json_unsigned(json, NULL, line->line);
	if (line->file && line->frames)
		html_put_name(json, NULL, names, line->frames);
}

static void put_samples(struct json *json, const struct annotated *a)
{
	const struct row *row = a->row;

	json_unsigned(json, NULL, row->samples);
	json_unsigned(json, NULL, row->total.count);
	json_unsigned(json, NULL, row->total.sum);
	json_unsigned(json, NULL, histogram_percentile(&row->total, 90));
	json_unsigned(json, NULL, row->own);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		json_unsigned(json, NULL, a->parts.events[events[i]]);
}

/*
 * [offset, text, target, [file, line, frames]], and with samples also samples,
 * timed, cycles, p90, own cycles and the counts of events.
 */
static int put_insn(struct json *json, const struct html *html,
		    struct html_names *names,
		    const struct annotated_function *f, struct annotated *a)
{
	int ret = annotated_describe(a, &html->code, html->load, f);

	json_begin_array(json, NULL);
	if (a->offset == UINT64_MAX)
		json_null(json, NULL);
	else
		json_unsigned(json, NULL, a->offset);
	put_text(json, a);
	put_target(json, f, a);
	json_begin_array(json, NULL);
	put_line(json, names, &a->line);
	json_end_array(json);
	if (a->row)
		put_samples(json, a);
	json_end_array(json);
	row_parts_fini(&a->parts);
	return ret;
}

/* Instead of instructions that are not shown, their number. */
static int put_insns(struct json *json, const struct html *html,
		     struct html_names *names,
		     const struct annotated_function *f, const bool *shown)
{
	uint64_t hidden = 0, samples = 0;
	int ret = 0;

	json_begin_array(json, "insns");
	for (size_t i = 0; i < f->nr && !ret; i++) {
		struct annotated *a = &f->insns[i];

		if (!shown[i]) {
			hidden++;
			samples += a->row ? a->row->samples : 0;
			continue;
		}
		if (hidden)
			json_unsigned(json, NULL, hidden);
		hidden = 0;
		ret = put_insn(json, html, names, f, a);
	}
	if (hidden)
		json_unsigned(json, NULL, hidden);
	json_end_array(json);
	json_unsigned(json, "hidden_samples", samples);
	return ret;
}

static void put_head(struct json *json, struct html_names *names,
		     const struct annotated_function *f)
{
	const struct function_code *code = f->code;

	html_put_name(json, "sym", names, f->function->sym);
	html_put_name(json, "dso", names, f->function->dso);
	json_unsigned(json, "samples", f->function->samples);
	json_unsigned(json, "own", f->function->own);
	if (code->error) {
		json_text(json, "missing", function_code_why(code));
		return;
	}
	json_bool(json, "cut", code->cut);
	json_bool(json, "disassembled",
		  code->insns.nr && code->insns.all[0].text);
}

static int put_annotated(struct json *json, const struct html *html,
			 struct html_names *names, struct annotated_function *f,
			 size_t *room)
{
	FREED bool *shown = calloc(f->nr, sizeof(*shown));
	size_t max = MIN(*room, HTML_CODE_INSNS);
	int ret = shown ? choose(html, f, max, shown) : -ENOMEM;

	json_begin_object(json, NULL);
	put_head(json, names, f);
	if (!ret)
		ret = put_insns(json, html, names, f, shown);
	json_end_object(json);
	for (size_t i = 0; !ret && i < f->nr; i++)
		*room -= shown[i];
	return ret;
}

static int put_function(struct json *json, const struct html *html,
			struct html_names *names,
			const struct function *function, size_t *room)
{
	struct function_code code;
	struct annotated_function f = {.function = function, .code = &code};
	int ret = function_code_read(&code, html->load, function, NULL)
			  ?: annotated_merge(&f, &html->code)
			  ?: put_annotated(json, html, names, &f, room);

	annotated_fini(&f);
	function_code_fini(&code);
	return ret;
}

static int put_functions(struct json *json, const struct html *html,
			 struct html_names *names,
			 const struct functions *functions)
{
	FREED struct rank *ranks = rank_functions(html, functions);
	size_t room = HTML_CODE_ALL_INSNS, nr = 0;
	int ret = ranks ? 0 : -ENOMEM;

	json_begin_array(json, "functions");
	/* Less room would hold an instruction and some around it, no more. */
	while (!ret && nr < functions->nr && nr < HTML_CODE_FUNCTIONS &&
	       room > 4 * AROUND)
		ret = put_function(json, html, names,
				   &functions->all[ranks[nr++].index], &room);
	json_end_array(json);
	json_unsigned(json, "left_out", functions->nr - nr);
	return ret;
}

int html_put_code(struct json *json, struct html *html,
		  struct html_names *names)
{
	char name[DISASSEMBLER_NAME];
	struct functions functions;
	int ret = functions_find(&functions, &html->code);

	json_begin_object(json, "code");
	json_text(json, "disassembler", disassembler_name(NULL, name));
	if (!ret)
		ret = put_functions(json, html, names, &functions);
	json_end_object(json);
	functions_fini(&functions);
	return ret;
}
