// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * The type of what a call allocates, from DWARF and from where code of arm64
 * leaves what the call returned. Encodings: Arm ARM, C4.1 "A64 instruction set
 * encoding".
 */
#include "source_lines.h"
#include "base/a64.h"

#include <dwarf.h>

enum flow_place {
	FLOW_NOWHERE,
	FLOW_STACK,	     /* the offset is from SP */
	FLOW_GLOBAL,	     /* the offset is the address */
	FLOW_MEMBER,	     /* behind the address in a register */
	FLOW_MEMBER_OF_STACK /* the same; that is from @slot behind SP */
};

/* The state before an instruction behind the call */
struct block_flow {
	uint64_t pc;	/* its address */
	int64_t frame;	/* how far X29 is above SP */
	uint32_t holds; /* registers that hold the allocation, a bit each */
	/* how far behind its start they are, and the last what is @saved */
	int64_t ahead[32];
	/* where the last instruction stored it, at @offset */
	enum flow_place place;
	unsigned int base; /* register of FLOW_MEMBER */
	int64_t offset;
	int64_t slot;
	bool is_saved;
	int64_t saved; /* where it @is_saved on the stack, from SP */
	/*
	 * registers with constant addresses, and @loaded ones from the stack:
	 * their @values are that, or from where
	 */
	uint32_t known;
	uint32_t loaded;
	int64_t values[32];
};

static bool holds_start(const struct block_flow *flow, unsigned int reg)
{
	return flow->holds >> reg & 1 && !flow->ahead[reg];
}

#define FP 29

/* The state behind a call that returns to @pc. */
static struct block_flow flow_begin(uint64_t pc, int64_t frame)
{
	return (struct block_flow){.pc = pc, .frame = frame, .holds = 1};
}

static bool has(uint32_t set, unsigned int reg)
{
	return set >> reg & 1;
}

/* Is it from the stack pointer, at @offset? */
static bool is_of_stack(const struct block_flow *f, unsigned int base,
			int64_t *offset)
{
	if (base == FP)
		*offset += f->frame;
	return base == FP || base == A64_SP;
}

/* @reg, which holds it, goes to @offset behind @base. */
static void store(struct block_flow *f, unsigned int reg, unsigned int base,
		  int64_t offset)
{
	bool is_stack = is_of_stack(f, base, &offset);

	if (is_stack) {
		f->is_saved = true;
		f->saved = offset;
		f->ahead[A64_SP] = f->ahead[reg];
	}
	if (f->ahead[reg])
		return;
	f->offset = offset;
	f->base = base;
	f->place = FLOW_MEMBER;
	if (is_stack) {
		f->place = FLOW_STACK;
	} else if (has(f->known, base)) {
		f->place = FLOW_GLOBAL;
		f->offset += f->values[base];
	} else if (has(f->loaded, base)) {
		f->place = FLOW_MEMBER_OF_STACK;
		f->slot = f->values[base];
	}
}

/* What @code makes of its register: an address, or what the stack has. */
static void load(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code), from = a64_rn(code);
	int64_t offset = a64_offset(code);
	bool known = has(f->known, from);

	f->known &= ~(UINT32_C(1) << to);
	f->loaded &= ~(UINT32_C(1) << to);
	if (a64_is_adrp(code)) {
		f->values[to] = a64_adrp(code, f->pc);
		f->known |= UINT32_C(1) << to;
	} else if (a64_is_add_immediate(code) && known) {
		f->values[to] = f->values[from] + a64_added(code);
		f->known |= UINT32_C(1) << to;
	} else if (a64_is_load_64(code) && is_of_stack(f, from, &offset)) {
		f->values[to] = offset;
		f->loaded |= UINT32_C(1) << to;
		if (f->is_saved && offset == f->saved) {
			f->holds |= UINT32_C(1) << to;
			f->ahead[to] = f->ahead[A64_SP];
		}
	}
}

