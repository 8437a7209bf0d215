// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stream with the spe trigger has a record for each piece of SPE data, which
 * names that piece as its PERF_RECORD_AUX does.
 */
#include "ktap.h"
#include "spe.h"

#define PIECES	 8
#define MOST	 512
#define PATIENCE 200000
/* PMBSR_EL1.S: the window ended with a management event */
#define PMBSR_S (1ULL << 17)

struct piece {
	uint64_t offset;
	uint64_t size;
};

static struct stream s, spe;
static struct piece piece[MOST];
static int nr_pieces;

/* Notes the PERF_RECORD_AUX of SPE and gives all data back. */
static void drain_spe(void)
{
	struct aux_record aux;

	while (next_aux(spe.ring, &aux))
		/* Without data it only reports that there was no room. */
		if (aux.size && nr_pieces < MOST)
			piece[nr_pieces++] =
				(struct piece){aux.offset, aux.size};
	stream_skip(&spe);
}

static bool has_piece(const struct pmscope_record *r)
{
	for (int i = 0; i < nr_pieces; i++)
		if (piece[i].offset == r->aux_offset &&
		    piece[i].size == r->aux_size)
			return true;
	return false;
}

static void check_window(const struct pmscope_record *r)
{
	EXPECT_EQ(r->trigger, PMSCOPE_TRIGGER_SPE);
	EXPECT_TRUE(r->flags & PMSCOPE_RECORD_HAS_SPE);
	EXPECT_NE(r->pmbptr, 0);
	EXPECT_EQ(stream_counter(r, 0)->count, stream_counter(r, 2)->count);
	EXPECT_EQ(r->lost, 0);
	if (r->aux_size)
		EXPECT_TRUE(has_piece(r));
}

BEFORE_EACH(NEED_SNAPSHOT(); NEED_PMSCOPE());

TEST(each_piece_of_spe_data_has_its_record)
{
	const struct pmscope_record *r;
	int records = 0, full = 0;

	pin_to(0);
	ASSERT_EQ(stream_start(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_SPE, 1, -1, 0),
		  0);
	ASSERT_EQ(spe_stream_open(&spe, 0, 2), 0);
	for (int i = 0; i < PATIENCE && nr_pieces < PIECES; i++) {
		ioctl(spe.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		work(1000);
		drain_spe();
	}
	ASSERT_EQ(disable_group(spe.fds[0]), 0);
	drain_spe();
	EXPECT_GE(nr_pieces, PIECES);
	while ((r = stream_next(&s))) {
		check_window(r);
		records += r->aux_size != 0;
		full += !!(r->pmbsr & PMBSR_S);
	}
	EXPECT_EQ(records, nr_pieces);
	/* In such a small area, some windows end because they are full. */
	EXPECT_GT(full, 0);
}

/* PMBPTR_EL1 holds an address of the kernel's. */
TEST(addresses_are_for_the_privileged)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_SPE, 1);
	struct perf_event_attr own = spe_attr(0, 1024);
	static struct stream theirs;
	const struct pmscope_record *r;
	int records = 0;

	if (geteuid())
		SKIP("needs root");
	pin_to(0);
	ASSERT_EQ(stream_open_as_nobody(&theirs, &attr, 0, STREAM_AUX_PAGES),
		  0);
	ASSERT_EQ(enable_group(theirs.fds[0]), 0);
	ASSERT_EQ(stream_open_as_nobody(&spe, &own, 0, 2), 0);
	for (int i = 0; i < PATIENCE && !records; i++) {
		ioctl(spe.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		work(1000);
		drain_spe();
		while ((r = stream_next(&theirs))) {
			EXPECT_TRUE(r->flags & PMSCOPE_RECORD_HAS_SPE);
			EXPECT_EQ(r->pmbptr, 0);
			records++;
		}
	}
	EXPECT_GT(records, 0);
}

/* Reads records of @s while SPE writes some pieces of data */
static int records_beside_spe(struct stream *s)
{
	int records = 0;

	nr_pieces = 0;
	for (int i = 0; i < PATIENCE && nr_pieces < PIECES; i++) {
		ioctl(spe.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		work(1000);
		drain_spe();
	}
	EXPECT_GE(nr_pieces, PIECES);
	while (stream_next(s))
		records++;
	return records;
}

/* How often another task took this one's CPU, or it waited */
static int context_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* A session of this task, or of its CPU, that is not for the stream's user */
static void check_apart(struct stream *theirs, int cpu, uid_t uid,
			uint64_t keep)
{
	struct perf_event_attr own = spe_attr(0, 1024);

	ASSERT_EQ(stream_open_as_user(&spe, &own, cpu, 2, uid, keep), 0);
	EXPECT_EQ(records_beside_spe(theirs), 0);
	stream_close(&spe);
}

/*
 * A user must not learn how fast an SPE session that another one has of the
 * CPU, or of this user's task, fills its area; nor one of all tasks, or one
 * with privilege.
 */
TEST(sessions_of_others_trigger_no_record)
{
	struct perf_event_attr attr =
		stream_attr(CPU_CYCLES | PMSCOPE_SNAPSHOT_SPE, 1);
	struct perf_event_attr own = spe_attr(0, 1024);
	static struct stream theirs;
	int records, switches;

	if (geteuid())
		SKIP("needs root");
	pin_to(0);
	ASSERT_EQ(stream_open_as_nobody(&theirs, &attr, -1, STREAM_AUX_PAGES),
		  0);
	ASSERT_EQ(enable_group(theirs.fds[0]), 0);
	ASSERT_EQ(spe_stream_open(&spe, 0, 2), 0);
	EXPECT_EQ(records_beside_spe(&theirs), 0);
	stream_close(&spe);
	ASSERT_EQ(stream_open_one(&spe, &own, 0, -1, 2), 0);
	EXPECT_EQ(records_beside_spe(&theirs), 0);
	stream_close(&spe);

	check_apart(&theirs, 0, NOBODY, 0);
	check_apart(&theirs, -1, NOBODY - 1, 0);
	check_apart(&theirs, -1, NOBODY, KEEP_PERFMON);

	ASSERT_EQ(stream_open_as_nobody(&spe, &own, -1, 2), 0);
	switches = context_switches();
	records = records_beside_spe(&theirs);
	switches = context_switches() - switches;
	/* A switch can stop the stream before it closes SPE's window. */
	EXPECT_GT(records, 0);
	EXPECT_GE(records + switches, PIECES);
}
