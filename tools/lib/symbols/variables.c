// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "source_lines.h"

#include <dwarf.h>

/* Compilers nest less; damaged types may contain themselves. */
#define MAX_NESTING 32
#define MAX_HOPS    32

/* Which variables a pass over the units finds. */
enum {
	OUTSIDE_FUNCTIONS = 1,
	IN_FUNCTIONS = 2,
};

struct found_variable {
	uint64_t address;
	Dwarf_Die die;
};

/* The compilers for arm64 tell no location of them: the symbol table does. */
struct thread_symbol {
	const char *name;
	uint64_t offset;
};

#define MAX_THREAD_SYMBOLS 4096

/* A static one in a function may have a number behind the name. */
static bool is_named(const struct thread_symbol *symbol, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length && !strncmp(symbol->name, name, length) &&
	       (!symbol->name[length] || symbol->name[length] == '.');
}

static bool thread_offset_of(const struct variables *v, Dwarf_Die *die,
			     Dwarf_Addr *offset)
{
	Dwarf_Attribute name;
	const char *linked = dwarf_formstring(
		dwarf_attr_integrate(die, DW_AT_linkage_name, &name));

	for (size_t i = 0; i < v->nr_symbols; i++)
		if (is_named(&v->symbols[i], linked ?: dwarf_diename(die))) {
			*offset = v->symbols[i].offset;
			return true;
		}
	return false;
}

/* DW_OP_addr or, in split units, an index of the address. */
static bool address_of(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Attribute attribute, at;
	Dwarf_Op *op;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &op, &nr) || nr != 1)
		return false;
	if (op->atom == DW_OP_addr) {
		*address = op->number;
		return true;
	}
	return (op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index) &&
	       !dwarf_getlocation_attr(&attribute, op, &at) &&
	       !dwarf_formaddr(&at, address);
}

static bool variable_add(struct variables *v, Dwarf_Die *die, uint64_t bias)
{
	Dwarf_Addr address;

	if (v->of_threads ? !thread_offset_of(v, die, &address)
			  : !address_of(die, &address))
		return true;
	return !array_add(v->all, v->nr, v->max,
			  (struct found_variable){address + bias, *die});
}

/* Does it contain variables that pass @read looks for? */
static bool is_searched(int tag, unsigned int read)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       (read == IN_FUNCTIONS &&
		(tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block));
}

/* @wanted: the variables there are those of the pass. False: no memory */
static bool read_die(struct variables *v, Dwarf_Die *die, uint64_t bias,
		     unsigned int read, bool wanted, unsigned int depth)
{
	Dwarf_Die child;
	bool ok = true;

	if (depth > MAX_NESTING || dwarf_child(die, &child))
		return true;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variable && wanted)
			ok = variable_add(v, &child, bias);
		else if (is_searched(tag, read))
			ok = read_die(v, &child, bias, read,
				      wanted || tag == DW_TAG_subprogram,
				      depth + 1);
	} while (ok && !dwarf_siblingof(&child, &child));
	return ok;
}

static int compare(const void *a, const void *b)
{
	const struct found_variable *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* On arm64 the program's block follows two words of the thread. */
static uint64_t thread_block(const struct lines *lines)
{
	uint64_t align = 16;
	GElf_Phdr header;
	GElf_Addr bias;
	size_t nr = 0;
	Elf *elf = dwfl_module_getelf(lines->module, &bias);

	if (elf && elf_getphdrnum(elf, &nr))
		nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &header) && header.p_type == PT_TLS &&
		    header.p_align > align)
			align = header.p_align;
	return align;
}