/* An index that is written back, before or after the access */
static bool is_indexed(uint32_t code, unsigned int reg)
{
	return a64_is_memory(code) && a64_rn(code) == reg &&
	       (code & 0x3b200400) == 0x38000400;
}

static void move(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code), from = a64_rn(code);
	bool adds = a64_is_add_immediate(code);
	int64_t ahead = adds ? (int64_t)a64_added(code) : 0;

	if (a64_is_move(code))
		from = a64_rm(code);
	adds = (adds || a64_is_move(code)) && has(f->holds, from);
	ahead += f->ahead[from];
	for (unsigned int reg = 0; reg < A64_SP; reg++) {
		if (!a64_writes(code, reg))
			continue;
		if (is_indexed(code, reg) && has(f->holds, reg)) {
			f->ahead[reg] += a64_immediate(code, 12, 9);
			continue;
		}
		f->holds &= ~(UINT32_C(1) << reg);
		if (reg != to)
			f->known &= ~(UINT32_C(1) << reg);
	}
	if (adds) {
		f->holds |= UINT32_C(1) << to;
		f->ahead[to] = ahead;
	}
}

/* Where it goes on if the allocation did not fail; 0: not here */
static uint64_t next_of(const struct block_flow *f, uint32_t code)
{
	if ((code & 0xfc000000) == 0x14000000)
		return f->pc + 4 * a64_immediate(code, 0, 26);
	/* CBNZ */
	if ((code & 0x7f000000) == 0x35000000 && has(f->holds, a64_rd(code)))
		return f->pc + 4 * a64_immediate(code, 5, 19);
	return a64_is_jump(code) ? 0 : f->pc + 4;
}

/* Past @code, as if the allocation did not fail; false: not followed. */
static bool flow_step(struct block_flow *f, uint32_t code)
{
	unsigned int to = a64_rd(code);
	uint64_t next = next_of(f, code);

	f->place = FLOW_NOWHERE;
	if ((a64_is_store_64(code) || a64_is_store_pair_64(code)) &&
	    has(f->holds, to))
		store(f, to, a64_rn(code), a64_offset(code));
	else if (a64_is_store_pair_64(code) && has(f->holds, a64_rt2(code)))
		store(f, a64_rt2(code), a64_rn(code), a64_offset(code) + 8);
	move(f, code);
	if (a64_writes(code, to))
		load(f, code);
	f->pc = next;
	return next && (f->holds || f->is_saved);
}

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
		if (holds_start(f, reg) && has_register(op, reg))
			return true;
	return f->place == FLOW_STACK && stack_of(s, op, &offset) &&
	       offset == f->offset;
}

/* Blocks around the call, and functions inlined there or just behind. */
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
	int tag = dwarf_tag(die), line;

	if (s->line)
		return tag == DW_TAG_variable && !dwarf_decl_line(die, &line) &&
		       line == (int)s->line;
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
	struct block_flow flow = flow_begin(back, 0);
	bool goes_on = true;
	uint32_t code;

	s->flow = &flow;
	flow.frame = frame_of(s);
	for (size_t i = 0; i < STEPS && goes_on; i++) {
		if (!read_code(s->lines, flow.pc, &code, 1))
			return false;
		if (try_place(s))
			return true;
		goes_on = flow_step(&flow, code);
	}
	return flow.pc && try_place(s);
}

#define UNKNOWN UINT64_MAX

/* How far behind the allocation is what the function returns? */
static uint64_t shift_of(struct search *s, uint64_t back)
{
	struct block_flow flow = flow_begin(back, frame_of(s));
	uint32_t code;

	for (int i = 0; i < STEPS_MAX; i++) {
		if (!read_code(s->lines, flow.pc, &code, 1))
			return i ? UNKNOWN : 0;
		if ((code & 0xfffffc1f) == 0xd65f0000) /* RET */
			return flow.holds & 1 ? (uint64_t)flow.ahead[0]
					      : UNKNOWN;
		if (!flow_step(&flow, code))
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
	const struct block_flow flow = flow_begin(back, 0);
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
