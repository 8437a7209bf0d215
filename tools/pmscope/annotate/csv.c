// SPDX-License-Identifier: GPL-2.0-or-later
/* One row per instruction under a header line (RFC 4180). */
#include "annotate/annotate.h"
#include "cli/message.h"
#include "print/csv.h"
#include "print/losses.h"
#include "print/row_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define LATENCY(name)                                                 \
	name "_samples," name "_mean," name "_p50," name "_p90," name \
	     "_p99," name "_max,"

static void begin(const struct annotate_output *out)
{
	losses_print(out->load, stderr, "pmscope: ");
	printf("sym,dso,symoff,address,word,text,target,target_sym,"
	       "target_symoff,line,frames,samples,share," LATENCY("lat")
		       LATENCY("issue") LATENCY("xlat") "events,"
							"sources\n");
}

static void put_target(const struct annotated_function *f,
		       const struct annotated *a)
{
	uint64_t offset;
	const char *name = annotated_target(f, a, &offset);

	if (a->insn && a->insn->branches)
		printf("0x%" PRIx64, a->insn->target);
	putchar(',');
	if (name)
		csv_string(stdout, name);
	putchar(',');
	if (name)
		printf("%" PRIu64, offset);
	putchar(',');
}

static void put_insn(const struct annotated_function *f,
		     const struct annotated *a)
{
	if (a->offset != UINT64_MAX)
		printf("%" PRIu64, a->offset);
	putchar(',');
	if (a->insn) {
		printf("0x%" PRIx64 ",0x%08" PRIx32 ",", a->insn->address,
		       a->insn->word);
		csv_string(stdout, a->insn->text ? a->insn->text : "");
		putchar(',');
	} else {
		printf(",,,");
	}
	put_target(f, a);
}

static void put_latency(const struct histogram *h)
{
	row_csv_mean(stdout, h);
	row_csv_percentiles(stdout, h);
}

static void put_annotated(const struct annotate_output *out,
			  const struct annotated_function *f,
			  const struct annotated *a)
{
	static const struct row none;
	const struct row *row = a->row ? a->row : &none;
	char line[VIEW_LINE_MAX];

	csv_string(stdout, f->function->sym);
	putchar(',');
	csv_string(stdout, f->function->dso);
	putchar(',');
	put_insn(f, a);
	view_line_text(&a->line, line);
	csv_string(stdout, line);
	putchar(',');
	csv_string(stdout, a->line.frames ? a->line.frames : "");
	printf(",%" PRIu64 ",%.6f,", row->samples, row_share(out->table, row));
	put_latency(&row->total);
	put_latency(&row->issue);
	put_latency(&row->translate);
	row_csv_parts(stdout, out->table, &a->parts);
	putchar('\n');
}

static int print_function(const struct annotate_output *out,
			  const struct annotated_function *f)
{
	if (f->code->error && f->code->error != -ENOENT)
		warning("%s: %s", f->function->sym, function_code_why(f->code));
	for (size_t i = 0; i < f->nr; i++)
		put_annotated(out, f, &f->insns[i]);
	return 0;
}

const struct annotate_printer annotate_csv = {
	.begin = begin,
	.function = print_function,
};
