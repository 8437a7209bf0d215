/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare-metal work whose cost on the host is the cost of the model: calls,
 * memory, exceptions, translation. rounds=N: the amount of work; interval=N:
 * profile every Nth operation, N being a multiple of 256.
 */
/* Compiled like user space: QEMU looks up each new target of a BLR. */
#pragma GCC target("branch-protection=bti")

#include "lib/spe.h"
#include "lib/mmu.h"

#define NUMBERS	   4096
#define EXCEPTIONS 100
#define FLUSHES	   4

static u32 number[NUMBERS], table[NUMBERS];

static bool ascending(u32 a, u32 b)
{
	return a < b;
}

static bool descending(u32 a, u32 b)
{
	return a > b;
}

static void fill(u32 seed)
{
	for (unsigned i = 0; i < NUMBERS; i++) {
		seed = seed * 1664525 + 1013904223;
		number[i] = seed;
	}
}

/* Shell sort, for an indirect call a comparison. */
static void sort(bool (*before)(u32, u32))
{
	for (unsigned gap = NUMBERS / 2; gap; gap /= 2)
		for (unsigned i = gap; i < NUMBERS; i++) {
			u32 moved = number[i];
			unsigned j = i;

			for (; j >= gap && before(moved, number[j - gap]);
			     j -= gap)
				number[j] = number[j - gap];
			number[j] = moved;
		}
}

static void hash(void)
{
	for (unsigned i = 0; i < NUMBERS; i++)
		table[number[i] * 2654435761u >> 20] += number[i];
}

static void take_exceptions(void)
{
	for (unsigned i = 0; i < EXCEPTIONS; i++)
		TRY(asm volatile("svc #0\n nop"));
}

static void flush(void)
{
	for (unsigned i = 0; i < FLUSHES; i++) {
		asm volatile("tlbi vmalle1\n dsb sy\n isb" : : : "memory");
		hash();
	}
}

static void work(u32 round)
{
	fill(round);
	sort(round & 1 ? ascending : descending);
	hash();
	take_exceptions();
	flush();
}

static void profiled_work(u32 round, u64 interval)
{
	spe_setup((u64)spe_buffer, BUFFER_SIZE, 0);
	spe_interval(interval / 256, false);
	spe_enable();
	work(round);
	spe_disable();
	spe_drain();
}

TEST(guest_work)
{
	u64 rounds = 1, interval = 0;

	option("rounds", &rounds);
	option("interval", &interval);
	mmu_enable_el1();
	for (u64 round = 0; round < rounds; round++)
		if (interval)
			profiled_work(round, interval);
		else
			work(round);
	mmu_disable_el1();
}
