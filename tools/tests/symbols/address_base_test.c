// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the address of a load or store comes from. */
#include "ktap.h"
#include "symbols/elf.h"

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
	enum address_base base;
	uint64_t offset;
	uint32_t code[8]; /* and zeros */
} rows[] = {
#define ROW(what, base, offset, ...) \
	{                            \
		what, base, offset,  \
		{                    \
			__VA_ARGS__  \
		}                    \
	}
	ROW("the stack pointer", BASE_STACK, 0, LDR_X1_SP_16),
	ROW("a frame", BASE_UNKNOWN, 0, MOV_X29_SP, SUB_X3_X29_32, BL,
	    STR_X4_X3_X5),
	ROW("a frame without a call", BASE_STACK, 0, MOV_X29_SP, SUB_X3_X29_32,
	    STR_X4_X3_X5),
	ROW("an array on the stack", BASE_STACK, 0, ADD_X1_SP_X2,
	    LDR_X9_X1_POST),
	ROW("a variable of a thread", BASE_THREAD_OFFSET, 0x1020, TLS,
	    LDR_W2_X0),
	ROW("an array of structs", BASE_THREAD_OFFSET, 0x1028, TLS,
	    ADD_X1_X0_X2_3, LDR_X3_X1_8),
	ROW("a copied register", BASE_THREAD_OFFSET, 0x1010, TLS, MOV_X6_X0,
	    LDP_X7_X6_M16),
	ROW("the second of two registers", BASE_UNKNOWN, 0, TLS, ADD_X0_X2_X1,
	    MOV_X6_X0, LDP_X7_X6_M16),
	ROW("an offset from memory", BASE_THREAD, 0, MRS_X0, ADD_X1_X0_X2_3,
	    LDR_X3_X1_8),
	ROW("a pointer", BASE_UNKNOWN, 0, TLS, LDR_X0_X0, LDR_W2_X0),
	ROW("after a call", BASE_UNKNOWN, 0, TLS, BL, LDR_W2_X0),
	ROW("an atomic operation's result", BASE_UNKNOWN, 0, TLS, MOV_X6_X0,
	    LDADD_X0_X6_X1, LDP_X7_X6_M16),
	ROW("a loop entered behind", BASE_THREAD_OFFSET, 0x1020, TLS, B_8,
	    LDR_W2_X0),
	ROW("a loop before", BASE_UNKNOWN, 0, TLS, B_BACK, LDR_W2_X0),
	ROW("another function", BASE_UNKNOWN, 0, TLS, RET, LDR_W2_X0),
	ROW("no load", BASE_UNKNOWN, 0, TLS),
	ROW("a literal", BASE_UNKNOWN, 0, LDR_LITERAL),
	ROW("nothing before", BASE_UNKNOWN, 0, LDR_W2_X0),
};

TEST(bases_of_addresses)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t offset = 0;
		size_t nr = 0;

		ktap_note("%s", rows[i].what);
		while (rows[i].code[nr])
			nr++;
		EXPECT_EQ(address_base(rows[i].code, nr, &offset),
			  rows[i].base);
		if (rows[i].base == BASE_THREAD_OFFSET)
			EXPECT_EQ(offset, rows[i].offset);
	}
}
