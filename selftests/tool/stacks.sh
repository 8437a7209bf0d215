#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record -g: call chains of a clock, and the callers that report estimates from
# them. perf script prints the same chains.
. "$(dirname "$0")/../pmscope.sh"

need_tools() {
	need pmscope jq pmscope_spe
}

record_callers() {
	pmscope record -q -g -F 2000 -c 256 --user -o data -- \
		"$WORKLOAD/callers" 100000 >/dev/null
}

# callers_of_work: the caller of callers_work, and what it has, a line each
by_report() {
	pmscope report -i data --sort=callers,sym --format=jsonl >rows
	jq -r 'select(.type == "row" and .sym == "callers_work") |
		"\(.callers | split(";") | last) \(.samples)"' rows
}

# The second address of a chain is in the caller.
by_perf() {
	perf script -i data --no-itrace -F event,ip,sym |
		awk -v RS= '/cpu-clock/ || /callers_work/ { print $3, $5 }' |
		awk '$1 == "callers_work" { n[$2]++ }
			END { for (name in n) print name, n[name] }'
}

# share NAME FILE
share() {
	awk -v name="$1" '{ all += $2 } $1 == name { part += $2 }
		END { printf "%.4f", all ? part / all : 0 }' "$2"
}

before_each() { need_tools; }

test_callers_of_a_function() {
	record_callers
	by_report >ours
	by_perf >perfs
	local n near perfs ours
	n=$(awk '{ n += $2 } END { print n + 0 }' perfs)
	perfs=$(share callers_often perfs)
	ours=$(share callers_often ours)
	note "$n chains, callers_often: perf $perfs, report $ours"
	expect_true "$n >= 100" "chains of callers_work"
	# Four standard errors of a share of 3/4
	near=$(awk -v n="$n" 'BEGIN { print 4 * sqrt(0.75 * 0.25 / n) }')
	awk -v a="$perfs" -v near="$near" \
		'BEGIN { exit !(a - 0.75 < near && 0.75 - a < near) }' ||
		fail "perf's chains have $perfs, not 0.75 +- $near"
	awk -v a="$ours" -v near="$near" \
		'BEGIN { exit !(a - 0.75 < near && 0.75 - a < near) }' ||
		fail "report has $ours, not 0.75 +- $near"
}

# As many as perf prints; and all samples are in the rows.
test_all_chains_are_read() {
	record_callers
	perf script -i data --no-itrace -F event,ip | grep -c cpu-clock >perfs ||
		true
	pmscope report -i data --sort=callers,sym >text
	expect_eq "$(sed -n 's/.* nearest of \([0-9]*\) call chains.*/\1/p' text)" \
		"$(cat perfs)" chains
	expect_eq "$(pmscope report -i data --sort=callers --format=jsonl |
		jq -s '[.[] | select(.type == "row") | .samples] | add')" \
		"$(pmscope report -i data --format=jsonl |
			jq -s '[.[] | select(.type == "row") | .samples] | add')" \
		samples
}

test_folded_stacks_have_callers() {
	record_callers
	pmscope export -i data --format=folded -o folded
	expect_match 'callers_often;.*callers_work' folded
	expect_match 'callers_seldom;.*callers_work' folded
}

test_what_does_not_go_with_chains() {
	expect_status 1 pmscope record -g --per-thread -o data -- true
	expect_match '--per-thread cannot be combined with -g' err
}

ktap_main "$@"
