// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpreter TURNS - a machine of bytes, for compilers that take a profile.
 *
 * The operation that is executed most comes last, and what it calls is too
 * large to be inlined without a profile; objects are called by pointers. What
 * errors lead to comes first everywhere.
 */
#include "program.h"

#define CODE_SIZE   256
#define MEMORY_SIZE 64
#define OBJECTS	    16

enum operation {
	HALT,
	TRAP,
	DIVIDE,
	STORE,
	LOAD,
	CALL,
	SHIFT,
	ADD
};

static struct {
	unsigned char operation;
	unsigned char value;
} code[CODE_SIZE];

static struct object {
	word (*act)(struct object *object, word sum);
	word size;
} objects[OBJECTS];

static word memory[MEMORY_SIZE];
static word traps[8];

/* Cold, and of some size. */
static never_inline word trap(word sum, int why)
{
	traps[why & 7]++;
	switch (why & 3) {
	case 0:
		return sum ^ 0x1234;
	case 1:
		return sum * 7 + errors;
	case 2:
		memory[1] += sum;
		return sum >> 1;
	default:
		return ~sum;
	}
}

static word divide(word sum, word by)
{
	if (errors > 2)
		return trap(sum, 1);
	return sum / (by | 1);
}

static word add(word sum, word value)
{
	if (errors) {
		sum = trap(sum, 2);
		traps[6]++;
	}
	if (sum >> 62) {
		sum = trap(sum, 3) >> 8;
		traps[7]++;
	}
	if (value == 49) {
		sum = trap(sum, 1);
		if (errors > 1)
			sum = trap(sum, 0) * 3;
	}
	return sum + value * 3;
}

static word box_act(struct object *box, word sum)
{
	return sum + box->size;
}

static word rare_act(struct object *rare, word sum)
{
	return trap(sum, rare->size);
}

static word act(word sum, word number)
{
	struct object *object = &objects[number % OBJECTS];

	if (errors)
		return trap(sum, number);
	return object->act(object, sum);
}

static never_inline word turn(word sum)
{
	for (int at = 0;; at++) {
		word value = code[at].value;

		if (errors > 3)
			sum = trap(sum, 3);
		switch (code[at].operation) {
		case HALT:
			return sum;
		case TRAP:
			sum = trap(sum, value);
			break;
		case DIVIDE:
			sum = divide(sum, value);
			break;
		case STORE:
			if (value >= MEMORY_SIZE)
				sum = trap(sum, 1);
			else
				memory[value] = sum & 0xffff;
			break;
		case LOAD:
			if (value >= MEMORY_SIZE)
				sum = trap(sum, 1);
			else
				sum += memory[value];
			break;
		case CALL:
			sum = act(sum, value);
			break;
		case SHIFT:
			sum = sum << (value & 7) | sum >> 58;
			break;
		case ADD:
			sum = add(sum, value);
			break;
		}
	}
}

static enum operation operation_of(word number)
{
	return number < 700   ? ADD
	       : number < 750 ? SHIFT
	       : number < 850 ? CALL
	       : number < 920 ? LOAD
	       : number < 980 ? STORE
	       : number < 995 ? DIVIDE
			      : TRAP;
}

static never_inline void make(void)
{
	word state = 88172645463325252UL;

	for (int i = 0; i < OBJECTS; i++) {
		objects[i].act = i ? box_act : rare_act;
		objects[i].size = random_next(&state) % 9;
	}
	for (int i = 0; i < CODE_SIZE - 1; i++) {
		code[i].operation = operation_of(random_next(&state) % 1000);
		code[i].value = random_next(&state) % 50;
	}
}
