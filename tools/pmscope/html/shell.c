// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages without their numbers: their parts are embedded as they are, with
 * the hashes by which a Content-Security-Policy allows style and script.
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
EMBED(html_diff_page, PMSCOPE_HTML "/diff.html");
EMBED(html_diff_script, PMSCOPE_PAGE "/diff.js");

extern const char html_page[], html_style[], html_script[];
extern const char html_diff_page[], html_diff_script[];

static const struct {
	const char *page;
	const char *script;
	const char *hash;
} shells[] = {
	[HTML_REPORT] = {html_page, html_script, HTML_SCRIPT_HASH},
	[HTML_DIFF] = {html_diff_page, html_diff_script, HTML_DIFF_SCRIPT_HASH},
};

#define MODEL "{{MODEL}}"

/* The part at the beginning of @page, and how long its name is; or NULL. */
static const char *part_of(enum html_shell shell, const char *page,
			   size_t *length)
{
	const struct {
		const char *name;
		const char *text;
	} parts[] = {
		{"{{STYLE_HASH}}", HTML_STYLE_HASH},
		{"{{SCRIPT_HASH}}", shells[shell].hash},
		{"{{STYLE}}", html_style},
		{"{{SCRIPT}}", shells[shell].script},
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		*length = strlen(parts[i].name);
		if (!strncmp(page, parts[i].name, *length))
			return parts[i].text;
	}
	return NULL;
}

int html_shell_write(enum html_shell shell,
		     int (*model)(void *context, FILE *out), void *context,
		     FILE *out)
{
	const char *page = shells[shell].page, *next;
	int ret = 0;

	while (!ret && (next = strstr(page, "{{"))) {
		const char *text;
		size_t length;

		fwrite(page, 1, next - page, out);
		page = next;
		text = part_of(shell, page, &length);
		if (text) {
			fputs(text, out);
			page += length;
		} else if (!strncmp(page, MODEL, strlen(MODEL))) {
			ret = model(context, out);
			page += strlen(MODEL);
		} else {
			fputc(*page++, out);
		}
	}
	fputs(page, out);
	return ret;
}
