#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One run of a program, captured by the hardware and by stopping the counters:
# the same counts, but for the cycles that stood still, and those are told.
. "$(dirname "$0")/../pmscope.sh"

STEPS=40

# need_both: machines on which a run repeats exactly, and either back end works
need_both() {
	need module_file snapshot hardware_capture
	"$WORKLOAD/steps" 2 1000 >exact
	awk '$1 != $2 { bad = 1 } END { exit bad }' exact ||
		skip "cycles are not instructions on this machine"
}

# steps BACKEND: the program's lines, captured by BACKEND, in file BACKEND
steps() {
	unload_module
	load_module backend="$1"
	"$WORKLOAD/steps" "$STEPS" 100000 >"$1"
	expect_eq "$(wc -l <"$1")" "$STEPS" "steps with the $1 back end"
	expect_eq "$(cut -d' ' -f13 "$1" | uniq)" "$2" "back end of the records"
}

# each_step BACKEND CONDITION WHAT: an awk expression over the fields of a line,
# read(2) of the group, $1 to $6: user, kernel, both; was[n] is the previous
# line.
each_step() {
	awk "!($2) { print \"step \" NR; bad = 1 }
		{ for (i = 1; i <= NF; i++) was[i] = \$i }
		END { exit bad }" "$1" || {
		head -n 5 "$1"
		fail "$1: $3"
	}
}

exact_in_itself() {
	# shellcheck disable=SC2016
	{
		each_step "$1" '$1 == $2 && $3 == $4 && $5 == $6' \
			'cycles are not instructions'
		each_step "$1" '$1 + $3 == $5' \
			'user and kernel are not the whole'
		each_step "$1" '$1 == $7 && $2 == $8 && $3 == $9 &&
			$4 == $10 && $5 == $11 && $6 == $12' \
			'a record is not what was read'
		each_step "$1" 'NR == 1 || $6 - was[6] + $15 == $14 - was[14]' \
			'time is neither counted nor told to have stood still'
	}
}

test_the_same_counts_but_for_what_stood_still() {
	need_both
	keep_module_state
	steps hardware 1
	steps frozen 2
	exact_in_itself hardware
	exact_in_itself frozen
	# shellcheck disable=SC2016
	{
		each_step hardware '$15 == 0' 'counters stood still'
		each_step frozen '$15 > 0' 'counters did not stand still'
	}
	# The kernel's part is another one: its captures are.
	cut -d' ' -f1,2,7,8 hardware >user.hardware
	cut -d' ' -f1,2,7,8 frozen >user.frozen
	diff user.hardware user.frozen >differ || {
		head differ
		fail "the same program has other counts"
	}
	note "$(awk '{ n += $15 } END { print n / NR }' frozen) cycles a capture"
}

ktap_main "$@"
