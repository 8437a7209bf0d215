#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams with the tools: pmscope records them, pmscope and stock perf read the
# file; stock perf records the event without them.
. "$(dirname "$0")/../pmscope.sh"

# The first and the third member count the same.
GROUP='pmu_snapshot/event=0x11%s/,pmu_snapshot/event=0x8/,pmu_snapshot/event=0x11/'

# record_group TERMS OPTION...: into file data
record_group() {
	local group
	need snapshot pmscope
	# shellcheck disable=SC2059
	group=$(printf "$GROUP" "$1")
	shift
	pmscope record -q -o data -e "{$group}" "$@" 2>err || {
		cat err
		fail "pmscope record exits with $?"
	}
}

# A line for each sample perf finds: the periods it makes of the three values.
perf_periods() {
	perf script -i data -F time,event,period 2>err | awk '
		/pmu_snapshot/ {
			for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) period = $i
			if ($1 != time) { if (line) print line
				time = $1; line = "" }
			line = line " " period
		}
		END { if (line) print line }' >samples
}

expect_equal_members() {
	perf_periods
	[ "$(wc -l <samples)" -ge "$1" ] || {
		head samples err
		perf script -i data | head -n 20
		fail "perf finds fewer than $1 samples"
	}
	awk 'NF != 3 || $1 != $3 { print; bad++ } END { exit !!bad }' samples ||
		fail "two counts of the same event differ"
	pmscope script -i data --format=jsonl >out
	[ "$(grep -c '"type":"snapshot"' out)" = "$(wc -l <samples)" ] || {
		head -n 5 out
		fail "pmscope finds $(grep -c snapshot out) of $(wc -l <samples)"
	}
	note "$(wc -l <samples) records"
}

test_timer_of_a_cpu() {
	record_group ,period=1000000 -C 0 -- taskset 1 "$WORKLOAD/spin" 20000000
	expect_equal_members 5
}

test_overflow_of_a_task() {
	record_group ,overflow,period=1000000 -- "$WORKLOAD/spin" 20000000
	expect_equal_members 10
}

test_plain_perf_record_goes_on() {
	need_snapshot
	perf record -q -B -o data -e pmu_snapshot/event=0x11/ -- \
		"$WORKLOAD/spin" 1000000 >/dev/null
	perf script -i data >out
	perf report -i data --stdio >out 2>&1
	perf report -D -i data >out
	expect_match PERF_RECORD_COMM out
}

ktap_main "$@"
