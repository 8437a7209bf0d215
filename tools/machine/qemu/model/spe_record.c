/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of a sample record, in the order that Neoverse cores use. */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "spe.h"

enum {
    HEADER_PAD = 0x00,
    HEADER_END = 0x01,
    HEADER_EXTENDED = 0x20,
    HEADER_EVENTS = 0x42,
    HEADER_SOURCE = 0x43,
    HEADER_OPERATION = 0x48,
    HEADER_CONTEXT = 0x64,
    HEADER_TIMESTAMP = 0x71,
    HEADER_COUNTER = 0x98,
    HEADER_ADDRESS = 0xb0,
};

/* The last one is IMPLEMENTATION DEFINED, and takes an extended header. */
enum { COUNTER_TOTAL, COUNTER_ISSUE, COUNTER_XLAT, COUNTER_MEMORY = 8 };
enum {
    ADDRESS_PC,
    ADDRESS_TARGET,
    ADDRESS_VA,
    ADDRESS_PA,
    ADDRESS_PREVIOUS_TARGET,
};

/* In byte 7 of an address; an instruction's also holds its level. */
#define ADDRESS_NS (1ULL << 63)
#define ADDRESS_NSE (1ULL << 60)

typedef struct Writer {
    uint8_t *data;
    uint32_t size;
    CPUARMState *env;
    unsigned spare;     /* bytes for forms that take more */
} Writer;

/*
 * With spe-forms=on: is the form that takes so many more bytes taken, or with 0
 * one that takes less? Not before it is known how many are to spare.
 */
static bool choose(Writer *w, unsigned bytes)
{
    if (!env_archcpu(w->env)->spe.forms || !w->spare || w->spare < bytes ||
        !(spe_random(w->env) & 1)) {
        return false;
    }
    w->spare -= bytes;
    return true;
}

/* The header's bits 5:4 give the size of the payload. */
static void put(Writer *w, uint8_t header, unsigned log2_size, uint64_t value)
{
    unsigned size = 1u << log2_size;

    w->data[w->size++] = header | log2_size << 4;
    stn_le_p(w->data + w->size, size, value);
    w->size += size;
}

static void put_address(Writer *w, unsigned index, uint64_t value)
{
    put(w, HEADER_ADDRESS + index, 3, value);
}

static void put_counter(Writer *w, unsigned index, uint16_t value)
{
    put(w, HEADER_COUNTER + index, 1, value);
}

static void put_events(Writer *w, uint64_t events)
{
    unsigned size = events >> 16 ? 2 : 1;

    if (choose(w, 8 - (1u << size))) {
        size = 3;
    } else if (!(events >> 8) && choose(w, 0)) {
        size = 0;
    }
    put(w, HEADER_EVENTS, size, events);
}

static uint64_t security(ARMSecuritySpace space)
{
    switch (space) {
    case ARMSS_Secure:
        return 0;
    case ARMSS_Realm:
        return ADDRESS_NS | ADDRESS_NSE;
    default:
        return ADDRESS_NS;
    }
}

static uint64_t instruction_address(const SPESample *sample, uint64_t pc)
{
    return security(sample->space) | (uint64_t)sample->el << 61 |
           (pc & MAKE_64BIT_MASK(0, 56));
}

static void put_data(Writer *w, const SPESample *sample)
{
    if (sample->has_va) {
        put_address(w, ADDRESS_VA, sample->va);
        put_counter(w, COUNTER_XLAT, sample->xlat);
    }
    if (sample->has_pa) {
        put_address(w, ADDRESS_PA, security(sample->pa_space) | sample->pa);
    }
    if (sample->has_source) {
        put(w, HEADER_SOURCE, choose(w, 1), sample->source);
    }
    if (choose(w, 4)) {
        w->data[w->size++] = HEADER_EXTENDED | COUNTER_MEMORY >> 3;
        put_counter(w, COUNTER_MEMORY & 7, sample->memory);
    }
}

static uint32_t build(CPUARMState *env, const SPESample *sample, unsigned spare,
                      uint8_t *data)
{
    Writer w = { .data = data, .env = env, .spare = spare };

    put_address(&w, ADDRESS_PC,
                instruction_address(sample, sample->pc +
                                    4 * env_archcpu(env)->spe.skid));
    for (int i = 0; i < ARRAY_SIZE(sample->context); i++) {
        if (sample->has_context[i]) {
            put(&w, HEADER_CONTEXT + i, 2, sample->context[i]);
        }
    }
    put(&w, HEADER_OPERATION + sample->op.class, 0, sample->op.subclass);
    if (choose(&w, 1)) {
        data[w.size++] = HEADER_PAD;
    }
    put_events(&w, sample->events);
    put_counter(&w, COUNTER_ISSUE, sample->issue);
    put_counter(&w, COUNTER_TOTAL, sample->total);
    put_data(&w, sample);
    if (sample->has_target) {
        put_address(&w, ADDRESS_TARGET,
                    instruction_address(sample, sample->target));
    }
    if (sample->has_previous) {
        put_address(&w, ADDRESS_PREVIOUS_TARGET,
                    instruction_address(sample, sample->previous));
    }
    if (sample->has_time) {
        put(&w, HEADER_TIMESTAMP, 3, sample->time);
    } else {
        data[w.size++] = HEADER_END;
    }
    return w.size;
}

uint32_t spe_build_record(CPUARMState *env, const SPESample *sample,
                          uint8_t *data)
{
    uint32_t size = build(env, sample, 0, data);

    if (env_archcpu(env)->spe.forms) {
        size = build(env, sample, SPE_RECORD_MAX - size, data);
    }
    return size;
}
