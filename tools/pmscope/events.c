// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmscope events`: the names of events, and which of them the CPU has. */
#include "command.h"
#include "options.h"
#include "message.h"
#include "session/event_names.h"
#include "session/pmu.h"
#include "session/sysfs.h"
#include "snapshot/pmu.h"

#include <stdio.h>
#include <string.h>

struct events_config {
	bool all;
};

static const struct option_row options[] = {
	{.name = "all",
	 .letter = 'a',
	 .set = option_true,
	 .offset = offsetof(struct events_config, all),
	 .help = "those that this machine does not have, too"},
	{}};

static const struct command_help help = {
	.synopsis = "events [OPTIONS] [WORD...]",
	.about = "Lists the events of PMUv3 by name, number and meaning; those "
		 "that have a WORD in\n"
		 "name or meaning.  '*': the CPU says that it has it; '?': its "
		 "manual tells.",
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

/* '*', '?', or ' ' for one that the machine does not have. */
static char presence(const struct pmscope_event_name *event,
		     const struct pmscope_pmu *pmu, uint64_t midr)
{
	char terms[64];

	if (pmu &&
	    !pmscope_pmu_event_terms(pmu, event->name, terms, sizeof(terms)))
		return '*';
	if (event->source == PMSCOPE_EVENT_LISTED || !midr)
		return ' ';
	return pmscope_event_name_find(event->name, midr) == event ? '?' : ' ';
}

int events_main(int argc, char **argv)
{
	struct events_config config = {};
	const struct pmscope_event_name *name;
	uint64_t midr = pmscope_sysfs_midr(PMSCOPE_CPUS, 0);
	struct pmscope_pmu pmu;
	bool has_pmu;
	size_t nr;
	int ret;

	ret = options_parse(&help, argc, argv, &config);
	if (ret <= 0)
		return ret < 0;
	name = pmscope_event_names(&nr);
	has_pmu = !pmscope_pmu_open(&pmu, PMSCOPE_PMU_DEVICES, SNAPSHOT_PMU,
				    NULL);
	for (size_t i = 0; i < nr; i++) {
		char mark = presence(&name[i], has_pmu ? &pmu : NULL, midr);

		if (matches(&name[i], argv + ret) &&
		    (config.all || !has_pmu || mark != ' '))
			printf("%c 0x%04x  %-26s %s\n", mark, name[i].number,
			       name[i].name, name[i].text);
	}
	if (has_pmu)
		pmscope_pmu_close(&pmu);
	return 0;
}
