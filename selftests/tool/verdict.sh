#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sentences that report begins with tell programs apart by what limits them.
# shellcheck source=../ktap.sh
. "$(dirname "$0")/../ktap.sh"
# shellcheck source=../pmscope.sh
. "$(dirname "$0")/../pmscope.sh"

# records N CMD...: one of N operations of a program, in "data"
records() {
	need_command pmscope
	need_pmscope_spe
	pmscope record -q -c "$1" --user -o data -- "${@:2}" >/dev/null
}

# expect_sentences SENTENCE FUNCTION: of report, for "data"
expect_sentences() {
	pmscope report -i data >text
	note "$(head -n 1 text)"
	sed -n 1p text >first
	sed -n 2p text >second
	sed -n 3p text >third
	expect_match "^# $1" first
	expect_match "^# Most of that is in .*$2" second
	expect_match '^# Evidence: [0-9]+ of [0-9]+ samples' third
}

# expect_verdict SENTENCE FUNCTION CMD...
expect_verdict() {
	records 1024 "${@:3}"
	expect_sentences "$1" "$2"
}

# cycles_of_peers: of 1000 cycles of latency, those of loads from another cache
cycles_of_peers() {
	pmscope script -i data -F source_name,lat_total --format=csv |
		awk -F, 'NR > 1 { all += $2 } $1 ~ /^peer/ { peers += $2 }
			END { printf "%d", all ? 1000 * peers / all : 0 }'
}

test_pointers_through_64_MiB() {
	expect_verdict 'The program waits for memory' chase \
		"$WORKLOAD/chase" 67108864 1000000
}

# A line in each of 4096 pages: the L2 cache holds them, the TLBs do not.
test_more_pages_than_the_TLB_has() {
	expect_verdict 'The program waits for translations of addresses' chase \
		"$WORKLOAD/chase" 17039360 1000000 4160
}

test_branches_that_nobody_can_predict() {
	expect_verdict 'The program loses cycles to branches' branches \
		"$WORKLOAD/branches" 1000000
}

# How often the line moves depends on when the host runs the CPUs: with a clock that
# counts instructions it runs one at a time.
test_two_threads_and_one_line() {
	local try
	for try in 1 2 3 4 5 6; do
		records 256 "$WORKLOAD/share" false 4000000
		[ "$(cycles_of_peers)" -lt 40 ] || break
		[ "$try" != 6 ] || skip "the line hardly moves here"
	done
	expect_sentences 'Threads wait for cache lines of each other' share
}

test_a_loop_that_waits_for_nothing() {
	need_command pmscope
	need_pmscope_spe
	pmscope record -q -c 1024 --user -o data -- "$WORKLOAD/spin" 20000000 \
		>/dev/null
	pmscope report -i data >text
	expect_match '^# No wait that SPE sees limits the program' text
}

ktap_main "$@"
