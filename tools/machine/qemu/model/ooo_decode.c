/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an A64 instruction reads and writes, and how long it takes without memory:
 * for the scoreboard of core=ooo. SP and predicates are not followed, and an
 * SVE operation takes its registers from the usual fields.
 */
#include "qemu/osdep.h"
#include "ooo.h"

enum {
    ALU_CYCLES = 1,
    MUL_CYCLES = 3,
    DIV_CYCLES = 12,
    FP_CYCLES = 3,
    FMA_CYCLES = 4,
    FDIV_CYCLES = 13,
    VECTOR_CYCLES = 2,
    MOVE_CYCLES = 3,    /* between general and vector registers */
    SYSTEM_CYCLES = 2,
};

static bool matches(uint32_t insn, uint32_t mask, uint32_t value)
{
    return (insn & mask) == value;
}

/* Register 31 is XZR or SP. */
static uint64_t general(uint32_t insn, unsigned at)
{
    unsigned reg = extract32(insn, at, 5);

    return reg == 31 ? 0 : 1ull << reg;
}

static uint64_t vector(uint32_t insn, unsigned at)
{
    return 1ull << (32 + extract32(insn, at, 5));
}

#define RD 0
#define RN 5
#define RA 10
#define RM 16

static void decode_immediate(uint32_t insn, OOOInsn *op)
{
    unsigned kind = extract32(insn, 23, 3), opc = extract32(insn, 29, 2);

    op->writes = general(insn, RD);
    op->reads = kind >= 2 && kind != 5 ? general(insn, RN) : 0;
    switch (kind) {
    case 2:
    case 3:
        op->writes |= opc & 1 ? OOO_FLAGS : 0;
        break;
    case 4:
        op->writes |= opc == 3 ? OOO_FLAGS : 0;
        break;
    case 5:
        op->reads = opc == 3 ? general(insn, RD) : 0;   /* MOVK */
        break;
    case 6:
        op->reads |= opc == 1 ? general(insn, RD) : 0;  /* BFM */
        break;
    case 7:
        op->reads |= general(insn, RM);
        break;
    }
}

static void decode_branch(uint32_t insn, OOOInsn *op)
{
    if (matches(insn, 0xff000000, 0x54000000)) {
        op->reads = OOO_FLAGS;
    } else if (matches(insn, 0x7c000000, 0x34000000)) {
        op->reads = general(insn, RD);
    } else if (matches(insn, 0xfe000000, 0xd6000000)) {
        op->reads = general(insn, RN);
    }
    if (matches(insn, 0xfc000000, 0x94000000) ||
        matches(insn, 0xfffffc1f, 0xd63f0000)) {
        op->writes = 1ull << 30;
    }
}

static void decode_system(uint32_t insn, OOOInsn *op)
{
    if (matches(insn, 0xfff00000, 0xd5300000)) {
        op->writes = general(insn, RD);
        op->cycles = SYSTEM_CYCLES;
    } else if (matches(insn, 0xffc00000, 0xd5000000)) {
        op->reads = general(insn, RD);
    }
    if (matches(insn, 0xfffff0ff, 0xd503309f)) {        /* DSB */
        op->order = OOO_WAITS_FOR_ALL;
    } else if (matches(insn, 0xfffff0ff, 0xd50330bf)) { /* DMB */
        op->order = OOO_ORDERS_MEMORY;
    } else if (matches(insn, 0xfffff0ff, 0xd50330df)) { /* ISB */
        op->order = OOO_FLUSHES;
    }
}

