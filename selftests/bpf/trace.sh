#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope trace: functions of known length count what they execute, and the one
# breakpoint at which their return is seen.
. "$(dirname "$0")/../pmscope.sh"

# kernel_since MAJOR.MINOR
kernel_since() {
	printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1 | grep -qx "$1"
}

need_trace() {
	need root snapshot pmscope
	kernel_since 6.12 || skip "needs Linux 6.12 or newer"
	pmscope trace -e inst_retired -a nosuch >/dev/null 2>why || true
	! grep -q 'without BPF' why || skip "this pmscope has no BPF"
}

need_exact() {
	need_trace
	counts_are_exact || skip "counts are not exact on this machine"
	awk -F, '{ n[NR] = $1 } END { exit n[NR] != n[NR - 1] }' exact ||
		skip "cycles are not instructions on this machine"
}

# columns FUNCTION EVENT FILE: calls total mean min p50 p90 p99 max
columns() {
	awk -F, -v name="$1" -v event="pmu_snapshot/$2/" '
		$1 == name && index($2, event) == 1 {
			print $3, $4, $5, $6, $7, $8, $9, $10 }' "$3"
}

test_each_call_is_counted_exactly() {
	need_exact
	pmscope trace -x, -o out -e inst_retired,cpu_cycles \
		calls_short calls_long -- "$WORKLOAD/calls" 500
	expect_eq "$(columns calls_short inst_retired out)" \
		'500 50500 101.0000 101 101 101 101 101' counts
	expect_eq "$(columns calls_long inst_retired out)" \
		'500 500500 1001.0000 1001 1001 1001 1001 1001' counts
	expect_eq "$(columns calls_long cpu_cycles out)" \
		'500 500500 1001.0000 1001 1001 1001 1001 1001' counts
}

# Other threads' work during a call, while its thread is off the CPU, does not
# count.
test_other_tasks_are_taken_out() {
	need_exact
	pmscope trace -x, -o out -e inst_retired "$WORKLOAD/calls:calls_sleep" -- \
		sh -c "taskset 1 $WORKLOAD/calls 200 1 & taskset 1 $WORKLOAD/calls 200 1; wait"
	expect_eq "$(columns "$WORKLOAD/calls:calls_sleep" inst_retired out)" \
		'400 40400 101.0000 101 101 101 101 101' counts
}

test_a_function_that_calls_itself() {
	need_exact
	pmscope trace -x, -o out -e inst_retired calls_nested -- \
		"$WORKLOAD/calls" 100
	expect_eq "$(columns calls_nested inst_retired out | cut -d' ' -f1,4,8)" \
		'300 8 28' counts
}

test_each_thread_for_itself() {
	need_trace
	pmscope trace --per-thread -j -o out -e inst_retired \
		"$WORKLOAD/calls:calls_short" -- \
		sh -c "$WORKLOAD/calls 10; $WORKLOAD/calls 20"
	expect_eq "$(jq -c '[.comm, .calls]' out | sort | tr '\n' ' ')" \
		'["calls",10] ["calls",20] ' counts
}

test_kernel_functions() {
	need_trace
	pmscope trace -x, -o out -e inst_retired:k __arm64_sys_sched_yield -- \
		"$WORKLOAD/calls" 30 1
	expect_eq "$(columns __arm64_sys_sched_yield inst_retired out |
		cut -d' ' -f1)" 30 calls
}

test_other_processes_are_left_out() {
	need_trace
	"$WORKLOAD/calls" 4000000000 >/dev/null &
	pmscope trace -x, -o out -e inst_retired calls_short -- \
		"$WORKLOAD/calls" 50 || {
		kill $!
		fail "no trace"
	}
	kill $!
	expect_eq "$(columns calls_short inst_retired out | cut -d' ' -f1)" 50 calls
}

test_unknown_function_is_named() {
	need_trace
	expect_status 1 pmscope trace nosuchfunction -- true
	expect_match "function 'nosuchfunction'" err
}

test_exit_status_is_that_of_the_program() {
	need_trace
	expect_status 3 pmscope trace -o out __arm64_sys_exit_group -- \
		sh -c 'exit 3'
}

test_old_kernels_are_named() {
	need snapshot pmscope
	! kernel_since 6.12 || skip "this kernel can"
	expect_status 1 pmscope trace -a __arm64_sys_getppid
	expect_match 'too old' err
}

ktap_main "$@"
