// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope events`: the names of events, and which of them the CPU has. */
#include "base/names.h"
#include "cli/cli.h"
#include "session/pmu.h"

struct events_config {
	bool all;
};

#define CONFIG struct events_config

static const struct option_row options[] = {
	FLAG("all", 'a', all, "include events that this machine does not have"),
	{}};

static const struct command_help help = {
	.synopsis = "events [OPTIONS] [WORD...]",
	.about = "Lists the events of PMUv3 with number and meaning, or only "
		 "those whose name or\nmeaning contains a WORD.  '*' means: "
		 "the CPU reports that it has the event;\n'?' means: listed in "
		 "the CPU's manual.",
	.options = options,
};

static bool matches(const struct pmscope_event_name *event, char **words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (strcasestr(event->name, *words) ||
		    strcasestr(event->text, *words))
			return true;
	return false;
}

/* '*', '?', or ' ' for an event that the machine does not have. */
static char presence(const struct pmscope_event_name *event,
		     const struct pmu *pmu, uint64_t midr)
{
	char terms[64];

	if (pmu && !pmu_event_terms(pmu, event->name, terms, sizeof(terms)))
		return '*';
	if (event->source == PMSCOPE_EVENT_LISTED || !midr)
		return ' ';
	return event_name_find(event->name, midr) == event ? '?' : ' ';
}

static size_t list(char **words, bool all, const struct pmu *pmu)
{
	uint64_t midr = sysfs_midr(PMSCOPE_CPUS, 0);
	const struct pmscope_event_name *name;
	size_t nr, listed = 0;

	name = event_names(&nr);
	for (size_t i = 0; i < nr; i++) {
		char mark = presence(&name[i], pmu, midr);

		if (!matches(&name[i], words) || (!all && pmu && mark == ' '))
			continue;
		printf("%c 0x%04x  %-26s %s\n", mark, name[i].number,
		       name[i].name, name[i].text);
		listed++;
	}
	return listed;
}

static int found_none(char **words, bool all)
{
	const char *where = all ? "" : " on this machine (-a lists all events)";

	if (!*words)
		error("events: this machine has no events (-a lists all "
		      "events)");
	for (; *words; words++)
		error("events: no event matches '%s'%s", *words, where);
	return 1;
}

int events_main(int argc, char **argv)
{
	struct events_config config = {};
	struct pmu pmu;
	bool has_pmu;
	size_t listed;
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	has_pmu = !pmu_open(&pmu, PMSCOPE_PMU_DEVICES, SNAPSHOT_PMU, NULL);
	listed = list(argv + ret, config.all, has_pmu ? &pmu : NULL);
	if (has_pmu)
		pmu_close(&pmu);
	return listed ? 0 : found_none(argv + ret, config.all || !has_pmu);
}
