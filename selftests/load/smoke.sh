#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The least that must work on every kernel: load, one capture, one recording.
. "$(dirname "$0")/../pmscope.sh"

test_module_is_loaded() {
	need_module_file
	module_loaded || load_module
	modinfo -F vermagic "$(module_file)" | grep -q "^$(uname -r) " ||
		fail "the module is another kernel's"
}

test_one_capture() {
	need_snapshot
	perf stat -C 0 -x, -o out \
		-e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' -- \
		taskset 1 "$WORKLOAD/spin" 1000000
	expect_cycles_counted_twice out
}

recording() {
	need_pmscope_spe
	if [ ! -e "$KTAP_DIR/data" ]; then
		perf record -q -B -o "$KTAP_DIR/data" -c 4096 -e "$SPE//u" -- \
			"$WORKLOAD/loop" 1000000
	fi
}

test_one_spe_recording() {
	recording
	perf report -D -i "$KTAP_DIR/data" >packets 2>/dev/null
	expect_true "$(grep -c ' PC 0x' packets) > 3000" "records"
}

test_tool_reads_the_recording() {
	recording
	need_command pmscope
	pmscope report "$KTAP_DIR/data" >printed
	expect_match 'loop' printed
}

ktap_main "$@"
