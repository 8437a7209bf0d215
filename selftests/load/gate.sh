#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading where firmware, or Linux's own EL2, blocks captures or the CPU has neither
# feature: a clear line that names what blocks, and no oops.
#
# What blocks is told by the caller, who set the machine up: PMSCOPE_ACCESS and
# PMSCOPE_SPE_ACCESS are what caps/access of the two PMUs must say, the latter
# "refused" where SPE traps; PMSCOPE_BLOCKED is
# "nothing", "features" (no FEAT_PMUv3_SS, no FEAT_SPE), "pmu" (none at all), or the register field
# that the refusal must name, for instance MDCR_EL3.PMSSE. PMSCOPE_STATE is the
# word for it: disabled, prohibited, trapped, unknown.
. "$(dirname "$0")/../pmscope.sh"

# The true state of a register that firmware does not report, when it is
# accessed.
BELIEVED=${PMSCOPE_BELIEVED:-open (trusted)}

before_each() {
	need_module_file
	[ -n "${PMSCOPE_BLOCKED:-}" ] ||
		skip "PMSCOPE_BLOCKED does not say what this firmware blocks"
	keep_module_state
	unload_module
}

# applies TEST: is it one for the machine that the caller tells of?
applies() {
	local blocked=${PMSCOPE_BLOCKED:-} snapshot=${PMSCOPE_ACCESS:-}
	local spe=${PMSCOPE_SPE_ACCESS:-}
	[ -n "$blocked" ] || return 0
	case $1 in
	without_features_*) [ "$blocked" = features ] ;;
	doctor_says_that_there_is_no_pmu) [ "$blocked" = pmu ] ;;
	cpus_go_*) [[ $blocked != @(features|pmu) ]] ;;
	hardware_back_end_where_*) [ "$blocked" = nothing ] ;;
	no_register_that_own_el2_*) [[ $blocked = HDFGRTR2_EL2.* ]] ;;
	no_register_that_firmware_*) [ "${PMSCOPE_STATE:-}" = unknown ] ;;
	everyone_says_*) [ -n "$snapshot" ] ;;
	the_administrator_*) [[ $snapshot$spe = *@(unknown|tried)* ]] ;;
	filters_are_offered_*) [[ $spe = *'PMSDSFR_EL1 open (tried)'* ]] ;;
	spe_that_traps_*) [ "$spe" = refused ] ;;
	*) [[ $blocked != @(nothing|features|pmu) ]] ;;
	esac
}

# Our lines in the log, without those about tainting.
our_lines() { grep pmscope log | grep -v taint; }

test_without_features_is_enodev() {
	! kernel_log load_module 2>err || fail "loads without a feature"
	expect_match 'No such device' err
	our_lines >ours || true
	expect_eq "$(wc -l <ours)" 1 "lines in the kernel log"
	expect_match 'FEAT_PMUv3_SS' ours
	expect_match 'FEAT_SPE' ours
	note "$(cat ours)"
}

test_without_features_frozen_can_be_asked_for() {
	load_module backend=frozen
	expect_eq "$(cat "$SNAPSHOT/caps/backend")" frozen "caps/backend"
	perf stat -C 0 -x, -o out -e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' true
	expect_no_match '<not' out
}

test_refusal_names_what_blocks() {
	kernel_log load_module || true
	our_lines >ours
	expect_match "${PMSCOPE_BLOCKED//./\\.}" ours
	grep -F "$PMSCOPE_BLOCKED" ours >line
	expect_match "${PMSCOPE_STATE:-.}" line
	note "$(head -n 1 line)"
}

test_falls_back_to_frozen() {
	load_module
	expect_eq "$(cat "$SNAPSHOT/caps/backend")" frozen "caps/backend"
	perf stat -C 0 -x, -o out -e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' true
	expect_no_match '<not' out
}

test_hardware_back_end_is_refused() {
	kernel_log load_module backend=hardware 2>err || true
	[ ! -d "$SNAPSHOT" ] || fail "pmu_snapshot is there all the same"
	our_lines >ours
	expect_match "${PMSCOPE_BLOCKED//./\\.}" ours
}

test_spe_does_without_snapshots() {
	load_module backend=hardware
	use_device
	need pmscope_spe pmscope
	[ ! -d "$SNAPSHOT" ] || fail "pmu_snapshot is there all the same"
	pmscope record -q -o data -c 4096 -e "$SPE//u" -- \
		"$WORKLOAD/loop" 300000
	pmscope script --packets data >packets
	expect_true "$(grep -c ' PC 0x' packets) > 1000" "records"
}

# has_source_filter CPU: PMSIDR_EL1.FDS
has_source_filter() {
	grep -Eq "^cpu$1 PMSIDR_EL1 0x[0-9a-f]*[89a-f][0-9a-f]$" \
		/sys/kernel/debug/pmscope/regs
}

test_no_register_that_firmware_may_trap_is_offered() {
	load_module
	use_device
	need_pmscope_spe
	has_source_filter 0 || skip "no FEAT_SPE_FDS"
	[ ! -e "$SPE_DIR/format/inv_data_src_filter" ] ||
		fail "PMSDSFR_EL1 may be trapped, and is offered"
	unload_module
	[[ $BELIEVED = open* ]] || return 0
	load_module trust_firmware=1
	use_device
	[ -e "$SPE_DIR/format/inv_data_src_filter" ] ||
		fail "trust_firmware=1 opens no PMSDSFR_EL1"
	record_with_filters
}

