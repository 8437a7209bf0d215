#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How stat and record end: by signals, limits, tasks and a controller.
# shellcheck disable=SC2016,SC2094 # programs for sh -c; several outputs
. "$(dirname "$0")/live.sh"

# Whatever ends the tool ends the program too, and the file is whole. Whoever runs
# the tests may ignore SIGHUP, which is obeyed.
test_record_ends_with_a_signal() {
	need_perf_events
	local signal status
	local tool=(env --default-signal=HUP "$PMSCOPE")
	for signal in INT:130 TERM:143 HUP:129; do
		in_background "${tool[@]}" record -q -e cs:u -o s.data --
		status=0
		kill -"${signal%:*}" $!
		wait $! || status=$?
		expect_eq $status "${signal#*:}" "status after ${signal%:*}"
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
		works script s.data
	done
	in_background "${tool[@]}" stat -o stat -e cs:u --
	kill -HUP $!
	expect_status 129 wait $!
	expect_match 'cs' stat
}

# ends_soon PID: the tool does; else it is ended here, and the program it waits for.
ends_soon() {
	local turn
	for turn in $(seq 600); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL "$1" "$(cat pid)"
	fail "the tool still runs in turn $turn"
}

# The program ends with the recording, whose status is 0, and the file is whole.
test_record_ends_by_itself() {
	need_perf_events
	local limit
	for limit in --duration=0.3 --duration=0.005m --max-size=20K; do
		rm -f pid
		works record $limit -e cpu-clock:u -F 5000 -o l.data -- sh -c \
			"echo \$\$ >pid; while :; do :; done"
		expect_match "^pmscope: recording ended: .* \(${limit%=*}\)$" err
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
		works script l.data
	done
	expect_true "$(stat -c %s l.data) >= 20480" "size"
	# A program that ends earlier ends the recording, with its own status.
	expect_status 5 "$PMSCOPE" record --duration=1h --max-size=1G -e cs:u \
		-o l.data -- sh -c 'exit 5'
	expect_no_match 'recording ended' err
}

test_limits_that_are_none() {
	local arg
	for arg in --duration=0 --duration=1x --duration=-1 --duration=1.5. \
		--duration=5ms --duration= --duration=99999d --max-size=0 \
		--max-size=K --max-size=-1 --max-size=2000G --max-size=4Q; do
		expect_error "is not a valid .* for ${arg%=*}: " record "$arg" -e cs -o none -- true
		[ ! -e none ] || fail "a file with $arg"
	done
}

test_a_second_signal_ends_what_does_not_listen() {
	need_perf_events
	local ENDLESS="trap '' INT TERM; $ENDLESS" tool
	for tool in 'stat -o stat' 'record -q -o s.data'; do
		# shellcheck disable=SC2086
		in_background "$PMSCOPE" $tool -e cs:u --
		kill -INT $!
		wait_until "it tells why it waits" grep -q 'another signal' err
		kill -0 "$(cat pid)" || fail "the first signal is enough"
		kill -INT $!
		ends_soon $!
		expect_status 130 wait $!
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
	done
	works script s.data
	expect_match 'cs' stat
}

# Shells and terminals may send the same one twice: the program has its time.
test_signals_at_once_are_one() {
	need_perf_events
	local ENDLESS="trap 'sleep 0.4; touch tidy; exit' TERM; $ENDLESS"
	in_background "$PMSCOPE" stat -o stat -e cs:u --
	kill -TERM $!
	sleep 0.1
	kill -HUP $!
	ends_soon $!
	expect_status 143 wait $!
	[ -e tidy ] || fail "the program was killed"
}

# A stopped program gets the signal when it continues.
test_a_signal_ends_what_is_stopped() {
	need_perf_events
	in_background "$PMSCOPE" stat -o stat -e cs:u --
	kill -STOP "$(cat pid)"
	kill -TERM $!
	ends_soon $!
	expect_status 143 wait $!
	! kill -0 "$(cat pid)" 2>/dev/null || fail "the program is still there"
}

