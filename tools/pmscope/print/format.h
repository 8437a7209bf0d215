/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms that rows and records are printed in: --format. */
#pragma once

enum print_format {
	PRINT_TEXT,
	PRINT_JSONL,
	PRINT_CSV,
	PRINT_HTML /* only of print_formats_html */
};

/* Their names as option choices, without and with a page; end with NULL. */
extern const char *const print_formats[];
extern const char *const print_formats_html[];