# Each event writes the registers that it needs, whatever the previous one left.
record_with_filters() {
	local filter
	for filter in inv_data_src_filter=0xffffffffffff '' \
		inv_event_filter=0x2 ''; do
		pmscope record -q -o data -c 1024 -e "$SPE/$filter/u" -- \
			"$WORKLOAD/chase" 4194304 300000
		pmscope script --packets data | grep -c ' PC 0x' >>counted || true
	done
	note "records: $(paste -sd ' ' counted)"
	mapfile -t records <counted
	expect_true "${records[0]} < ${records[1]}" "without any data source"
	expect_true "${records[2]} < ${records[3]}" "without what retired"
}

# says_access PMU TEXT DOCTOR LOG: sysfs, doctor and the kernel log in one voice.
says_access() {
	expect_eq "$(cat "$PMUS/$1/caps/access")" "$2" "caps/access of $1"
	grep -qF " $1: $2" "$3" || fail "doctor does not say '$1: $2'"
	grep -qF ": $2" "$4" || fail "the log does not say '$2'"
}

# all_access SNAPSHOT-TEXT SPE-TEXT [PARAMETER...]
all_access() {
	kernel_log load_and_use "${@:3}"
	our_lines >ours
	pmscope doctor >findings || true
	says_access pmu_snapshot "$1" findings ours
	need_pmscope_spe
	says_access "$SPE" "$2" findings ours
}

load_and_use() {
	load_module "$@"
	use_device
}

test_everyone_says_how_access_is_known() {
	need_command pmscope
	all_access "$PMSCOPE_ACCESS" "$PMSCOPE_SPE_ACCESS"
}

test_the_administrator_is_believed() {
	need_command pmscope
	# A register that trapped when tried still traps.
	all_access "$(believed "$PMSCOPE_ACCESS")" \
		"$(believed "$PMSCOPE_SPE_ACCESS")" trust_firmware=1
}

believed() {
	local text=${1//unknown (not reported)/$BELIEVED}
	echo "${text//open (tried)/open (trusted)}"
}

# The same as the kernel's own driver has.
test_filters_are_offered_where_firmware_does_not_tell() {
	load_and_use
	need_pmscope_spe
	for filter in inv_event_filter inv_data_src_filter; do
		[ -e "$SPE_DIR/format/$filter" ] || fail "no $filter"
	done
	record_with_filters
}

test_doctor_says_that_there_is_no_pmu() {
	need_command pmscope
	load_and_use
	expect_status 1 pmscope doctor
	expect_match '^bad +pmu +the kernel has no CPU PMU' out
	expect_match '^bad +snapshots .* since the CPUs have no PMU' out
	expect_no_match 'backend=frozen' out
	expect_match '^SPE: +usable' out
}

# With PSCI from either implementation. A CPU that comes back is probed again.
test_cpus_go_and_come_back() {
	local online=/sys/devices/system/cpu/cpu1/online
	[ -w "$online" ] || skip "no second CPU that can go"
	load_module
	before=$(cat "$SNAPSHOT/caps/gate")
	for _ in 1 2 3; do
		echo 0 >"$online"
		echo 1 >"$online"
	done
	expect_eq "$(cat "$SNAPSHOT/caps/gate")" "$before" "caps/gate"
	perf stat -C 1 -x, -o out \
		-e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' \
		taskset 2 "$WORKLOAD/spin" 1000000
	expect_cycles_counted_twice out
}

test_spe_that_traps_is_refused() {
	! kernel_log load_and_use >out 2>&1 || fail "SPE traps, and was taken"
	our_lines >ours
	expect_match 'PMSIDR_EL1 was tried and traps.*MDCR_EL3.NSPB' ours
	expect_no_match 'Internal error|Oops' log
	# What is left works.
	perf stat -C 0 -x, -o out -e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' true
	expect_no_match '<not' out
}

# An access that traps to the kernel's own EL2 is the end of the machine.
test_no_register_that_own_el2_traps_is_touched() {
	load_module
	use_device
	need_pmscope_spe
	cat /sys/kernel/debug/pmscope/regs >regs
	expect_match '^cpu0 PMCR_EL0 ' regs
	expect_match '^cpu0 PMSFCR_EL1 ' regs
	expect_no_match ' (PMSS|PMEC|PMUAC|PMIC|PMBMA)' regs
	has_source_filter 0 || skip "no FEAT_SPE_FDS"
	if [ -e "$SPE_DIR/format/inv_data_src_filter" ]; then
		expect_match '^cpu0 PMSDSFR_EL1 ' regs
		record_with_filters
	else
		expect_no_match ' PMSDSFR_EL1 ' regs
		! perf record -q -o data -e "$SPE/config2=0x10000/u" true 2>err ||
			fail "PMSDSFR_EL1 is trapped, and was written"
	fi
}

test_hardware_back_end_where_nothing_blocks() {
	load_module backend=hardware
	expect_eq "$(cat "$SNAPSHOT/caps/backend")" hardware "caps/backend"
}

ktap_main "$@"
