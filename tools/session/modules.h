/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Loading and unloading kernel modules. */
#pragma once

#include "session/system.h"

/* True for a loaded module; false for a built-in one. */
bool module_loaded(const char *name);

/* Is kernel lockdown on? @mode gets its name, if that can be read. */
bool module_lockdown(char *mode, size_t size);

/* Does the kernel load signed modules only, by module.sig_enforce? */
bool module_signature_enforced(void);

/* The end of a sentence */
#define MODULE_TRUST                                             \
	"signed with a trusted key: enrol the key that DKMS "    \
	"signs with ('mokutil --import /var/lib/dkms/mok.pub', " \
	"then reboot)"

/*
 * Loads a module. @file: NULL: use modprobe; if it does not find the module
 * pmscope, also look in ../modules/<release>/ next to the tool. Returns 0,
 * -errno with @err filled.
 */
int module_load(const char *name, const char *file, struct pmscope_error *err);

/*
 * Unloads a module that nobody uses. Returns 0, also when it was not loaded;
 * -EBUSY when it is in use, -ENOENT when it is built in, -errno.
 */
int module_unload(const char *name);
