// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/compare.h"

const char *const origin_names[NR_ORIGINS] = {
	[ORIGIN_HOST] = "host",	    [ORIGIN_KERNEL] = "kernel",
	[ORIGIN_ARCH] = "arch",	    [ORIGIN_CPUS] = "cpus",
	[ORIGIN_MEMORY] = "memory", [ORIGIN_EVENTS] = "events",
};

static void put_cpus(FILE *out, const struct provenance *p)
{
	const char *separator = "";

	if (p->cpus_online)
		fprintf(out, "%" PRIu32 " online", p->cpus_online);
	separator = p->cpus_online ? ": " : "";
	for (size_t i = 0; i < p->nr_cpus; i++) {
		fprintf(out, "%s%s (MIDR 0x%" PRIx64 ")", separator,
			p->cpus[i].name ?: "unknown", p->cpus[i].midr);
		separator = ", ";
	}
}

/* The name of an event without its terms, which are among the settings. */
static void put_event(FILE *out, const struct provenance_event *event)
{
	const char *name = event->name ?: "unnamed";

	if (!event->is_spe) {
		fputs(name, out);
		return;
	}
	fprintf(out, "%.*s/%s", (int)strcspn(name, "/"), name, event->settings);
	fputs(event->period && *event->settings ? "," : "", out);
	if (event->period)
		fprintf(out, "period=%" PRIu64, event->period);
	putc('/', out);
}

static void put(FILE *out, enum origin origin, const struct provenance *p)
{
	switch (origin) {
	case ORIGIN_HOST:
		fputs(p->host ?: "", out);
		break;
	case ORIGIN_KERNEL:
		fputs(p->kernel ?: "", out);
		break;
	case ORIGIN_ARCH:
		fputs(p->arch ?: "", out);
		break;
	case ORIGIN_CPUS:
		put_cpus(out, p);
		break;
	case ORIGIN_MEMORY:
		if (p->memory)
			fprintf(out, "%" PRIu64 " MiB", p->memory >> 20);
		break;
	default:
		for (size_t i = 0; i < p->nr_events; i++) {
			fputs(i ? ", " : "", out);
			put_event(out, &p->events[i]);
		}
	}
}

int origin_text(enum origin origin, const struct provenance *provenance,
		char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);

	if (!out)
		return -ENOMEM;
	put(out, origin, provenance);
	return fclose(out) ? -ENOMEM : 0;
}

bool origin_differs(const char *old, const char *new)
{
	return *old && *new &&strcmp(old, new);
}
