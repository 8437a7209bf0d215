// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <ctype.h>

/* More than any machine has. */
#define SIZE_LIMIT (UINT64_C(1) << 40)
#define SECOND_NS  1e9
/* A hundred years in ns fit in 64 bits. */
#define DURATION_LIMIT (100.0 * 366 * 24 * 3600)

const char *const duration_rule[] = {
	"a number, in seconds or with s, m, h or d; more than 0", NULL};
const char *const max_size_rule[] = {"bytes, or with K, M or G; 1 to 1024G",
				     NULL};

uint64_t record_read_size(const char *arg, uint64_t unit, char **end)
{
	static const char letters[] = "BKMG";
	const char *letter;
	uint64_t size;

	*end = (char *)arg;
	if (*arg < '0' || *arg > '9')
		return 0;
	size = strtoull(arg, end, 0);
	letter = **end ? strchr(letters, toupper((unsigned char)**end)) : NULL;
	if (letter) {
		unit = UINT64_C(1) << 10 * (letter - letters);
		++*end;
	}
	return size <= SIZE_LIMIT / unit ? size * unit : 0;
}

static double unit_seconds(const char *name)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {
		{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 24 * 3600}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, name))
			return units[i].seconds;
	return 0;
}

/* As sleep(1) and perf have it: "10", "1.5m", "2h". */
int option_duration(const struct option_row *, const char *arg, void *field)
{
	const char *unit = arg + strspn(arg, "0123456789.");
	double seconds;
	char *end;

	seconds = strtod(arg, &end) * unit_seconds(unit);
	if (end != unit || end == arg || seconds * SECOND_NS < 1 ||
	    seconds > DURATION_LIMIT)
		return -EINVAL;
	*(uint64_t *)field = seconds * SECOND_NS;
	return 0;
}

int option_max_size(const struct option_row *, const char *arg, void *field)
{
	char *end;

	*(uint64_t *)field = record_read_size(arg, 1, &end);
	return *end || !*(uint64_t *)field ? -EINVAL : 0;
}

void record_limit_text(char *text, size_t size,
		       const struct record_limits *limits, uint64_t ns,
		       uint64_t bytes)
{
	*text = '\0';
	if (limits->max_size && bytes >= limits->max_size)
		snprintf(text, size, "%.3f MB are recorded (--max-size)",
			 bytes / 1e6);
	else if (limits->duration_ns && ns >= limits->duration_ns)
		snprintf(text, size, "%.3f s have passed (--duration)",
			 limits->duration_ns / SECOND_NS);
}
