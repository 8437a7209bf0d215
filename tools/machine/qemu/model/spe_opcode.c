/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kind of a sampled A64 instruction: Operation Type packet, source
 * registers and execution latency.
 */
#include "qemu/osdep.h"
#include "spe.h"

/* Load and store subclasses; bit 0 is set for a store. */
enum {
    LS_GENERAL = 0x00,
    LS_EXTENDED = 0x02,
    LS_SIMD_FP = 0x04,
    LS_SVE = 0x08,
    LS_UNSPECIFIED = 0x10,
    LS_ALLOCATION_TAG = 0x14,
    LS_COPY = 0x20,
    LS_SET = 0x24,
};

/* Flags of LS_EXTENDED. */
#define LS_AT 0x04
#define LS_EXCL 0x08
#define LS_AR 0x10

#define LS_SVE_PRED 0x04
#define LS_SVE_SG 0x80

#define OTHER_COND 0x01
#define OTHER_FP 0x02
#define OTHER_ASE 0x04
#define OTHER_SVE 0x08

#define BRANCH_COND 0x01
#define BRANCH_INDIRECT 0x02

/* FEAT_SPE_CRR */
#define BRANCH_CALL 0x08
#define BRANCH_RETURN 0x10
#define BRANCH_NEITHER 0x18

#define FP_CYCLES 3
#define MUL_CYCLES 3
#define DIV_CYCLES 12

typedef struct Pattern {
    uint32_t mask;
    uint32_t value;
} Pattern;

static bool matches(uint32_t insn, uint32_t mask, uint32_t value)
{
    return (insn & mask) == value;
}

static bool matches_any(uint32_t insn, const Pattern *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (matches(insn, p[i].mask, p[i].value)) {
            return true;
        }
    }
    return false;
}

#define MATCHES_ANY(insn, patterns) \
    matches_any(insn, patterns, ARRAY_SIZE(patterns))

static uint32_t rn(uint32_t insn)
{
    return 1u << extract32(insn, 5, 5);
}

static uint32_t rm(uint32_t insn)
{
    return 1u << extract32(insn, 16, 5);
}

static uint32_t rt(uint32_t insn)
{
    return 1u << extract32(insn, 0, 5);
}

bool spe_insn_is_conditional_branch(uint32_t insn)
{
    static const Pattern conditional[] = {
        { 0x7e000000, 0x34000000 },     /* CBZ, CBNZ */
        { 0x7e000000, 0x36000000 },     /* TBZ, TBNZ */
    };

    if (matches(insn, 0xff000000, 0x54000000)) {    /* B.cond, BC.cond */
        return extract32(insn, 0, 4) < 0xe;
    }
    return MATCHES_ANY(insn, conditional);
}

bool spe_insn_is_indirect_branch(uint32_t insn)
{
    return matches(insn, 0xfe000000, 0xd6000000);
}

bool spe_insn_is_branch(uint32_t insn)
{
    static const Pattern branches[] = {
        { 0x7c000000, 0x14000000 },     /* B, BL */
        { 0xff000000, 0x54000000 },     /* B.cond */
        { 0x7c000000, 0x34000000 },     /* CBZ, TBZ */
        { 0xfe000000, 0xd6000000 },     /* BR, BLR, RET, ERET */
    };

    return MATCHES_ANY(insn, branches);
}

bool spe_insn_is_direct_branch(uint32_t insn)
{
    return matches(insn, 0x7c000000, 0x14000000);
}

static uint8_t call_or_return(uint32_t insn)
{
    unsigned opc = spe_insn_is_indirect_branch(insn) ?
                   extract32(insn, 21, 4) & 7 : 0;

    if (matches(insn, 0xfc000000, 0x94000000) || opc == 1) {
        return BRANCH_CALL;                         /* BL, BLR */
    }
    return opc == 2 ? BRANCH_RETURN : BRANCH_NEITHER;
}

static SPEOpType decode_branch(CPUARMState *env, uint32_t insn)
{
    SPEOpType op = { .class = SPE_CLASS_BRANCH, .latency = 1 };

    op.conditional = spe_insn_is_conditional_branch(insn);
    if (op.conditional) {
        op.subclass |= BRANCH_COND;
        op.sources = matches(insn, 0x7c000000, 0x34000000) ? rt(insn) : 0;
    }
    if (spe_insn_is_indirect_branch(insn)) {
        op.subclass |= BRANCH_INDIRECT;
        op.sources = rn(insn);
    }
    if (env_archcpu(env)->spe.crr) {
        op.subclass |= call_or_return(insn);
    }
    return op;
}

