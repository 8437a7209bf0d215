#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --flight-recorder: the newest SPE data is written at SIGUSR2 and when the
# program crashes, and else none.
. "$(dirname "$0")/../pmscope.sh"

TURNS=1000000

samples() {
	pmscope script -i "${1:-data}" --format=csv -F time 2>said |
		tail -n +2 | grep -c .
}
has_samples() { [ "$(samples)" -gt "$1" ]; }

# The trace of a snapshot is at most the area, and is damaged nowhere.
whole() {
	pmscope script -i data --format=csv -F time,pc >rows 2>said ||
		fail "script exits with $?: $(cat said)"
	expect_no_match 'damaged|bad bytes|cut' said
	# One CPU, whose samples come in the order of time
	tail -n +2 rows | cut -d, -f1 | sort -nc ||
		fail "samples are not in order"
}

before_each() {
	need spe pmscope
}

test_a_crash_leaves_the_last_samples() {
	expect_status $((128 + 11)) pmscope record -S"$(pages 16)" -u -c 1024 \
		-o data -- sh -c "'$WORKLOAD/loop' $TURNS >info; kill -SEGV \$\$"
	expect_match '1 snapshots' err
	note "$(samples) samples of $((16 * TURNS / 1024))"
	has_samples 100 || fail "the snapshot has $(samples) samples"
	expect_true "$(samples) < 16 * $TURNS / 1024" "samples"
}

test_a_program_that_ends_leaves_none() {
	expect_status 0 pmscope record --flight-recorder="$(pages 16)" -u \
		-c 1024 -o data -- "$WORKLOAD/loop" $TURNS
	expect_match '0 snapshots' err
	expect_eq "$(samples || true)" 0 "samples"
	expect_status 0 pmscope record --flight-recorder=e"$(pages 16)" -u \
		-c 1024 -o data -- "$WORKLOAD/loop" $TURNS
	has_samples 100 || fail "with e there are $(samples) samples"
}

# trace_kb WORDS: of a line of err, what comes before WORDS, in kB
trace_kb() { sed -n "s/.* \([0-9]*\)\.\([0-9]*\) MB of SPE trace$1.*/\1\2/p" err | sed 's/^0*//'; }

# Bytes that the kernel says SPE wrote, by the records of the file
written_kb() {
	local size sum=0
	perf report -D -i "$1" 2>/dev/null |
		sed -n 's/.*PERF_RECORD_AUX .* size: \(0x[0-9a-f]*\) flags.*/\1/p' >sizes
	while read -r size; do
		sum=$((sum + size))
	done <sizes
	echo $((sum / 1000))
}

# What was overwritten is what SPE wrote and the snapshot does not have. Without a
# flight recorder, the same program leaves as much trace as SPE wrote here.
test_bytes_that_were_overwritten() {
	need_command perf
	local kept lost written
	expect_status 0 pmscope record -Se"$(pages 16)" -u -c 1024 -o data -- \
		"$WORKLOAD/loop" $TURNS
	kept=$(trace_kb ' in')
	lost=$(trace_kb ' was overwritten')
	written=$(written_kb data)
	expect_true "$lost > 0" "kB that were overwritten"
	expect_true "$written - $kept - $lost <= 2 && $written - $kept - $lost >= -2" \
		"kB written $written, kept $kept, overwritten $lost"
	expect_status 0 pmscope record -u -c 1024 -o data -- \
		"$WORKLOAD/loop" $TURNS
	note "$kept kB are kept, $lost overwritten; a plain recording has" \
		"$(trace_kb ' in') kB"
	expect_true "$(trace_kb ' in') * 100 > ($kept + $lost) * 97 &&
		$(trace_kb ' in') * 97 < ($kept + $lost) * 100" "kB without -S"
}

# Each snapshot goes on where the one before ended, or later.
test_snapshots_on_request() {
	local pid
	pmscope record -S"$(pages 16)" -C 0 -u -c 1024 -o data -- \
		taskset 1 sh -c "while [ -e err ] && [ ! -e go ]; do
			'$WORKLOAD/loop' 100000 >info; done" 2>err &
	pid=$!
	wait_until "a descriptor for SIGUSR2" blocks_usr2 "$pid"
	wait_until "a snapshot" snapshot_of "$pid" 100
	wait_until "another snapshot" snapshot_of "$pid" "$(samples)"
	touch go
	wait "$pid" || fail "status $?: $(cat err)"
	whole
	note "$(samples) samples; $(grep snapshots err)"
}

blocks_usr2() {
	(((0x$(awk '/^SigBlk/ { print $2 }' "/proc/$1/status") >> 11) & 1))
}

# snapshot_of PID N: asks for one; are there more than N samples?
snapshot_of() {
	kill -USR2 "$1"
	has_samples "$2"
}

test_a_controller_asks_for_a_snapshot() {
	local pid answer
	mkfifo commands answers
	exec 8<>commands 9<>answers
	pmscope record -S --control=fifo:commands,answers -u -c 1024 -o data -- \
		sh -c "'$WORKLOAD/loop' $TURNS >info; touch looped
			while [ -e commands ]; do sleep 1; done" 2>err &
	pid=$!
	wait_until "the end of the loop" test -e looped
	for command in snapshot stop; do
		echo $command >&8
		read -r -t 60 answer <&9 || fail "no answer to $command"
		expect_eq "$answer" ack "the answer to $command"
	done
	wait "$pid" || fail "status $?: $(cat err)"
	has_samples 100 || fail "the snapshot has $(samples) samples"
}

test_what_a_flight_recorder_cannot() {
	local option
	for option in --rate=100 --max-loss=5 --no-spe --aux-size=1M; do
		expect_status 1 pmscope record -S64K "$option" -s cpu_cycles \
			-o data -- true
		expect_match '--flight-recorder' err
	done
	expect_status 1 pmscope record -S=3 -- true
	[ ! -e data ] || fail "a file was begun"
}

ktap_main "$@"
