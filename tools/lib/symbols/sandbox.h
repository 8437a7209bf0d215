/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
#pragma once

#include "base/std.h"

/*
 * Takes from this process, for good, what the child that reads untrusted files
 * does not need: privileges other than to read files, programs, the network,
 * other processes, and files to write to. What a kernel cannot take stays.
 * @servers: files come from debuginfod servers, so it keeps the network and
 * may write its cache.
 */
void sandbox_enter(bool servers);
