/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes a directory when the program ends, however it ends. */
#ifndef PMSCOPE_PACK_CLEANER_H
#define PMSCOPE_PACK_CLEANER_H

/*
 * Starts a process that removes @dir, with all that is in it, after this one
 * ended. An ordinary end waits for that. Returns 0 or -errno; then @dir is
 * removed.
 */
int cleaner_start(const char *dir);

#endif /* PMSCOPE_PACK_CLEANER_H */