static bool read_symbols(struct variables *v, struct lines *lines)
{
	int nr = dwfl_module_getsymtab(lines->module);
	uint64_t start = thread_block(lines);
	struct thread_symbol *symbols;
	GElf_Sym symbol;

	for (int i = 0; i < nr && v->nr_symbols < MAX_THREAD_SYMBOLS; i++) {
		const char *name =
			dwfl_module_getsym(lines->module, i, &symbol, NULL);

		if (!name || GELF_ST_TYPE(symbol.st_info) != STT_TLS ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		symbols = array_reserve(v->symbols, v->nr_symbols,
					&v->max_symbols, sizeof(*symbols));
		if (!symbols)
			return false;
		v->symbols = symbols;
		symbols[v->nr_symbols++] =
			(struct thread_symbol){name, symbol.st_value + start};
	}
	return true;
}

static void read_units(struct variables *v, struct lines *lines,
		       unsigned int read)
{
	Dwarf_Die *unit = NULL, whole;
	Dwarf_Addr bias;

	if (v->of_threads && !v->read)
		lines->missing->memory |= !read_symbols(v, lines);
	v->read = read;
	while ((unit = dwfl_module_nextcu(lines->module, unit, &bias))) {
		whole = units_whole(&lines->units, lines->module,
				    lines->missing, *unit);
		if (!read_die(v, &whole, v->of_threads ? 0 : bias - lines->bias,
			      read, read == OUTSIDE_FUNCTIONS, 0)) {
			lines->missing->memory = true;
			break;
		}
	}
	if (v->nr)
		qsort(v->all, v->nr, sizeof(*v->all), compare);
}

/*
 * The type of @die without typedefs and qualifiers. Of a class in a type unit,
 * a unit has only the signature.
 */
bool variables_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	if (!dwarf_formref_die(
		    dwarf_attr_integrate(die, DW_AT_type, &attribute), type))
		return false;
	for (int hops = 0; hops < MAX_HOPS; hops++)
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type,
							  &attribute),
					       type))
				return false;
			break;
		default:
			return !dwarf_attr(type, DW_AT_signature, &attribute) ||
			       dwarf_formref_die(&attribute, type);
		}
	return false;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value)
		       ? 0
		       : value;
}

/* What a variable or a member is, or each element of it if it is an array. */
struct shape {
	Dwarf_Die type;
	uint64_t size;
	uint64_t elements;
	unsigned int dimensions; /* 0: no array */
};

static void shape_add(struct shape *shape, Dwarf_Die *range)
{
	uint64_t count = number_of(range, DW_AT_count);

	if (dwarf_hasattr(range, DW_AT_upper_bound))
		count = number_of(range, DW_AT_upper_bound) -
			number_of(range, DW_AT_lower_bound) + 1;
	shape->dimensions++;
	shape->elements *= count;
}

