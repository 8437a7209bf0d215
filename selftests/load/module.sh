#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading and unloading pmscope.ko: while idle, while in use, many times.
. "$(dirname "$0")/../pmscope.sh"

REGS=/sys/kernel/debug/pmscope/regs

before_each() {
	need_module_file
	keep_module_state
	module_loaded || load_module || lacks module "pmscope does not load here"
}

test_unloads_while_idle() {
	unload_module
	! module_loaded || fail "the module is still there"
	[ ! -d "$SNAPSHOT" ] || fail "pmu_snapshot is still there"
	[ "$(spe_driver)" != pmscope ] || fail "the SPE device is still bound"
}

test_a_second_load_is_refused() {
	! load_module 2>err || fail "loaded twice"
	expect_match 'File exists' err
}

test_is_busy_while_pmu_snapshot_counts() {
	[ -d "$SNAPSHOT" ] || skip "no pmu_snapshot here"
	perf stat -C 0 -o out -e pmu_snapshot/event=0x11/ -- sleep 100 &
	local pid=$!
	wait_until "the module is in use" module_is_used
	! rmmod pmscope 2>err || fail "unloaded under a counting event"
	# perf stat waits for its command, even after a signal.
	pkill -P "$pid"
	wait "$pid" || true
	expect_match 'in use|[Bb]usy' err
	wait_until "nothing uses the module" module_is_unused
	rmmod pmscope
}

test_is_busy_while_spe_records() {
	need_pmscope_spe
	perf record -q -B -a -o data -e "$SPE//" -- sleep 100 &
	local pid=$!
	wait_until "the module is in use" module_is_used
	! rmmod pmscope 2>err || fail "unloaded under a recording"
	kill -INT "$pid"
	wait "$pid" || true
	expect_match 'in use|[Bb]usy' err
	wait_until "nothing uses the module" module_is_unused
	rmmod pmscope
}

test_loads_and_unloads_again_and_again() {
	local turn
	for turn in $(seq 10); do
		unload_module
		load_module || fail "load $turn"
		[ "$kept_driver" != pmscope ] || use_device
	done
}

# MDCR_EL2 of each CPU, as the module finds it.
el2_controls() {
	load_module backend=frozen
	grep MDCR_EL2 "$REGS" || true
	unload_module
}

# KVM keeps the host's MDCR_EL2 while a guest's is in the register.
test_a_running_guest_keeps_no_control() {
	[ -w /dev/kvm ] || skip "no /dev/kvm here"
	[ -e "$REGS" ] || skip "no debugfs"
	unload_module
	el2_controls >before
	[ -s before ] || skip "the kernel does not run at EL2"
	# Linux sets no PMSSE: what was loaded before has given it back.
	expect_no_match 'MDCR_EL2 0xc.......$' before
	load_module
	taskset 1 "$WORKLOAD/guest" 1 0 >started &
	local pid=$!
	wait_until "the guest runs" grep -q pc= started
	! grep MDCR_EL2 "$REGS" | cmp -s before - || fail "it takes no control"
	unload_module
	kill "$pid"
	wait "$pid" || true
	el2_controls >after
	expect_eq "$(cat after)" "$(cat before)" "MDCR_EL2"
	note "$(head -n 1 after)"
}

test_says_once_what_it_found() {
	unload_module
	kernel_log load_module
	expect_match 'pmscope' log
	note "$(grep pmscope log | head -n 1)"
	expect_no_match 'pmscope.*(error|fail)' log
}

ktap_main "$@"
