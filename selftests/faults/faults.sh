#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hardware that misbehaves, as the emulated machine can: nothing is torn, what
# was lost is counted and flagged, and the next recording is a good one.
#
# The caller, who set the machine up, names the faults in PMSCOPE_FAULTS:
# collisions, spurious, buffer-fault, external-captures.
. "$(dirname "$0")/../spe/records.sh"

need_fault() {
	case " ${PMSCOPE_FAULTS:-} " in
	*" $1 "*) ;;
	*) skip "this machine has no $1" ;;
	esac
}

before_each() { need_pmscope_spe; }

test_collisions_are_flagged_and_counted() {
	need_fault collisions
	local before
	before=$(total collisions)
	RECORDER=perf DECODER=perf record ts_enable=1 1024 loop 500000
	need_records 1000
	expect_true "$(flagged $COLLISION) > 0" "buffers with the collision flag"
	expect_true "$(total collisions) > $before" "stats/collisions"
}

# The interval is doubled until fewer buffers lose samples.
test_max_loss_makes_the_interval_longer() {
	need_fault collisions
	need_command pmscope
	local record
	record="pmscope record -o data --aux-size=$(pages 4) -c 1024 -u"
	$record --max-loss=10 -- "$WORKLOAD/loop" 3000000 >info 2>said
	expect_match 'interval was doubled [1-9][0-9]* times, up to [0-9]+ ' said
	note "$(grep doubled said)"
	$record --max-loss=100 -- "$WORKLOAD/loop" 500000 >info 2>said
	expect_no_match 'doubled' said
}

test_spurious_interrupts_do_no_harm() {
	need_fault spurious
	local before
	before=$(total spurious)
	record ts_enable=1 1024 loop 500000
	need_records 1000
	none 'pc == "-" || op == "-" || events == "-"' "a record is torn"
	expect_true "$(total spurious) > $before" "stats/spurious"
}

# The kernel logs the registers; the recording ends, the driver survives. The
# fault comes once on each CPU, so everything runs on one.
test_a_buffer_fault_is_reported() {
	need_fault buffer-fault
	local before class
	taskset -cp 0 "$BASHPID"
	before=$(total faults)
	kernel_log record ts_enable=1 1024 loop 500000
	none 'pc == "-" || op == "-" || events == "-"' "a record is torn"
	expect_true "$(total faults) > $before" "stats/faults"
	expect_eq "$(total fault_stage1)" "$(total faults)" "stats/fault_stage1"
	expect_match 'stage 1 data abort: translation fault, level 3 \(PMBSR' log
	note "$(grep -m 1 PMBSR log)"
	for class in fault_stage2 fault_gpc fault_impdef fault_too_large \
		fault_other external_abort data_loss collisions; do
		expect_eq "$(total $class)" 0 "stats/$class"
	done
	record ts_enable=1 1024 loop 100000
	need_records 1000
}

# At the end of a recording the driver's counts are printed in words.
test_losses_are_reported_at_the_end() {
	need_fault collisions
	need_command pmscope
	pmscope record -o data -e "$SPE/period=1024/u" -- \
		"$WORKLOAD/loop" 500000 >info 2>said
	expect_match 'SPE driver: [0-9]+ windows, .*[0-9]+ with collisions' said
}

# cpu_count NAME CPU: the count of one CPU.
cpu_count() { sed -n "s/^cpu$2 //p" "$SPE_DIR/stats/$1" | grep . || echo 0; }

test_losses_are_counted_on_their_cpu() {
	need_fault collisions
	[ -d /sys/devices/system/cpu/cpu1 ] || skip "there is one CPU"
	local before0 before1
	before0=$(cpu_count collisions 0)
	before1=$(cpu_count collisions 1)
	pmscope record -q -o data -C 1 -e "$SPE/period=1024/u" -- \
		taskset 2 "$WORKLOAD/loop" 500000 >info
	expect_eq "$(cpu_count collisions 0)" "$before0" "of CPU 0"
	expect_true "$(cpu_count collisions 1) > $before1" "of CPU 1"
}

# A collision gives no sample, so each sample stands for more operations.
test_totals_hold_with_collisions() {
	need_fault collisions
	need_snapshot
	pmscope record -q --totals -u -c 1024 -o data -- \
		"$WORKLOAD/loop" 500000 >info 2>said
	pmscope report -i data --format=jsonl --sort=op >rows
	local found error
	found=$(sed -n 's/.*"op":"LD.*"operations":\([0-9]*\).*/\1/p' rows)
	error=$(sed -n 's/.*"op":"LD.*"error95":\([0-9]*\).*/\1/p' rows)
	note "$found +- $error of 1000000"
	expect_true "sqrt(($found - 1000000) ^ 2) < 5 / 1.96 * $error" \
		"$found +- $error loads of 1000000"
}

test_external_captures_do_not_tear_a_group() {
	need_fault external-captures
	need_hardware_capture
	perf stat -C 0 -I 10 -x, -o out \
		-e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/,pmu_snapshot/event=0x11/}' \
		-- taskset 1 "$WORKLOAD/spin" 20000000
	awk -F, '/pmu_snapshot/ { n[k++ % 3] = $2 }
		/pmu_snapshot/ && k % 3 == 0 { reads++; bad += n[0] != n[2] }
		END { exit !(reads > 1 && !bad) }' out || {
		cat out
		fail "a group is torn"
	}
}

ktap_main "$@"
