// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmscope_data_src(): equals perf 7.2's output for such records, except where
 * noted.
 */
#include "ktap.h"
#include "base/std.h"

#include <pmscope/events.h>
#include <pmscope/operation.h>
#include <pmscope/source.h>

#include <linux/perf_event.h>

#define N1     0x410fd0c1
#define AMPERE 0xc00fac41
#define HIP12  0x480fd060
#define QEMU   0x000f0510
#define A78    0x410fd410 /* its sources are not known */

#define LOAD  (PMSCOPE_OPERATION_LOAD_STORE << 8)
#define STORE (LOAD | 1)
#define BL    (PMSCOPE_OPERATION_BRANCH << 8 | 0x08)
#define ASIMD (PMSCOPE_OPERATION_OTHER << 8 | 0x04)
#define SVE   (PMSCOPE_OPERATION_OTHER << 8 | 0x08)
#define SME   (PMSCOPE_OPERATION_OTHER << 8 | 0x88)
#define OTHER (PMSCOPE_OPERATION_OTHER << 8)

#define NO_SOURCE -1
#define EVENT(e)  PMSCOPE_EVENT_BIT(e)
#define SNOOPS	  EVENT(SNOOPED)

struct row {
	uint64_t midr;
	unsigned int operation;
	int source;
	uint64_t events;
	uint64_t filter;
	const char *text; /* NULL: the value is 0 */
};

static void expect_row(const struct row *row)
{
	struct pmscope_batch *b = pmscope_batch_new(1);
	char text[128] = "";
	uint64_t value;

	ASSERT_TRUE(b);
	b->has[0] = PMSCOPE_HAS_OPERATION | PMSCOPE_HAS_EVENTS |
		    (row->source < 0 ? 0 : PMSCOPE_HAS_SOURCE);
	b->op_class[0] = row->operation >> 8;
	b->op[0] = row->operation;
	b->source[0] = row->source < 0 ? 0 : row->source;
	b->events[0] = row->events;
	value = pmscope_data_src(b, 0, row->midr, row->filter);
	if (row->text)
		text[pmscope_data_src_text(value, text)] = '\0';
	else
		EXPECT_EQ(value, 0U);
	EXPECT_STREQ(text, row->text ? row->text : "");
	pmscope_batch_free(b);
}

#define ROWS(name, ...)                                         \
	TEST(name)                                              \
	{                                                       \
		static const struct row rows[] = {__VA_ARGS__}; \
                                                                \
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)   \
			expect_row(&rows[i]);                   \
	}

/* The words have no lock and no blocking: SPE reports neither. */
#define WORDS(op, value, level, snoop, tlb)                      \
	value " |OP " op "|LVL " level "|SNP " snoop "|TLB " tlb \
	      "|LCK No|BLK  N/A"

#define ROW_OF(midr, operation, word, source, events, filter, ...) \
	{                                                          \
		midr, operation, source, events, filter,           \
			WORDS(word, __VA_ARGS__)                   \
	}
#define READ(midr, ...)	 ROW_OF(midr, LOAD, "LOAD", __VA_ARGS__)
#define WRITE(midr, ...) ROW_OF(midr, STORE, "STORE", __VA_ARGS__)

ROWS(sources_of_arm,
     READ(N1, 0x0, EVENT(TLB_ACCESS), 0, "288100142", "L1 hit", "None",
	  "Walker hit"),
     READ(N1, 0x8, 0, 0, "400100442", "L2 hit", "None", "N/A"),
     READ(N1, 0x9, EVENT(TLB_ACCESS) | EVENT(TLB_REFILL), 0, "8490080442",
	  "L2 hit", "N/A or Peer", "Walker miss"),
     READ(N1, 0xa, EVENT(TLB_ACCESS), SNOOPS, "8688100842", "L3 hit",
	  "None or Peer", "Walker hit"),
     READ(N1, 0xb, EVENT(REMOTE_ACCESS), 0, "2600200842", "Remote L3 hit",
	  "Hit", "N/A"),
     READ(N1, 0xc, 0, 0, "8600080842", "L3 hit", "N/A or Peer", "N/A"),
     READ(N1, 0xd, EVENT(SNOOPED) | EVENT(HITM), 0, "be00800022", "N/A",
	  "HitM or Peer", "N/A"),
     READ(N1, 0xe, 0, 0, "1a00101042", "RAM hit", "None", "N/A"),
     WRITE(N1, 0xe, EVENT(L1D_ACCESS) | EVENT(TLB_REFILL), SNOOPS, "1e90080024",
	   "N/A", "N/A", "Walker miss"));

ROWS(sources_of_ampere,
     READ(AMPERE, 0x0, 0, 0, "8400080442", "L2 hit", "N/A or Peer", "N/A"),
     READ(AMPERE, 0x3, 0, 0, "600200842", "L3 hit", "Hit", "N/A"),
     READ(AMPERE, 0x5, 0, 0, "be00080022", "N/A", "N/A or Peer", "N/A"),
     READ(AMPERE, 0x7, 0, 0, "1a00101042", "RAM hit", "None", "N/A"),
     READ(AMPERE, 0x8, 0, 0, "200100142", "L1 hit", "None", "N/A"),
     READ(AMPERE, 0x9, 0, 0, "400100442", "L2 hit", "None", "N/A"),
     READ(AMPERE, 0x1, EVENT(L1D_REFILL), 0, "200080182", "L1 miss", "N/A",
	  "N/A"),
     WRITE(AMPERE, 0x1, EVENT(LLC_ACCESS), 0, "600080844", "L3 hit", "N/A",
	   "N/A"),
     WRITE(AMPERE, NO_SOURCE, EVENT(LLC_ACCESS), 0, "1e00080024", "N/A", "N/A",
	   "N/A"));

