/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ktap.h - KTAP tests in C, in one header, with what nearly all of them take of
 * the C library.
 *
 * A test program is one .c file with TEST() blocks. It runs its tests in source
 * order, prints KTAP version 1 on stdout and exits with kselftest's codes: 0 all
 * passed, 1 a test failed, 4 every test was skipped.
 *
 *	TEST(sum_is_exact)
 *	{
 *		struct sum *s = sum_new();
 *
 *		ASSERT_TRUE(s);			stops this test when false
 *		EXPECT_EQ(sum_of(s), 42);	records the failure, goes on
 *	}
 *
 * PROG -l lists the tests, PROG NAME... runs those only. Both values of a
 * failed comparison are printed; they are compared in their common C type.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For alarm() in tests that might hang: seconds that none takes, on any host */
#define KTAP_HANGS 1800

enum {
	KTAP_PASS = 0,
	KTAP_FAIL = 1,
	KTAP_SKIP = 4
};

struct ktap_test {
	const char *name;
	void (*run)(void);
	struct ktap_test *next;
};

#define KTAP_SHARED __attribute__((weak))

/* One for the whole program, so that helpers in other files count, too. */
KTAP_SHARED struct ktap_test *ktap_first, *ktap_last;
KTAP_SHARED void (*ktap_before)(void);
KTAP_SHARED int ktap_result;
KTAP_SHARED char ktap_reason[256];

static inline void ktap_add(struct ktap_test *test)
{
	if (ktap_last)
		ktap_last->next = test;
	else
		ktap_first = test;
	ktap_last = test;
}

/* A diagnostic line; lines with '#' never change a result. */
__attribute__((format(printf, 1, 2))) static inline void
ktap_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("# ", stdout);
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
}

__attribute__((format(printf, 1, 2))) static inline void
ktap_skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ktap_reason, sizeof(ktap_reason), fmt, args);
	va_end(args);
	if (ktap_result == KTAP_PASS)
		ktap_result = KTAP_SKIP;
}

static inline bool ktap_check(bool ok, const char *file, int line,
			      const char *what)
{
	if (ok)
		return true;
	ktap_result = KTAP_FAIL;
	ktap_note("%s:%d: %s", file, line, what);
	return false;
}

/* Values travel as 64 bits; they are shown signed and in hexadecimal. */
static inline bool ktap_compare(bool ok, const char *file, int line,
				const char *what, uint64_t a, uint64_t b)
{
	if (ktap_check(ok, file, line, what))
		return true;
	ktap_note("  left  %lld (0x%llx)", (long long)a, (unsigned long long)a);
	ktap_note("  right %lld (0x%llx)", (long long)b, (unsigned long long)b);
	return false;
}

static inline bool ktap_string(const char *file, int line, const char *what,
			       const char *a, const char *b)
{
	bool same = a == b || (a && b && !strcmp(a, b));

	if (ktap_check(same, file, line, what))
		return true;
	ktap_note("  left  \"%s\"", a ? a : "(null)");
	ktap_note("  right \"%s\"", b ? b : "(null)");
	return false;
}

static inline bool ktap_bytes(const char *file, int line, const char *what,
			      const void *a, const void *b, size_t size)
{
	const unsigned char *left = a, *right = b;
	size_t at = 0;

	while (at < size && left[at] == right[at])
		at++;
	if (ktap_check(at == size, file, line, what))
		return true;
	ktap_note("  byte %zu of %zu: left 0x%02x, right 0x%02x", at, size,
		  left[at], right[at]);
	return false;
}

#define TEST(test) KTAP_TEST(test, true)

/* One that measures; a build with the sanitizers, which SANITIZED tells, has none. */
#define PLAIN_TEST(test) KTAP_TEST(test, !SANITIZED)

/* A row of a table of tests: CASE(name, statement); */
#define CASE(test, ...)      \
	TEST(test)           \
	{                    \
		__VA_ARGS__; \
	}
#define PLAIN_CASE(test, ...) \
	PLAIN_TEST(test)      \
	{                     \
		__VA_ARGS__;  \
	}

/* The begin of each test of the file; what it skips or fails ends there. */
#define BEFORE_EACH(...)                                               \
	static void ktap_before_each(void)                             \
	{                                                              \
		__VA_ARGS__;                                           \
	}                                                              \
	__attribute__((constructor)) static void ktap_add_before(void) \
	{                                                              \
		ktap_before = ktap_before_each;                        \
	}

