// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page without its numbers: page.html, page.css and page.js as they are,
 * and the hashes by which its Content-Security-Policy allows the last two.
 */
#include "html/html.h"
#include "page_hashes.h"

#define EMBED(name, file)                            \
	asm(".section .rodata\n"                     \
	    ".global " #name "\n"                    \
	    ".type " #name ", %object\n" #name ":\n" \
	    ".incbin \"" file "\"\n"                 \
	    ".byte 0\n"                              \
	    ".size " #name ", . - " #name "\n"       \
	    ".previous\n")

EMBED(html_page, PMSCOPE_HTML "/page.html");
EMBED(html_style, PMSCOPE_HTML "/page.css");
EMBED(html_script, PMSCOPE_PAGE "/page.js");

const char html_style_hash[] = HTML_STYLE_HASH;
const char html_script_hash[] = HTML_SCRIPT_HASH;