static SPEOpType load_store(uint32_t insn, uint8_t subclass, bool load,
                            bool store)
{
    return (SPEOpType) {
        .class = SPE_CLASS_LOAD_STORE,
        .subclass = subclass,
        .load = load,
        .store = store,
        .latency = 1,
        .sources = rn(insn) | (store ? rt(insn) : 0),
    };
}

/* Exclusives, ordered accesses and compare and swap. */
static SPEOpType decode_exclusive(uint32_t insn)
{
    bool o2 = extract32(insn, 23, 1);
    bool load = extract32(insn, 22, 1);
    bool o1 = extract32(insn, 21, 1);
    bool o0 = extract32(insn, 15, 1);
    bool pair_cas = !o2 && o1 && !extract32(insn, 31, 1);

    if ((o2 && o1) || pair_cas) {                   /* CAS, CASP */
        return load_store(insn, LS_EXTENDED | LS_AT |
                          (load || o0 ? LS_AR : 0), true, true);
    }
    if (o2) {                                       /* LDAR, STLR, ... */
        return load_store(insn, LS_EXTENDED | LS_AR, load, !load);
    }
    return load_store(insn, LS_EXTENDED | LS_EXCL | (o0 ? LS_AR : 0),
                      load, !load);
}

static SPEOpType decode_atomic(uint32_t insn)
{
    bool acquire = extract32(insn, 23, 1);
    bool release = extract32(insn, 22, 1);
    SPEOpType op;

    if (matches(insn, 0x0020fc00, 0x0020c000)) {    /* LDAPR */
        return load_store(insn, LS_EXTENDED | LS_AR, true, false);
    }
    if (matches(insn, 0xfffffc00, 0xf83fd000)) {    /* LD64B */
        return load_store(insn, LS_UNSPECIFIED, true, false);
    }
    if (matches(insn, 0xffe0cc00, 0xf8208000) &&
        extract32(insn, 12, 2)) {                   /* ST64B, ST64BV */
        return load_store(insn, LS_UNSPECIFIED, false, true);
    }
    op = load_store(insn, LS_EXTENDED | LS_AT |
                    (acquire || release ? LS_AR : 0), true, true);
    op.sources = rn(insn) | rm(insn);
    return op;
}

static SPEOpType decode_tag_access(uint32_t insn)
{
    unsigned opc = extract32(insn, 22, 2);
    bool indexed = extract32(insn, 10, 2);
    bool load = !indexed && (opc == 1 || opc == 3); /* LDG, LDGM */

    return load_store(insn, LS_ALLOCATION_TAG, load, !load);
}

/* Registers of one size: LDR, STR, LDUR, LDTR, PRFM, ... */
static SPEOpType decode_single(uint32_t insn)
{
    bool vector = extract32(insn, 26, 1);
    unsigned size = extract32(insn, 30, 2);
    unsigned opc = extract32(insn, 22, 2);
    bool store = opc == 0 || (vector && opc == 2);
    SPEOpType op;

    if (size == 3 && opc == 2 && !vector) {         /* PRFM */
        return load_store(insn, LS_UNSPECIFIED, true, false);
    }
    op = load_store(insn, vector ? LS_SIMD_FP : LS_GENERAL, !store, store);
    if (matches(insn, 0x01200c00, 0x00200800)) {    /* register offset */
        op.sources |= rm(insn);
    }
    if (vector && store) {
        op.sources &= ~rt(insn);
    }
    return op;
}

static SPEOpType decode_literal(uint32_t insn)
{
    bool vector = extract32(insn, 26, 1);
    bool prefetch = extract32(insn, 30, 2) == 3 && !vector;
    SPEOpType op = load_store(insn, prefetch ? LS_UNSPECIFIED :
                              vector ? LS_SIMD_FP : LS_GENERAL, true, false);

    op.sources = 0;
    return op;
}

