// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings: what a check found, and what to do about it. */
#include "base/text.h"
#include "doctor/doctor.h"

struct finding *doctor_add(struct doctor_report *report, const char *check,
			   enum finding_status status, const char *fmt, ...)
{
	/* The last place is written over, should there ever be too many. */
	struct finding *f =
		&report->finding[report->nr < FINDINGS_MAX ? report->nr++
							   : FINDINGS_MAX - 1];
	va_list args;

	f->check = check;
	f->status = status;
	f->advice[0] = '\0';
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
	return f;
}

void doctor_advise(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->advice, sizeof(finding->advice), fmt, args);
	*text_clean(finding->advice, finding->advice, strlen(finding->advice)) =
		'\0';
	va_end(args);
}
