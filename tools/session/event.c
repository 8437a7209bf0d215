// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "event.h"
#include "base/containers.h"
#include "base/names.h"
#include "pmu.h"
#include "system.h"

#include <ctype.h>

struct pmscope_generic_event {
	const char *name;
	unsigned int type;
	unsigned int config;
};

static const struct pmscope_generic_event software_events[] = {
	{"alignment-faults", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"context-switches", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
	{"emulation-faults", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_EMULATION_FAULTS},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{}};

static const struct pmscope_generic_event hardware_events[] = {
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-instructions", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"cache-references", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CACHE_REFERENCES},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{}};

/* The events that arm_pmuv3 uses for perf's generic events. */
static const struct {
	const char *perf;
	const char *arm;
} arm_events[] = {
	{"branches", "br_retired"},
	{"branch-instructions", "br_retired"},
	{"branch-misses", "br_mis_pred"},
	{"bus-cycles", "bus_cycles"},
	{"cache-misses", "l1d_cache_refill"},
	{"cache-references", "l1d_cache"},
	{"cpu-cycles", "cpu_cycles"},
	{"cycles", "cpu_cycles"},
	{"instructions", "inst_retired"},
	{"stalled-cycles-backend", "stall_backend"},
	{"stalled-cycles-frontend", "stall_frontend"},
};

static const struct pmscope_generic_event *
find(const struct pmscope_generic_event *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

/* NULL if there is no event of this name. */
static const struct pmscope_generic_event *
pmscope_generic_software(const char *name)
{
	return find(software_events, name);
}

static const struct pmscope_generic_event *
pmscope_generic_hardware(const char *name)
{
	return find(hardware_events, name);
}

/* The event that arm_pmuv3 uses for a generic one; other names stay. */
static const char *pmscope_generic_arm_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(arm_events); i++)
		if (!strcmp(arm_events[i].perf, name))
			return arm_events[i].arm;
	return name;
}

#define MODIFIERS "ukhGHIpPDeSW"
/* More groups or events than this in one list are a mistake. */
#define EVENTS_MAX 1024

struct parser {
	const char *devices;
	const char *pmu;
	const struct cpulist *cpus;
	const char *text;
	const char *pos;
	struct event_list *list;
	struct pmscope_error *err;
};

static int syntax_error(const struct parser *p, const char *what)
{
	return pmscope_fail(p->err, EINVAL, "'%s': %s at '%s'", p->text, what,
			    *p->pos ? p->pos : "the end");
}

static void event_free(struct listed_event *event)
{
	free(event->name);
	free(event->pmu);
	cpulist_free(&event->cpus);
}

void events_truncate(struct event_list *list, size_t nr)
{
	while (list->nr > nr)
		event_free(&list->event[--list->nr]);
}

static int list_add(struct parser *p, const char *name, size_t len,
		    struct listed_event **added)
{
	struct event_list *list = p->list;
	struct listed_event *event;

	if (list->nr >= EVENTS_MAX)
		return pmscope_fail(p->err, EINVAL, "more than %d events",
				    EVENTS_MAX);
	if (array_one_more(list->event, list->nr))
		return -ENOMEM;
	event = &list->event[list->nr];
	memset(event, 0, sizeof(*event));
	event->name = strndup(name, len);
	if (!event->name)
		return -ENOMEM;
	event->group = list->nr_groups;
	list->nr++;
	*added = event;
	return 0;
}

/* The term name=TEXT or name='TEXT' replaces the name of the event. */
static int take_name_term(struct listed_event *event, const char *terms)
{
	const char *at = terms;
	size_t len;
	char *name;

	while (strncmp(at, "name=", 5)) {
		at += pmu_term_length(at, ",");
		if (!*at++)
			return 0;
	}
	at += 5;
	len = pmu_term_length(at, ",");
	if (*at == '\'' && at[len - 1] == '\'') {
		at++;
		len -= 2;
	}
	name = strndup(at, len);
	if (!name)
		return -ENOMEM;
	free(event->name);
	event->name = name;
	event->named = true;
	return 0;
}

/*
 * Names that the PMU does not list: events without a bit in PMCEID<n>_EL0, and
 * IMPLEMENTATION DEFINED events. A name in sysfs has priority.
 */
static const char *known_terms(const struct pmu *pmu, const char *terms,
			       char buf[PMSCOPE_PMU_NAME_MAX])
{
	const struct pmscope_event_name *known;
	char unused[512];

	if (!pmu_has_arm_events(pmu->name))
		return terms;
	if (!pmu_event_terms(pmu, terms, unused, sizeof(unused)))
		return terms;
	known = event_name_find(terms, sysfs_midr(PMSCOPE_CPUS, 0));
	if (!known || known->source == PMSCOPE_EVENT_LISTED)
		return terms;
	snprintf(buf, PMSCOPE_PMU_NAME_MAX, "event=0x%x", known->number);
	return buf;
}

static int event_from_pmu(struct parser *p, const char *name, size_t name_len,
			  const char *pmu_name, const char *terms)
{
	char known[PMSCOPE_PMU_NAME_MAX];
	struct listed_event *event;
	struct pmu pmu;
	int ret;

	ret = pmu_open(&pmu, p->devices, pmu_name, p->err);
	if (ret)
		return ret;
	ret = list_add(p, name, name_len, &event);
	if (!ret)
		ret = pmu_encode(&pmu, known_terms(&pmu, terms, known),
				 &event->attr, p->err);
	if (!ret)
		ret = take_name_term(event, terms);
	if (!ret) {
		event->pmu = strdup(pmu_name);
		ret = event->pmu ? cpulist_copy(&event->cpus, &pmu.cpus)
				 : -ENOMEM;
	}
	pmu_close(&pmu);
	return ret;
}

/* The caller reports errors of a PMU. */
static bool pmu_has_one_of(const struct parser *p, const char *name,
			   const struct cpulist *cpus)
{
	struct pmu pmu;
	bool has = pmu_open(&pmu, p->devices, name, NULL) || !pmu.cpus.nr;

	for (size_t i = 0; i < cpus->nr && !has; i++)
		has = cpulist_has(&pmu.cpus, cpus->cpu[i]);
	pmu_close(&pmu);
	return has;
}

/* Adds an event per PMU that has one of @cpus (NULL: any); returns how many. */
static int events_on(struct parser *p, const char *family, const char *terms,
		     const struct cpulist *cpus)
{
	char name[PMSCOPE_PMU_NAME_MAX], full[1024];
	int nr = 0, ret;

	for (unsigned int i = 0; !pmu_instance(p->devices, family, i, name);
	     i++) {
		size_t len =
			snprintf(full, sizeof(full), "%s/%s/", name, terms);

		if (cpus && !pmu_has_one_of(p, name, cpus))
			continue;
		p->list->nr_groups += nr > 0;
		ret = event_from_pmu(p, full, len, name, terms);
		if (ret)
			return ret;
		nr++;
	}
	return nr;
}

/* "arm_spe//" stands for arm_spe_0, arm_spe_1, ... if there is no "arm_spe". */
static int events_from_family(struct parser *p, const char *family,
			      const char *terms)
{
	int nr = p->cpus ? events_on(p, family, terms, p->cpus) : 0;

	if (!nr)
		nr = events_on(p, family, terms, NULL);
	return nr < 0 ? nr : nr ? 0 : -ENOENT;
}

static bool pmu_exists(const struct parser *p, const char *name)
{
	struct pmu pmu;
	bool found = !pmu_open(&pmu, p->devices, name, NULL);

	pmu_close(&pmu);
	return found;
}

static int parse_pmu_event(struct parser *p, size_t pmu_len)
{
	const char *terms_at = p->pos + pmu_len + 1;
	const char *end = terms_at + pmu_term_length(terms_at, "/");
	char pmu[PMSCOPE_PMU_NAME_MAX], terms[512];
	int ret;

	if (!*end || pmu_len >= sizeof(pmu) ||
	    (size_t)(end - terms_at) >= sizeof(terms))
		return syntax_error(p, "expected PMU/TERMS/");
	memcpy(pmu, p->pos, pmu_len);
	pmu[pmu_len] = '\0';
	memcpy(terms, terms_at, end - terms_at);
	terms[end - terms_at] = '\0';
	ret = pmu_exists(p, pmu) ? -ENOENT : events_from_family(p, pmu, terms);
	/* Not a family either: let the lookup of the name report it. */
	if (ret == -ENOENT)
		ret = event_from_pmu(p, p->pos, end + 1 - p->pos, pmu, terms);
	p->pos = end + 1;
	return ret;
}

/* "r1b": the number of an event, in hexadecimal. */
static bool is_raw(const char *name)
{
	return name[0] == 'r' && name[1] &&
	       strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1);
}

