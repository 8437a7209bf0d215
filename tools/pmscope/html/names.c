// SPDX-License-Identifier: GPL-2.0-or-later
/* Names have numbers in the page, because many places share them. */
#include "html/html.h"

/* Longer names are cut: the size of the page has a limit. */
#define NAME_MAX_BYTES 256

static void put_interned(struct json *json, const char *key,
			 struct html_names *names, struct strings *strings,
			 const char *text, size_t length)
{
	uint32_t number;

	if (strings_intern(strings, text, length, &number))
		names->failed = -ENOMEM;
	else
		json_unsigned(json, key, number);
}

void html_put_name(struct json *json, const char *key, struct html_names *names,
		   const char *name)
{
	if (name)
		put_interned(json, key, names, &names->strings, name,
			     strnlen(name, NAME_MAX_BYTES));
}

/* The innermost callers, the outermost of these first. */
static void put_stack(struct json *json, struct html_names *names,
		      const char *callers)
{
	const char *begin = callers + strlen(callers), *end;

	for (size_t nr = 0; begin > callers; begin--)
		if (begin[-1] == ';' && ++nr == HTML_CALLERS)
			break;
	json_begin_array(json, NULL);
	for (; *begin; begin = *end ? end + 1 : end) {
		size_t length = strcspn(begin, ";");

		end = begin + length;
		length = MIN(length, NAME_MAX_BYTES);
		put_interned(json, NULL, names, &names->strings, begin, length);
	}
	json_end_array(json);
}

void html_put_stacks(struct json *json, const struct html *html,
		     struct html_names *names)
{
	size_t chains = stacks_count(html->load->stacks);

	if (!chains)
		return;
	json_unsigned(json, "chains", chains);
	json_unsigned(json, "callers_shown", HTML_CALLERS);
	json_begin_array(json, "stacks");
	for (size_t i = 0; i < names->stacks.count; i++)
		put_stack(json, names, strings_get(&names->stacks, i));
	json_end_array(json);
}

/* The number of its callers, and of the chains that they come from. */
void html_put_callers(struct json *json, const struct html *html,
		      struct html_names *names, const struct cube_place *place)
{
	if (!place->callers)
		return;
	put_interned(json, "callers", names, &names->stacks, place->callers,
		     strlen(place->callers));
	json_unsigned(json, "chains",
		      stacks_chains(html->load->stacks, place->name));
}

void html_put_names(struct json *json, const struct html_names *names)
{
	json_begin_array(json, "names");
	for (size_t i = 0; i < names->strings.count; i++)
		json_text(json, NULL, strings_get(&names->strings, i));
	json_end_array(json);
}
