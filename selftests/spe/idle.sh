#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU that is switched off whenever it has nothing to do: profiling goes on
# where it was, in the same interval and the same buffer.
. "$(dirname "$0")/records.sh"

REGS=/sys/kernel/debug/pmscope/regs
export STATES=/sys/devices/system/cpu/cpu0/cpuidle

# How often CPU 0 was in an idle state deeper than WFI.
deep_idles() { cat $STATES/state[1-9]*/usage | awk '{ n += $1 } END { print n }'; }

before_each() {
	[ -e $STATES/state1/usage ] || skip "CPU 0 has no idle state but WFI"
	need spe pmscope
	export -f between_naps deep_idles
}

# CMD... again and again, with naps between, until CPU 0 was switched off TIMES.
between_naps() {
	local end=$(($(deep_idles) + $1)) turn
	shift
	for turn in $(seq 300); do
		"$@"
		sleep 0.01
		[ "$(deep_idles)" -lt "$end" ] || break
	done
	echo "$turn"
}

# recorded PERIOD TIMES TURNS: the loop, while CPU 0 is switched off TIMES.
recorded() {
	# shellcheck disable=SC2016
	pmscope record -q -C 0 -o data -e "$SPE/ts_enable=1,period=$1/u" -- \
		bash -c 'between_naps $1 taskset 1 "${@:2}" >said; tail -n 1 said >runs
			head -n 1 said >info' - "$2" "$WORKLOAD/loop" "$3"
	runs=$(cat runs)
	DECODER=perf decode data
}

test_no_record_is_lost() {
	local turns=60000 period=4096 runs
	recorded $period 100 $turns
	whole_records
	expect_eq "$(flagged $TRUNCATED)" 0 "truncated buffers"
	only "$(inside pc pc)"
	note "$runs runs, $(record_count) records of the loop"
	expect_true "sqrt(($(record_count) * ($period + 1) / \
		(16 * $turns * $runs) - 1) ^ 2) < .02" \
		"$(record_count) records of $runs times $turns turns"
}

# One that began anew where the CPU was off would hardly ever end.
test_an_interval_goes_on() {
	local turns=60000 period=2097152 runs
	recorded $period 200 $turns
	expect_true "$(record_count) >= int(16 * $turns * $runs / ($period + 1)) - 1" \
		"$(record_count) records of $runs times $turns turns"
}

# After an External abort that was no management event profiling must not go on from
# its pointers (D17.7.4): the CPU that is back has one, and the reader enables again.
test_an_abort_before_it_ends_the_window() {
	[[ " ${PMSCOPE_FAULTS:-} " = *" quiet-aborts "* ]] ||
		skip "the caller does not say that aborts are quiet here"
	local before runs
	before=$(total truncated)
	recorded 65536 100 60000
	note "$(total external_abort) aborts"
	expect_true "$(total truncated) > $before" "stats/truncated"
}

# arm_pmuv3 resets PMCR_EL0 when the CPU is back, and starts no counter if it
# has none.
test_freeze_stays_in_force() {
	need root pmscope_spe
	[ -e "$SPE_DIR/format/freeze" ] ||
		skip "no FEAT_SPEv1p2 and FEAT_PMUv3p7 here"
	[ -e "$REGS" ] || skip "no debugfs"
	pmscope record -q -C 0 -o data -e "$SPE/freeze=1,period=65536/u" -- \
		bash -c "between_naps 20 true >/dev/null; cat $REGS" >dump
	awk "$HEX"'$1 == "cpu0" && $2 == "PMCR_EL0" {
		exit int(number(substr($3, 3)) / 4294967296) % 2 != 1
	}' dump || fail "PMCR.FZS is 0: $(grep 'cpu0 *PMCR_EL0' dump)"
}

ktap_main "$@"
