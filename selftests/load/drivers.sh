#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Handing the SPE device to pmscope and back to the kernel's own driver.
. "$(dirname "$0")/../pmscope.sh"

before_each() {
	need module_file pmscope
	spe_device >/dev/null || skip "no SPE device here"
	keep_module_state
	module_loaded || load_module
}

need_in_tree() {
	modinfo arm_spe_pmu >/dev/null 2>&1 ||
		skip "this kernel has no arm_spe_pmu module"
}

records_loop() {
	need_spe
	pmscope record -q -o data -e "$SPE/period=4096/u" -- \
		"$WORKLOAD/loop" 1000000
	pmscope script --packets data >packets
	expect_true "$(grep -c ' PC 0x' packets) > 3000" "records"
}

test_nothing_is_taken_by_loading() {
	restore_device
	unload_module
	load_module
	[ "$(spe_driver)" != pmscope ] || fail "the module took the device itself"
}

test_use_binds_the_device() {
	use_device
	expect_eq "$(spe_driver)" pmscope "driver after use"
	records_loop
}

test_use_twice_is_harmless() {
	use_device
	use_device
	expect_eq "$(spe_driver)" pmscope "driver after two uses"
}

test_use_says_that_another_module_is_loaded() {
	expect_status 0 pmscope driver use --module="$(module_file)"
	expect_match 'pmscope.ko is not loaded: pmscope is already loaded' err
	unload_module
	expect_status 0 pmscope driver use --module="$(module_file)"
	expect_eq "$(cat err)" "" "what a use that loads it says"
}

test_restore_gives_it_back() {
	need_in_tree
	use_device
	restore_device
	expect_eq "$(spe_driver)" arm_spe_pmu "driver after restore"
	records_loop
}

test_use_takes_it_from_the_in_tree_driver() {
	need_in_tree
	restore_device
	use_device
	expect_eq "$(spe_driver)" pmscope "driver after use"
}

test_a_device_in_use_stays() {
	use_device
	need_spe
	perf record -q -B -a -o data -e "$SPE//" -- sleep 100 &
	local pid=$! status=0
	wait_until "the module is in use" module_is_used
	restore_device >out 2>&1 || status=$?
	kill -INT "$pid"
	wait "$pid" || true
	expect_eq "$status" 2 "exit status of restore"
	expect_match 'in use|busy' out
	expect_eq "$(spe_driver)" pmscope "driver after the refusal"
}

in_tree_is_used() { [ "$(cat /sys/module/arm_spe_pmu/refcnt)" != 0 ]; }

# A user of the device keeps it, and so does the administrator's choice of a
# driver.
test_use_that_fails_leaves_the_override() {
	need_in_tree
	restore_device
	need_spe
	local device status=0
	device=$(spe_device)
	echo arm_spe_pmu >"$device/driver_override"
	perf record -q -B -a -o data -e "$SPE//" -- sleep 100 &
	local pid=$!
	wait_until "the module is in use" in_tree_is_used
	pmscope driver use --module="$(module_file)" >out 2>&1 || status=$?
	kill -INT "$pid"
	wait "$pid" || true
	expect_eq "$status" 2 "exit status of use"
	expect_eq "$(cat "$device/driver_override")" arm_spe_pmu "override"
	echo >"$device/driver_override"
}

# modprobe_first CMD: the next modprobe runs CMD first, and stops if it fails.
modprobe_first() {
	mkdir first
	printf '#!/bin/sh\ncd %s && %s && exec %s "$@"\n' "$PWD" "$1" \
		"$(command -v modprobe)" >first/modprobe
	chmod +x first/modprobe
	PATH=$PWD/first:$PATH
	! [ -d /sys/module/arm_spe_pmu ] || rmmod arm_spe_pmu
}

# Halfway the device would have no driver.
test_a_signal_waits_for_the_end_of_the_hand_over() {
	need_in_tree
	use_device
	local status=0
	modprobe_first 'touch waits && until [ -e go ]; do sleep 0.1; done'
	pmscope driver restore --module="$(module_file)" &
	wait_until "the other driver is loaded" test -e waits
	kill -TERM $!
	touch go
	wait $! || status=$?
	expect_eq "$status" 143 "exit status"
	expect_eq "$(spe_driver)" arm_spe_pmu "driver after restore"
	module_loaded || fail "pmscope is not loaded again"
}

test_a_driver_that_cannot_be_loaded_changes_nothing() {
	need_in_tree
	use_device
	modprobe_first false
	kernel_log expect_status 1 pmscope driver restore
	expect_match 'cannot load arm_spe_pmu' err
	expect_eq "$(spe_driver)" pmscope "driver after the failure"
	expect_no_match pmscope log
}

# The same format attributes, bit for bit, and the same capabilities as the
# in-tree driver: perf's command lines mean the same.
test_format_and_caps_are_the_in_tree_drivers() {
	need_in_tree
	restore_device
	need_spe
	(cd "$SPE_DIR" && grep . format/* caps/*) | sort >theirs
	use_device
	(cd "$SPE_DIR" && grep . format/* caps/*) | sort >ours
	comm -23 theirs ours >missing
	[ ! -s missing ] || fail "not in ours: $(cat missing)"
	note "$(comm -13 theirs ours | wc -l) attributes more than in-tree"
}

take_physically() {
	load_module physical_buffers=1
	use_device >&2
}

# pmscope-driver(1) has a rule of udev for each of the two.
test_the_rules_of_the_manual_find_the_device() {
	local device name
	device=$(spe_device) || skip "no SPE device here"
	name=${device##*/}
	grep -q 'OF_COMPATIBLE_0=arm,statistical-profiling-extension-v1$' \
		"$device/uevent" || [[ $name = arm,spe-v1* ]] ||
		fail "no rule is for $name: $(paste -sd ' ' "$device/uevent")"
	note "$name: $(paste -sd ' ' "$device/uevent")"
}

# FEAT_SPE_nVM: a window ends at the end of contiguous memory, so the AUX area
# should have large pieces. 300 KB of records fill 74 pages.
test_physical_buffers_are_of_large_pieces() {
	unload_module
	kernel_log take_physically || skip "$(grep -o 'no physical .*' log)"
	expect_match 'physical buffers' log
	need_spe
	local windows
	windows=$(sed -n 's/^total //p' "$SPE_DIR/stats/windows")
	perf record -q -B -o data -m ,1M -c 1024 -e "$SPE/ts_enable=1/u" -- \
		"$WORKLOAD/loop" 300000 >info
	windows=$(($(sed -n 's/^total //p' "$SPE_DIR/stats/windows") - windows))
	pmscope script --packets data >packets
	note "$windows windows, $(grep -c ' PC 0x' packets) records"
	expect_true "$(grep -c ' PC 0x' packets) > 4600" "records of 4682"
	expect_true "$windows < 30" "$windows windows"
}

ktap_main "$@"
