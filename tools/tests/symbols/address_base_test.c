// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the address of a load or store comes from. */
#include "ktap.h"
#include "symbols/address_base.h"

/* Words of an assembler. */
#define LDR_X1_SP_16   0xf9400be1
#define MRS_X0	       0xd53bd040
#define ADD_X0_1_LSL12 0x91400400
#define ADD_X0_32      0x91008000
#define ADD_X1_X0_X2_3 0x8b020c01 /* add x1, x0, x2, lsl #3 */
#define LDR_X3_X1_8    0xf9400423
#define ADD_X0_X1_X0   0x8b000020
#define LDR_W2_X0      0xb9400002
#define MOV_X29_SP     0x910003fd
#define SUB_X3_X29_32  0xd10083a3
#define STR_X4_X3_X5   0xf8257864
#define BL	       0x94000000
#define B_8	       0x14000002
#define B_BACK	       0x17fffffe
#define RET	       0xd65f03c0
#define MOV_X6_X0      0xaa0003e6
#define LDP_X7_X6_M16  0xa97f20c7 /* ldp x7, x8, [x6, #-16] */
#define LDR_X0_X0      0xf9400000
#define LDADD_X0_X6_X1 0xf8200026
#define ADD_X0_X2_X1   0x8b010040
#define ADD_X1_SP_X2   0x8b2263e1
#define LDR_X9_X1_POST 0xf8408429
#define LDR_LITERAL    0x58000040
#define TLS	       MRS_X0, ADD_X0_1_LSL12, ADD_X0_32

static const struct {
	const char *what;
	uint32_t code[8];
	size_t nr;
	enum address_base base;
	uint64_t offset;
} rows[] = {
	{"the stack pointer", {LDR_X1_SP_16}, 1, BASE_STACK, 0},
	{"a frame",
	 {MOV_X29_SP, SUB_X3_X29_32, BL, STR_X4_X3_X5},
	 4,
	 BASE_UNKNOWN,
	 0},
	{"a frame without a call",
	 {MOV_X29_SP, SUB_X3_X29_32, STR_X4_X3_X5},
	 3,
	 BASE_STACK,
	 0},
	{"an array on the stack",
	 {ADD_X1_SP_X2, LDR_X9_X1_POST},
	 2,
	 BASE_STACK,
	 0},
	{"a variable of a thread",
	 {TLS, LDR_W2_X0},
	 4,
	 BASE_THREAD_OFFSET,
	 0x1020},
	{"an array of structs",
	 {TLS, ADD_X1_X0_X2_3, LDR_X3_X1_8},
	 5,
	 BASE_THREAD_OFFSET,
	 0x1028},
	{"a copied register",
	 {TLS, MOV_X6_X0, LDP_X7_X6_M16},
	 5,
	 BASE_THREAD_OFFSET,
	 0x1010},
	{"the second of two registers",
	 {TLS, ADD_X0_X2_X1, MOV_X6_X0, LDP_X7_X6_M16},
	 6,
	 BASE_UNKNOWN,
	 0},
	{"an offset from memory",
	 {MRS_X0, ADD_X1_X0_X2_3, LDR_X3_X1_8},
	 3,
	 BASE_THREAD,
	 0},
	{"a pointer", {TLS, LDR_X0_X0, LDR_W2_X0}, 5, BASE_UNKNOWN, 0},
	{"after a call", {TLS, BL, LDR_W2_X0}, 5, BASE_UNKNOWN, 0},
	{"an atomic operation's result",
	 {TLS, MOV_X6_X0, LDADD_X0_X6_X1, LDP_X7_X6_M16},
	 6,
	 BASE_UNKNOWN,
	 0},
	{"a loop entered behind",
	 {TLS, B_8, LDR_W2_X0},
	 5,
	 BASE_THREAD_OFFSET,
	 0x1020},
	{"a loop before", {TLS, B_BACK, LDR_W2_X0}, 5, BASE_UNKNOWN, 0},
	{"another function", {TLS, RET, LDR_W2_X0}, 5, BASE_UNKNOWN, 0},
	{"no load", {TLS}, 3, BASE_UNKNOWN, 0},
	{"a literal", {LDR_LITERAL}, 1, BASE_UNKNOWN, 0},
	{"nothing before", {LDR_W2_X0}, 1, BASE_UNKNOWN, 0},
};

TEST(bases_of_addresses)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t offset = 0;

		ktap_note("%s", rows[i].what);
		EXPECT_EQ(address_base(rows[i].code, rows[i].nr, &offset),
			  rows[i].base);
		if (rows[i].base == BASE_THREAD_OFFSET)
			EXPECT_EQ(offset, rows[i].offset);
	}
}