/* Returns -ENOENT if the default PMU does not have the event. */
static int event_from_default_pmu(struct parser *p, const char *name)
{
	char terms[PMSCOPE_PMU_NAME_MAX], unused[512], full[256];
	struct pmu pmu;
	int ret = 0;

	if (!p->pmu || pmu_open(&pmu, p->devices, p->pmu, NULL))
		return -ENOENT;
	if (is_raw(name)) {
		snprintf(terms, sizeof(terms), "event=0x%s", name + 1);
	} else {
		snprintf(terms, sizeof(terms), "%s",
			 pmscope_generic_arm_name(name));
		ret = pmu_event_terms(&pmu, terms, unused, sizeof(unused));
		if (ret && known_terms(&pmu, terms, unused) != terms)
			ret = 0;
	}
	pmu_close(&pmu);
	if (ret)
		return -ENOENT;
	/* Its full name, so that readers see the PMU. */
	ret = snprintf(full, sizeof(full), "%s/%s/", p->pmu, terms);
	return event_from_pmu(p, full, ret, p->pmu, terms);
}

static int event_from_generic(struct parser *p, const char *name,
			      const struct pmscope_generic_event *generic)
{
	struct listed_event *event;
	int ret = list_add(p, name, strlen(name), &event);

	if (ret)
		return ret;
	event->attr.attr.type = generic->type;
	event->attr.attr.config = generic->config;
	return 0;
}

