// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "block_type.h"
#include "base/a64.h"
#include "block_flow.h"
#include "wrapper.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* Instructions that are followed behind a call, and read before it */
#define STEPS	  16
#define STEPS_MAX 256
#define PROLOGUE  32

/* Variables are not deeper in blocks and inlined functions. */
#define MAX_NESTING 32

/* What is asked of the variables of a function. */
struct search {
	struct variables *variables;
	struct lines *lines;
	uint64_t bias; /* from addresses in DWARF to link addresses */
	Dwarf_Die function;
	const struct block_flow *flow;
	unsigned int line; /* or where it is declared */
	enum flow_place
		base; /* whose member it is, not the allocation itself */
	struct layout *layout;
};

/* Copies @nr instructions at a link address; false if there are none. */
static bool read_code(struct lines *lines, uint64_t address, uint32_t *code,
		      size_t nr)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(lines->module, &bias);
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Shdr s;

	if (!elf || !gelf_getehdr(elf, &header) ||
	    header.e_machine != EM_AARCH64)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &s) || s.sh_type != SHT_PROGBITS ||
		    address < s.sh_addr || address - s.sh_addr > s.sh_size ||
		    s.sh_addr + s.sh_size - address < nr * sizeof(*code))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || data->d_size < s.sh_size)
			return false;
		memcpy(code, (char *)data->d_buf + (address - s.sh_addr),
		       nr * sizeof(*code));
		return true;
	}
	return false;
}

/* ADD X29, SP: how far, at the begin of a function. */
static int64_t frame_of(struct search *s)
{
	uint32_t code[PROLOGUE];
	Dwarf_Addr low;

	if (!dwarf_lowpc(&s->function, &low) &&
	    read_code(s->lines, low + s->bias, code, PROLOGUE))
		for (size_t i = 0; i < PROLOGUE; i++)
			if ((code[i] & 0xffc003ff) == 0x910003fd)
				return code[i] >> 10 & 0xfff;
	return 0;
}

/* From SP: where @op counts from a register. */
static bool of_register(const struct search *s, const Dwarf_Op *op,
			int64_t *offset)
{
	bool is_frame = op->atom == DW_OP_breg29 || op->atom == DW_OP_reg29;

	if (!is_frame && op->atom != DW_OP_breg31 && op->atom != DW_OP_reg31)
		return false;
	*offset += op->atom >= DW_OP_breg0 ? (int64_t)op->number : 0;
	*offset += is_frame ? s->flow->frame : 0;
	return true;
}

/* The same of the canonical frame address. */
static bool of_cfa(const struct search *s, int64_t *offset)
{
	uint64_t pc = s->flow->pc + s->lines->bias;
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(s->lines->module, &bias);
	Dwarf_Op *ops;
	size_t nr;
	bool ok;

	if (!cfi)
		cfi = dwfl_module_dwarf_cfi(s->lines->module, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
		return false;
	ok = !dwarf_frame_cfa(frame, &ops, &nr) && nr == 1 &&
	     of_register(s, ops, offset);
	free(frame);
	return ok;
}

static Dwarf_Op *location_of(Dwarf_Die *die, unsigned int name, uint64_t pc)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	return dwarf_getlocation_addr(dwarf_attr(die, name, &attribute), pc,
				      &ops, &nr, 1) == 1 &&
			       nr == 1
		       ? ops
		       : NULL;
}

/* Where a local variable is, from SP. */
static bool stack_of(struct search *s, const Dwarf_Op *op, int64_t *offset)
{
	Dwarf_Op *base;

	*offset = 0;
	if (op->atom != DW_OP_fbreg)
		return of_register(s, op, offset) && op->atom >= DW_OP_breg0;
	*offset = op->number;
	base = location_of(&s->function, DW_AT_frame_base,
			   s->flow->pc - s->bias);
	if (!base)
		return false;
	return base->atom == DW_OP_call_frame_cfa
		       ? of_cfa(s, offset)
		       : of_register(s, base, offset);
}

static bool has_register(const Dwarf_Op *op, unsigned int reg)
{
	return (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 &&
		(unsigned int)op->atom - DW_OP_reg0 == reg) ||
	       (op->atom == DW_OP_regx && op->number == reg);
}

/* Is a variable where the allocation is now, or what is a step before that? */
static bool is_there(struct search *s, Dwarf_Die *die)
{
	const struct block_flow *f = s->flow;
	Dwarf_Op *op = location_of(die, DW_AT_location, f->pc - s->bias);
	int64_t offset;

	if (!op)
		return false;
	if (s->base == FLOW_MEMBER)
		return has_register(op, f->base);
	if (s->base == FLOW_MEMBER_OF_STACK)
		return stack_of(s, op, &offset) && offset == f->slot;
	for (unsigned int reg = 0; reg < A64_SP; reg++)
		if (block_flow_has(f, reg) && has_register(op, reg))
			return true;
	return f->place == FLOW_STACK && stack_of(s, op, &offset) &&
	       offset == f->offset;
}

static unsigned int line_of(Dwarf_Die *die)
{
	int line;

	return dwarf_decl_line(die, &line) ? 0 : line;
}

/* Blocks around the call, and functions that are inlined there or just behind.
 */
static bool is_near(const struct search *s, Dwarf_Die *die)
{
	uint64_t pc = s->flow->pc - s->bias;
	Dwarf_Addr low;

	return dwarf_haspc(die, pc) > 0 || dwarf_haspc(die, pc - 1) > 0 ||
	       (!dwarf_entrypc(die, &low) && low >= pc && low < pc + 4 * STEPS);
}

