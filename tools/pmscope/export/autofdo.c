// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample profile: for LLVM as text, which llvm-profdata merge --sample and
 * clang -fprofile-sample-use take, and for GCC's -fauto-profile.
 *
 * Compilers want to know how often each line was executed. SPE samples every
 * operation with the same probability, so the samples of one instruction, times
 * the interval, estimate that. All instructions of a basic block are executed
 * equally often: their mean is a better estimate than any of them, and holds
 * for those without a sample, too. Of a line with code in several blocks, LLVM
 * takes the largest count. Code that does several turns of a loop at once
 * counts that often.
 *
 * Where only branches were sampled, those of a block tell how often it was
 * executed. One without a branch goes on to the next one, and was executed as
 * often as that was not branched to.
 */
#include "export/flows.h"
#include "export/export.h"

#include <elf.h>
#include <endian.h>

#define INSTRUCTION 4
#define CODE_MAX    (1U << 20) /* of one function */

/* A function that has samples, and its code. */
struct sampled {
	const struct code_binary *binary;
	uint64_t start; /* offset in the file, and next behind it */
	uint64_t end;
	uint32_t *code;
	size_t nr; /* instructions */
	bool has_code;
	uint64_t *samples;  /* of each instruction */
	uint64_t *arrivals; /* samples of branches to it */
	bool *leads;	    /* begins a block */
	bool repeats;	    /* its first block is in a loop */
	uint64_t first;	    /* how often that was executed */
	uint64_t calls;	    /* samples of calls to it */
};

struct autofdo {
	struct export *export;
	const struct flows *flows;
	const struct code_binary *binary; /* NULL: all programs and libraries */
	uint64_t interval;
	uint32_t *by_place; /* numbers of places, sorted */
	size_t nr;
	struct edge *branches; /* taken ones that matter, by their source */
	size_t nr_branches;
	size_t max_branches;
	uint64_t *calls; /* samples of calls of each place */
	struct fdo_profile profile;
	bool any;
};

static const struct code_place *place_at(const struct autofdo *fdo,
					 uint32_t number)
{
	return &fdo->flows->places.items[number];
}

/* Sorted by file, function and address. */
static int compare_places(const void *a, const void *b, void *context)
{
	const struct autofdo *fdo = context;
	const struct code_place *x = place_at(fdo, *(const uint32_t *)a);
	const struct code_place *y = place_at(fdo, *(const uint32_t *)b);

	return COMPARE(x->binary, y->binary) ?: COMPARE(x->offset, y->offset);
}

static bool is_usable(const struct autofdo *fdo, const struct code_place *place)
{
	const struct code_binary *binary =
		&fdo->flows->places.binaries[place->binary];

	return place->symbol && (fdo->binary ? binary_same(binary, fdo->binary)
					     : binary_is_file(binary));
}

/* Does the place begin a function that is not the one of @from? */
static bool is_entry(const struct autofdo *fdo, const struct edge *edge)
{
	const struct code_place *from = place_at(fdo, edge->from);
	const struct code_place *to = place_at(fdo, edge->to);

	return to->symbol && !to->into &&
	       !fdo->flows->of_place[edge->from].is_return &&
	       (from->binary != to->binary ||
		from->offset - from->into != to->offset);
}

/* Is the target in the same file, near enough for one function? */
static bool is_near(const struct autofdo *fdo, const struct edge *edge)
{
	const struct code_place *from = place_at(fdo, edge->from);
	const struct code_place *to = place_at(fdo, edge->to);

	return from->binary == to->binary &&
	       from->offset - from->into == to->offset - to->into;
}

/* Branches elsewhere only count as samples. */
static int branch_add(void *context, const struct edge *edge)
{
	struct autofdo *fdo = context;
	bool enters = is_entry(fdo, edge);

	if (enters)
		fdo->calls[edge->to] += edge->samples;
	if (!is_usable(fdo, place_at(fdo, edge->from)) ||
	    (!enters && !is_near(fdo, edge)))
		return 0;
	return array_add(fdo->branches, fdo->nr_branches, fdo->max_branches,
			 *edge);
}

