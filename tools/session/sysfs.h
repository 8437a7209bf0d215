/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Files of sysfs, procfs and debugfs with one value. */
#pragma once

#include "base/std.h"

#define PMSCOPE_CPUS "/sys/devices/system/cpu"

/**
 * sysfs_read() - the text of a file, without trailing white space
 * @buf: always ends in a NUL; empty on error
 * @fmt: the path
 *
 * Return: the length, -errno of open or read, -EFBIG when @buf is too small.
 */
int sysfs_read(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * sysfs_number() - the number in a file, decimal or 0x and hexadecimal
 * @value: unchanged on error; 0 if the text is not a number
 *
 * Return: 0, or an error of sysfs_read().
 */
int sysfs_number(uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * sysfs_midr() - MIDR_EL1 of a CPU
 * @folder: PMSCOPE_CPUS, or another of that form
 *
 * Return: 0 if it is unknown, for example because the CPU is offline.
 */
uint64_t sysfs_midr(const char *folder, int cpu);

/* Writes @text in one write(2). Returns 0, -errno. */
int sysfs_write(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The last part of what a symbolic link points to. Returns its length, -errno
 * (-ENOENT: no such link).
 */
int sysfs_link_name(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