/* The member of the struct @type at @offset, which may be in another. */
static bool member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *member,
		      unsigned int depth)
{
	Dwarf_Die child, inner;
	Dwarf_Word size;
	uint64_t place;

	if (depth > MAX_NESTING || dwarf_child(type, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !variables_place(&child, &place) || place > offset ||
		    !variables_type(&child, &inner) ||
		    dwarf_aggregate_size(&inner, &size) ||
		    offset - place >= size)
			continue;
		*member = child;
		return dwarf_tag(&inner) == DW_TAG_pointer_type ||
		       member_at(&inner, offset - place, member, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool pointer_of(Dwarf_Die *die, Dwarf_Die *pointer)
{
	return variables_type(die, pointer) &&
	       dwarf_tag(pointer) == DW_TAG_pointer_type;
}

/* @die points to the allocation: to more than single bytes. */
static bool put_pointed(Dwarf_Die *die, struct layout *layout)
{
	Dwarf_Die pointer;

	return pointer_of(die, &pointer) &&
	       variables_array_of(&pointer, layout);
}

/* So does a variable, or a member of what it points to. */
static bool put_variable(struct search *s, Dwarf_Die *die)
{
	Dwarf_Die pointer, type, member;

	if (s->base == FLOW_NOWHERE)
		return put_pointed(die, s->layout);
	return pointer_of(die, &pointer) && variables_type(&pointer, &type) &&
	       member_at(&type, s->flow->offset, &member, 0) &&
	       put_pointed(&member, s->layout);
}

static bool is_wanted(struct search *s, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	if (s->line)
		return tag == DW_TAG_variable && line_of(die) == s->line;
	return (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
	       is_there(s, die);
}

/* What an allocator has of its own comes before what was asked for. */
static bool allocates(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && strcasestr(name, "alloc");
}

static bool search_in(struct search *s, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die child;
	bool found = false;

	if (depth > MAX_NESTING || dwarf_child(die, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_lexical_block ||
		    tag == DW_TAG_inlined_subroutine)
			found = is_near(s, &child) && !allocates(&child) &&
				search_in(s, &child, depth + 1);
		else
			found = is_wanted(s, &child) && put_variable(s, &child);
	} while (!found && !dwarf_siblingof(&child, &child));
	return found;
}

static bool try_place(struct search *s)
{
	enum flow_place place = s->flow->place;
	Dwarf_Die global;

	s->base = FLOW_NOWHERE;
	if (search_in(s, &s->function, 0))
		return true;
	if (place == FLOW_GLOBAL)
		return variables_die(s->variables, s->lines, s->flow->offset,
				     &global) &&
		       put_pointed(&global, s->layout);
	s->base = place;
	return (place == FLOW_MEMBER || place == FLOW_MEMBER_OF_STACK) &&
	       search_in(s, &s->function, 0);
}

static bool by_code(struct search *s, uint64_t back)
{
	struct block_flow flow = block_flow_begin(back, 0);
	bool goes_on = true;
	uint32_t code;

	s->flow = &flow;
	flow.frame = frame_of(s);
	for (size_t i = 0; i < STEPS && goes_on; i++) {
		if (!read_code(s->lines, flow.pc, &code, 1))
			return false;
		if (try_place(s))
			return true;
		goes_on = block_flow_step(&flow, code);
	}
	return flow.pc && try_place(s);
}

#define UNKNOWN UINT64_MAX

/* How far behind the allocation is what the function returns? */
static uint64_t shift_of(struct search *s, uint64_t back)
{
	struct block_flow flow = block_flow_begin(back, frame_of(s));
	uint32_t code;

	for (int i = 0; i < STEPS_MAX; i++) {
		if (!read_code(s->lines, flow.pc, &code, 1))
			return i ? UNKNOWN : 0;
		if ((code & 0xfffffc1f) == 0xd65f0000) /* RET */
			return flow.holds & 1 ? (uint64_t)flow.ahead[0]
					      : UNKNOWN;
		if (!block_flow_step(&flow, code))
			break;
	}
	return UNKNOWN;
}

/*
 * What an allocator of C++ returns; or another function that only passes on
 * what it gets, and that from its start. One that is inlined may do more.
 */
static bool by_name(struct search *s, const struct pmscope_frame *frames,
		    Dwarf_Die *dies, size_t nr, uint64_t back)
{
	for (size_t i = 0; i < nr && is_wrapper(&frames[i]); i++)
		if ((!strcmp(frames[i].name, "allocate") ||
		     (i == nr - 1 && !shift_of(s, back))) &&
		    put_pointed(&dies[nr - 1 - i], s->layout))
			return true;
	return false;
}

/* The line of the first function that is none of those. */
static unsigned int line_of_call(const struct pmscope_frame *frames, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!is_wrapper(&frames[i]))
			return frames[i].line;
	return 0;
}

bool block_type(struct variables *variables, struct lines *lines,
		uint64_t address, bool passes_on, struct layout *layout)
{
	struct search s = {
		.variables = variables, .lines = lines, .layout = layout};
	uint64_t back = (address & ~UINT64_C(3)) + 4;
	const struct block_flow flow = block_flow_begin(back, 0);
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	Dwarf_Die dies[LINES_DEPTH];
	struct pmscope_around around;
	size_t nr = lines_dies(lines, address, dies, &s.bias);

	layout->size = 0;
	if (!nr || nr != lines_frames(lines, address, frames, &around))
		return false;
	layout->start = address;
	s.function = dies[0];
	if ((!passes_on && by_code(&s, back)) ||
	    by_name(&s, frames, dies, nr, back))
		return true;
	layout->size = passes_on ? shift_of(&s, back) : 0;
	if (passes_on)
		return false;
	s.flow = &flow;
	s.base = FLOW_NOWHERE;
	s.line = line_of_call(frames, nr);
	return s.line && search_in(&s, &s.function, 0);
}
