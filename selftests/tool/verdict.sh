#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sentences that report begins with tell programs apart by what limits them.
# shellcheck source=../ktap.sh
. "$(dirname "$0")/../ktap.sh"
# shellcheck source=../pmscope.sh
. "$(dirname "$0")/../pmscope.sh"

# expect_verdict SENTENCE FUNCTION CMD...
expect_verdict() {
	need_command pmscope
	need_pmscope_spe
	pmscope record -q -c 1024 --user -o data -- "${@:3}" >/dev/null
	pmscope report -i data >text
	note "$(head -n 1 text)"
	sed -n 1p text >first
	sed -n 2p text >second
	sed -n 3p text >third
	expect_match "^# $1" first
	expect_match "^# Most of that is in .*$2" second
	expect_match '^# Evidence: [0-9]+ of [0-9]+ samples' third
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

# With a clock that counts instructions, one CPU runs at a time. How often the line
# moves depends on the machine that emulates the CPUs.
test_two_threads_and_one_line() {
	need_command pmscope
	need_pmscope_spe
	pmscope record -q -c 256 --user -o data -- "$WORKLOAD/share" false \
		4000000 >/dev/null
	pmscope report -i data --sort=source --format=csv | grep -q ^peer ||
		skip "the line never moves here"
	local limits='Threads wait for cache lines of each other'
	limits+="|No wait .*the largest, another core's cache, has"
	expect_verdict "($limits)" share "$WORKLOAD/share" false 4000000
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
