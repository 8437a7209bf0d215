/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated machine's first process.  It brings up the root file system,
 * loads pmscope.ko, runs one command and powers the machine off.
 *
 * What "run" on the host and init in the guest agree on:
 *
 *   kernel command line  PMSCOPE_MODULE=1  load pmscope.ko and hand over SPE
 *                        PMSCOPE_SHARE=1   a directory to mount at /mnt
 *   disks, by serial     root, and modules if the kernel has any: erofs
 *                        images, stacked
 *   9p, by mount tag     control, payload, share
 *   virtio ports         pmscope.stdout, pmscope.stderr
 *   control/argv, env    strings, each ended by NUL
 *   control/status       written last: the command's exit status, decimal
 *   control/dmesg        the whole kernel log, written before status
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CONTROL "/run/pmscope"
#define PAYLOAD "/opt/pmscope"
#define SHARE	"/mnt"

/* The two ways output leaves the machine, one port each. */
struct ports {
	int out;
	int err;
};

/* root.c: from the initramfs to the real root directory, all mounted. */
void enter_root(void);

/* modules.c */
void load_boot_modules(void);
void load_pmscope(int err);

/* command.c: the exit status as a shell would show it. */
int run_command(const struct ports *ports);

/* util.c */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void power_off(void) __attribute__((noreturn));
char *read_file(const char *path, size_t *len);
bool write_file(const char *path, const void *data, size_t len);
bool write_all(int fd, const void *data, size_t len);
bool has_flag(const char *name);
bool find_device(const char *folder, const char *file, const char *name,
		 char *dev, size_t size);

/* log.c: the kernel log. */
int log_open_at_end(void);
void log_copy_messages(int log, int fd);
void log_save(const char *path);

/* ports.c */
struct ports open_ports(void);
