#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs some of which capture by hardware and some cannot.
. "$(dirname "$0")/../pmscope.sh"

# cpu_with WORD: the first CPU whose back end it is.
cpu_with() { sed -n "s/^cpu\([0-9]*\) $1$/\1/p" "$SNAPSHOT/caps/backend" | head -n 1; }

test_hardware_or_nothing_holds_for_tasks_too() {
	local able
	need_module_file
	keep_module_state
	trap restore_module_state EXIT
	unload_module
	load_module backend=hardware || skip "no CPU captures by hardware"
	able=$(cpu_with hardware)
	[ -n "$able" ] || skip "the CPUs have all the same back end"
	perf stat -x, -o cpu -C "$able" -e pmu_snapshot/event=0x11/ true
	expect_no_match '<not' cpu
	perf stat -x, -o task -e pmu_snapshot/event=0x11/ true || true
	expect_match '<not supported>' task
	expect_eq "$(cat "$SNAPSHOT/stats/frozen")" 0 "frozen captures"
}

set_online() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }

leave_all_as_it_was() {
	set_online "$late" 1
	restore_module_state
}

# The task has its events already when the CPU comes online.
test_hardware_or_nothing_holds_where_a_CPU_comes_later() {
	need module_file snapshot
	late=$(cpu_with frozen)
	if [ -z "$late" ] || [ -z "$(cpu_with hardware)" ]; then
		skip "the CPUs have all the same back end"
	fi
	keep_module_state
	trap leave_all_as_it_was EXIT
	unload_module
	set_online "$late" 0
	load_module backend=hardware
	# shellcheck disable=SC2016
	perf stat -x, -o task -e pmu_snapshot/event=0x11/ sh -c '
		echo 1 >"/sys/devices/system/cpu/cpu$1/online"
		exec taskset -c "$1" "$2/spin" 3000000' - "$late" "$WORKLOAD"
	note "$(tail -n 1 task)"
	expect_eq "$(cat "$SNAPSHOT/stats/frozen")" 0 "frozen captures"
}

# What one CPU lacks, the other still counts.
test_events_are_those_of_the_cpu() {
	local able
	able=$(cpu_with hardware)
	if [ -z "$able" ] || [ -z "$(cpu_with frozen)" ]; then
		skip "the CPUs have all the same back end"
	fi
	perf stat -x, -o count -C "$able" -e pmu_snapshot/event=0x8/ true
	expect_match '^[1-9][0-9]*,,pmu_snapshot/event=0x8/' count
}

ktap_main "$@"
