// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope annotate: the instructions of functions, and what they cost. */
#include "annotate/annotate.h"

#define TEXT_FUNCTIONS 10

struct annotate_config {
	struct load_config load;
	unsigned int limit;
	int format;
	int weight;
	int sort;
	const char *objdump;
	bool no_source;
	bool members;
	char **symbols; /* operands */
	size_t nr_symbols;
};

enum {
	SORT_ADDRESS,
	SORT_WEIGHT
};
static const char *const sorts[] = {"address", "weight", NULL};

#define CONFIG struct annotate_config

static const struct option_row options[] = {
	LOAD_OPTIONS,
	OPT("limit", 0, "N", limit, positive,
	    "show at most N functions (default: 10 as text, else all)"),
	OPT_OF("format", 0, "FORMAT", format, choice, print_formats,
	       "output format"),
	OPT_OF("weight", 0, "WEIGHT", weight, choice, row_weights,
	       "what shares and the order are based on (default: time if a "
	       "clock was sampled, else cost)"),
	OPT_OF("sort", 's', "ORDER", sort, choice, sorts,
	       "all instructions by address, or those with samples by weight"),
	OPT("objdump", 0, "PROGRAM", objdump, name,
	    "disassemble with this objdump, not with LLVM"),
	FLAG("no-source", 0, no_source, "do not show the text of source lines"),
	FLAG("members", 0, members,
	     "name the data that each load and store uses"),
	{}};

static const struct command_help help = {
	.synopsis = "annotate [OPTIONS] [SYMBOL...]",
	.about = "Shows the instructions of the functions named SYMBOL, or of "
		 "the heaviest ones,\n"
		 "with samples, latencies, events and data sources of each.",
	.options = options,
};

static const struct annotate_printer *const printers[] = {
	[PRINT_TEXT] = &annotate_text,
	[PRINT_JSONL] = &annotate_jsonl,
	[PRINT_CSV] = &annotate_csv,
};

static int describe(struct annotated *a, const struct annotate_output *out,
		    const struct annotated_function *f, bool codes)
{
	int ret = annotated_describe(a, out->table, out->load, f);

	if (!ret && a->row && !codes)
		row_parts_by_name(&a->parts);
	return ret;
}

static COMPARISON(compare_shares, struct annotated,
		  COMPARE(y->share, x->share) ?: COMPARE(x->offset, y->offset));

/* Keeps instructions with samples; the heaviest comes first. */
static void by_weight(struct annotated_function *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		if (f->insns[i].row)
			f->insns[nr++] = f->insns[i];
	f->nr = nr;
	if (nr)
		qsort(f->insns, nr, sizeof(*f->insns), compare_shares);
}

static int print_insns(const struct annotate_output *out,
		       const struct annotate_config *config,
		       struct annotated_function *f)
{
	const struct annotate_printer *printer = printers[config->format];
	int ret = 0;

	if (config->sort == SORT_WEIGHT)
		by_weight(f);
	for (size_t i = 0; i < f->nr && !ret; i++)
		ret = describe(&f->insns[i], out, f, printer->codes);
	if (!ret)
		ret = printer->function(out, f);
	for (size_t i = 0; i < f->nr; i++)
		row_parts_fini(&f->insns[i].parts);
	return ret;
}

static int print_function(const struct annotate_output *out,
			  const struct annotate_config *config,
			  const struct function *function)
{
	struct annotated_function f = {.function = function};
	struct function_code code;
	int ret =
		function_code_read(&code, out->load, function, config->objdump);

	f.code = &code;
	if (!ret)
		ret = annotated_merge(&f, out->table)
			      ?: print_insns(out, config, &f);
	annotated_fini(&f);
	function_code_fini(&code);
	return ret;
}

static bool is_wanted(const struct annotate_config *config, const char *sym)
{
	for (size_t i = 0; i < config->nr_symbols; i++)
		if (!strcmp(config->symbols[i], sym))
			return true;
	return !config->nr_symbols;
}

/* Moves the wanted functions to the front. Returns how many. */
static size_t choose(struct functions *functions,
		     const struct annotate_config *config)
{
	size_t nr = 0;

	for (size_t i = 0; i < functions->nr; i++)
		if (is_wanted(config, functions->all[i].sym))
			functions->all[nr++] = functions->all[i];
	return nr;
}

