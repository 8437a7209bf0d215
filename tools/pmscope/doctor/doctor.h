/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `pmscope doctor`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_status {
	FINDING_OK,
	FINDING_INFO,
	FINDING_WARN, /* works, but less well than it could */
	FINDING_BAD,  /* keeps something from working */
};

#define FINDINGS_MAX 32

/* The result of a check */
struct finding {
	const char *check; /* a stable name */
	enum finding_status status;
	char text[320];	  /* the result */
	char advice[512]; /* what to do about it; empty: nothing */
};

/* All findings, in the order of printing */
struct doctor_report {
	struct finding finding[FINDINGS_MAX];
	size_t nr;
	bool snapshots; /* this user can capture counters */
	bool spe;	/* this user can record SPE */
};

/* Looks at the machine; changes nothing. */
void doctor_examine(struct doctor_report *report);

/* Adds a finding, and returns it, for its @advice. */
struct finding *doctor_add(struct doctor_report *report, const char *check,
			   enum finding_status status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void doctor_advise(struct finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds the finding "capture" from caps/backend and caps/gate of pmu_snapshot.
 */
void doctor_gate(struct doctor_report *report, const char *backend,
		 const char *gate);

/* From caps/access of a PMU: what firmware opened, and who says so. */
void doctor_access(struct doctor_report *report, const char *pmu,
		   const char *access);

/* "0x00000000414fd0c1 (CPU 0-3), ..." from the MIDR_EL1 of each CPU, or 0. */
void doctor_kinds(char *out, size_t size, const uint64_t *midr, size_t nr);