static int tables_make(struct autofdo *fdo)
{
	size_t places = fdo->flows->places.nr;

	fdo->by_place = calloc(places + 1, sizeof(*fdo->by_place));
	fdo->calls = calloc(places + 1, sizeof(*fdo->calls));
	if (!fdo->by_place || !fdo->calls)
		return -ENOMEM;
	for (uint32_t i = 0; i < places; i++)
		if (is_usable(fdo, place_at(fdo, i)))
			fdo->by_place[fdo->nr++] = i;
	if (fdo->nr)
		qsort_r(fdo->by_place, fdo->nr, sizeof(*fdo->by_place),
			compare_places, fdo);
	return flows_each(fdo->export, FLOW_TAKEN, NULL, branch_add, fdo);
}

/* Where the function ends, and its code. Returns 0 or -ENOMEM. */
static int function_read(struct autofdo *fdo, struct sampled *f)
{
	struct pmscope_place place = binary_place(f->binary, f->start);
	struct pmscope_symbols *symbols = fdo->export->load->symbols;
	struct pmscope_symbol symbol;
	struct pmscope_code code;
	size_t size;

	if (pmscope_symbols_find(symbols, &place, f->start, &symbol))
		return 0;
	size = symbol.around.behind < CODE_MAX ? symbol.around.behind + 1
					       : CODE_MAX;
	f->nr = size / INSTRUCTION;
	f->end = f->start + f->nr * INSTRUCTION;
	f->code = calloc(f->nr + 1, INSTRUCTION);
	f->samples = calloc(f->nr + 1, sizeof(*f->samples));
	f->arrivals = calloc(f->nr + 1, sizeof(*f->arrivals));
	f->leads = calloc(f->nr + 1, sizeof(*f->leads));
	if (!f->code || !f->samples || !f->arrivals || !f->leads)
		return -ENOMEM;
	if (pmscope_symbols_code(symbols, &place, f->start, f->code,
				 f->nr * INSTRUCTION, &code) ||
	    code.machine != EM_AARCH64)
		return 0;
	f->has_code = true;
	f->nr = MIN(f->nr, code.size / INSTRUCTION);
	return 0;
}

static struct a64_branch branch_at(const struct sampled *f, size_t i)
{
	return a64_branch_of(le32toh(f->code[i]));
}

static void lead(struct sampled *f, uint64_t offset)
{
	if (offset >= f->start && offset < f->end)
		f->leads[(offset - f->start) / INSTRUCTION] = true;
}

/* Blocks begin behind branches, and at their targets. */
static void blocks_find(struct sampled *f)
{
	lead(f, f->start);
	for (size_t i = 0; i < f->nr; i++) {
		struct a64_branch branch = branch_at(f, i);
		uint64_t offset = f->start + i * INSTRUCTION;

		if (branch.ends_block)
			lead(f, offset + INSTRUCTION);
		if (!branch.direct)
			continue;
		lead(f, offset + branch.target);
		f->repeats |= offset + branch.target == f->start;
	}
}

static uint64_t scaled(const struct autofdo *fdo, uint64_t samples,
		       size_t instructions)
{
	unsigned __int128 product =
		(unsigned __int128)samples * fdo->interval + instructions / 2;

	return product / instructions;
}

/* Are @nr instructions from @first on such as compilers place anywhere? */
static bool are_cheap(const struct sampled *f, size_t first, size_t nr)
{
	for (size_t i = first; f->has_code && i < first + nr; i++)
		if (!a64_is_cheap(i ? le32toh(f->code[i - 1]) : 0,
				  le32toh(f->code[i])))
			return false;
	return f->has_code;
}

/* The lines of one block get the block's count. Returns 0 or -ENOMEM. */
static int block_add(struct autofdo *fdo, const struct sampled *f, size_t first,
		     size_t end, uint64_t count)
{
	struct pmscope_symbols *symbols = fdo->export->load->symbols;
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];

	for (size_t i = first; i < end;) {
		struct pmscope_place place =
			binary_place(f->binary, f->start + i * INSTRUCTION);
		uint64_t behind = 0;
		int nr = pmscope_symbols_frames(symbols, &place, frames,
						&behind);
		size_t same = nr > 0 ? behind / INSTRUCTION + 1 : 1;
		struct fdo_code code = {.executed = count};

		if (nr == -ENOMEM)
			return nr;
		same = MIN(same, end - i);
		code.bytes = same * INSTRUCTION;
		code.cheap = are_cheap(f, i, same);
		i += same;
		if (nr <= 0 || !frames[0].line)
			continue;
		if (fdo_code_add(&fdo->profile, frames, nr, &code))
			return -ENOMEM;
		fdo->any = true;
	}
	return 0;
}

/*
 * The samples that tell how often the block was executed, and of how many
 * instructions: none for a block without a branch.
 */