static SPEOpType decode_load_store(uint32_t insn)
{
    bool vector = extract32(insn, 26, 1);
    bool load = extract32(insn, 22, 1);

    if (matches(insn, 0x3f000000, 0x08000000)) {
        return decode_exclusive(insn);
    }
    if (matches(insn, 0xbe000000, 0x0c000000)) {    /* LD1 to ST4 */
        return load_store(insn, LS_SIMD_FP, load, !load);
    }
    if (matches(insn, 0xff200000, 0xd9200000)) {
        return decode_tag_access(insn);
    }
    if (matches(insn, 0x3f200c00, 0x19000000)) {    /* LDAPUR, STLUR */
        return load_store(insn, LS_EXTENDED | LS_AR,
                          extract32(insn, 22, 2), !extract32(insn, 22, 2));
    }
    if (matches(insn, 0xfb200c00, 0x19000400)) {    /* CPY, SET */
        bool set = extract32(insn, 22, 2) == 3;

        return load_store(insn, set ? LS_SET : LS_COPY, !set, true);
    }
    if (matches(insn, 0x3b000000, 0x18000000)) {
        return decode_literal(insn);
    }
    if (matches(insn, 0x3a000000, 0x28000000)) {    /* LDP, STP */
        return load_store(insn, vector ? LS_SIMD_FP : LS_GENERAL,
                          load, !load);
    }
    if (matches(insn, 0x3f200c00, 0x38200000)) {
        return decode_atomic(insn);
    }
    if (matches(insn, 0x3f200400, 0x38200400)) {    /* LDRAA, LDRAB */
        return load_store(insn, LS_GENERAL, true, false);
    }
    if (matches(insn, 0x3a000000, 0x38000000)) {
        return decode_single(insn);
    }
    return load_store(insn, LS_UNSPECIFIED, true, false);
}

/* The vector length as encoded in packets: 32 bits shifted left by it. */
static unsigned encoded_vl(CPUARMState *env)
{
    return ctz32(sve_vq(env)) + 2;
}

static bool sve_is_memory(uint32_t insn)
{
    return extract32(insn, 31, 1);
}

static SPEOpType decode_sve_memory(CPUARMState *env, uint32_t insn)
{
    static const Pattern gather[] = {
        { 0xfe000000, 0xc4000000 },     /* 64-bit loads */
        { 0xfe008000, 0x84000000 },     /* 32-bit loads, by offsets */
        { 0xfe608000, 0x84208000 },     /* ... vector plus immediate */
        { 0xfe00c000, 0xe4008000 },     /* stores */
        { 0xfe00e000, 0xe400c000 },
        { 0xfe00e000, 0xe4002000 },
    };
    bool store = extract32(insn, 29, 3) == 7;
    bool whole = matches(insn, 0xffc00000, 0x85800000) ||   /* LDR */
                 matches(insn, 0xffc00000, 0xe5800000);     /* STR */
    SPEOpType op = load_store(insn, LS_SVE | encoded_vl(env) << 4,
                              !store, store);

    op.sources = rn(insn);
    if (!whole) {
        op.subclass |= LS_SVE_PRED;
        op.subclass |= MATCHES_ANY(insn, gather) ? LS_SVE_SG : 0;
    }
    return op;
}

static SPEOpType decode_sve(CPUARMState *env, uint32_t insn)
{
    bool fp = matches(insn, 0xfe000000, 0x64000000);
    SPEOpType op = { .class = SPE_CLASS_OTHER };

    if (sve_is_memory(insn)) {
        return decode_sve_memory(env, insn);
    }
    op.subclass = OTHER_SVE | encoded_vl(env) << 4;
    op.subclass |= fp ? OTHER_FP : 0;
    op.latency = fp ? FP_CYCLES : 2;
    return op;
}

static bool is_vector_fp(uint32_t insn)
{
    unsigned opcode = extract32(insn, 11, 5);

    if (matches(insn, 0x9f200400, 0x0e200400)) {    /* three registers */
        return opcode >= 0x18;
    }
    opcode = extract32(insn, 12, 4);
    if (matches(insn, 0x9f000400, 0x0f000000)) {    /* by element */
        return opcode == 1 || opcode == 5 || opcode == 9;
    }
    opcode = extract32(insn, 12, 5);
    if (matches(insn, 0x9f3e0c00, 0x0e200800)) {    /* two registers */
        return (opcode >= 0x0c && opcode <= 0x0f) || opcode >= 0x16;
    }
    return false;
}

static SPEOpType decode_fp_simd(uint32_t insn)
{
    static const Pattern conditional[] = {
        { 0xff200c00, 0x1e200c00 },     /* FCSEL */
        { 0xff200c00, 0x1e200400 },     /* FCCMP */
    };
    bool scalar = matches(insn, 0x5e000000, 0x1e000000) &&
                  !extract32(insn, 30, 1);
    SPEOpType op = { .class = SPE_CLASS_OTHER, .latency = FP_CYCLES };

    if (scalar) {
        op.subclass = OTHER_FP;
        op.subclass |= MATCHES_ANY(insn, conditional) ? OTHER_COND : 0;
    } else {
        op.subclass = OTHER_ASE;
        op.subclass |= is_vector_fp(insn) ? OTHER_FP : 0;
    }
    return op;
}