# An error of the tool ends the program like a signal does.
test_a_signal_after_an_error() {
	need_perf_events
	local ENDLESS="trap '' INT TERM; $ENDLESS"
	in_background "$PMSCOPE" record -F 5000 -e cpu-clock \
		-o >(until [ -e pid ]; do sleep 0.1; done) --
	wait_until "it tells why it waits" grep -q 'another signal' err
	kill -TERM $!
	ends_soon $!
	expect_status 1 wait $!
	! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
}

# SIGUSR2 asks perf for something that was not asked for; nohup is obeyed.
test_record_goes_on_after_other_signals() {
	need_perf_events
	in_background nohup "$PMSCOPE" record -q -e cs:u -o s.data --
	kill -HUP $!
	kill -USR2 $!
	touch go
	expect_status 5 wait $!
}

test_record_into_a_pipe_that_nobody_reads() {
	need_perf_events
	{
		"$PMSCOPE" record -q -F 5000 -e cpu-clock -o - -- \
			sh -c "$ENDLESS" 2>err || echo $? >status
	} | head -c 8 >begin
	expect_eq "$(cat status)" 1 "status"
	expect_match 'pmscope: -: Broken pipe' err
}

# A closed output ends counting, and is no error.
test_intervals_that_nobody_reads() {
	need_perf_events
	local to
	for to in '-o -' '-x,'; do
		rm -f pid
		{
			# shellcheck disable=SC2086
			"$PMSCOPE" stat -I 20 $to -e cs -- sh -c "$ENDLESS" \
				2>&1 || echo $? >status
		} | { head -n 2 >begin && wait_until "it runs" test -e pid; }
		expect_eq "$(cat status)" 141 "status with $to"
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
	done
	{
		"$PMSCOPE" stat -I 20 -o - -e cs -- sh -c "$ENDLESS" 2>err ||
			true
	} | head -n 2 >begin
	expect_eq "$(cat err)" "" "words of error"
}

# The program sets the duration, as in perf.
test_tasks_for_as_long_as_a_program_runs() {
	need_perf_events
	sleep 100 &
	local task=$!
	expect_status 3 "$PMSCOPE" record -q -e cs:u -p $task -o p.data -- \
		sh -c 'exit 3'
	expect_status 4 "$PMSCOPE" stat -o stat -e cs:u -t $task -- sh -c 'exit 4'
	kill $task
}

is_zombie() { grep -q '^State:.*Z' "/proc/$1/status"; }

# Its parent, the last started task, no longer waits for it.
zombie() {
	sh -c '(while ! grep -q sleep /proc/$$/comm; do sleep 0.01; done) &
		echo $! >zombie.new; mv zombie.new zombie; exec sleep 100' &
	wait_until "there is a task" test -e zombie
	wait_until "it has ended" is_zombie "$(cat zombie)"
}

# What a thread may do between the list of /proc and perf_event_open(2).
test_tasks_that_have_ended_are_left_out() {
	need_perf_events
	local gone
	zombie
	gone=$(cat zombie)
	expect_error "task $gone has ended" record -q -e cs:u -p "$gone" -o p.data -- true
	works record -q -e cs:u -p "$gone,$!" -o p.data -- true
	works record -q -e cs:u --per-thread -p "$gone,$!" -o p.data -- true
	expect_error "task $gone has ended" stat -e cs:u -p "$gone" -- true
	works stat -e '{cs:u},{faults:u,cs:u}' -p "$gone,$!" -x, -o counts -- true
	expect_eq "$(wc -l <counts)" 3 "counts of the task that runs"
	kill $!
}

# Until the last of them has ended, though the task itself has long before.
test_record_goes_on_with_what_the_tasks_begin() {
	need_perf_events
	sh -c 'until [ -e go ]; do sleep 0.01; done
		(until [ -e end ]; do sleep 0.01; done) &' &
	local task=$! record
	"$PMSCOPE" record -q -e cs:u -p $task -o c.data 2>err &
	record=$!
	wait_until "it records" test -s c.data -o -s err
	touch go
	wait $task
	sleep 0.5
	kill -0 $record 2>/dev/null || fail "it has ended with the task"
	touch end
	wait $record || fail "$(cat err)"
}

