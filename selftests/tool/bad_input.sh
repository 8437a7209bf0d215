#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Input that is empty, cut or random: one line of error, exit status 1, and
# what could be read is shown.
# shellcheck source=../ktap.sh
. "$(dirname "$0")/../ktap.sh"
# shellcheck source=../pmscope.sh
. "$(dirname "$0")/../pmscope.sh"

# rejects FILE COMMAND...: status 1 and one line on standard error.
rejects() {
	local file=$1
	shift
	expect_status 1 timeout 60 pmscope "$@" "$file"
	expect_eq "$(wc -l <err)" 1 "lines of error from pmscope $* on $file"
}

each_command() {
	rejects "$1" script
	rejects "$1" script --packets
	rejects "$1" script --format=jsonl
	rejects "$1" report
}

test_no_such_file() {
	need_command pmscope
	each_command missing
	expect_match missing err
}

test_empty_file() {
	need_command pmscope
	: >empty
	each_command empty
	rejects empty script --packets --raw
}

test_random_bytes() {
	need_command pmscope
	local turn
	for turn in $(seq 4); do
		head -c $((turn * 997)) /dev/urandom >random
		each_command random
	done
}

test_a_directory() {
	need_command pmscope
	each_command .
}

recording() {
	need_command pmscope
	need_spe
	perf record -q -o data -c 65536 -e "$SPE/ts_enable=1/u" -- \
		"$WORKLOAD/loop" 1000000 >info
}

# A file truncated anywhere: an error, and never more records than the complete
# file has.
test_cut_recordings() {
	recording
	local size at whole
	size=$(stat -c %s data)
	whole=$(pmscope script --format=jsonl data | wc -l)
	for at in 7 16 104 $((size / 4)) $((size / 2)) \
		$((size * 3 / 4)) $((size - 1)); do
		head -c "$at" data >part
		rejects part script --format=jsonl
		[ "$(wc -l <out)" -le "$whole" ] ||
			fail "cut at $at: more records than before"
	done
}

# Bare SPE data cut inside a packet: the packets before the cut are shown.
test_cut_raw_packets() {
	need_command pmscope
	printf '\xb0\x10\x20\x30\x40\x00\x00\x00\x80\x49\x00\x52\x16\x00\x01' >raw
	pmscope script --packets --raw raw >whole
	expect_eq "$(wc -l <whole)" 4 "packets"
	head -c 13 raw >part
	expect_status 1 pmscope script --packets --raw part
	expect_eq "$(grep -c . err)" 1 "lines of error"
	expect_match '(0x)?0*b\b' err
	expect_match ' LD GP-REG' out
}

test_unknown_command_and_option() {
	need_command pmscope
	expect_status 1 pmscope no-such-command
	{ [ -s err ] && [ ! -s out ]; } || fail "the complaint belongs on stderr"
	expect_status 1 pmscope script --no-such-option
	{ [ -s err ] && [ ! -s out ]; } || fail "the complaint belongs on stderr"
}

test_help_is_no_error() {
	need_command pmscope
	local command
	expect_status 0 pmscope --help
	expect_match stat out
	for command in doctor driver regs stat record script report; do
		expect_status 0 pmscope "$command" --help
		{ [ -s out ] && [ ! -s err ]; } || fail "$command --help"
	done
}

ktap_main "$@"
