/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an export comes from. */
#pragma once

#include "export/export.h"

/*
 * The recording's header, the filters and the losses as lines that begin with
 * "# ". Returns an allocated string; NULL if out of memory.
 */
char *note_lines(const struct export *export);

/*
 * The same as a JSON object in "FILE.provenance.json", beside the export, for
 * formats that have no place for it. Not for standard output and devices.
 * note_open() opens export->note before anything is written, note_write() fills
 * it; note_fini() drops it unless it was committed. Return 0, or a negative
 * errno after error().
 */
int note_open(struct export *export);
int note_write(struct export *export);
void note_fini(struct export *export);
