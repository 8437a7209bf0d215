#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The AUX buffer: small ones, overwrite mode, CPU-wide and inherited sessions.
# Whatever the size, no record is torn and a loss is flagged.
. "$(dirname "$0")/records.sh"

# loop_records AUX_SIZE: a dense recording through a buffer of that size.
loop_records() {
	AUX_SIZE=$1 DECODER=perf record ts_enable=1 1024 loop 300000
	whole_records
}

test_buffer_of_two_pages() {
	loop_records "$(pages 2)"
	need_records 1
	note "$(record_count) records, $(flagged $TRUNCATED) truncated, $(flagged $COLLISION) collided"
	[ "$(record_count)" -gt 4500 ] || [ "$(flagged $TRUNCATED)" -gt 0 ] ||
		fail "records were lost, and no flag says so"
}

# goes_on ITERATIONS: is there a second loss, or none that matters?
goes_on() {
	AUX_SIZE=$(pages 2) DECODER=perf record ts_enable=1 1024 loop "$1"
	note "$RECORDER: $(record_count) records, $(flagged $TRUNCATED) truncated"
	[ "$(record_count)" -gt $(($1 / 65)) ] || [ "$(flagged $TRUNCATED)" -gt 1 ]
}

# A reader that is late loses what comes meanwhile, and no more than that: the
# event is enabled again when there is room. Whether perf or pmscope reads. How
# late a reader may be on a busy machine nobody knows: longer loops may follow.
test_recording_goes_on_when_there_is_room_again() {
	for RECORDER in perf pmscope; do
		goes_on 3000000 || goes_on 30000000 || goes_on 300000000 ||
			fail "$RECORDER: nothing came after the first loss"
	done
}

# threads_of PID COUNT, is_large FILE SIZE
threads_of() { [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" = "$2" ]; }
is_large() { [ -e "$1" ] && [ "$(stat -c %s "$1")" -gt "$2" ]; }

# The threads of a process have events of their own, which share the ring of a
# CPU: whose found no room is enabled again, not only that of the first thread.
test_each_thread_goes_on_when_there_is_room_again() {
	need spe pmscope
	local workers recorder area
	taskset 1 "$WORKLOAD/workers" thread 2 1000000000000 >info &
	workers=$!
	# shellcheck disable=SC2064
	trap "kill $workers" EXIT
	wait_until "both threads run" threads_of $workers 3
	pmscope record -q -u -c 1024 --aux-size="$(pages 2)" -o data -p $workers 2>said &
	recorder=$!
	wait_until "the recording goes on" is_large data 400000
	kill $recorder
	wait $recorder
	decode data
	note "$(record_count) records, $(grep truncated said)"
	records_awk "$(inside pc pc) && context != \"-\" { print context }" |
		sort | uniq -c >threads
	# Without that, a thread has no more than the area holds.
	area=$((2 * $(getconf PAGESIZE) / 64))
	expect_eq "$(awk -v area=$area '$1 > 2 * area' threads | wc -l)" 2 \
		"threads that went on"
}

# A window is counted once, even if there was no room after it.
test_windows_are_counted_once() {
	need_pmscope_spe
	local windows full truncated stopped
	stopped=$(total truncated)
	windows=$(total windows)
	full=$(total buffer_full)
	truncated=$(total no_room)
	RECORDER=perf loop_records "$(pages 2)"
	windows=$(($(total windows) - windows))
	full=$(($(total buffer_full) - full))
	truncated=$(($(total no_room) - truncated))
	note "$windows windows, $full filled up, $truncated times no room"
	# One that follows a refusal begins behind a record's size of padding.
	expect_true "$full * 63 <= $(record_count)" "records of $full windows"
	expect_true "$windows >= $full && $full > 0" "windows filled up"
	expect_eq "$(flagged $TRUNCATED)" "$truncated" "truncated buffers"
	expect_eq $(($(total truncated) - stopped)) "$truncated" "stats/truncated"
}

test_buffer_of_sixteen_pages() {
	loop_records "$(pages 16)"
	need_records 500
	[ "$(record_count)" -gt 4500 ] || [ "$(flagged $TRUNCATED)" -gt 0 ] ||
		fail "records were lost, and no flag says so"
}

# losses: what the driver has counted of all that may go wrong.
losses() {
	local name
	for name in "$SPE_DIR"/stats/*; do
		case ${name##*/} in
		windows | buffer_full) ;;
		*) echo "${name##*/} $(total "${name##*/}")" ;;
		esac
	done
}

