/* SPDX-License-Identifier: GPL-2.0-or-later */
#include_next <linux/limits.h>
#include "words.h"
