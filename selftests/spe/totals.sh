#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --totals: what SPE counts of itself turns samples into operations, with
# bounds that hold for loops of known length.
. "$(dirname "$0")/../pmscope.sh"

TURNS=300000

# totals OPTION... -- CMD: records CMD; writes files data, info and the report by KEY.
totals() {
	need snapshot pmscope_spe pmscope
	pmscope record -q --totals -u -c 1024 -o data "$@" >info 2>said || {
		cat said
		fail "pmscope record exits with $?"
	}
	pmscope report -i data --format=jsonl --sort="${KEY:-sym}" >rows
}

# value KEY FILE: of a JSON line.
value() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$2"; }

# row TEXT: writes its row to the file row.
row() {
	grep -m 1 "\"$1" rows >row || fail "no row for $1: $(cat rows)"
}

# row_is COUNT: within 5 standard deviations; those of 95 % are 1.96.
row_is() {
	local operations error
	operations=$(value operations row)
	error=$(value error95 row)
	note "$operations +- $error (95 %) of $1"
	expect_true "$error > 0 && $error < 0.2 * $1" "the error"
	expect_true "sqrt(($operations - $1) ^ 2) < 5 / 1.96 * $error" \
		"$operations +- $error operations of $1"
}

test_population_of_a_task_is_its_operations() {
	totals -- "$WORKLOAD/loop" $TURNS
	expect_true "$(value population rows) >= 16 * $TURNS &&
		$(value population rows) < 16.1 * $TURNS" "the population"
	row loop_begin
	row_is $((16 * TURNS))
	# Rows that report omits do not change the scale.
	pmscope report -i data --format=jsonl --sort=op --filter=op=store >rows
	row 'ST '
	row_is $TURNS
}

test_totals_of_a_CPU() {
	totals -C 0 -- taskset 1 "$WORKLOAD/loop" $TURNS
	row loop_begin
	row_is $((16 * TURNS))
}

test_totals_of_all_children() {
	totals --aux-size=1M -- "$WORKLOAD/workers" fork 4 $TURNS
	! grep 'follow only the first task' said ||
		skip "children do not inherit groups on this kernel"
	row work_begin
	row_is $((4 * 2 * TURNS))
	# Each CPU has its own sum, reported at the end.
	pmscope script -i data --format=csv -F cpu,trigger |
		sed -n 's/,read$//p' | sort -n >ends
	expect_eq "$(tr '\n' ' ' <ends)" "$(seq -s ' ' 0 $(($(nproc) - 1))) " \
		"CPUs with last counts"
}

# Operations that the hardware filters are part of the population.
test_totals_of_what_passes_a_filter() {
	KEY=op totals --loads -- "$WORKLOAD/loop" $TURNS
	row 'LD '
	row_is $((2 * TURNS))
}

# One recording, four kinds of operations.
test_totals_of_each_kind() {
	local kind
	KEY=op totals -- "$WORKLOAD/loop" $TURNS
	for kind in LD:2 ST:1 'B :1' OTHER:12; do
		row "${kind%%:*}"
		row_is $((${kind##*:} * TURNS))
	done
	pmscope report -i data >printed
	expect_match '^# Of [0-9]+ operations one in ' printed
	expect_no_match 'Operations are counted only while' printed
}

# Two pages hold one window: SPE stops after it until the reader comes.
test_totals_of_less_than_all() {
	totals --aux-size="$(pages 2)" -c 256 -- "$WORKLOAD/loop" $TURNS
	grep 'buffers were truncated' said || skip "the reader was never late"
	pmscope report -i data >printed
	expect_match '^# Operations are counted only while SPE has a buffer' printed
	expect_true "$(value population rows) < 16.1 * $TURNS" "the population"
}

test_no_totals_without_counts() {
	need pmscope_spe pmscope
	pmscope record -q -u -c 1024 -o data -- "$WORKLOAD/loop" $TURNS >info
	pmscope report -i data --format=jsonl >rows
	expect_no_match '"(operations|population)"' rows
}

ktap_main "$@"
