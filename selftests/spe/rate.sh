#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --rate: the interval changes while the recording runs, and samples still
# add up to the operations of loops of known length.
. "$(dirname "$0")/../pmscope.sh"

TURNS=4000000
RATE=20000

# value KEY: of the row in the file row.
value() { grep -o "\"$1\":[0-9.]*" row | head -n 1 | cut -d: -f2; }

# intervals N: have samples with so many different intervals been written so far?
intervals() {
	[ "$(pmscope report -i data --sort=interval --format=csv 2>/dev/null |
		grep -c '^[0-9]')" -ge "$1" ]
}

# The loop, an idle time in which the interval shrinks, and the loop again; perf
# counts the instructions of both loops.
two_loops() {
	cat >two.sh <<END
"$WORKLOAD/loop" $TURNS >info
while [ -e two.sh ] && [ ! -e go ]; do sleep 0.1; done
"$WORKLOAD/loop" $TURNS >info
END
	perf stat -x, -o "$1" -e instructions:u -- sh two.sh
}

# rated N FILTER OPTION... -- CMD: records CMD until samples have N intervals: the
# first, that of a busy CPU, and that of one that was idle; the row of samples that
# match.
rated() {
	local pid nr=$1 filter=$2
	shift 2
	need_command pmscope
	pmscope record -q --rate="$RATE" -u -c 1024 -o data "$@" 2>said &
	pid=$!
	wait_until "samples with $nr intervals" intervals "$nr"
	touch go
	wait "$pid" || fail "pmscope record exits with $?: $(cat said)"
	pmscope report -i data --format=jsonl --sort=comm \
		--filter="$filter" >rows
	grep '"type":"row"' rows >row || fail "no row: $(cat rows said)"
	note "$(pmscope report --header-only -i data | grep -o 'interval .*')"
}

# stands_for LEAST MOST: within 5 standard deviations; those of 95 % are 1.96.
# Each change loses a part of an interval, half of it on average. What runs while
# SPE is off is not sampled. An emulated CPU runs on until an interrupt arrives, unless
# its clock counts instructions: PMSCOPE_EXACT says so.
stands_for() {
	local operations error samples lost share=${PMSCOPE_EXACT:+0.98}
	operations=$(value operations)
	error=$(value error95)
	samples=$(value samples)
	lost=$(pmscope report -i data --header-only |
		sed -n 's/.* changed \([0-9]*\) times, .* to \([0-9]*\).*/\1 * \2/p')
	note "$operations +- $error (95 %) of $1 to $2, $samples samples"
	expect_true "$error > 0 && $error < 0.2 * $1" "the error"
	expect_true "$operations > ${share:-0.75} * $1 - 5 / 1.96 * $error - $lost &&
		$operations < $2 + 5 / 1.96 * $error + $lost" \
		"$operations +- $error operations of $1 to $2"
	# A single interval for all would be far off, if the CPU is fast.
	[ -z "$share" ] || expect_true "sqrt(($samples * 1024 - $1) ^ 2) > 0.3 * $1" \
		"$samples samples of 1024 operations are no estimate"
}

# Instructions of user space, by perf stat
counted() { sed -n 's/^\([0-9]*\),,instructions.*/\1/p' counts; }

before_each() { need_spe; }

# The task without the processes that it starts
test_samples_of_a_task_add_up() {
	rated 2 comm=loop -i -- "$WORKLOAD/loop" $((4 * TURNS))
	stands_for $((4 * 16 * TURNS)) $((4 * 16 * TURNS + 20000))
}

test_children_are_refused() {
	need_command pmscope
	expect_status 1 pmscope record --rate=$RATE -o data -- true
	expect_match 'use -a, -C or --no-inherit' err
	[ ! -e data ] || fail "a file was begun"
}

test_samples_of_a_CPU_add_up() {
	local RATE
	for RATE in 2000 20000; do
		rm -f data go
		rated 3 comm=loop -C 0 -- taskset 1 sh -c "$(declare -f two_loops)
			WORKLOAD=$WORKLOAD TURNS=$TURNS two_loops counts"
		stands_for $((2 * 16 * TURNS)) $((2 * 16 * TURNS + 20000))
	done
}

# The sums of intervals that script prints, by other means.
test_script_and_report_agree() {
	rated 3 comm=loop -a -- sh -c "$(declare -f two_loops)
		WORKLOAD=$WORKLOAD TURNS=$TURNS two_loops counts"
	# What the kernel counted, with the shell and its sleep
	expect_true "$(counted) >= 2 * 16 * $TURNS" "instructions: $(counted)"
	expect_eq "$(pmscope script -i data --format=csv -F interval \
		--filter=comm=loop | awk '{ n += $1 } END { print n }')" \
		"$(value operations)" "sum of the intervals"
	# perf skips the records of changes.
	perf report -i data --stdio >printed 2>&1 ||
		fail "perf cannot read it: $(tail -n 3 printed)"
}

ktap_main "$@"
