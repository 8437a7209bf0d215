#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# freeze=1: the counters stop at a buffer management event and run again with
# the next window (Arm ARM D13.5.2.2), whatever else uses the PMU meanwhile.
. "$(dirname "$0")/records.sh"

REGS=/sys/kernel/debug/pmscope/regs
PROBES=/sys/kernel/debug/kprobes/list

before_each() {
	need root pmscope_spe
	[ -e "$SPE_DIR/format/freeze" ] ||
		skip "no FEAT_SPEv1p2 and FEAT_PMUv3p7 here"
}

# pmcr_fzs FILE: PMCR_EL0.FZS of CPU 0 in each dump of the registers, as 0 or 1.
pmcr_fzs() {
	awk "$HEX"'$1 == "cpu0" && $2 == "PMCR_EL0" {
		printf "%d", int(number(substr($3, 3)) / 4294967296) % 2
	}' "$1"
}

# The PMU's driver starts and stops its counters all the time and clears the bit.
test_stays_in_force_beside_other_events() {
	[ -e "$REGS" ] || skip "no debugfs"
	# shellcheck disable=SC2016
	perf record -q -B -C 0 -o data -c 65536 -e "$SPE/freeze=1/u" -- sh -c '
		for i in 1 2 3 4 5; do
			perf stat -o stat -C 0 -e instructions,cycles -- cat '$REGS'
		done' >dumps
	expect_eq "$(pmcr_fzs dumps)" 11111 "PMCR.FZS while the counters run"
	cat "$REGS" >after
	# Nobody else uses the PMU.
	perf record -q -B -C 0 -o data -c 65536 -e "$SPE/freeze=1/u" -- true
	cat "$REGS" >>after
	expect_eq "$(pmcr_fzs after)" 00 "PMCR.FZS afterwards"
}

test_other_cpus_and_events_are_left_alone() {
	[ -e "$REGS" ] || skip "no debugfs"
	perf record -q -B -C 0 -o data -c 65536 -e "$SPE/freeze=0/u" -- \
		perf stat -o stat -C 0 -e instructions -- cat $REGS >dump
	expect_eq "$(pmcr_fzs dump)" 0 "PMCR.FZS without freeze"
}

probes() { grep -c armv8pmu_start "$PROBES"; }

# Inserting and removing it stops all CPUs: no event does so again.
test_the_probe_stays_until_the_module_goes() {
	need_module_file
	[ -e "$PROBES" ] || skip "no debugfs"
	keep_module_state
	perf record -q -B -o data -c 65536 -e "$SPE/freeze=1/u" -- \
		"$WORKLOAD/workers" fork 4 100000 >info
	expect_eq "$(probes)" 1 "probes after the last event"
	perf record -q -B -o data -c 65536 -e "$SPE/freeze=1/u" -- true
	expect_eq "$(probes)" 1 "probes after another one"
	unload_module
	expect_eq "$(probes || true)" 0 "probes without the module"
}

ktap_main "$@"