# Neither collisions: a loop's operations end before the next is taken.
test_nothing_is_counted_where_nothing_is_lost() {
	need pmscope_spe pmscope
	losses >before
	pmscope record -c 1024 --aux-size=8M -o data -u -- \
		"$WORKLOAD/loop" 300000 >info 2>said
	losses >after
	cmp before after || fail "$(diff before after)"
	expect_true "$(wc -l <after) >= 13" "files of losses"
	expect_match '^pmscope: SPE driver: [0-9]+ windows(, [0-9]+ filled up)?$' said
	expect_no_match warning said
}

test_large_buffer_loses_nothing() {
	loop_records 8M
	expect_eq "$(flagged $TRUNCATED)" 0 "truncated buffers"
	expect_true "$(record_count) > 4600" "$(record_count) records of 4682"
}

# In snapshot mode the buffer is overwritten and saved on SIGUSR2.
test_snapshot_mode() {
	need_spe
	perf record -q -B -S -o data -m ",$(pages 16)" -c 1024 -e "$SPE/ts_enable=1/u" -- \
		"$WORKLOAD/loop" 400000000 >info &
	local pid=$!
	wait_until "a snapshot is saved" has_snapshot "$pid"
	kill -INT "$pid"
	wait "$pid" || true
	decode data
	whole_records
	need_records 500
	in_range pc pc "ts > $(begin_of_loop)"
}

# The first snapshots still have records of how the program began.
begin_of_loop() {
	records_awk "$(inside pc pc) && (!n++ || ts < begin) { begin = ts }
		END { printf \"%.0f\", begin }"
}

# has_snapshot PID: requests a snapshot from perf; does the file hold a whole
# buffer of records?
has_snapshot() {
	[ -s info ] || return 1
	kill -USR2 "$1"
	[ -e data ] && [ "$(stat -c %s data)" -ge $((16 * $(getconf PAGESIZE))) ]
}

test_all_cpus() {
	need_spe
	perf record -q -B -a -o data -c 32768 -e "$SPE/ts_enable=1/" -- \
		"$WORKLOAD/workers" fork 4 4000000 >info
	decode data
	whole_records
	need_records 700
	records_awk "$(inside pc pc)" >kept
	expect_true "$(wc -l <kept) > 700" "$(wc -l <kept) records of the work"
}

test_children_and_threads() {
	local kind
	for kind in fork thread; do
		record ts_enable=1 4096 workers $kind 4 1000000
		whole_records
		need_records 1800
		records_awk "$(inside pc pc) && context != \"-\" {
			print context }" |
			sort -n | uniq -c >threads
		expect_eq "$(awk '$1 > 350' threads | wc -l)" 4 \
			"threads seen by $kind"
	done
}

# The kernel may be sampled, too; its addresses have bit 55 set.
test_kernel_records() {
	need root spe
	perf record -q -B -o data -c 4096 -e "$SPE/ts_enable=1/k" -- \
		dd if=/dev/zero of=/dev/null bs=1M count=20 2>/dev/null
	decode data
	need_records 10
	whole_records
	none 'pc !~ /^..[89a-f]/' "a user address"
}

# Discard mode writes no record and still counts what it samples.
test_discard_mode() {
	need_spe
	[ -e "$SPE_DIR/format/discard" ] || skip "$SPE has no discard"
	cat "$SPE_DIR"/stats/* >before || true
	perf record -q -B -o data -c 4096 -e "$SPE/discard=1/u" -- \
		"$WORKLOAD/loop" 1000000 >info
	decode data
	expect_eq "$(record_count)" 0 "records in discard mode"
	expect_eq "$(cat "$SPE_DIR"/stats/*)" "$(cat before)" "stats"
}

ktap_main "$@"