static void decode_register(uint32_t insn, OOOInsn *op)
{
    unsigned kind = extract32(insn, 24, 5), sub = extract32(insn, 21, 3);
    bool sets = extract32(insn, 29, 1);

    op->reads = general(insn, RN) | general(insn, RM);
    op->writes = general(insn, RD);
    switch (kind) {
    case 0x0a:
        op->writes |= extract32(insn, 29, 2) == 3 ? OOO_FLAGS : 0;
        break;
    case 0x0b:
        op->writes |= sets ? OOO_FLAGS : 0;
        break;
    case 0x1a:
        if (sub == 6 && extract32(insn, 30, 1)) {       /* one source */
            op->reads = general(insn, RN);
        } else if (sub == 6) {
            op->cycles = extract32(insn, 11, 5) == 1 ? DIV_CYCLES : ALU_CYCLES;
        } else {
            op->reads |= OOO_FLAGS;
        }
        if (sub == 2) {                                 /* CCMP */
            op->writes = OOO_FLAGS;
            op->reads &= extract32(insn, 11, 1) ? ~general(insn, RM) : ~0ull;
        } else if (sub == 0 && sets) {
            op->writes |= OOO_FLAGS;
        }
        break;
    case 0x1b:
        op->reads |= general(insn, RA);
        op->cycles = MUL_CYCLES;
        break;
    }
    op->divides = op->cycles == DIV_CYCLES;
}

/* Scalar floating point, and moves between the two kinds of registers. */
static void decode_scalar_fp(uint32_t insn, OOOInsn *op)
{
    unsigned opcode = extract32(insn, 16, 3);

    op->reads = vector(insn, RN) | vector(insn, RM);
    op->writes = vector(insn, RD);
    op->cycles = FP_CYCLES;
    if (extract32(insn, 24, 1)) {                       /* FMADD, ... */
        op->reads |= vector(insn, RA);
        op->cycles = FMA_CYCLES;
    } else if (!extract32(insn, 21, 1) || !extract32(insn, 10, 6)) {
        bool to_fp = opcode == 2 || opcode == 3 || opcode == 7;

        op->reads = to_fp ? general(insn, RN) : vector(insn, RN);
        op->writes = to_fp ? vector(insn, RD) : general(insn, RD);
        op->cycles = MOVE_CYCLES;
    } else if (extract32(insn, 10, 2) == 2) {
        op->cycles = extract32(insn, 12, 4) == 1 ? FDIV_CYCLES : FP_CYCLES;
    } else if (extract32(insn, 10, 2)) {                /* FCCMP, FCSEL */
        op->reads |= OOO_FLAGS;
        op->writes = extract32(insn, 10, 2) == 1 ? OOO_FLAGS : op->writes;
    } else if (extract32(insn, 10, 3) == 4) {           /* FMOV of a number */
        op->reads = 0;
    } else if (extract32(insn, 10, 4) == 8) {
        op->writes = OOO_FLAGS;
    } else {
        op->reads = vector(insn, RN);
        op->cycles = extract32(insn, 15, 6) == 3 ? FDIV_CYCLES : FP_CYCLES;
    }
    op->divides = op->cycles == FDIV_CYCLES;
}

static bool accumulates(uint32_t insn)
{
    unsigned opcode = extract32(insn, 11, 5);
    bool u = extract32(insn, 29, 1);

    if (matches(insn, 0x9f200400, 0x0e200400)) {        /* three registers */
        return opcode == 0x12 || (opcode == 0x19 && !u) || (opcode == 3 && u);
    }
    if (matches(insn, 0x9f000400, 0x0f000000)) {        /* by element */
        opcode = extract32(insn, 12, 4);
        return opcode == 1 || opcode == 5 || (u && !(opcode & 11));
    }
    return matches(insn, 0xff000000, 0x4e000000) &&     /* AES, INS, ... */
           extract32(insn, 10, 6) == 7;
}

static void decode_vector(uint32_t insn, OOOInsn *op)
{
    bool divides = matches(insn, 0xbfa0fc00, 0x2e20fc00);
    bool roots = matches(insn, 0xbfbffc00, 0x2ea1f800);

    op->reads = vector(insn, RN) | vector(insn, RM);
    op->writes = vector(insn, RD);
    op->cycles = VECTOR_CYCLES;
    op->divides = divides || roots;
    if (matches(insn, 0x9ff80400, 0x0f000400)) {        /* MOVI */
        op->reads = 0;
    } else if (matches(insn, 0x9fe08400, 0x0e000400)) { /* DUP, INS, UMOV */
        unsigned kind = extract32(insn, 11, 4);

        op->reads = kind == 1 || kind == 3 ? general(insn, RN)
                                           : vector(insn, RN);
        op->writes = kind == 5 || kind == 7 ? general(insn, RD)
                                            : vector(insn, RD);
        op->cycles = MOVE_CYCLES;
    } else if (matches(insn, 0x9f3e0c00, 0x0e200800)) { /* two registers */
        op->reads = vector(insn, RN);
    } else if (matches(insn, 0x9f20c400, 0x0e20c400) ||
               matches(insn, 0x9f000400, 0x0f000000)) { /* floating point */
        op->cycles = FMA_CYCLES;
    }
    if (op->divides) {
        op->cycles = FDIV_CYCLES;
    }
    if (accumulates(insn)) {
        op->reads |= vector(insn, RD);
    }
}

