#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Errata of the CPUs are told, on those that have them and on no other.
. "$(dirname "$0")/../pmscope.sh"

MIDR=/sys/devices/system/cpu/cpu0/regs/identification/midr_el1

# Neoverse N1 before r4p1: implementer 0x41, part 0xd0c, variant and revision
biased() {
	local midr
	midr=$(($(cat $MIDR)))
	[ $((midr & 0xff0ffff0)) = $((0x410fd0c0)) ] &&
		[ $((midr >> 16 & 0xf0 | midr & 0xf)) -lt $((0x41)) ]
}

test_errata_of_these_CPUs_and_no_others() {
	need_pmscope_spe
	[ -r $MIDR ] || skip "the kernel does not show MIDR_EL1"
	if ! biased; then
		expect_eq "$(cat "$SPE_DIR/errata")" "" "errata"
		return
	fi
	expect_match '^1694299 .*branches' "$SPE_DIR/errata"
	note "$(cat "$SPE_DIR/errata")"
	dmesg >log
	expect_match 'pmscope .*erratum 1694299: ' log
}

test_doctor_tells_them() {
	need pmscope_spe pmscope
	[ -n "$(cat "$SPE_DIR/errata")" ] || skip "these CPUs have no known erratum"
	pmscope doctor >out || true
	expect_match 'erratum 1694299' out
}

ktap_main "$@"