static int parse_bare_event(struct parser *p, size_t len)
{
	const struct pmscope_generic_event *generic;
	char name[PMSCOPE_PMU_NAME_MAX];
	int ret;

	if (!len || len >= sizeof(name))
		return syntax_error(p, "expected an event");
	memcpy(name, p->pos, len);
	name[len] = '\0';
	p->pos += len;
	generic = pmscope_generic_software(name);
	if (generic)
		return event_from_generic(p, name, generic);
	ret = event_from_default_pmu(p, name);
	if (ret != -ENOENT)
		return ret;
	generic = pmscope_generic_hardware(name);
	if (generic)
		return event_from_generic(p, name, generic);
	if (p->pmu && !pmu_exists(p, p->pmu))
		return pmscope_fail(p->err, ENOENT,
				    "event '%s': unknown, and this machine has "
				    "no PMU %s: is the name right, and is the "
				    "module loaded? (see 'pmscope doctor')",
				    name, p->pmu);
	return pmscope_fail(
		p->err, EINVAL,
		"event '%s': unknown%s%s (see %s/%s/%s): the CPU lacks "
		"it, or it has another name",
		name, p->pmu ? " to " : "", p->pmu ? p->pmu : "", p->devices,
		p->pmu ? p->pmu : "*", pmu_event_folder(p->pmu ? p->pmu : "*"));
}

static void apply_modifiers(struct listed_event *event, const char *mods,
			    size_t len)
{
	struct perf_event_attr *attr = &event->attr.attr;
	bool u = memchr(mods, 'u', len), k = memchr(mods, 'k', len);
	bool h = memchr(mods, 'h', len);

	if (u || k || h) {
		attr->exclude_user = !u;
		attr->exclude_kernel = !k;
		attr->exclude_hv = !h;
	}
	for (size_t i = 0; i < len; i++) {
		if (mods[i] == 'G')
			attr->exclude_host = !memchr(mods, 'H', len);
		else if (mods[i] == 'H')
			attr->exclude_guest = !memchr(mods, 'G', len);
		else if (mods[i] == 'I')
			attr->exclude_idle = 1;
		else if (mods[i] == 'p' && attr->precise_ip < 3)
			attr->precise_ip++;
		else if (mods[i] == 'D')
			attr->pinned = 1;
		else if (mods[i] == 'e')
			attr->exclusive = 1;
		else if (mods[i] == 'S')
			event->sample_read = true;
	}
}

/* Parses modifiers, after "/" or ":", for the events from @first on. */
static int parse_modifiers(struct parser *p, size_t first, bool colon)
{
	size_t len = 0;

	if (*p->pos == ':')
		p->pos++;
	else if (colon)
		return 0;
	len = strspn(p->pos, MODIFIERS);
	for (size_t i = first; i < p->list->nr; i++)
		apply_modifiers(&p->list->event[i], p->pos, len);
	p->pos += len;
	if (*p->pos && !strchr(",}", *p->pos))
		return syntax_error(p, "expected ',' or a modifier");
	return 0;
}