# tell COMMAND: sends it to the recorder, and waits until it is done.
tell() {
	local answer
	echo "$1" >&"$ctl"
	read -r -t 60 answer <&"$ack" || fail "no answer to $1: $(cat err)"
	expect_eq "$answer" ack "the answer to $1"
}

# controlled: records an endless program until it is told to stop.
controlled() {
	mkfifo commands answers
	exec {ctl}<>commands {ack}<>answers
	"$PMSCOPE" record -D -1 --control=fifo:commands,answers -e cpu-clock \
		-c 100000 -o data -- sh -c 'while [ -e commands ]; do :; done' 2>err &
	pid=$!
}

samples() {
	"$PMSCOPE" script -i data 2>&1 |
		grep -oE '[0-9]+ samples of other events' | grep -oE '^[0-9]+'
}
has_samples() { [ "$(samples)" -gt 0 ] 2>/dev/null; }

test_a_controller_starts_and_stops_events() {
	need_perf_events
	local pid ctl ack
	controlled
	tell ping
	tell evlist
	expect_match '^cpu-clock$' err
	tell 'evlist -F'
	expect_match '^cpu-clock: sample_period=100000$' err
	! has_samples || fail "samples of events that are disabled"
	tell enable
	wait_until "samples" has_samples
	tell disable
	tell 'enable cpu-clock'
	tell stop
	wait "$pid" || fail "status $? after stop: $(cat err)"
	has_samples || fail "no samples"
}

test_a_controller_that_sends_anything() {
	need_perf_events
	local pid ctl ack
	controlled
	# As with perf, only the second command is acknowledged.
	echo bogus >&"$ctl"
	tell ping
	expect_match "unknown command 'bogus'; valid commands: enable," err
	tell 'enable nothing'
	expect_match "no event 'nothing' is recorded" err
	head -c 100000 /dev/zero | tr '\0' x >&"$ctl"
	echo >&"$ctl"
	printf 'pi' >&"$ctl"
	tell ng
	expect_match 'a command of more than 511 bytes was ignored' err
	expect_no_match "command 'ng'" err
	tell stop
	wait "$pid" || fail "status $? after stop: $(cat err)"
	! read -r -t 0 <&"$ack" || fail "an answer to what is no command"
	has_samples && fail "samples, and no event was enabled"
	return 0
}

# Descriptors as perf has them; the program must not inherit them.
test_control_by_descriptors() {
	need_perf_events
	printf 'ping\nstop\n' >commands
	exec 8<commands 9>answers
	works record -q --control=fd:8,9 -e cpu-clock -o data -- sh -c \
		'{ echo open >&9; } 2>/dev/null; sleep 100'
	exec 8<&- 9>&-
	expect_eq "$(cat answers)" "$(printf 'ack\nack')" "answers"
}

# switches_of PID: how often it has waited
switches_of() { awk '/^voluntary/ { print $2 }' "/proc/$1/status"; }
has_waited() { [ "$(switches_of "$1")" -ge "$2" ]; }

# Where there are no more commands, or will never be any, the recorder waits for
# the rings only: it does not ask again and again.
test_control_whose_end_is_there() {
	need_perf_events
	local before
	echo ping >commands
	"$PMSCOPE" record -q --control=fd:8 -e cs:u -o d -- sleep 1000 8<commands &
	wait_until "it waits" has_waited $! 3
	before=$(switches_of $!)
	wait_until "it waits again" has_waited $! $((before + 3))
	kill -INT $!
	expect_status 130 wait $!
}

test_control_that_cannot_be() {
	local option
	for option in x fd: fd:x fd:77 fifo:none fifo:/dev/null fd:0,77; do
		expect_error '--control' \
			record --control="$option" -e cpu-clock -o data -- true
	done
	expect_error '--delay=-1 requires --control' record -D -1 -e cpu-clock -o data -- true
	expect_status 1 "$PMSCOPE" record --delay=4294967295 -- true
	[ ! -e data ] || fail "a file was begun"
}

ktap_main "$@"
