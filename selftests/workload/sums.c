// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sums ROUNDS SEED - fills a table with random numbers, looks some of them up
 * and adds all of them up, ROUNDS times.
 *
 * Built as sums_slow, the inner loop of add_up() walks down the columns of the
 * table instead of along its rows: it executes the same instructions, and most
 * of its loads miss the first-level cache. Built as sums_again, it is the same
 * program with its functions at other addresses.
 */
#include "bare.h"

/*
 * 128 KiB: more than the first-level cache of the machine, and so much less
 * than the second level that it does not matter which pages the kernel gives.
 */
#define ROWS	256
#define COLUMNS 256
#define LOOKUPS 20000

#ifdef SUMS_AGAIN
__attribute__((used, noinline)) static void padding(void)
{
	__asm__ volatile(".skip 1072");
}
#endif

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

__attribute__((noinline)) static void fill(uint16_t *table, uint64_t *state)
{
	for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
		table[i] = next_random(state);
}

/* Half of the branches depend on the random numbers. */
__attribute__((noinline)) static uint64_t look_up(const uint16_t *table,
						  uint64_t *state)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < LOOKUPS; i++) {
		uint16_t value = table[next_random(state) % (ROWS * COLUMNS)];

		if (value & 1)
			found += value;
		__asm__ volatile("" : "+r"(found));
	}
	return found;
}

__attribute__((noinline)) static uint64_t add_up(const uint16_t *table)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t j = 0; j < COLUMNS; j++) {
#ifdef SUMS_SLOW
			sum += table[j * COLUMNS + i];
#else
			sum += table[i * COLUMNS + j];
#endif
			__asm__ volatile("" : "+r"(sum));
		}
	return sum;
}

void bare_main(long argc, char **argv)
{
	uint64_t rounds = bare_arg(argc, argv, 1, 10);
	uint64_t state = bare_arg(argc, argv, 2, 1) * 2 + 1, sum = 0;
	uint16_t *table = bare_alloc(ROWS * COLUMNS * sizeof(*table));

	for (uint64_t round = 0; round < rounds; round++) {
		fill(table, &state);
		sum += look_up(table, &state);
		sum += add_up(table) + add_up(table);
	}
	bare_put("sums");
	bare_put_count(" rounds=", rounds);
	bare_put_count(" sum=", sum);
	bare_flush();
}
