// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freeze=1: a record says that the counters were stopped only if they were.
 * Each window here ends while the kernel lingers in a function with interrupts
 * off, so the management event waits for its interrupt; what the kernel does
 * then decides.
 */
#include "ktap.h"
#include "linger.h"
#include "spe.h"

/* A window is half of it: 128 records of 64 bytes, one per 1024 operations. */
#define SPE_PAGES 4

/* Other work of the CPU may fill the buffer first: then it tries again. */
#define TURNS	    8
#define MAX_TURNS   300
#define NEED_THAWED 3

/* PMBSR_EL1.S: the window ended with a management event */
#define PMBSR_S (1ULL << 17)

static struct stream s, spe;

struct windows {
	int frozen;
	int thawed;
};

static uint64_t now(void)
{
	uint64_t ticks;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Records that ended after @since */
static void take_windows(struct windows *w, uint64_t since)
{
	const struct pmscope_record *r;

	stream_skip(&spe);
	while ((r = stream_next(&s))) {
		/* Closed without an event: PMBLIMITR.E was cleared before. */
		if (!(r->pmbsr & PMBSR_S))
			EXPECT_FALSE(r->flags & PMSCOPE_RECORD_SPE_FROZEN);
		if (r->cntvct < since)
			continue;
		w->frozen += !!(r->flags & PMSCOPE_RECORD_SPE_FROZEN);
		w->thawed += !(r->flags & PMSCOPE_RECORD_SPE_FROZEN);
	}
	stream_release(&s);
}

/*
 * Includes the kernel, where it lingers, and starts disabled: 0 or a negative
 * errno. Set the probe first, because that takes longer than the buffer lasts.
 */
static int open_recording(void)
{
	struct perf_event_attr attr = spe_attr(PMSCOPE_SPE_FREEZE, 1024);
	int err;

	err = stream_open(&s, CPU_CYCLES | PMSCOPE_SNAPSHOT_SPE, 1, -1, 0);
	if (err)
		return err;
	attr.exclude_kernel = 0;
	err = stream_open_alone(&spe, &attr, 0, SPE_PAGES);
	if (err)
		return err;
	enable_group(s.fds[0]);
	return 0;
}

/* Start here; earlier data may have filled the buffer. */
static uint64_t start_recording(void)
{
	struct windows before;

	disable_group(spe.fds[0]);
	take_windows(&before, 0);
	enable_group(spe.fds[0]);
	return now();
}

static int open_counter(void)
{
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	attr.disabled = 1;
	return open_event(&attr, -1, 0, -1);
}

#define NEED_FREEZE()                                                  \
	do {                                                           \
		NEED_SNAPSHOT();                                       \
		if (access(SPE_DIR "format/freeze", F_OK))             \
			SKIP("no FEAT_SPEv1p2 and FEAT_PMUv3p7 here, " \
			     "or no pmscope");                         \
		if (access(KPROBE_DIR "type", F_OK))                   \
			SKIP("this kernel has no kprobes");            \
		pin_to(0);                                             \
	} while (0)

/* Whoever starts the counters knows nothing of FZS (spe/profile.c). */
TEST(counters_that_start_late_are_reported)
{
	int counter, told = 0;

	NEED_FREEZE();
	counter = open_counter();
	ASSERT_GE(counter, 0);
	ASSERT_GE(linger_at("armv8pmu_start"), 0);
	ASSERT_EQ(open_recording(), 0);
	for (int i = 0; i < MAX_TURNS && told < TURNS; i++) {
		struct windows w = {};
		uint64_t since = start_recording();

		ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
		take_windows(&w, since);
		told += w.thawed > 0;
		ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
	}
	EXPECT_EQ(told, TURNS);
}

/* Late as the interrupt may be, and whatever was before. */
TEST(counters_that_nobody_starts_stand_still)
{
	int told = 0;

	NEED_FREEZE();
	ASSERT_GE(linger_at("__arm64_sys_getppid"), 0);
	ASSERT_EQ(open_recording(), 0);
	for (int i = 0; i < MAX_TURNS && told < TURNS; i++) {
		struct windows w = {};
		uint64_t since = start_recording();

		getppid();
		take_windows(&w, since);
		told += w.frozen > 0;
		EXPECT_EQ(w.thawed, 0);
	}
	EXPECT_EQ(told, TURNS);
}

static bool has_deep_idle(void)
{
	return !access("/sys/devices/system/cpu/cpu0/cpuidle/state1/usage",
		       F_OK);
}

/* The counters start when the CPU is back, and the event is taken later. */
TEST(counters_of_a_cpu_that_was_off_are_reported)
{
	struct windows w = {};

	NEED_FREEZE();
	if (!has_deep_idle())
		SKIP("CPU 0 has no idle state but WFI");
	ASSERT_GE(linger_at("cpu_pm_enter"), 0);
	ASSERT_EQ(open_recording(), 0);
	for (int i = 0; i < MAX_TURNS && w.thawed < NEED_THAWED; i++) {
		uint64_t since = start_recording();

		usleep(10000);
		take_windows(&w, since);
	}
	EXPECT_GE(w.thawed, NEED_THAWED);
	ktap_note("%d windows frozen, %d not", w.frozen, w.thawed);
}
