// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that is changed while another CPU executes it, as the kernel changes its
 * own. If an emulated machine keeps executing the old code, hooks of the kernel
 * are missing at random.
 */
#include "ktap.h"

#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS	100
#define CHANGES 30000 /* each number once: less is older */

/* A function that returns a number, which is in its first instruction. */
struct function {
	uint32_t *code;
	_Atomic uint16_t number; /* since when it is in memory */
	atomic_bool done;
	uint64_t old; /* calls that returned an older one */
};

static void change(struct function *f, uint16_t number)
{
	f->code[0] = 0x52800000 | (uint32_t)number << 5; /* MOV W0, #number */
	__builtin___clear_cache((char *)f->code, (char *)(f->code + 1));
	atomic_store_explicit(&f->number, number, memory_order_release);
}

/* The ISB: Arm ARM, "Concurrent modification and execution of instructions". */
static void *execute(void *data)
{
	struct function *f = data;
	uint32_t (*call)(void) = (void *)f->code;

	while (!f->done) {
		uint16_t number =
			atomic_load_explicit(&f->number, memory_order_acquire);

		__asm__ volatile("isb" ::: "memory");
		f->old += call() < number;
	}
	return NULL;
}

static void one_round(void)
{
	struct function f = {};
	pthread_t thread;

	f.code = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(f.code != MAP_FAILED);
	f.code[1] = 0xd65f03c0; /* RET */
	change(&f, 0);
	ASSERT_EQ(pthread_create(&thread, NULL, execute, &f), 0);
	for (uint32_t i = 1; i <= CHANGES; i++)
		change(&f, i);
	f.done = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(f.old, 0U);
	munmap(f.code, getpagesize());
}

TEST(changed_instructions_are_executed)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU");
	for (int i = 0; i < ROUNDS && ktap_result == KTAP_PASS; i++)
		one_round();
}
