#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fields object and member: what a real program loads, and how often.
. "$(dirname "$0")/../pmscope.sh"

# recorded OPTION...: the program's loads, and "MEMBER LOADS" of each in things
recorded() {
	need pmscope spe
	pmscope record -q "$@" -o data \
		-e "$SPE/ts_enable=1,load_filter=1,period=512,jitter=1/u" \
		-- "$WORKLOAD/objects" 60000 >things
	pmscope script --format=csv -F object,member --filter=sym=load_all \
		data >rows
}

test_shares_of_members() {
	recorded --data
	tail -n +2 rows >samples
	expect_shares 2 things samples 2000
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
