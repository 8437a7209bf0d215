// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds fields by name, and names of their values. */
#include "base/text.h"
#include "cli/cli.h"
#include "fields/fields.h"

#define UNKNOWN "[unknown]"

static bool is_word(const char *word, const char *name, size_t length)
{
	return !strncmp(word, name, length) &&
	       (!word[length] || word[length] == ' ');
}

static bool is_among(const char *words, const char *name, size_t length)
{
	while (words && !is_word(words, name, length)) {
		words = strchr(words, ' ');
		if (words)
			words++;
	}
	return words && length;
}

const struct field *field_find(const char *name, size_t length,
			       enum field_use use)
{
	if (memchr(name, ' ', length))
		return NULL;
	for (const struct field *f = all_fields; f->name; f++)
		if (f->uses & use && is_word(f->name, name, length))
			return f;
	for (const struct field *f = all_fields; f->name; f++)
		if (f->uses & use && is_among(f->also, name, length))
			return f;
	return NULL;
}

static void set(struct named_field *named, const struct field *field,
		const char *name, size_t length)
{
	*named = (struct named_field){.field = field};
	memcpy(named->name, name, length);
}

size_t fields_with(unsigned int uses, struct named_field *fields)
{
	size_t nr = 0;

	for (const struct field *f = all_fields; f->name; f++)
		if (f->uses & uses)
			set(&fields[nr++], f, f->name, strlen(f->name));
	return nr;
}

size_t fields_change(struct named_field *fields, size_t nr,
		     const struct named_field *changes, size_t nr_changes)
{
	for (size_t i = 0; i < nr_changes; i++) {
		const struct named_field *change = &changes[i];
		size_t at = 0;

		while (at < nr && fields[at].field != change->field)
			at++;
		if (change->sign == '+' && at == nr) {
			fields[nr++] = *change;
		} else if (change->sign == '-' && at < nr) {
			nr--;
			memmove(&fields[at], &fields[at + 1],
				(nr - at) * sizeof(*fields));
		}
	}
	return nr;
}

const char *field_names(enum field_use use, const char *separator,
			char names[FIELD_NAMES_MAX])
{
	char *p = names;

	for (const struct field *f = all_fields; f->name; f++) {
		if (!(f->uses & use))
			continue;
		p = text_string(p, p == names ? "" : separator);
		p = text_string(p,
				use == FIELD_SORT ? field_heading(f) : f->name);
	}
	*p = '\0';
	return names;
}

char field_sort_help[FIELD_NAMES_MAX + 64];

void field_set_sort_help(const char *about)
{
	char names[FIELD_NAMES_MAX];

	snprintf(field_sort_help, sizeof(field_sort_help), "%s; valid keys: %s",
		 about, field_names(FIELD_SORT, ",", names));
}

/* A field that is given twice would be the same JSON key twice. */
static int check_new(const char *command, enum field_use use,
		     const struct named_field *fields, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (use == FIELD_SORT ? fields[i].field != fields[nr].field
				      : strcmp(fields[i].name, fields[nr].name))
			continue;
		error("%s: %s '%s' is given twice", command,
		      use == FIELD_SORT ? "sort key" : "field",
		      fields[nr].name);
		return -EINVAL;
	}
	return 0;
}

static int unknown(const char *command, const char *name, size_t length,
		   enum field_use use)
{
	char names[FIELD_NAMES_MAX];

	if (use == FIELD_SORT)
		error("%s: unknown sort key '%.*s'; valid keys: %s", command,
		      (int)length, name, field_names(use, ",", names));
	else
		error("%s: unknown field '%.*s'; valid fields: %s", command,
		      (int)length, name, field_names(use, ", ", names));
	return -EINVAL;
}

/* As in perf script, names with and without a sign cannot be mixed. */
static int check_sign(const char *command, const struct named_field *fields,
		      size_t nr)
{
	if (!fields[0].sign == !fields[nr].sign)
		return 0;
	error("%s: field '%s': put + or - before all fields or before none",
	      command, fields[nr].name);
	return -EINVAL;
}

int fields_parse(const char *command, const char *list, enum field_use use,
		 size_t max, struct named_field *fields)
{
	size_t nr = 0;

	for (;; list++) {
		char sign =
			(use == FIELD_COLUMN && (*list == '+' || *list == '-'))
				? *list++
				: '\0';
		size_t length = strcspn(list, ",");
		const struct field *field = field_find(list, length, use);

		if (nr == max) {
			error("%s: more than %zu %ss", command, max,
			      use == FIELD_SORT ? "sort key" : "field");
			return -EINVAL;
		}
		if (!field)
			return unknown(command, list, length, use);
		set(&fields[nr], field, list, length);
		fields[nr].sign = sign;
		if (check_sign(command, fields, nr) ||
		    check_new(command, use, fields, nr))
			return -EINVAL;
		nr++;
		list += length;
		if (!*list)
			return nr;
	}
}

const char *field_row_text(const struct field *field, const struct view *view,
			   char *room)
{
	const char *text = field->row_text ? field->row_text(view, room)
					   : field->text(view, room);

	return text ? text : UNKNOWN;
}

int64_t field_row_number(const struct field *field, const struct view *view)
{
	uint64_t value;

	return field->number(view, &value) ? (int64_t)value : FIELD_ROW_NONE;
}
