#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs that come online only after the module was loaded, or its driver bound.
. "$(dirname "$0")/../pmscope.sh"

REGS=/sys/kernel/debug/pmscope/regs
CPUS=/sys/devices/system/cpu

# cpus_where VALUE: prints the CPUs whose PMSVer matches the pattern VALUE.
cpus_where() {
	sed -n "s/^cpu\([0-9]*\) ID_AA64DFR0_EL1 0x0*\([0-9a-f]*\)$/\1 \2/p" \
		"$REGS" | while read -r cpu value; do
		value=000000000$value
		value=${value: -9:1}
		# shellcheck disable=SC2053
		[[ $value != $1 ]] || echo "$cpu"
	done
}

set_online() {
	local cpu
	for cpu in $late; do
		echo "$1" >"$CPUS/cpu$cpu/online"
	done
}

leave_all_as_it_was() {
	set_online 1
	restore_module_state
}

# Without the CPUs of $late no CPU has FEAT_SPE.
setup() {
	need_module_file
	keep_module_state
	module_loaded || load_module || lacks module "pmscope does not load here"
	[ -e "$REGS" ] || skip "no debugfs"
	late=$(cpus_where '[!0]')
	[ -n "$late" ] || skip "no CPU has SPE"
	[ -n "$(cpus_where 0)" ] || skip "all CPUs have SPE"
	trap leave_all_as_it_was EXIT
}

test_unloads_when_SPE_came_after_it() {
	setup
	unload_module
	set_online 0
	load_module
	set_online 1
	expect_eq "$(cpus_where '[!0]')" "$late" "CPUs with SPE"
	rmmod pmscope
	load_module
}

# The tool fails for the device that is refused.
load_and_use() {
	load_module
	use_device || true
}

test_a_device_without_a_CPU_online_is_refused() {
	need_module_file
	keep_module_state
	[ -d "$PMUS/arm_spe_1" ] || skip "one SPE PMU only"
	late=$(cat "$PMUS/arm_spe_1/cpumask")
	[[ $late != *[!0-9]* ]] || skip "several CPUs have arm_spe_1"
	trap leave_all_as_it_was EXIT
	unload_module
	set_online 0
	kernel_log load_and_use
	expect_match "none of its CPUs $late is online" log
	expect_match "arm_spe_0 on CPUs" log
}

ktap_main "$@"
