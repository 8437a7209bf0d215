// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "system.h"

#include <ctype.h>
#include <stdarg.h>

static int parse_number(const char **text, int *value)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	n = strtol(*text, &end, 10);
	if (errno || n >= PMSCOPE_CPU_MAX)
		return -ERANGE;
	*text = end;
	*value = n;
	return 0;
}

static int parse_range(const char **text, bool *set)
{
	int first, last, ret;

	ret = parse_number(text, &first);
	if (ret)
		return ret;
	last = first;
	if (**text == '-') {
		(*text)++;
		ret = parse_number(text, &last);
		if (ret)
			return ret;
	}
	if (last < first)
		return -EINVAL;
	memset(set + first, true, last - first + 1);
	return 0;
}

static const char *skip_space(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int parse_set(const char *text, bool *set)
{
	int ret;

	text = skip_space(text);
	while (*text) {
		ret = parse_range(&text, set);
		if (ret)
			return ret;
		text = skip_space(text);
		if (!*text)
			break;
		if (*text != ',')
			return -EINVAL;
		text = skip_space(text + 1);
		if (!*text)
			return -EINVAL;
	}
	return 0;
}

static int list_from_set(const bool *set, struct cpulist *list)
{
	size_t nr = 0;
	int *cpu;

	for (int i = 0; i < PMSCOPE_CPU_MAX; i++)
		nr += set[i];
	cpu = malloc((nr ? nr : 1) * sizeof(*cpu));
	if (!cpu)
		return -ENOMEM;
	list->cpu = cpu;
	list->nr = nr;
	for (int i = 0; i < PMSCOPE_CPU_MAX; i++)
		if (set[i])
			*cpu++ = i;
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list)
{
	bool set[PMSCOPE_CPU_MAX] = {};

	return parse_set(text, set) ?: list_from_set(set, list);
}

int cpulist_read(struct cpulist *list, const char *fmt, ...)
{
	char path[PATH_MAX], text[PMSCOPE_CPULIST_TEXT];
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	if (ret >= (int)sizeof(path))
		return -ENAMETOOLONG;
	ret = sysfs_read(text, sizeof(text), "%s", path);
	return ret < 0 ? ret : cpulist_parse(text, list);
}

int cpulist_online(struct cpulist *list)
{
	return cpulist_read(list, "/sys/devices/system/cpu/online");
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->cpu[i] == cpu)
			return true;
	return false;
}

void cpulist_intersect(struct cpulist *list, const struct cpulist *keep)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (cpulist_has(keep, list->cpu[i]))
			list->cpu[nr++] = list->cpu[i];
	list->nr = nr;
}

int cpulist_copy(struct cpulist *to, const struct cpulist *from)
{
	int *cpu = malloc((from->nr ? from->nr : 1) * sizeof(*cpu));

	if (!cpu)
		return -ENOMEM;
	if (from->nr)
		memcpy(cpu, from->cpu, from->nr * sizeof(*cpu));
	to->cpu = cpu;
	to->nr = from->nr;
	return 0;
}

void cpulist_free(struct cpulist *list)
{
	free(list->cpu);
	list->cpu = NULL;
	list->nr = 0;
}
