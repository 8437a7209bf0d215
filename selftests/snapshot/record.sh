#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record with pmu_snapshot siblings: `{cpu-clock,...}:S` samples hold the
# counts of one capture.
. "$(dirname "$0")/../pmscope.sh"

GROUP='{cpu-clock,pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/,pmu_snapshot/event=0x11/}:S'

# periods FILE: a line for each sample: time, periods of the three siblings.
periods() {
	perf script -i "$1" -F time,event,period 2>/dev/null | awk '
		/cpu-clock/ { next }
		/pmu_snapshot/ {
			for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) period = $i
			if ($1 != time) { if (line) print line
				time = $1; line = time }
			line = line " " period
		}
		END { if (line) print line }'
}

all_equal() {
	periods "$1" >samples
	[ "$(wc -l <samples)" -ge "$2" ] || {
		head samples
		fail "fewer than $2 samples"
	}
	awk 'NF != 4 || $2 != $4 { print; bad++ } END { exit !!bad }' samples ||
		fail "the two counts of event 0x11 differ in a sample"
	note "$(wc -l <samples) samples"
}

test_samples_of_a_cpu() {
	need_snapshot
	perf record -q -B -C 0 -F 500 -o data -e "$GROUP" -- \
		taskset 1 "$WORKLOAD/spin" 50000000
	all_equal data 10
}

test_samples_of_a_task() {
	need_snapshot
	perf record -q -B --no-inherit -F 500 -o data -e "$GROUP" -- \
		"$WORKLOAD/spin" 50000000
	all_equal data 10
}

ktap_main "$@"
