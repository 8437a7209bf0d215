// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate of captures: what EL3, EL2 and EL1 permit, as the module found it.
 */
#include "base/std.h"
#include "doctor/doctor.h"

#define BACKEND_TEXT_MAX 64
#define GATE_TEXT_MAX	 220

/* "cpu4 absent: ID_AA64..."; @cpu is -1 if all CPUs have the same line. */
struct line {
	long cpu;
	const char *state;
	size_t len;
};

static bool next_line(const char **text, struct line *line)
{
	const char *at = *text;
	char *end;

	line->cpu = -1;
	if (!strncmp(at, "cpu", 3)) {
		line->cpu = strtol(at + 3, &end, 10);
		at = end + (*end == ' ');
	}
	line->state = at;
	line->len = strcspn(at, "\n");
	*text = at + line->len + (at[line->len] == '\n');
	return line->len;
}

static bool starts_with(const struct line *line, const char *state)
{
	return line->len >= strlen(state) &&
	       !strncmp(line->state, state, strlen(state));
}

static int print_states(char *out, size_t size, const struct line *first,
			const struct line *last, bool more)
{
	char cpus[64] = "";

	if (last->cpu > first->cpu)
		snprintf(cpus, sizeof(cpus), "cpu%ld-%ld ", first->cpu,
			 last->cpu);
	else if (first->cpu >= 0)
		snprintf(cpus, sizeof(cpus), "cpu%ld ", first->cpu);
	return snprintf(out, size, "%s%s%.*s", more ? "; " : "", cpus,
			(int)first->len, first->state);
}

/* Merges consecutive CPUs that have the same text. */
static void summarise(char *out, size_t size, const char *text)
{
	struct line first, last, line;
	const char *ahead = text;
	size_t used = 0;

	out[0] = '\0';
	while (used < size && next_line(&text, &first)) {
		last = first;
		ahead = text;
		while (next_line(&ahead, &line) && line.len == first.len &&
		       !strncmp(line.state, first.state, line.len)) {
			last = line;
			text = ahead;
		}
		used += print_states(out + used, size - used, &first, &last,
				     used);
	}
	if (used >= size)
		memcpy(out + size - 4, "...", 4);
}

static bool any_is(const char *gate, const char *state)
{
	struct line line;

	while (next_line(&gate, &line))
		if (starts_with(&line, state))
			return true;
	return false;
}

/*
 * Is there a CPU that has the extension but may not use it? The line "..."
 * stands for CPUs that did not fit in the page.
 */
static bool any_blocked(const char *gate)
{
	struct line line;

	while (next_line(&gate, &line))
		if (!starts_with(&line, "absent") &&
		    !starts_with(&line, "allowed") &&
		    !starts_with(&line, "..."))
			return true;
	return false;
}

static void advise(struct finding *f, const char *gate)
{
	if (any_is(gate, "unused"))
		doctor_advise(f,
			      "the module was loaded with backend=frozen, so "
			      "counters are stopped, read and restarted; load "
			      "it without this parameter to try the hardware");
	else if (strstr(gate, "(nVHE)"))
		doctor_advise(
			f, "the CPU could capture in hardware, but this kernel "
			   "runs at EL1 and its own EL2 traps the registers: "
			   "boot it without kvm-arm.mode=nvhe or protected "
			   "(Documentation/reference/firmware.rst); until then "
			   "counters are stopped, read and restarted");
	else if (any_blocked(gate))
		doctor_advise(
			f, "the CPU could capture in hardware: firmware or the "
			   "hypervisor must open what the gate names (table in "
			   "Documentation/reference/firmware.rst); until then "
			   "counters are stopped, read and restarted");
	else
		doctor_advise(f, "groups are exact, but what happens while the "
				 "counters are read is not counted; "
				 "FEAT_PMUv3_SS would avoid that");
}

void doctor_access(struct doctor_report *r, const char *pmu, const char *access)
{
	bool unknown = strstr(access, "(not reported)");
	char text[GATE_TEXT_MAX];
	struct finding *f;

	summarise(text, sizeof(text), access);
	if (!text[0])
		return;
	f = doctor_add(r, "firmware",
		       strstr(access, "trapped") || unknown ? FINDING_INFO
							    : FINDING_OK,
		       "%s: %s", pmu, text);
	if (unknown)
		doctor_advise(
			f,
			"firmware does not report whether it traps the "
			"register, so it is not used; if you know that it does "
			"not trap, load the module with trust_firmware=1");
}

void doctor_gate(struct doctor_report *r, const char *backend, const char *gate)
{
	char backends[BACKEND_TEXT_MAX], gates[GATE_TEXT_MAX];
	bool hardware = !strcmp(backend, "hardware");
	struct finding *f;

	summarise(backends, sizeof(backends), backend);
	summarise(gates, sizeof(gates), gate);
	f = doctor_add(r, "capture", hardware ? FINDING_OK : FINDING_INFO,
		       "back end '%s', gate '%s'", backends, gates);
	if (!hardware)
		advise(f, gate);
}
