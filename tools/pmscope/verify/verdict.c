// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify/verify.h"

const char *const verdict_words[NR_VERDICTS] = {
	"not decided",		 "exact", "within",
	"counts something else", "dead",  "counts other code",
	"not allowed",
};

const char *const verdict_keys[NR_VERDICTS] = {
	"undecided", "exact",	   "within",	  "something-else",
	"dead",	     "other-code", "not-allowed",
};

/* An event that must not happen is compared with the instructions. */
static double error_of(const struct measured *m)
{
	double whole = m->expected > 0 ? m->expected : m->instructions;

	return whole > 0 ? fabs(m->counted - m->expected) / whole : 0;
}

static double ratio_of(const struct measured *m)
{
	return m->expected > 0 ? m->counted / m->expected : 0;
}

/*
 * The loop that shows that code is counted which the filter leaves out; else
 * @nr. Interrupts have some of the kernel's, but not everywhere.
 */
static size_t unfiltered(const struct measured *m, size_t nr)
{
	double user = 0, kernel = 0;
	size_t most = nr;

	for (size_t i = 0; i < nr; i++) {
		if (!m[i].known)
			continue;
		if (m[i].traps && m[i].counted > 2 * m[i].expected &&
		    m[i].counted - m[i].expected > m[i].instructions / 2)
			return i;
		if (m[i].traps || m[i].expected <= 0)
			continue;
		user += m[i].expected;
		kernel += m[i].kernel;
		if (most == nr || m[i].expected > m[most].expected)
			most = i;
	}
	return kernel > user / 2 ? most : nr;
}

static bool decides(const struct measured *m)
{
	return m->known && !m->traps && !m->speculates;
}

/* The loop with the largest error, of those where the event happens or not. */
static size_t worst_of(const struct measured *m, size_t nr, bool happens)
{
	size_t worst = nr;

	for (size_t i = 0; i < nr; i++)
		if (decides(&m[i]) && happens == (m[i].expected > 0) &&
		    (worst == nr || error_of(&m[i]) > error_of(&m[worst])))
			worst = i;
	return worst;
}

static struct judged judged_by(enum verdict verdict, const struct measured *m,
			       size_t loop)
{
	return (struct judged){verdict, loop, error_of(&m[loop]),
			       ratio_of(&m[loop]), false};
}

static bool is_dead(const struct measured *m, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (decides(&m[i]) &&
		    m[i].counted >
			    VERDICT_EXACTLY * (m[i].expected > 0
						       ? m[i].expected
						       : m[i].instructions))
			return false;
	return true;
}

struct judged verdict_of(const struct measured *m, size_t nr, double margin)
{
	size_t worst = worst_of(m, nr, true);
	size_t absent = worst_of(m, nr, false);
	struct judged j = {};

	if (worst == nr)
		return j;
	if (is_dead(m, nr))
		return judged_by(VERDICT_DEAD, m, worst);
	if (unfiltered(m, nr) < nr)
		return judged_by(VERDICT_OTHER_CODE, m, unfiltered(m, nr));
	if (absent < nr && error_of(&m[worst]) <= margin &&
	    error_of(&m[absent]) > fmax(error_of(&m[worst]), VERDICT_EXACTLY))
		worst = absent;
	if (error_of(&m[worst]) > fmax(margin, VERDICT_EXACTLY))
		return judged_by(VERDICT_SOMETHING, m, worst);
	for (size_t i = 0; i < nr; i++)
		if (m[i].known && m[i].speculates && !m[i].traps &&
		    m[i].counted > m[i].expected &&
		    error_of(&m[i]) > fmax(margin, VERDICT_EXACTLY)) {
			j = judged_by(VERDICT_OTHER_CODE, m, i);
			j.speculative = true;
			return j;
		}
	return judged_by(error_of(&m[worst]) <= VERDICT_EXACTLY
				 ? VERDICT_EXACT
				 : VERDICT_WITHIN,
			 m, worst);
}
