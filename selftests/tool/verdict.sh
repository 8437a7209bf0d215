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

# They take turns, so that the lines move however the host runs the CPUs.
test_two_threads_and_the_same_lines() {
	records 256 "$WORKLOAD/share" turns 2000
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