ROWS(sources_of_hisilicon,
     READ(HIP12, 0, 0, 0, "8400080442", "L2 hit", "N/A or Peer", "N/A"),
     READ(HIP12, 1, 0, 0, "8400800442", "L2 hit", "HitM or Peer", "N/A"),
     READ(HIP12, 2, 0, 0, "600200842", "L3 hit", "Hit", "N/A"),
     READ(HIP12, 3, 0, 0, "600800842", "L3 hit", "HitM", "N/A"),
     READ(HIP12, 4, 0, 0, "8600088042", "L3 hit", "N/A or Peer", "N/A"),
     READ(HIP12, 5, 0, 0, "8600808042", "L3 hit", "HitM or Peer", "N/A"),
     READ(HIP12, 6, 0, 0, "b600090002", "Remote Any cache ", "N/A or Peer",
	  "N/A"),
     READ(HIP12, 7, 0, 0, "b600810002", "Remote Any cache ", "HitM or Peer",
	  "N/A"),
     READ(HIP12, 8, 0, 0, "1a00101042", "RAM hit", "None", "N/A"),
     READ(HIP12, 9, 0, SNOOPS, "3a00102042", "Remote RAM hit", "None", "N/A"),
     READ(HIP12, 13, 0, 0, "1400120042", "I/O hit", "None", "N/A"),
     READ(HIP12, 16, 0, 0, "400100442", "L2 hit", "None", "N/A"),
     READ(HIP12, 17, 0, 0, "400800442", "L2 hit", "HitM", "N/A"),
     READ(HIP12, 18, 0, 0, "200100142", "L1 hit", "None", "N/A"));

/* A cache is said to have it when its access is, and no miss. */
ROWS(levels_of_events,
     READ(A78, 0xe, EVENT(L1D_ACCESS) | EVENT(LLC_REFILL), 0, "200080142",
	  "L1 hit", "N/A", "N/A"),
     READ(A78, 0xe,
	  EVENT(L1D_ACCESS) | EVENT(L1D_REFILL) | EVENT(LFB) |
		  EVENT(L2D_ACCESS),
	  0, "1800080242", "LFB/MAB hit", "N/A", "N/A"),
     READ(A78, 0xe, EVENT(L1D_REFILL) | EVENT(L2D_ACCESS), 0, "400080442",
	  "L2 hit", "N/A", "N/A"),
     READ(A78, 0xe, EVENT(L1D_REFILL) | EVENT(L2D_MISS), SNOOPS, "400100482",
	  "L2 miss", "None", "N/A"),
     READ(A78, 0xe, 0, 0, "1e00080022", "N/A", "N/A", "N/A"),
     WRITE(A78, NO_SOURCE, EVENT(L1D_ACCESS) | EVENT(L2D_MISS), 0, "400080484",
	   "L2 miss", "N/A", "N/A"),
     WRITE(A78, NO_SOURCE, EVENT(L1D_ACCESS), 0, "200080144", "L1 hit", "N/A",
	   "N/A"));

/* perf counts a vector operation as a data access of unknown kind. */
ROWS(operations_without_data,
     {A78, ASIMD, NO_SOURCE, EVENT(L1D_ACCESS), 0,
      WORDS("N/A", "1e00080021", "N/A", "N/A", "N/A")},
     {A78, SVE, NO_SOURCE, 0, 0,
      WORDS("N/A", "1e00080021", "N/A", "N/A", "N/A")},
     {A78, SME, NO_SOURCE, 0, 0,
      WORDS("N/A", "1e00080021", "N/A", "N/A", "N/A")},
     {A78, OTHER, NO_SOURCE, 0, 0, NULL},
     {A78, BL & ~0xffU, NO_SOURCE, 0, 0, NULL});

/* A stale operation in such a row belongs to another record. */
TEST(a_record_without_an_operation)
{
	struct pmscope_batch *b = pmscope_batch_new(1);

	ASSERT_TRUE(b);
	b->has[0] = PMSCOPE_HAS_EVENTS;
	b->op_class[0] = PMSCOPE_OPERATION_LOAD_STORE;
	b->op[0] = 0;
	b->events[0] = EVENT(L1D_ACCESS);
	EXPECT_EQ(pmscope_data_src(b, 0, A78, 0), 0U);
	pmscope_batch_free(b);
}

/* These codes are the project's own; perf does not know them. */
ROWS(sources_of_the_emulated_cpu_are_not_perfs,
     READ(QEMU, 0xe, EVENT(L1D_ACCESS), 0, "200080142", "L1 hit", "N/A",
	  "N/A"));

/* As a sample of perf may contain it: the text is not longer. */
TEST(any_value_has_room)
{
	union perf_mem_data_src all = {.val = UINT64_MAX};
	char text[160] = "";

	all.mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE;
	text[128] = '#';
	EXPECT_EQ(pmscope_data_src_text(all.val, text), 128U);
	EXPECT_EQ(text[128], '#');
}

/*
 * For perf a missing data source is code 0, here "L1 hit" of a load that
 * missed; and a call, reported with FEAT_SPE_CRR, is a data access.
 */
ROWS(what_perf_mistakes,
     READ(N1, NO_SOURCE, EVENT(L1D_REFILL), 0, "200080182", "L1 miss", "N/A",
	  "N/A"),
     {N1, ASIMD, NO_SOURCE, 0, 0,
      WORDS("N/A", "1e00080021", "N/A", "N/A", "N/A")},
     {N1, BL, NO_SOURCE, 0, 0, NULL});
