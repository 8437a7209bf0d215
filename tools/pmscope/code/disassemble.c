// SPDX-License-Identifier: GPL-2.0-or-later
#include "code/code.h"
#include "base/record.h"

#define TEXT 160

/* Direct branches (Arm ARM C4.1.92): where they have their offset. */
static const struct {
	uint32_t mask;
	uint32_t value;
	unsigned int low; /* lowest bit of the offset */
	unsigned int bits;
} branches[] = {
	{0x7c000000, 0x14000000, 0, 26}, /* B, BL */
	{0xff000000, 0x54000000, 5, 19}, /* B.cond, BC.cond */
	{0x7e000000, 0x34000000, 5, 19}, /* CBZ, CBNZ */
	{0x7e000000, 0x36000000, 5, 14}, /* TBZ, TBNZ */
	{0x7e000000, 0x74000000, 5, 9},	 /* CB<cc> */
};

static void set_target(struct insn *insn)
{
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++) {
		unsigned int unused = 64 - branches[i].bits;
		uint64_t offset;

		if ((insn->word & branches[i].mask) != branches[i].value)
			continue;
		offset = (uint64_t)insn->word >> branches[i].low << unused;
		insn->branches = true;
		insn->target = insn->address +
			       ((uint64_t)((int64_t)offset >> unused) << 2);
	}
}

/* Tabs and runs of spaces become one space. */
static void set_spaces(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		char c = *from == '\t' ? ' ' : *from;

		if (c != ' ' || (to > text && to[-1] != ' '))
			*to++ = c;
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* A branch's last operand is its target: as an address, not an offset. */
static void put_target(char *text, const struct insn *insn)
{
	char *last = strrchr(text, ',');

	if (!last)
		last = strchr(text, ' ');
	if (last && strlen(text) + 24 < TEXT)
		sprintf(last + 1 - (*last == ' '), " 0x%" PRIx64, insn->target);
}

static int set_text(struct insns *insns, struct insn *insn, const char *given)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%s", given);
	set_spaces(text);
	if (insn->branches)
		put_target(text, insn);
	insn->text = arena_copy(&insns->texts, text, strlen(text) + 1);
	return insn->text ? 0 : -ENOMEM;
}

static int set_word(struct insns *insns, struct insn *insn)
{
	char text[32];

	snprintf(text, sizeof(text), ".word 0x%08" PRIx32, insn->word);
	insn->branches = false;
	return set_text(insns, insn, text);
}

static int by_llvm(struct insns *insns, struct llvm *llvm)
{
	int ret = 0;

	for (size_t i = 0; i < insns->nr && !ret; i++) {
		struct insn *insn = &insns->all[i];
		char text[TEXT];

		ret = llvm_print(llvm, insn->word, text, sizeof(text))
			      ? set_text(insns, insn, text)
			      : set_word(insns, insn);
	}
	return ret;
}

static int take(void *context, size_t offset, char *text)
{
	struct insns *insns = context;
	size_t at = offset / INSN_SIZE;

	if (at >= insns->nr || insns->all[at].text)
		return 0;
	/* "undefined" or, before binutils 2.41, ".inst 0x... ; undefined". */
	if (strstr(text, "undefined"))
		return set_word(insns, &insns->all[at]);
	return set_text(insns, &insns->all[at], text);
}

static struct llvm *llvm_get(void)
{
	static struct llvm *llvm;
	static bool tried;

	if (!tried)
		llvm = llvm_open();
	tried = true;
	return llvm;
}

/* The same for the whole run of the program. */
static const char *objdump_get(const char *wanted)
{
	static const char *found, *asked;
	static bool tried;

	if (!tried || asked != wanted)
		found = objdump_find(wanted);
	tried = true;
	asked = wanted;
	return found;
}

static int by_objdump(struct insns *insns, const char *objdump,
		      const uint8_t *bytes)
{
	const char *program = objdump_get(objdump);

	return program ? objdump_run(program, bytes, insns->nr * INSN_SIZE,
				     take, insns)
		       : 0;
}

int disassemble(const char *objdump, const uint8_t *bytes, size_t size,
		uint64_t address, struct insns *insns)
{
	*insns = (struct insns){.nr = size / INSN_SIZE};
	if (!insns->nr)
		return 0;
	insns->all = calloc(insns->nr, sizeof(*insns->all));
	if (!insns->all)
		return -ENOMEM;
	for (size_t i = 0; i < insns->nr; i++) {
		insns->all[i].address = address + i * INSN_SIZE;
		insns->all[i].word = get32(bytes + i * INSN_SIZE);
		set_target(&insns->all[i]);
	}
	if (!objdump && llvm_get())
		return by_llvm(insns, llvm_get());
	return by_objdump(insns, objdump, bytes);
}

void insns_fini(struct insns *insns)
{
	free(insns->all);
	arena_fini(&insns->texts);
	*insns = (struct insns){};
}

const char *disassembler_name(const char *objdump, char name[DISASSEMBLER_NAME])
{
	const char *program;

	if (!objdump && llvm_get()) {
		snprintf(name, DISASSEMBLER_NAME, "%s", llvm_name(llvm_get()));
		return name;
	}
	program = objdump_get(objdump);
	if (program)
		objdump_name(program, name, DISASSEMBLER_NAME);
	else
		snprintf(name, DISASSEMBLER_NAME, "none");
	return name;
}