static uint64_t block_samples(const struct autofdo *fdo,
			      const struct sampled *f, size_t first, size_t end,
			      size_t *instructions)
{
	uint64_t samples = 0;

	*instructions = 0;
	for (size_t i = first; i < end; i++) {
		struct a64_branch branch = branch_at(f, i);

		if (fdo->flows->has_others || !f->has_code ||
		    branch.ends_block || branch.is_call) {
			samples += f->samples[i];
			++*instructions;
		}
	}
	return samples;
}

/* @next: how often the block behind this one was executed */
static uint64_t block_count(const struct autofdo *fdo, const struct sampled *f,
			    size_t first, size_t end, uint64_t next)
{
	size_t instructions;
	uint64_t samples = block_samples(fdo, f, first, end, &instructions);
	uint64_t arrived = f->arrivals[end] * fdo->interval;

	if (instructions)
		return scaled(fdo, samples, instructions);
	return next > arrived ? next - arrived : 0;
}

static int blocks_add(struct autofdo *fdo, struct sampled *f)
{
	size_t end = f->nr, first;
	uint64_t count = 0;
	int ret = 0;

	for (; end && !ret; end = first) {
		first = end - 1;
		while (first && !f->leads[first])
			first--;
		count = block_count(fdo, f, first, end, count);
		ret = block_add(fdo, f, first, end, count);
	}
	f->first = count;
	return ret;
}