/* The modifiers as written, so that cs:u and cs:k are different names. */
static int name_with(struct listed_event *event, const char *modifiers,
		     size_t len)
{
	char last = event->name[strlen(event->name) - 1];
	char *name;

	if (event->named || !len)
		return 0;
	if (asprintf(&name, "%s%s%.*s", event->name, last == '/' ? "" : ":",
		     (int)len, modifiers) < 0)
		return -ENOMEM;
	free(event->name);
	event->name = name;
	return 0;
}

static int parse_event(struct parser *p)
{
	size_t first = p->list->nr, len = strcspn(p->pos, "/,{}:");
	bool slash = p->pos[len] == '/';
	const char *modifiers;
	int ret;

	ret = slash ? parse_pmu_event(p, len) : parse_bare_event(p, len);
	modifiers = p->pos + (*p->pos == ':');
	if (!ret)
		ret = parse_modifiers(p, first, !slash);
	for (size_t i = first; i < p->list->nr && !ret; i++)
		ret = name_with(&p->list->event[i], modifiers,
				p->pos - modifiers);
	return ret;
}

/*
 * The kernel accepts these only for a leader, so they apply to the whole group.
 */
static void share_modifiers(struct listed_event *leader, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct perf_event_attr *attr = &leader[i].attr.attr;

		leader->attr.attr.pinned |= attr->pinned;
		leader->attr.attr.exclusive |= attr->exclusive;
		attr->pinned = 0;
		attr->exclusive = 0;
	}
}

static int parse_group(struct parser *p)
{
	size_t first = p->list->nr;
	int ret;

	do {
		p->pos++; /* '{', then each ',' */
		ret = parse_event(p);
		if (ret)
			return ret;
	} while (*p->pos == ',');
	if (*p->pos != '}')
		return syntax_error(p, "expected '}'");
	p->pos++;
	p->list->braces = true;
	if (p->list->event[p->list->nr - 1].group !=
	    p->list->event[first].group)
		return pmscope_fail(p->err, EINVAL,
				    "'%s': several PMUs cannot form one group; "
				    "name one PMU",
				    p->text);
	ret = parse_modifiers(p, first, true);
	share_modifiers(&p->list->event[first], p->list->nr - first);
	return ret;
}

static int parse_list(struct parser *p)
{
	int ret;

	for (;;) {
		ret = *p->pos == '{' ? parse_group(p) : parse_event(p);
		if (ret)
			return ret;
		p->list->nr_groups++;
		if (!*p->pos)
			return 0;
		if (*p->pos != ',')
			return syntax_error(p, "expected ','");
		p->pos++;
	}
}

int events_parse(struct event_list *list, const char *text,
		 const struct event_rules *rules, struct pmscope_error *err)
{
	struct event_list before = *list;
	struct parser p = {.text = text,
			   .pos = text,
			   .list = list,
			   .err = err,
			   .devices = PMSCOPE_PMU_DEVICES};
	int ret;

	if (err)
		err->text[0] = '\0';
	if (rules && rules->devices)
		p.devices = rules->devices;
	if (rules) {
		p.pmu = rules->pmu;
		p.cpus = rules->cpus;
	}
	ret = parse_list(&p);
	if (ret) {
		events_truncate(list, before.nr);
		list->nr_groups = before.nr_groups;
		list->braces = before.braces;
	}
	if (ret == -ENOMEM)
		pmscope_fail_nomem(err);
	return ret;
}

void events_join(struct event_list *list)
{
	if (list->braces || !list->nr)
		return;
	for (size_t i = 0; i < list->nr; i++)
		list->event[i].group = 0;
	share_modifiers(list->event, list->nr);
	list->nr_groups = 1;
}

void events_free(struct event_list *list)
{
	events_truncate(list, 0);
	free(list->event);
	memset(list, 0, sizeof(*list));
}

bool event_is_spe(const struct listed_event *event)
{
	return event->pmu && !strncmp(event->pmu, "arm_spe_", 8);
}

bool event_is_snapshot(const struct listed_event *event)
{
	return event->pmu && !strcmp(event->pmu, SNAPSHOT_PMU);
}
