#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fields object and member: what a real program loads, and how often.
. "$(dirname "$0")/../pmscope.sh"

# recorded OPTION...: the program's loads, and "MEMBER LOADS" of each in things
recorded() {
	need_command pmscope
	need_spe
	pmscope record -q "$@" -o data \
		-e "$SPE/ts_enable=1,load_filter=1,period=512,jitter=1/u" \
		-- "$WORKLOAD/objects" 60000 >things
	pmscope script --format=csv -F object,member --filter=sym=load_all \
		data >rows
}

# Shares of samples are within 5 standard deviations of shares of loads.
test_shares_of_members() {
	recorded --data
	awk -F, 'NR == FNR { at = match($0, / [0-9]+$/)
			of[substr($0, 1, at - 1)] = substr($0, at + 1)
			all += substr($0, at + 1); next }
		FNR > 1 { n++; seen[$2]++ }
		END { for (i in of) {
				p = of[i] / all
				bound = 5 * sqrt(p * (1 - p) / n)
				printf "# %s: %.4f of %d, %.4f +- %.4f\n", i,
					seen[i] / n, n, p, bound
				bad += seen[i] / n - p > bound ||
					p - seen[i] / n > bound
				left += seen[i]
			}
			print "# others:", n - left
			exit bad || n < 2000 || n - left > n / 1000 }' \
		things rows >shares || fail "$(cat shares; sort rows | uniq -c)"
	note "$(sed "s,^# ,," shares | paste -sd ";")"
	pmscope report --sort=object,member --weight=samples --format=csv \
		--filter=sym=load_all data >printed
	expect_eq "$(grep -c '^stats,stats\.' printed)" 3 members
	expect_match '^stats,stats\.hits,' printed
	expect_match '^library_table,library_table\[\]\.range\.high,' printed
}

# Where a recording does not tell what is mapped, only code tells names.
test_without_mappings_of_data() {
	recorded
	expect_eq "$(tail -n +2 rows | grep -v '\[stack\] load_all' | sort -u |
		xargs)" ', counts,counts[]' rows
	pmscope report --sort=member data >printed 2>&1
	expect_match '^# the recording has no mappings of data' printed
}

ktap_main "$@"
