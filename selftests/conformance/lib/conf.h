/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare-metal conformance tests.
 *
 *	TEST(RMFJWS_disabled_request_is_ignored)
 *	{
 *		write_sysreg(PMSSCR_SS, PMSSCR_EL1);
 *		EXPECT_REG(PMSSCR_EL1, PMSSCR_NC);
 *	}
 *
 * A test is named after the rule of the Arm ARM that it checks. It starts at
 * the highest Exception level the machine has, with the PMU as after reset
 * and no trap to a higher level configured, and runs at lower levels what it
 * wants there with run_at(). What it leaves of controls, mappings and profiling
 * is undone after it.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include "sysreg.h"

struct test {
	const char *name;
	bool (*unfit)(void);
	void (*run)(void);
};

/* A second argument says on which machines the test does not run. */
#define TEST(name, ...)							\
	static void name(void);						\
	static bool unfit_##name(void)					\
	{								\
		return false __VA_OPT__(|| (__VA_ARGS__));		\
	}								\
	static const struct test test_##name				\
		__attribute__((section(".tests"), used)) = {		\
			STRING(name), unfit_##name, name		\
		};							\
	static void name(void)

/* A test that is one call. */
#define ROW_OF(name, unfit, call)					\
	TEST(name, unfit)						\
	{								\
		call;							\
	}

#define EXPECT_EQ(seen, wanted)						\
	expect_eq(__FILE__, __LINE__, #seen, (u64)(seen), (u64)(wanted))
#define EXPECT_NE(seen, other)						\
	expect_ne(__FILE__, __LINE__, #seen, (u64)(seen), (u64)(other))
#define EXPECT_REG(reg, wanted)						\
	expect_eq(__FILE__, __LINE__, #reg, read_sysreg(reg), (u64)(wanted))
#define EXPECT(condition)						\
	expect_true(__FILE__, __LINE__, #condition, condition)

bool expect_eq(const char *file, int line, const char *what, u64 seen,
	       u64 wanted);
bool expect_ne(const char *file, int line, const char *what, u64 seen,
	       u64 other);
bool expect_true(const char *file, int line, const char *what, bool condition);

/* Leaves the test as skipped; to be followed by a return. */
void skip(const char *reason);
bool skip_if(bool condition, const char *reason);

/* A line of diagnostics: %s %d %u %lx %lu only. */
void note(const char *format, ...);

/* The highest Exception level; does the machine have level @el? */
unsigned highest_el(void);
unsigned current_el(void);
bool have_el(unsigned el);

bool lacks_el(unsigned el);

/* The OS Lock; reset locks it, and it is unlocked when a test starts. */
void set_os_lock(bool locked);

/*
 * Runs fn(arg) at this Exception level or, Non-secure, at a lower one; at EL0
 * only from EL1, or from EL2 with HCR_EL2.TGE.
 */
u64 run_at(unsigned el, u64 (*fn)(u64), u64 arg);

/*
 * A32 code at EL0, from EL1 only, with arg in r0; it ends with A32_EXIT, and r0
 * is the result.
 */
u64 run_at_aarch32(const u32 *code, u64 arg);
#define A32_EXIT 0xef007e57

/*
 * The same from EL3, at an AArch32 EL1 or below it; SCR_EL3.RW is 0 meanwhile.
 */
u64 run_below_aarch32_el1(unsigned el, const u32 *code, u64 arg);

/*
 * The value of "name=value" on the command line of the program, which names the
 * properties of the CPU.
 */
bool option(const char *name, u64 *value);
u64 property(const char *name, u64 otherwise);

/* Skips the test where the property is not there, or 0. */
bool lacks_property(const char *name);

/* PMBIRQ is PPI 5, INTID 21, and PMUIRQ PPI 7, INTID 23: what is pending. */
#define GICR_ISPENDR0 (*(volatile u32 *)0x080b0200)
#define PMBIRQ BIT(21)
#define PMUIRQ BIT(23)

struct trap {
	unsigned count;
	unsigned el;	/* taken to */
	u64 esr;
	u64 elr;
	u64 far;
};
extern volatile struct trap trap;
extern volatile bool trap_expected;

/* Runs a statement and skips each instruction of it that traps. */
#define TRY(statement)							\
	({								\
		trap.count = 0;						\
		trap_expected = true;					\
		statement;						\
		isb();							\
		trap_expected = false;					\
		trap.count;						\
	})

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