static bool has_members(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

/*
 * Nodes of C++'s containers have room for a value that is made later: bytes, in
 * a class with the value's type as its parameter.
 */
static void take_value(Dwarf_Die *type)
{
	const char *name = has_members(type) ? dwarf_diename(type) : NULL;
	Dwarf_Die child;

	if (!name || strncmp(name, "__aligned_", 10) != 0 ||
	    dwarf_child(type, &child))
		return;
	do
		if (dwarf_tag(&child) == DW_TAG_template_type_parameter) {
			variables_type(&child, type);
			return;
		}
	while (!dwarf_siblingof(&child, &child));
}

/* The elements may be in a type unit, which libdw does not look into. */
static bool shape_of(Dwarf_Die *die, struct shape *shape)
{
	Dwarf_Die child, element;
	Dwarf_Word size;

	*shape = (struct shape){.elements = 1};
	if (!variables_type(die, &shape->type))
		return false;
	while (dwarf_tag(&shape->type) == DW_TAG_array_type &&
	       shape->dimensions < MAX_HOPS &&
	       variables_type(&shape->type, &element)) {
		if (dwarf_child(&shape->type, &child))
			return false;
		do
			if (dwarf_tag(&child) == DW_TAG_subrange_type)
				shape_add(shape, &child);
		while (shape->dimensions < MAX_HOPS &&
		       !dwarf_siblingof(&child, &child));
		shape->type = element;
	}
	take_value(&shape->type);
	if (dwarf_aggregate_size(&shape->type, &size))
		return false;
	shape->size = size;
	return true;
}

static uint64_t bytes_of(const struct shape *shape)
{
	uint64_t bytes;

	return __builtin_mul_overflow(shape->size, shape->elements, &bytes)
		       ? 0
		       : bytes;
}

/* The name and a pair of brackets for each dimension; at 1, none is 0. */
static bool put_name(struct layout *l, const char *name,
		     unsigned int dimensions, uint32_t *at)
{
	size_t length = name ? strlen(name) : 0;
	char *to = l->texts + l->used;

	*at = 0;
	if (!length && !dimensions)
		return true;
	if (length + 2 * dimensions >= sizeof(l->texts) - l->used)
		return false;
	*at = l->used + 1;
	to = mempcpy(to, name, length);
	while (dimensions--)
		to = mempcpy(to, "[]", 2);
	*to++ = '\0';
	l->used = to - l->texts;
	return true;
}

static bool put_type(struct layout *l, Dwarf_Die *die, const char *name,
		     uint64_t offset, unsigned int nesting);

/*
 * Bits belong to the bytes of the type that they are declared with, because
 * compilers load and store all of it. Newer DWARF counts bits from the start of
 * the struct.
 */
static bool put_bits(struct layout *l, Dwarf_Die *member, uint64_t offset)
{
	struct reader_part part = {.offset = offset};
	uint64_t bits = number_of(member, DW_AT_data_bit_offset);
	struct shape shape;

	part.size = shape_of(member, &shape) ? bytes_of(&shape) : 0;
	if (!part.size)
		part.size = 1;
	if (dwarf_hasattr(member, DW_AT_data_bit_offset))
		part.offset += bits / 8 / part.size * part.size;
	if (l->nr == LAYOUT_PARTS ||
	    !put_name(l, dwarf_diename(member), 0, &part.name))
		return false;
	l->part[l->nr++] = part;
	return true;
}

/* A virtual base is wherever an expression says, which only the program can. */
bool variables_place(Dwarf_Die *member, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	*offset = 0;
	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
		return true;
	if (dwarf_formudata(&attribute, &value))
		return false;
	*offset = value;
	return true;
}

static bool put_member(struct layout *l, Dwarf_Die *member, uint64_t base,
		       unsigned int nesting)
{
	bool inherits = dwarf_tag(member) == DW_TAG_inheritance;
	uint64_t offset;

	/* Static ones are elsewhere. */
	if (dwarf_hasattr(member, DW_AT_external) ||
	    dwarf_hasattr(member, DW_AT_declaration) ||
	    !variables_place(member, &offset))
		return true;
	if (dwarf_hasattr(member, DW_AT_bit_size))
		return put_bits(l, member, base + offset);
	return put_type(l, member, inherits ? NULL : dwarf_diename(member),
			base + offset, nesting);
}

/* Rust's enums have variants, which have their members at the same place. */
static bool put_members(struct layout *l, Dwarf_Die *type, uint64_t base,
			unsigned int nesting)
{
	Dwarf_Die child;
	bool ok = true;

	if (dwarf_child(type, &child))
		return true;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_member:
		case DW_TAG_inheritance:
			ok = put_member(l, &child, base, nesting);
			break;
		case DW_TAG_variant_part:
		case DW_TAG_variant:
			ok = !nesting ||
			     put_members(l, &child, base, nesting - 1);
			break;
		default:
			break;
		}
	} while (ok && !dwarf_siblingof(&child, &child));
	return ok;
}

