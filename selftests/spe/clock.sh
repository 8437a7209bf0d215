#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record -k: the events have another clock than SPE's records. A record gets the
# command name and the mappings that its process had at that time.
. "$(dirname "$0")/../pmscope.sh"

# A shell that becomes the loop: the same process before and after.
# shellcheck disable=SC2016
becomes_loop() {
	need spe pmscope
	perf record -q "$@" -B -o data -c 1024 -e "$SPE/ts_enable=1/u" -- \
		sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done
			exec "$0" 20000' "$WORKLOAD/loop"
	pmscope script -i data --format=csv -F comm,dso |
		awk -F, 'NR > 1 { print $1, $2 ~ /\/loop"?$/ }' |
		sort | uniq -c >rows
	note "$(tr -s ' \n' ' ' <rows)"
}

# count COMM IS-LOOP: records with that name, in the program or not.
count() {
	awk -v comm="$1" -v is="$2" \
		'$2 == comm && $3 == is { n = $1 } END { print n + 0 }' rows
}

expect_names() {
	expect_true "$(count sh 0) > 500" "records of the shell"
	expect_true "$(count loop 1) > 100" "records of the loop"
	expect_true "$(count sh 1) == 0" "records of the loop called sh"
	expect_true "$(count loop 0) < 30" "records of the shell called loop"
}

test_names_by_the_clock_of_perf() {
	becomes_loop
	expect_names
}

test_names_by_another_clock() {
	becomes_loop -k mono
	expect_names
}

ktap_main "$@"