/* The first taken branch from a place. */
static size_t first_branch(const struct autofdo *fdo, uint32_t from)
{
	size_t low = 0, high = fdo->nr_branches;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (fdo->branches[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Which functions were called at @number. Returns 0 or -ENOMEM. */
static int calls_add(struct autofdo *fdo, const struct sampled *f,
		     uint32_t number)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	const struct code_place *from = place_at(fdo, number);
	struct pmscope_place place = binary_place(f->binary, from->offset);
	uint64_t behind;
	int count = -ENOENT;

	for (size_t i = first_branch(fdo, number);
	     i < fdo->nr_branches && fdo->branches[i].from == number; i++) {
		const struct edge *branch = &fdo->branches[i];
		struct fdo_line *line;

		if (!is_entry(fdo, branch))
			continue;
		if (count == -ENOENT)
			count = pmscope_symbols_frames(
				fdo->export->load->symbols, &place, frames,
				&behind);
		if (count <= 0 || !frames[0].line)
			return count == -ENOMEM ? count : 0;
		line = fdo_line_of(&fdo->profile, frames, count);
		if (!line ||
		    fdo_call_add(line, place_at(fdo, branch->to)->symbol,
				 branch->samples * fdo->interval))
			return -ENOMEM;
	}
	return 0;
}

/*
 * How often it was called. Its first block tells this best: it has several
 * instructions, and is also executed when a function calls itself or the kernel
 * begins a thread.
 */
static int head_add(struct autofdo *fdo, const struct sampled *f)
{
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_place place = binary_place(f->binary, f->start);
	struct fdo_function *function;
	uint64_t behind;
	int nr = pmscope_symbols_frames(fdo->export->load->symbols, &place,
					frames, &behind);

	if (nr <= 0)
		return nr == -ENOMEM ? nr : 0;
	function = fdo_function_of(&fdo->profile, frames, nr);
	if (!function)
		return -ENOMEM;
	function->head += f->has_code && !f->repeats ? f->first
						     : f->calls * fdo->interval;
	return 0;
}

/* Targets of indirect branches, and where code is unknown. */
static void leads_add(const struct autofdo *fdo, struct sampled *f,
		      uint32_t number, uint64_t at)
{
	const struct flow_place *flow = &fdo->flows->of_place[number];

	for (size_t i = first_branch(fdo, number);
	     i < fdo->nr_branches && fdo->branches[i].from == number; i++) {
		uint64_t to = place_at(fdo, fdo->branches[i].to)->offset;

		lead(f, to);
		if (to >= f->start && to < f->end)
			f->arrivals[(to - f->start) / INSTRUCTION] +=
				fdo->branches[i].samples;
	}
	if (!f->has_code && flow->samples > flow->next)
		lead(f, f->start + at + INSTRUCTION);
}

/* One function, with its places from @first to @end. */
static int function_add(struct autofdo *fdo, size_t first, size_t end)
{
	const struct code_place *place = place_at(fdo, fdo->by_place[first]);
	struct sampled f = {
		.binary = &fdo->flows->places.binaries[place->binary],
		.start = place->offset - place->into,
	};
	int ret = function_read(fdo, &f);

	for (size_t i = first; i < end && !ret; i++) {
		uint32_t number = fdo->by_place[i];
		uint64_t at = place_at(fdo, number)->offset - f.start;

		if (at / INSTRUCTION >= f.nr)
			continue;
		f.samples[at / INSTRUCTION] +=
			fdo->flows->of_place[number].samples;
		if (!at)
			f.calls += fdo->calls[number];
		leads_add(fdo, &f, number, at);
	}
	if (!ret && f.nr) {
		if (f.has_code)
			blocks_find(&f);
		ret = blocks_add(fdo, &f) ?: head_add(fdo, &f);
	}
	for (size_t i = first; i < end && !ret && f.nr; i++)
		ret = calls_add(fdo, &f, fdo->by_place[i]);
	free(f.code);
	free(f.samples);
	free(f.arrivals);
	free(f.leads);
	return ret;
}

static int functions_add(struct autofdo *fdo)
{
	size_t first = 0;
	int ret = 0;

	while (first < fdo->nr && !ret) {
		const struct code_place *a =
			place_at(fdo, fdo->by_place[first]);
		size_t end = first;
		uint64_t samples = 0;

		for (; end < fdo->nr; end++) {
			const struct code_place *b =
				place_at(fdo, fdo->by_place[end]);

			if (a->binary != b->binary ||
			    a->offset - a->into != b->offset - b->into)
				break;
			samples += fdo->flows->of_place[fdo->by_place[end]]
					   .samples;
		}
		if (samples)
			ret = function_add(fdo, first, end);
		first = end;
	}
	return ret;
}

/* Operations for a sample; 1: unknown, or flows are operations already. */
static int interval_read(struct autofdo *fdo)
{
	CLEANUP(provenance_fini) struct provenance provenance;
	int ret = provenance_read(&provenance, fdo->export->load);

	fdo->interval = 1;
	for (size_t i = 0;
	     !ret && !fdo->export->load->varies && i < provenance.nr_events;
	     i++)
		if (provenance.events[i].is_spe && provenance.events[i].period)
			fdo->interval = provenance.events[i].period;
	return ret;
}

static int write_text(struct autofdo *fdo)
{
	FILE *out = fdo->export->file.out;
	char *note = note_lines(fdo->export);

	if (!note)
		return -ENOMEM;
	fputs(note, out);
	free(note);
	fdo_write(&fdo->profile, out);
	return 0;
}

static int write_profile(struct autofdo *fdo)
{
	struct pmscope_symbols *symbols = fdo->export->load->symbols;
	const char *path;
	int unread = pmscope_symbols_unread(symbols, 0, &path), ret;

	ret = fdo->profile.of_gcc
		      ? fdo_write_gcov(&fdo->profile, fdo->export->file.out)
		      : write_text(fdo);
	if (!ret && !fdo->any)
		warning("%s: no debug information %s the sampled code, so "
			"the profile is empty; %s",
			fdo->export->load->name,
			unread ? "could be read for" : "for",
			unread ? "see the warnings about the files"
			       : "build with -g, and set --symfs if the files "
				 "are elsewhere");
	return ret;
}

static int end(struct export *export)
{
	struct autofdo fdo = {
		.export = export,
		.profile.of_gcc = export->format == &export_gcov,
	};
	struct flows *flows;
	int ret = flows_join(export, &flows);

	fdo.flows = flows;
	ret = ret ?: flows_binary(export, flows, &fdo.binary);
	if (!export->config->binary)
		fdo.binary = NULL;
	ret = ret ?: interval_read(&fdo);
	ret = ret ?: tables_make(&fdo);
	ret = ret ?: functions_add(&fdo);
	ret = ret ?: write_profile(&fdo);
	fdo_fini(&fdo.profile);
	free(fdo.by_place);
	free(fdo.calls);
	free(fdo.branches);
	return ret;
}

const struct export_format export_autofdo = {
	.name = "autofdo",
	.needs = EXPORT_MANGLED,
	.begin = flows_begin,
	.add = flows_add,
	.end = end,
	.fini = flows_fini,
};

const struct export_format export_gcov = {
	.name = "gcov",
	.needs = EXPORT_MANGLED | EXPORT_NOTE,
	.begin = flows_begin,
	.add = flows_add,
	.end = end,
	.fini = flows_fini,
};
