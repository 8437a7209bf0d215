/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disassembler of LLVM, whose library is loaded when it is needed. */
#pragma once

#include "base/std.h"

struct llvm;

/* NULL if no library of LLVM is installed that knows AArch64. */
struct llvm *llvm_open(void);
void llvm_close(struct llvm *llvm);

/* "LLVM 19.1.7" */
const char *llvm_name(const struct llvm *llvm);

/* Writes the instruction's text. Returns false if @word is none. */
bool llvm_print(struct llvm *llvm, uint32_t word, char *text, size_t size);
