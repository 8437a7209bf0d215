/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each cycle of core=ooo went, by instruction: a file for tests, which SPE
 * has no part in. A cycle belongs to the oldest operation that has not left the
 * window, and to what that one waits for; those after a mispredicted branch, until
 * there are operations again, to the branch. An operation that waited for a table
 * walk to begin would be done so much earlier: that comes first.
 *
 * A line for each instruction: PC, Exception level, operations; sums of cycles
 * from dispatch to issue, from dispatch to the end, and of translation; how many
 * were mispredicted; then for each cause its cycles, and for each data source of
 * loads how many. All are decimal but the PC.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/notify.h"
#include "system/system.h"
#include "ooo.h"

#define SOURCES 16

typedef struct Line {
    uint64_t pc;
    int el;
    uint64_t ops;
    uint64_t issue;
    uint64_t total;
    uint64_t xlat;
    uint64_t mispredicted;
    uint64_t cycles[OOO_CAUSES];
    uint64_t sources[SOURCES];
} Line;

struct OOOTruth {
    FILE *file;
    GHashTable *lines;
    Notifier exit;
};

static const char *const causes[OOO_CAUSES] = {
    [OOO_RETIRING] = "retiring",
    [OOO_FRONT_END] = "front_end",
    [OOO_MISPREDICTED] = "mispredicted",
    [OOO_EXECUTING] = "executing",
    [OOO_DIVIDING] = "dividing",
    [OOO_FLOAT] = "float",
    [OOO_BARRIER] = "barrier",
    [OOO_STORE_BUFFER] = "store_buffer",
    [OOO_TRANSLATING] = "translating",
    [OOO_CACHE_L1] = "l1",
    [OOO_CACHE_L2] = "l2",
    [OOO_PEER] = "peer",
    [OOO_SYSTEM_CACHE] = "system_cache",
    [OOO_MEMORY] = "memory",
    [OOO_DEVICE] = "device",
};

static void write_lines(Notifier *notifier, void *data)
{
    OOOTruth *truth = container_of(notifier, OOOTruth, exit);
    GHashTableIter iter;
    Line *line;

    fprintf(truth->file, "pc el ops issue total xlat wrong_guesses");
    for (int i = 0; i < OOO_CAUSES; i++) {
        fprintf(truth->file, " %s", causes[i]);
    }
    for (int i = 0; i < SOURCES; i++) {
        fprintf(truth->file, " source_%x", i);
    }
    g_hash_table_iter_init(&iter, truth->lines);
    while (g_hash_table_iter_next(&iter, NULL, (void **)&line)) {
        fprintf(truth->file, "\n0x%" PRIx64 " %d", line->pc, line->el);
        for (uint64_t *n = &line->ops; n < line->sources + SOURCES; n++) {
            fprintf(truth->file, " %" PRIu64, *n);
        }
    }
    fprintf(truth->file, "\n");
    fclose(truth->file);
}

OOOTruth *ooo_truth_new(const char *file, int cpu, Error **errp)
{
    OOOTruth *truth = g_new0(OOOTruth, 1);
    const char *number = strstr(file, "%d");
    g_autofree char *name = number ?
        g_strdup_printf("%.*s%d%s", (int)(number - file), file, cpu,
                        number + 2) : g_strdup(file);

    truth->file = fopen(name, "w");
    if (!truth->file) {
        error_setg_errno(errp, errno, "truth=%s", name);
        g_free(truth);
        return NULL;
    }
    truth->lines = g_hash_table_new(g_int64_hash, g_int64_equal);
    truth->exit.notify = write_lines;
    qemu_add_exit_notifier(&truth->exit);
    return truth;
}

static Line *line_of(OOOTruth *truth, uint64_t pc, int el)
{
    Line *line = g_hash_table_lookup(truth->lines, &pc);

    if (!line) {
        line = g_new0(Line, 1);
        line->pc = pc;
        line->el = el;
        g_hash_table_insert(truth->lines, &line->pc, line);
    }
    return line;
}

static OOOCause cause_of_source(const OOOOperation *op)
{
    if (!op->access.cached) {
        return OOO_DEVICE;
    }
    switch (op->awaited) {
    case SPE_SOURCE_L1:
        return OOO_CACHE_L1;
    case SPE_SOURCE_L2:
        return OOO_CACHE_L2;
    case SPE_SOURCE_PEER_CORE:
    case SPE_SOURCE_PEER_CLUSTER:
        return OOO_PEER;
    case SPE_SOURCE_LOCAL_CLUSTER:
    case SPE_SOURCE_SYSTEM_CACHE:
        return OOO_SYSTEM_CACHE;
    default:
        return OOO_MEMORY;
    }
}

static OOOCause cause_of_execution(const OOOOperation *op)
{
    const OOOInsn *insn = &op->insn;

    if (insn->load && op->accesses) {
        return cause_of_source(op);
    }
    if (insn->order) {
        return OOO_BARRIER;
    }
    if (insn->divides) {
        return OOO_DIVIDING;
    }
    return insn->float_or_vector ? OOO_FLOAT : OOO_EXECUTING;
}

/* The cycles of [*at, end) are of @cause. */
static void spend(Line *line, uint64_t *at, uint64_t end, OOOCause cause)
{
    if (end > *at) {
        line->cycles[cause] += end - *at;
        *at = end;
    }
}

void ooo_truth_add(OOOTruth *truth, const OOOOperation *op,
                   const OOOTimes *t, uint64_t before, OOOCause front,
                   uint64_t blamed)
{
    Line *line = line_of(truth, op->pc, op->el), *fetching = line;
    bool wrong = front == OOO_MISPREDICTED;
    uint64_t last = t->commit - 1, at = before;
    uint64_t queued = t->translated - t->issue - op->access.xlat;

    line->ops++;
    line->issue += t->issue - t->dispatch;
    line->total += t->complete - t->dispatch;
    line->xlat += t->translated - t->issue;
    line->mispredicted += op->mispredicted;
    if (op->insn.load && op->accesses && op->access.cached) {
        line->sources[op->access.source % SOURCES]++;
    }
    if (t->commit == before) {
        return;
    }
    line->cycles[OOO_RETIRING]++;
    if (wrong) {
        fetching = line_of(truth, blamed, op->el);
    }
    spend(fetching, &at, MIN(last, t->dispatch + OOO_ISSUE_CYCLES),
          wrong ? OOO_MISPREDICTED : OOO_FRONT_END);
    spend(line, &at, MIN(last, t->issue), OOO_EXECUTING);
    spend(line, &at, MIN(last, MAX(t->translated, at + queued)),
          OOO_TRANSLATING);
    spend(line, &at, MIN(last, t->complete), cause_of_execution(op));
    spend(line, &at, last, op->awaited == SPE_SOURCE_PEER_CORE ? OOO_PEER
                                                              : OOO_STORE_BUFFER);
}