static int missing(const struct functions *functions, const char *name)
{
	struct nearest nearest = nearest_begin(name, strlen(name));

	for (size_t i = 0; i < functions->nr; i++)
		nearest_try(&nearest, functions->all[i].sym);
	if (!access(name, F_OK))
		error("annotate: no samples in a function '%s'; to read that "
		      "file, use --input=%s",
		      name, name);
	else if (nearest.name)
		error("annotate: no samples in a function '%s'; did you mean "
		      "'%s'?",
		      name, nearest.name);
	else
		error("annotate: no samples in a function '%s'; pmscope "
		      "report lists those with samples",
		      name);
	return -ENOENT;
}

/* Each name that was asked for must have samples. Returns 0 or -ENOENT. */
static int check_names(const struct functions *functions,
		       const struct annotate_config *config)
{
	for (size_t i = 0; i < config->nr_symbols; i++) {
		size_t at = 0;

		while (at < functions->nr &&
		       strcmp(functions->all[at].sym, config->symbols[i]))
			at++;
		if (at == functions->nr)
			return missing(functions, config->symbols[i]);
	}
	return 0;
}

static size_t limit_of(const struct annotate_config *config)
{
	if (config->limit)
		return config->limit;
	return config->format == PRINT_TEXT && !config->nr_symbols
		       ? TEXT_FUNCTIONS
		       : SIZE_MAX;
}

/* A long function is read from its costliest instruction on. */
static void open_pager(const struct functions *functions)
{
	const struct function *f = functions->all;
	const struct row *most = functions->nr ? f->rows[0] : NULL;
	char row[64];

	for (size_t i = 1; most && i < f->nr_rows; i++)
		if (f->rows[i]->own > most->own)
			most = f->rows[i];
	if (most)
		snprintf(row, sizeof(row), "%%.*[+]0x%" PRIx64 " ",
			 function_offset(most));
	pager_begin_at(most ? row : NULL);
}

static int print_all(const struct row_table *table, const struct load *load,
		     struct functions *functions,
		     const struct annotate_config *config)
{
	const struct annotate_printer *printer = printers[config->format];
	CLEANUP(source_fini)
	struct source_files source = {.symfs = config->load.symfs};
	char name[DISASSEMBLER_NAME];
	struct annotate_output out = {
		.table = table,
		.load = load,
		.disassembler = disassembler_name(config->objdump, name),
		.source = config->no_source ? NULL : &source,
	};
	size_t nr = choose(functions, config);
	int ret = 0;

	out.nr_functions = nr < limit_of(config) ? nr : limit_of(config);
	out.more = nr - out.nr_functions;
	if (config->format == PRINT_TEXT)
		open_pager(functions);
	else
		pager_begin();
	printer->begin(&out);
	for (size_t i = 0; i < out.nr_functions && !ret; i++)
		ret = print_function(&out, config, &functions->all[i]);
	if (!ret && printer->end)
		printer->end(&out);
	return ret;
}

static int annotate(struct row_table *table, struct load *load,
		    const struct annotate_config *config)
{
	struct functions functions;
	int ret;

	if (row_table_read(table, load))
		return 1;
	if (is_unreadable(load))
		return exit_status(load);
	ret = functions_find(&functions, table)
		      ?: check_names(&functions, config)
		      ?: print_all(table, load, &functions, config);
	functions_fini(&functions);
	if (ret && ret != -ENOENT)
		error("%s: %s", load->name, strerror(-ret));
	return output_written() || ret ? 1 : exit_status(load);
}

static int annotate_run(struct annotate_config *config)
{
	struct row_table table = {};
	struct load load;
	int ret;

	row_table_weigh(&table, config->weight, &config->load);
	if (load_open(&load, &config->load))
		return 1;
	row_table_by_instruction(&table);
	table.with_members = config->members;
	if (config->members)
		table.deps |= DEP_DATA | DEP_MEMBER;
	table.deps |= load.filter->deps;
	load.names_data = table.deps & DEP_DATA;
	ret = annotate(&table, &load, config);
	row_table_fini(&table);
	load_close(&load);
	return ret;
}

int annotate_main(int argc, char **argv)
{
	struct annotate_config config = {.weight = ROWS_UNASKED};
	int ret = options_parse(&help, argc, argv, &config);

	if (ret <= 0)
		return ret < 0;
	config.symbols = argv + ret;
	config.nr_symbols = argc - ret;
	ret = load_operand(&config.load, ret, argv, ret) ||
	      annotate_run(&config);
	free(config.load.filter);
	return ret;
}
