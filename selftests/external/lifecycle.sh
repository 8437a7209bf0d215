#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmu_external while its CPUs go and come back, with stock perf.
. "$(dirname "$0")/../pmscope.sh"

EXTERNAL=$PMUS/pmu_external
EVENTS='{pmu_external/event=0x11/,pmu_external/event=0x8/}'

before_each() {
	need_root
	need_command perf
	[ -d "$EXTERNAL" ] || skip "no pmu_external here"
}

online() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }

test_intervals_of_stock_perf() {
	taskset 2 "$WORKLOAD/spin" 100000000000 >spin &
	perf stat -C 1 -I 100 --interval-count 5 -x, -e "$EVENTS" 2>counts
	kill $!
	expect_eq "$(grep -c ,pmu_external/event=0x8/ counts)" 5 intervals
	expect_no_match 'not (counted|supported)' counts
	awk -F, '$4 ~ /event=0x8/ && $2 < 1000000' counts >low
	[ ! -s low ] || fail "too few: $(cat low)"
}

test_a_program_that_is_watched_system_wide() {
	perf stat -a -x, -e pmu_external/event=0x8/ sleep 0.2 2>counts
	expect_match '^[1-9][0-9]*,,pmu_external' counts
}

test_a_watched_CPU_goes_offline_and_comes_back() {
	perf stat -C 1 -I 100 -x, -e "$EVENTS" sleep 3 2>counts &
	wait_until "perf watches" grep -q , counts
	online 1 0
	expect_eq "$(cat "$EXTERNAL/cpumask")" 0 "CPUs that can be watched"
	sleep 0.5
	online 1 1
	expect_eq "$(cat "$EXTERNAL/cpumask")" 0-1 "CPUs that can be watched"
	wait $!
	perf stat -C 1 -x, -e "$EVENTS" sleep 0.2 2>counts
	expect_match '^[1-9][0-9]*,,pmu_external/event=0x8/' counts
}

test_unloading_waits_for_those_who_watch() {
	perf stat -C 1 -e "$EVENTS" 2>/dev/null &
	wait_until "perf watches" module_is_used
	expect_status 1 rmmod pmscope
	expect_match 'in use' err
	kill -INT $!
	wait $! || :
	wait_until "nobody watches" module_is_unused
}

# PM QoS keeps a watched CPU out of it.
test_an_idle_CPU_keeps_its_power() {
	local state=/sys/devices/system/cpu/cpu1/cpuidle/state1/usage before
	[ -e $state ] || skip "no idle state that loses power (idle-state=on)"
	wait_until "CPU 1 loses power when idle" test "$(cat $state)" -gt 0
	perf stat -C 1 -I 50 -x, -e "$EVENTS" sleep 3 2>counts &
	wait_until "perf watches" grep -q , counts
	before=$(cat $state)
	sleep 1
	expect_eq "$(cat $state)" "$before" "entries while it is watched"
	wait $!
	expect_no_match 'not (counted|supported)' counts
}

ktap_main "$@"
