#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading where firmware blocks captures or the CPU has neither feature: a
# clear line that names what blocks, and no oops.
#
# What blocks is told by the caller, who set the machine up: PMSCOPE_BLOCKED is
# "nothing", "features" (no FEAT_PMUv3_SS, no FEAT_SPE), or the register field
# that the refusal must name, for instance MDCR_EL3.PMSSE. PMSCOPE_STATE is the
# word for it: disabled, prohibited, trapped, unknown.
# shellcheck source=../ktap.sh
. "$(dirname "$0")/../ktap.sh"
# shellcheck source=../pmscope.sh
. "$(dirname "$0")/../pmscope.sh"

setup() {
	need_module_file
	[ -n "${PMSCOPE_BLOCKED:-}" ] ||
		skip "PMSCOPE_BLOCKED does not say what this firmware blocks"
	keep_module_state
	unload_module
}

need_gate() {
	case $PMSCOPE_BLOCKED in
	nothing | features) skip "no register blocks captures here" ;;
	esac
}

# Lines of ours in the log, without what the kernel says of tainting.
our_lines() { grep pmscope log | grep -v taint; }

test_without_features_is_enodev() {
	setup
	[ "$PMSCOPE_BLOCKED" = features ] || skip "this CPU has a feature"
	! kernel_log load_module 2>err || fail "loads without a feature"
	expect_match 'No such device' err
	our_lines >ours || true
	expect_eq "$(wc -l <ours)" 1 "lines in the kernel log"
	expect_match 'FEAT_PMUv3_SS' ours
	expect_match 'FEAT_SPE' ours
	note "$(cat ours)"
}

test_without_features_frozen_can_be_asked_for() {
	setup
	[ "$PMSCOPE_BLOCKED" = features ] || skip "this CPU has a feature"
	load_module backend=frozen
	expect_eq "$(cat "$SNAPSHOT/caps/backend")" frozen "caps/backend"
	perf stat -C 0 -x, -o out -e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' true
	expect_no_match '<not' out
}

test_refusal_names_what_blocks() {
	setup
	need_gate
	kernel_log load_module || true
	our_lines >ours
	expect_match "${PMSCOPE_BLOCKED//./\\.}" ours
	grep -F "$PMSCOPE_BLOCKED" ours >line
	expect_match "${PMSCOPE_STATE:-.}" line
	note "$(head -n 1 line)"
}

test_falls_back_to_frozen() {
	setup
	need_gate
	load_module
	expect_eq "$(cat "$SNAPSHOT/caps/backend")" frozen "caps/backend"
	perf stat -C 0 -x, -o out -e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' true
	expect_no_match '<not' out
}

test_hardware_back_end_is_refused() {
	setup
	need_gate
	kernel_log load_module backend=hardware 2>err || true
	[ ! -d "$SNAPSHOT" ] || fail "pmu_snapshot is there all the same"
	our_lines >ours
	expect_match "${PMSCOPE_BLOCKED//./\\.}" ours
}

test_spe_does_without_snapshots() {
	setup
	need_gate
	load_module backend=hardware
	use_device
	need_pmscope_spe
	need_command pmscope
	[ ! -d "$SNAPSHOT" ] || fail "pmu_snapshot is there all the same"
	pmscope record -q -o data -c 4096 -e "$SPE//u" -- \
		"$WORKLOAD/loop" 300000
	pmscope script --packets data >packets
	expect_true "$(grep -c ' PC 0x' packets) > 1000" "records"
}

test_hardware_back_end_where_nothing_blocks() {
	setup
	[ "$PMSCOPE_BLOCKED" = nothing ] || skip "captures are blocked here"
	load_module backend=hardware
	expect_eq "$(cat "$SNAPSHOT/caps/backend")" hardware "caps/backend"
}

ktap_main "$@"
