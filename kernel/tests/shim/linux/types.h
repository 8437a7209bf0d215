/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMSCOPE_TESTS_TYPES_H
#define PMSCOPE_TESTS_TYPES_H
#include_next <linux/types.h>
#include "words.h"
#endif