#define KTAP_TEST(test, here)                                          \
	static void test_##test(void);                                 \
	static struct ktap_test ktap_test_##test = {                   \
		.name = #test,                                         \
		.run = test_##test,                                    \
	};                                                             \
	__attribute__((constructor)) static void ktap_add_##test(void) \
	{                                                              \
		if (here)                                              \
			ktap_add(&ktap_test_##test);                   \
	}                                                              \
	static void test_##test(void)

#define KTAP_COMPARE(a, op, b)                                        \
	({                                                            \
		__typeof__(1 ? (a) : (b)) ktap_a = (a), ktap_b = (b); \
		ktap_compare(ktap_a op ktap_b, __FILE__, __LINE__,    \
			     #a " " #op " " #b, (uint64_t)ktap_a,     \
			     (uint64_t)ktap_b);                       \
	})

#define EXPECT_TRUE(x)	((void)ktap_check((x), __FILE__, __LINE__, #x))
#define EXPECT_FALSE(x) EXPECT_TRUE(!(x))
#define EXPECT_EQ(a, b) ((void)KTAP_COMPARE(a, ==, b))
#define EXPECT_NE(a, b) ((void)KTAP_COMPARE(a, !=, b))
#define EXPECT_LT(a, b) ((void)KTAP_COMPARE(a, <, b))
#define EXPECT_LE(a, b) ((void)KTAP_COMPARE(a, <=, b))
#define EXPECT_GT(a, b) ((void)KTAP_COMPARE(a, >, b))
#define EXPECT_GE(a, b) ((void)KTAP_COMPARE(a, >=, b))
#define EXPECT_STREQ(a, b) \
	((void)ktap_string(__FILE__, __LINE__, #a " is " #b, (a), (b)))
#define EXPECT_MEMEQ(a, b, size) \
	((void)ktap_bytes(__FILE__, __LINE__, #a " is " #b, (a), (b), (size)))

#define KTAP_OR_RETURN(ok)      \
	do {                    \
		if (!(ok))      \
			return; \
	} while (0)

#define ASSERT_TRUE(x)	KTAP_OR_RETURN(ktap_check((x), __FILE__, __LINE__, #x))
#define ASSERT_FALSE(x) ASSERT_TRUE(!(x))
#define ASSERT_EQ(a, b) KTAP_OR_RETURN(KTAP_COMPARE(a, ==, b))
#define ASSERT_NE(a, b) KTAP_OR_RETURN(KTAP_COMPARE(a, !=, b))
#define ASSERT_LT(a, b) KTAP_OR_RETURN(KTAP_COMPARE(a, <, b))
#define ASSERT_LE(a, b) KTAP_OR_RETURN(KTAP_COMPARE(a, <=, b))
#define ASSERT_GT(a, b) KTAP_OR_RETURN(KTAP_COMPARE(a, >, b))
#define ASSERT_GE(a, b) KTAP_OR_RETURN(KTAP_COMPARE(a, >=, b))
#define ASSERT_STREQ(a, b) \
	KTAP_OR_RETURN(ktap_string(__FILE__, __LINE__, #a " is " #b, (a), (b)))

/* Ends the test at once as skipped; the message names what is missing. */
#define SKIP(...)                       \
	do {                            \
		ktap_skip(__VA_ARGS__); \
		return;                 \
	} while (0)

static inline bool ktap_wanted(const char *name, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !count;
}

static inline double ktap_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static inline int ktap_run_here(const struct ktap_test *test, int number)
{
	double begun = ktap_seconds();

	ktap_result = KTAP_PASS;
	ktap_reason[0] = '\0';
	if (ktap_before)
		ktap_before();
	if (ktap_result == KTAP_PASS)
		test->run();
	ktap_note("took %.3f s", ktap_seconds() - begun);
	printf("%s %d %s%s%s\n", ktap_result == KTAP_FAIL ? "not ok" : "ok",
	       number, test->name, ktap_result == KTAP_SKIP ? " # SKIP " : "",
	       ktap_result == KTAP_SKIP ? ktap_reason : "");
	fflush(stdout);
	return ktap_result;
}

/*
 * With KTAP_APART a test has a process of its own, whose end closes what the test
 * opened, and ends children that asked for that.
 */
static inline int ktap_run_one(const struct ktap_test *test, int number)
{
#ifdef KTAP_APART
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		exit(ktap_run_here(test, number));
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("not ok %d %s # signal %d\n", number, test->name,
	       WTERMSIG(status));
	return KTAP_FAIL;
#else
	return ktap_run_here(test, number);
#endif
}

static inline int ktap_main(int count, char **names)
{
	int planned = 0, number = 0, failed = 0, skipped = 0;

	for (struct ktap_test *t = ktap_first; t; t = t->next)
		planned += ktap_wanted(t->name, count, names);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%d\n", planned);
	for (struct ktap_test *t = ktap_first; t; t = t->next) {
		if (!ktap_wanted(t->name, count, names))
			continue;
		switch (ktap_run_one(t, ++number)) {
		case KTAP_FAIL:
			failed++;
			break;
		case KTAP_SKIP:
			skipped++;
			break;
		}
	}
	if (failed || !planned)
		return KTAP_FAIL;
	return skipped == planned ? KTAP_SKIP : KTAP_PASS;
}

static inline int ktap_list(void)
{
	for (struct ktap_test *t = ktap_first; t; t = t->next)
		puts(t->name);
	return 0;
}

#ifndef KTAP_BORROWED /* by a program with a main() of its own */
KTAP_SHARED int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-l"))
		return ktap_list();
	return ktap_main(argc - 1, argv + 1);
}
#endif
