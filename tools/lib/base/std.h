/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* What nearly all files take of the C library. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
