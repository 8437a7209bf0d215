/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf.h"
#include "machine.h"

extern const struct test tests_begin[], tests_end[];

static bool failed;
static const char *skip_reason;

static void put_string(const char *s)
{
	while (*s)
		put_char(*s++);
}

static void put_number(u64 value, unsigned base)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		put_char(digits[--n]);
}

static void put_formatted(const char *format, va_list args)
{
	for (; *format; format++) {
		bool wide;

		if (*format != '%') {
			put_char(*format);
			continue;
		}
		wide = *++format == 'l';
		format += wide;
		if (*format == 's')
			put_string(va_arg(args, const char *));
		else
			put_number(wide ? va_arg(args, u64) :
					  va_arg(args, u32),
				   *format == 'x' ? 16 : 10);
	}
}

static void print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_formatted(format, args);
	va_end(args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_string("# ");
	put_formatted(format, args);
	put_string("\n");
	va_end(args);
}

bool expect_eq(const char *file, int line, const char *what, u64 seen,
	       u64 wanted)
{
	if (seen == wanted)
		return true;
	failed = true;
	note("%s:%u: %s is 0x%lx, not 0x%lx", file, line, what, seen, wanted);
	return false;
}

bool expect_ne(const char *file, int line, const char *what, u64 seen,
	       u64 other)
{
	if (seen != other)
		return true;
	failed = true;
	note("%s:%u: %s is 0x%lx", file, line, what, seen);
	return false;
}

bool expect_true(const char *file, int line, const char *what, bool condition)
{
	if (condition)
		return true;
	failed = true;
	note("%s:%u: not true: %s", file, line, what);
	return false;
}

void skip(const char *reason)
{
	skip_reason = reason;
}

bool skip_if(bool condition, const char *reason)
{
	if (condition)
		skip(reason);
	return condition;
}

bool option(const char *name, u64 *value)
{
	const char *s = command_line();

	while (*s) {
		const char *n = name;

		while (*n && *s == *n)
			s++, n++;
		if (!*n && *s == '=') {
			for (*value = 0, s++; *s >= '0' && *s <= '9'; s++)
				*value = *value * 10 + *s - '0';
			return true;
		}
		while (*s && *s != ' ')
			s++;
		while (*s == ' ')
			s++;
	}
	return false;
}

u64 property(const char *name, u64 otherwise)
{
	option(name, &otherwise);
	return otherwise;
}

bool lacks_property(const char *name)
{
	return skip_if(!property(name, 0), name);
}

static bool run_test(const struct test *test, unsigned number)
{
	failed = false;
	skip_reason = NULL;
	prepare_levels();
	if (!test->unfit()) {
		test->run();
		restore_levels();
	}
	print("%s %u %s", failed ? "not ok" : "ok", number, test->name);
	if (skip_reason && !failed)
		print(" # SKIP %s", skip_reason);
	print("\n");
	return !failed;
}

/* Called from start.S at the highest Exception level. */
void conf_main(void);
void conf_main(void)
{
	unsigned number = 0;
	bool passed = true;

	print("KTAP version 1\n1..%u\n", (u32)(tests_end - tests_begin));
	for (const struct test *t = tests_begin; t < tests_end; t++)
		passed &= run_test(t, ++number);
	power_off(passed ? 0 : 1);
}