/* The data registers of a load or store, @count from Rt or Rt and Rt2. */
static uint64_t data(uint32_t insn, bool simd, bool pair)
{
    uint64_t (*reg)(uint32_t, unsigned) = simd ? vector : general;

    return reg(insn, RD) | (pair ? reg(insn, RA) : 0);
}

static void decode_memory(uint32_t insn, OOOInsn *op)
{
    bool simd = extract32(insn, 26, 1), pair = false, literal = false;
    bool writes_back = false, status = false;
    uint64_t moved;

    if (matches(insn, 0x3a000000, 0x28000000)) {        /* LDP, STP */
        pair = true;
        writes_back = extract32(insn, 23, 1);
    } else if (matches(insn, 0x3b000000, 0x18000000)) {
        literal = true;
    } else if (matches(insn, 0x3b200000, 0x38000000)) {
        writes_back = extract32(insn, 10, 1);
    } else if (matches(insn, 0x3b200c00, 0x38200800)) {
        op->reads |= general(insn, RM);
    } else if (matches(insn, 0x3b200c00, 0x38200000)) { /* LDADD, SWP, ... */
        op->reads |= general(insn, RM);
    } else if (matches(insn, 0x3f000000, 0x08000000)) {
        op->reads |= op->load && op->store ? general(insn, RM) : 0;
        status = !extract32(insn, 23, 1) && op->store && !op->load;
        pair = !extract32(insn, 23, 1) && extract32(insn, 21, 1);
    } else if (matches(insn, 0xbe000000, 0x0c000000)) { /* LD1, ST1, ... */
        writes_back = extract32(insn, 23, 1);
    }
    moved = data(insn, simd, pair);
    op->reads |= literal ? 0 : general(insn, RN);
    op->writes |= op->load ? moved : 0;
    op->reads |= op->store ? moved : 0;
    op->reads &= op->load && op->store ? ~op->writes | general(insn, RN) |
                                         general(insn, RM) : ~0ull;
    op->writes |= status ? general(insn, RM) : 0;
    op->base = writes_back ? general(insn, RN) : 0;
}

void ooo_decode(const SPEOpType *type, uint32_t insn, OOOInsn *op)
{
    *op = (OOOInsn) {
        .load = type->load,
        .store = type->store,
        .branch = type->class == SPE_CLASS_BRANCH,
        .cycles = ALU_CYCLES,
        .acquires = type->load && type->class == SPE_CLASS_LOAD_STORE &&
                    (type->subclass & 0x12) == 0x12,
    };
    if (type->class == SPE_CLASS_LOAD_STORE) {
        decode_memory(insn, op);
    } else if (op->branch) {
        decode_branch(insn, op);
    } else if (matches(insn, 0x1e000000, 0x04000000)) {
        op->reads = vector(insn, RN) | vector(insn, RM);
        op->writes = vector(insn, RD);
        op->cycles = type->latency;
    } else if (matches(insn, 0x5e000000, 0x1e000000) && !(insn >> 31)) {
        decode_scalar_fp(insn, op);
    } else if (matches(insn, 0x0e000000, 0x0e000000)) {
        decode_vector(insn, op);
    } else if (matches(insn, 0x1c000000, 0x14000000)) {
        decode_system(insn, op);
    } else if (matches(insn, 0x1c000000, 0x10000000)) {
        decode_immediate(insn, op);
    } else {
        decode_register(insn, op);
    }
    op->float_or_vector = type->class == SPE_CLASS_OTHER &&
                          (op->writes >> 32 || type->fp || type->simd);
}