static SPEOpType decode_data_processing(uint32_t insn)
{
    static const Pattern conditional[] = {
        { 0x1fe00000, 0x1a800000 },     /* CSEL, CSINC, ... */
        { 0x1fe00000, 0x1a400000 },     /* CCMP, CCMN */
    };
    bool immediate = matches(insn, 0x1c000000, 0x10000000);
    SPEOpType op = { .class = SPE_CLASS_OTHER, .latency = 1 };

    op.sources = rn(insn) | (immediate ? 0 : rm(insn));
    op.subclass = MATCHES_ANY(insn, conditional) ? OTHER_COND : 0;
    if (matches(insn, 0x1f000000, 0x1b000000)) {
        op.latency = MUL_CYCLES;
    } else if (matches(insn, 0x7fe0f800, 0x1ac00800)) {
        op.latency = DIV_CYCLES;
    }
    return op;
}

static bool is_dc_zva(uint32_t insn)
{
    return matches(insn, 0xffffffe0, 0xd50b7420);
}

static SPEOpType decode(CPUARMState *env, uint32_t insn)
{
    if (spe_insn_is_branch(insn)) {
        return decode_branch(env, insn);
    }
    if (is_dc_zva(insn)) {
        return load_store(insn, LS_UNSPECIFIED, false, true);
    }
    if (matches(insn, 0x0a000000, 0x08000000)) {
        return decode_load_store(insn);
    }
    if (matches(insn, 0x1e000000, 0x04000000)) {
        return decode_sve(env, insn);
    }
    if (matches(insn, 0x0e000000, 0x0e000000)) {
        return decode_fp_simd(insn);
    }
    if (matches(insn, 0x1c000000, 0x14000000)) {    /* system */
        return (SPEOpType) { .class = SPE_CLASS_OTHER, .latency = 1 };
    }
    return decode_data_processing(insn);
}

SPEOpType spe_decode(CPUARMState *env, uint32_t insn)
{
    SPEOpType op = decode(env, insn);

    if (op.class == SPE_CLASS_OTHER) {
        op.fp = op.subclass & OTHER_FP;
        op.simd = op.subclass & (OTHER_ASE | OTHER_SVE);
    } else if (op.class == SPE_CLASS_LOAD_STORE) {
        op.simd = (op.subclass & ~1) == LS_SIMD_FP ||
                  (op.subclass & 0x0a) == LS_SVE;
    }
    op.sources &= ~(1u << 31);      /* XZR or SP */
    return op;
}

bool spe_address_from_registers(CPUARMState *env, uint32_t insn, bool load,
                                uint64_t *va)
{
    if (is_dc_zva(insn)) {
        *va = env->xregs[extract32(insn, 0, 5)];
        return true;
    }
    if (matches(insn, 0xfb200c00, 0x19000400)) {    /* CPY, SET */
        *va = env->xregs[load ? extract32(insn, 16, 5)
                              : extract32(insn, 0, 5)];
        return true;
    }
    return false;
}

/* log2 of the element size of LD1 and ST1, from their dtype field. */
static unsigned sve_memory_element(uint32_t insn)
{
    static const uint8_t loads[16] = {
        0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3,
    };

    if (extract32(insn, 29, 3) == 5) {
        return loads[extract32(insn, 21, 4)];
    }
    return extract32(insn, 21, 2);
}

uint64_t spe_predicate_events(CPUARMState *env, uint32_t insn)
{
    SPEOpType op = spe_decode(env, insn);
    uint64_t *pg = env->vfp.pregs[extract32(insn, 10, 3)].p;
    bool empty = true, full = true;
    unsigned element, bytes;

    if (!matches(insn, 0x1e000000, 0x04000000) ||
        op.class != SPE_CLASS_LOAD_STORE || !(op.subclass & LS_SVE_PRED)) {
        return 0;
    }
    element = sve_memory_element(insn);
    bytes = sve_vq(env) * 16;
    for (unsigned i = 0; i < bytes; i += 1 << element) {
        bool active = extract64(pg[i / 64], i % 64, 1);

        empty &= !active;
        full &= active;
    }
    return (full ? 0 : SPE_EV_SVE_PARTIAL) | (empty ? SPE_EV_SVE_EMPTY : 0);
}
