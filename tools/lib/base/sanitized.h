/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* SANITIZED: true if built with AddressSanitizer, by GCC or Clang. */
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
