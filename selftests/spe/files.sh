#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What record writes of SPE for hours: files of a size, a full disk, a killed
# recorder. perf decodes each file, too.
. "$(dirname "$0")/records.sh"

TURNS=3000000
# Only SPE is compared with what perf decodes.
ALONE=(--no-counters --no-clock)

# samples FILE
samples() {
	pmscope script -i "$1" --format=csv -F pc 2>said | tail -n +2 | grep -c .
}

# by_perf FILE: the records that perf decodes; and the kernel's words about them,
# CPU OFFSET SIZE each, in the file pieces.
by_perf() {
	perf report -D -i "$1" >dump 2>err || fail "perf: $(tail -n 3 err)"
	awk "$HEX"'/PERF_RECORD_AUX offset: / {
		match($0, /offset: .*/)
		split(substr($0, RSTART), word)
		print $1, number(substr(word[2], 3)), number(substr(word[4], 3))
	}' dump >pieces
	grep -c ' PC 0x' dump
}

# same_by_perf FILE: perf decodes as many records, and the kernel told of as many.
same_by_perf() {
	local n
	n=$(samples "$1") || :
	expect_eq "$(by_perf "$1" || :)" "$n" "records in $1 by perf"
	expect_eq "$(awk '{ n += $3 / 64 } END { print n + 0 }' pieces)" "$n" \
		"records in $1 by the kernel"
}

before_each() {
	need spe pmscope
}

# The kernel hands over small pieces, so files have about that size. In each file
# the trace goes on where it ended in the one before.
test_files_of_a_size() {
	local file n=0
	expect_status 0 pmscope record "${ALONE[@]}" -u -c 1024 --switch-output=200K -o d -- \
		sh -c "'$WORKLOAD/loop' 500000 & '$WORKLOAD/loop' 500000; wait"
	for file in d.2*; do
		same_by_perf "$file"
		cat pieces >>all
		n=$((n + 1))
	done
	note "$n files"
	expect_true "$n > 1" "files"
	awk '$3 > 65536 + 4096 { print "a piece of", $3, "bytes"; exit 1 }
		$1 in end && $2 != end[$1] {
			print "CPU", $1, "goes on at", $2, "not at", end[$1]
			exit 1
		}
		{ end[$1] = $2 + $3 }' all >said || fail "$(cat said)"
}

test_a_file_has_a_largest_size() {
	expect_status 0 pmscope record "${ALONE[@]}" --max-size=600K -u -c 1024 -o d -- \
		sh -c "while :; do '$WORKLOAD/loop' $TURNS; done"
	expect_match 'recording ended: .*--max-size' err
	same_by_perf d
	expect_true "$(stat -c %s d) >= 600 * 1024" "size"
	awk '$3 > 65536 + 4096 { exit 1 }' pieces || fail "a piece is large"
}

# The file is complete up to a part of the trace.
test_a_disk_that_is_full() {
	need_root
	mkdir disk
	mount -t tmpfs -o size=400K none disk
	# shellcheck disable=SC2064
	trap "umount '$PWD/disk'" EXIT
	expect_status 1 pmscope record "${ALONE[@]}" -u -c 1024 -o disk/d -- \
		sh -c "while :; do '$WORKLOAD/loop' $TURNS; done"
	expect_match 'disk/d: No space left on device' err
	expect_status 0 pmscope script -i disk/d
	expect_eq "$(by_perf disk/d)" "$(samples disk/d)" "records by perf"
	expect_true "$(samples disk/d) * 64 > 300000" "samples"
}

# has_trace FILE: so far
has_trace() { [ -e "$1" ] && [ "$(stat -c %s "$1")" -gt 200000 ]; }

test_a_recorder_is_killed() {
	local pid
	pmscope record "${ALONE[@]}" -u -c 1024 --aux-size=128K -o d -- \
		sh -c "while [ ! -e go ]; do '$WORKLOAD/loop' $TURNS; done" >out 2>&1 &
	pid=$!
	wait_until "there is trace" has_trace d
	kill -KILL $pid
	wait $pid || :
	touch go
	expect_status 1 pmscope script -i d
	expect_match 'the recording was not finished' err
	note "$(samples d) samples"
	expect_true "$(samples d) > 1000" "samples"
}

ktap_main "$@"