/* Adds a part for @die and those that it consists of. False: no room */
static bool put_type(struct layout *l, Dwarf_Die *die, const char *name,
		     uint64_t offset, unsigned int nesting)
{
	struct reader_part part = {.offset = offset};
	size_t at = l->nr;
	struct shape shape;

	if (!shape_of(die, &shape))
		nesting = 0;
	else if (bytes_of(&shape) < UINT32_MAX)
		part.size = bytes_of(&shape);
	else
		part.size = UINT32_MAX;
	if (shape.dimensions)
		part.stride = shape.size;
	if (at == LAYOUT_PARTS ||
	    !put_name(l, name, shape.dimensions, &part.name))
		return false;
	l->part[l->nr++] = part;
	if (nesting && has_members(&shape.type) &&
	    !put_members(l, &shape.type, 0, nesting - 1))
		return false;
	l->part[at].below = l->nr - at - 1;
	/* An empty base class, which has no bytes of its own. */
	if (!name && !l->part[at].below)
		l->nr = at;
	return true;
}

/* Of a type that has too many parts, only the outer ones are told. */
static void put_whole(struct layout *l, Dwarf_Die *die, const char *name)
{
	for (unsigned int nesting = MAX_NESTING;; nesting /= 2) {
		l->nr = l->used = 0;
		if (put_type(l, die, name, 0, nesting) || !nesting)
			return;
	}
}

/* The nearest variable at or before @address. */
static const struct found_variable *find(const struct variables *v,
					 uint64_t address)
{
	size_t nr = array_count_until(v->all, v->nr, sizeof(*v->all), address);

	return nr ? &v->all[nr - 1] : NULL;
}

static bool find_layout(struct variables *v, uint64_t address,
			struct layout *layout)
{
	const struct found_variable *found = find(v, address);
	Dwarf_Attribute name;
	struct shape shape;
	Dwarf_Die die;

	if (!found)
		return false;
	die = found->die;
	layout->start = found->address;
	layout->size = shape_of(&die, &shape) ? bytes_of(&shape) : 0;
	put_whole(
		layout, &die,
		dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_name, &name))
			?: "?");
	return layout->nr && address - layout->start < layout->size;
}

bool variables_find(struct variables *v, struct lines *lines, uint64_t address,
		    struct layout *layout)
{
	if (!lines->module)
		return false;
	if (!v->read)
		read_units(v, lines, OUTSIDE_FUNCTIONS);
	if (find_layout(v, address, layout))
		return true;
	/* Most are not in functions, whose trees are large. */
	if (v->read == OUTSIDE_FUNCTIONS)
		read_units(v, lines, IN_FUNCTIONS);
	return find_layout(v, address, layout);
}

bool variables_die(struct variables *v, struct lines *lines, uint64_t address,
		   Dwarf_Die *die)
{
	static struct layout layout;

	if (!variables_find(v, lines, address, &layout))
		return false;
	*die = find(v, address)->die;
	return layout.start == address;
}

/* "entry[]", or "entry *[]" for pointers to pointers; false: it has no name */
static bool name_array(Dwarf_Die *pointer, char *name, size_t size)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type = *pointer;
	const char *stars = "", *own;

	for (int hops = 0; hops < MAX_HOPS; hops++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type,
							    &attribute),
				       &type))
			return false;
		own = dwarf_diename(&type);
		if (dwarf_tag(&type) == DW_TAG_pointer_type && !own)
			stars = " *";
		if (own)
			break;
	}
	return own && snprintf(name, size, "%s%s[]", own, stars) < (int)size;
}

bool variables_array_of(Dwarf_Die *pointer, struct layout *l)
{
	char name[256];
	struct shape shape;

	if (!shape_of(pointer, &shape) || bytes_of(&shape) < 2 ||
	    bytes_of(&shape) > UINT32_MAX ||
	    !name_array(pointer, name, sizeof(name)))
		return false;
	put_whole(l, pointer, name);
	l->size = UINT64_MAX;
	if (l->nr)
		l->part[0].stride = bytes_of(&shape);
	return l->nr;
}

void variables_fini(struct variables *v)
{
	free(v->all);
	free(v->symbols);
}
