// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "system.h"
#include "base/io.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>

int pmscope_fail(struct pmscope_error *err, int code, const char *fmt, ...)
{
	va_list args;

	if (err) {
		va_start(args, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, args);
		va_end(args);
	}
	return -code;
}

int pmscope_fail_nomem(struct pmscope_error *err)
{
	return pmscope_fail(err, ENOMEM, "out of memory");
}

static int format_path(char *path, const char *fmt, va_list args)
{
	int len = vsnprintf(path, PATH_MAX, fmt, args);

	return len < 0 || len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* A sysfs file comes in one read(2), a procfs one may need several. */
static int read_trimmed(int fd, char *buf, size_t size)
{
	ssize_t len = io_read(fd, buf, size);

	if (len < 0)
		return len;
	if ((size_t)len == size)
		return -EFBIG;
	while (len && isspace((unsigned char)buf[len - 1]))
		len--;
	buf[len] = '\0';
	return len;
}

static int read_text(char *buf, size_t size, const char *fmt, va_list args)
{
	char path[PATH_MAX];
	int fd, ret;

	buf[0] = '\0';
	ret = format_path(path, fmt, args);
	if (ret)
		return ret;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = read_trimmed(fd, buf, size);
	if (ret < 0)
		buf[0] = '\0';
	close(fd);
	return ret;
}

int sysfs_read(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = read_text(buf, size, fmt, args);
	va_end(args);
	return ret;
}

int sysfs_number(uint64_t *value, const char *fmt, ...)
{
	char text[64];
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = read_text(text, sizeof(text), fmt, args);
	va_end(args);
	if (ret < 0)
		return ret;
	*value = strtoull(text, NULL, 0);
	return 0;
}

uint64_t sysfs_midr(const char *folder, int cpu)
{
	uint64_t midr = 0;

	sysfs_number(&midr, "%s/cpu%d/regs/identification/midr_el1", folder,
		     cpu);
	return midr;
}

int sysfs_write(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int fd, ret;

	va_start(args, fmt);
	ret = format_path(path, fmt, args);
	va_end(args);
	if (ret)
		return ret;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int sysfs_link_name(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name;
	va_list args;
	ssize_t len;
	int ret;

	va_start(args, fmt);
	ret = format_path(path, fmt, args);
	va_end(args);
	if (ret)
		return ret;
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	ret = snprintf(buf, size, "%s", name);
	return ret >= (int)size ? -ENAMETOOLONG : ret;
}

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
