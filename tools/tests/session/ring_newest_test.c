// SPDX-License-Identifier: GPL-2.0-or-later
/* What a flight recorder writes of an AUX area that the kernel overwrites. */
#include "ktap.h"

#include "session/records.h"

#define SIZE 4096

static uint8_t area[SIZE];
static struct perf_event_mmap_page page;
static const struct ring ring = {.page = &page, .aux = area, .aux_size = SIZE};

static uint8_t byte_at(uint64_t position)
{
	return position ^ position >> 8 ^ position >> 16;
}

/* As the kernel, up to position @head. */
static void write_to(uint64_t head)
{
	for (uint64_t at = page.aux_head; at < head; at++)
		area[at % SIZE] = byte_at(at);
	page.aux_head = head;
}

/* The bytes from @first to @end, whole and in order. */
static void expect_bytes(uint64_t from, uint64_t first, uint64_t end)
{
	struct ring_data data;
	uint64_t at = first;

	EXPECT_EQ(ring_newest_aux(&ring, from, &data), first < end);
	EXPECT_EQ(data.tail, first);
	EXPECT_EQ(data.head, end);
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < data.size[i]; j++, at++)
			if (((const uint8_t *)data.part[i])[j] != byte_at(at))
				break;
	EXPECT_EQ(at, end);
}

TEST(an_area_that_is_not_full)
{
	memset(&page, 0, sizeof(page));
	expect_bytes(0, 0, 0);
	write_to(1000);
	expect_bytes(0, 0, 1000);
	write_to(SIZE);
	expect_bytes(0, 0, SIZE);
}

TEST(only_what_is_still_there)
{
	memset(&page, 0, sizeof(page));
	write_to(SIZE + 1);
	expect_bytes(0, 1, SIZE + 1);
	write_to(5 * SIZE + 77);
	expect_bytes(0, 4 * SIZE + 77, 5 * SIZE + 77);
}

/* What an earlier snapshot has is left out. */
TEST(snapshots_do_not_overlap)
{
	memset(&page, 0, sizeof(page));
	write_to(3 * SIZE + 100);
	expect_bytes(0, 2 * SIZE + 100, 3 * SIZE + 100);
	expect_bytes(3 * SIZE + 100, 3 * SIZE + 100, 3 * SIZE + 100);
	write_to(3 * SIZE + 200);
	expect_bytes(3 * SIZE + 100, 3 * SIZE + 100, 3 * SIZE + 200);
	write_to(9 * SIZE);
	expect_bytes(3 * SIZE + 200, 8 * SIZE, 9 * SIZE);
}
