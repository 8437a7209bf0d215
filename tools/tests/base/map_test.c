// SPDX-License-Identifier: GPL-2.0-or-later
/* The hash table against an array, and keys made to meet in it. */
#include "ktap.h"
#include "bytes.h"

#include "base/hash.h"
#include "base/containers.h"

#define KEYS 5000
#define MANY 1000000

TEST(random_keys)
{
	static uint32_t model[KEYS];
	CLEANUP(map_fini) struct map map = {};
	uint64_t state = 3;
	uint32_t value;

	for (uint32_t turn = 1; turn < 20000; turn++) {
		uint32_t key = random_below(&state, KEYS);

		ASSERT_EQ(map_set(&map, (uint64_t)key << 20, turn), 0);
		model[key] = turn;
	}
	for (uint64_t key = 0; key < KEYS; key++) {
		ASSERT_EQ(map_get(&map, key << 20, &value), model[key] != 0);
		if (model[key])
			ASSERT_EQ(value, model[key]);
	}
}

static uint64_t inverse(uint64_t n)
{
	uint64_t x = n;

	for (int i = 0; i < 6; i++)
		x *= 2 - n * x;
	return x;
}

/* Its hash has @low in the lower 32 bits, the same for all. */
static uint64_t colliding_key(uint32_t low)
{
	uint64_t mixed = (UINT64_C(77) << 32 | low) *
			 inverse(UINT64_C(0xd6e8feb86659fd93));

	return (mixed ^ mixed >> 32) * inverse(UINT64_C(0x9e3779b97f4a7c15));
}

/*
 * Event identifiers, for example, given to a file by someone who knows the
 * hash.
 */
TEST(keys_that_all_want_one_slot)
{
	CLEANUP(map_fini) struct map map = {};
	uint32_t value;

	for (uint32_t i = 0; i < MANY; i++)
		ASSERT_EQ(map_set(&map, colliding_key(i), i), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		ASSERT_TRUE(map_get(&map, colliding_key(i), &value));
		ASSERT_EQ(value, i);
	}
	EXPECT_FALSE(map_get(&map, colliding_key(MANY), &value));
}

/*
 * By FNV-1a they have one hash, and still for every 256th number that it begins
 * with: their difference in the end is made of the lowest byte alone.
 */
TEST(texts_that_are_made_to_meet)
{
	static const char one[] = "8yn0iYCKYHlIj4-BwPqk",
			  other[] = "GReLUrM4wMqfg9yzV3KQ";

	EXPECT_EQ(hash_bytes(1, one, 20), hash_bytes(1, one, 20));
	for (uint64_t more = 0; more < 256; more++)
		EXPECT_NE(hash_bytes(more, one, 20),
			  hash_bytes(more, other, 20));
}

/* Neither do those that differ in their end, or in zeros after it. */
TEST(texts_of_any_length)
{
	static const char text[32] = "abcdefghijklmnopq";

	for (size_t a = 0; a < sizeof(text); a++)
		for (size_t b = 0; b < a; b++)
			EXPECT_NE(hash_bytes(0, text, a),
				  hash_bytes(0, text, b));
}

struct item {
	uint64_t key;
	uint64_t sum;
};

TEST(items_keep_their_numbers)
{
	KEYED(struct item, items, nr, of_key) keyed = {};
	uint32_t number;

	for (uint64_t i = 0; i < 3 * KEYS; i++) {
		const struct item item = {.key = i % KEYS};

		ASSERT_EQ(keyed_get(&keyed.of_key, sizeof(item), item.key,
				    &item, &number),
			  0);
		ASSERT_EQ(number, item.key);
		keyed.items[number].sum += i;
	}
	EXPECT_EQ(keyed.nr, KEYS);
	for (uint64_t i = 0; i < KEYS; i++)
		ASSERT_EQ(keyed.items[i].sum, 3 * i + 3 * KEYS);
	keyed_fini(&keyed.of_key);
	EXPECT_EQ(keyed.nr, 0);
}

TEST(items_of_one_hash_are_told_apart)
{
	KEYED(struct item, items, nr, of_hash) keyed = {};
	uint32_t number;

	for (uint64_t i = 0; i < 20; i++) {
		const struct item item = {.key = i % 10, .sum = i};
		uint64_t hash = 7;
		bool known =
			keyed_find_same(&keyed.of_hash, sizeof(item), &hash,
					&item.key, sizeof(item.key), &number);

		ASSERT_EQ(known, i >= 10);
		if (!known)
			ASSERT_EQ(keyed_add(&keyed.of_hash, sizeof(item), hash,
					    &item, &number),
				  0);
		ASSERT_EQ(keyed.items[number].sum, i % 10);
	}
	keyed_fini(&keyed.of_hash);
}
