/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare.h - a program's start and its system calls, without a C library.
 *
 * A recording of a workload must hold nothing but the workload: no dynamic
 * linker, no stdio. Programs include this once, define
 *	void bare_main(long argc, char **argv)
 * and are linked with -static -nostdlib; returning from bare_main exits with 0.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <asm/unistd.h>
#include <linux/mman.h>

#define PAGE_BYTES 4096

static inline long bare_syscall(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = -1;
	register long x5 __asm__("x5") = 0;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x8)
			 : "memory");
	return x0;
}

static inline __attribute__((noreturn)) void bare_exit(int status)
{
	for (;;)
		bare_syscall(__NR_exit_group, status, 0, 0, 0);
}

/* Anonymous memory; a program that gets none ends. */
static inline void *bare_alloc(size_t bytes)
{
	long at = bare_syscall(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS);

	if (at < 0 && at > -PAGE_BYTES)
		bare_exit(2);
	return (void *)at;
}

/* A line is built here, then written with one system call. */
static char bare_line[512];
static size_t bare_used;

static inline void bare_put(const char *text)
{
	while (*text && bare_used < sizeof(bare_line))
		bare_line[bare_used++] = *text++;
}

static inline void bare_put_number(uint64_t value, unsigned int base)
{
	char digits[24];
	int at = sizeof(digits);

	digits[--at] = '\0';
	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	bare_put(digits + at);
}

static inline void bare_put_count(const char *name, uint64_t count)
{
	bare_put(name);
	bare_put_number(count, 10);
}

/* " name=0xSTART-0xEND", END being the first byte after the range. */
static inline void bare_put_range(const char *name, const void *start,
				  const void *end)
{
	bare_put(name);
	bare_put("0x");
	bare_put_number((uint64_t)start, 16);
	bare_put("-0x");
	bare_put_number((uint64_t)end, 16);
}

static inline void bare_flush(void)
{
	bare_put("\n");
	bare_syscall(__NR_write, 1, (long)bare_line, bare_used, 0);
	bare_used = 0;
}

/* Argument number @at as a decimal number, or @otherwise where it is absent. */
static inline uint64_t bare_arg(long argc, char **argv, long at,
				uint64_t otherwise)
{
	uint64_t value = 0;

	if (at >= argc)
		return otherwise;
	for (const char *digit = argv[at]; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			bare_exit(2);
		value = value * 10 + (*digit - '0');
	}
	return value;
}

/* A function in assembly that tools find by its name and size */
#define BARE_FUNCTION(name, body)                                         \
	__asm__(".pushsection .text\n .type " #name ", %function\n" #name \
		":\n" body "ret\n .size " #name ", . - " #name "\n"       \
		".popsection\n");
/* 1 + 2 * @turns instructions */
#define BARE_TURNS(turns) "mov x1, #" #turns "\n 1: subs x1, x1, #1\n b.ne 1b\n"

void bare_main(long argc, char **argv);

/* The kernel leaves argc at the stack pointer and argv after it. */
__attribute__((used)) static void bare_start(long *stack)
{
	bare_main(stack[0], (char **)(stack + 1));
	bare_exit(0);
}

__asm__(".pushsection .text\n"
	".globl _start\n"
	"_start:\n"
	"	mov	x0, sp\n"
	"	bl	bare_start\n"
	".popsection\n");
