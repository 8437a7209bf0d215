#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs of two kinds, as on big.LITTLE: each kind has an SPE PMU with its own
# capabilities, and an event records its task on the CPUs of its PMU only.
. "$(dirname "$0")/../spe/records.sh"

REGS=/sys/kernel/debug/pmscope/regs
PERIOD=4096

before_each() {
	need pmscope spe
	[ -d "$PMUS/arm_spe_1" ] || skip "one SPE PMU only"
}

# cpus_of PMU: its CPUs, one a line.
cpus_of() {
	tr ',' '\n' <"$PMUS/$1/cpumask" | while IFS=- read -r first last; do
		seq "$first" "${last:-$first}"
	done
}

first_of() { cpus_of "$1" | head -n 1; }

midr() { cat "/sys/devices/system/cpu/cpu$1/regs/identification/midr_el1"; }

test_each_PMU_has_the_CPUs_of_one_kind() {
	local pmu cpu
	for pmu in arm_spe_0 arm_spe_1; do
		cpus_of $pmu >>all
		for cpu in $(cpus_of $pmu); do
			expect_eq "$(midr "$cpu")" "$(midr "$(first_of $pmu)")" \
				"MIDR_EL1 of CPU $cpu of $pmu"
		done
	done
	expect_eq "$(sort all | uniq -d)" "" "CPUs of both"
	expect_eq "$(wc -l <all)" "$(nproc)" "CPUs of either"
	[ "$(midr "$(first_of arm_spe_0)")" != "$(midr "$(first_of arm_spe_1)")" ] ||
		fail "both PMUs are of one kind"
}

# field CPU REGISTER LOW BITS: of the raw dump.
field() {
	awk -v cpu="cpu$1" -v register="$2" -v low="$3" -v bits="$4" "$HEX"'
		$1 == cpu && $2 == register {
			print int(number(substr($3, 3)) / 2 ^ low) % 2 ^ bits
		}' "$REGS"
}

# Interval, CountSize of PMSIDR_EL1, PMSVer of ID_AA64DFR0_EL1
test_capabilities_are_those_of_its_CPUs() {
	need root pmscope_spe
	[ -e "$REGS" ] || skip "no debugfs"
	local pmu cpu intervals bits
	intervals=(256 - 512 768 1024 1536 2048 3072 4096)
	bits=(- - 12 16)
	for pmu in arm_spe_0 arm_spe_1; do
		cpu=$(first_of $pmu)
		expect_eq "$(cat "$PMUS/$pmu/caps/min_interval")" \
			"${intervals[$(field "$cpu" PMSIDR_EL1 8 4)]}" "interval of $pmu"
		expect_eq "$(cat "$PMUS/$pmu/caps/count_size")" \
			"${bits[$(field "$cpu" PMSIDR_EL1 16 4)]}" "latencies of $pmu"
		expect_eq "$(cat "$PMUS/$pmu/format/min_latency")" \
			"config2:0-$(($(cat "$PMUS/$pmu/caps/count_size") - 1))" \
			"min_latency of $pmu"
		expect_eq "$(test -e "$PMUS/$pmu/format/discard" && echo 1)" \
			"$([ "$(field "$cpu" ID_AA64DFR0_EL1 32 4)" -ge 3 ] && echo 1)" \
			"discard of $pmu"
	done
}

# Whoever binds it: what firmware opened is asked on the CPUs of the PMU.
test_features_are_those_of_its_CPUs() {
	need root pmscope_spe
	[ -e "$REGS" ] || skip "no debugfs"
	local binder pmu cpu
	trap 'use_device >&2' EXIT
	for binder in $(first_of arm_spe_0) $(first_of arm_spe_1); do
		restore_device
		taskset -c "$binder" pmscope driver use \
			--module="$(module_file)"
		for pmu in arm_spe_0 arm_spe_1; do
			cpu=$(first_of $pmu)
			expect_eq \
				"$(find "$PMUS/$pmu/format/" -name inv_event_filter | wc -l)" \
				"$(field "$cpu" PMSIDR_EL1 6 1)" \
				"inverse filter of CPU $cpu, bound by CPU $binder"
		done
	done
}

test_an_event_of_the_other_PMUs_CPU_is_refused() {
	expect_status 255 perf record -q -B -C "$(first_of arm_spe_1)" -o data \
		-e arm_spe_0// -- true
}

# by_cpu FILE: "CPU records" of the loop, a line a CPU.
by_cpu() {
	pmscope script -i "$1" --format=csv --fields=cpu,pc | awk -F, -v \
		first="$(first pc)" -v end="$(end pc)" '
		NR > 1 {
			pc = substr($2, 3)
			pc = substr("0000000000000000", length(pc) + 1) pc
			if (pc >= first && pc < end)
				n[$1]++
		}
		END { for (cpu in n) print cpu, n[cpu] }'
}

# of PMU: how many of the records by_cpu counted are of its CPUs.
of() {
	cpus_of "$1" | awk 'NR == FNR { is[$1] = 1; next }
		$1 in is { n += $2 } END { print n + 0 }' - counted
}

# near COUNT OPERATIONS WHAT
near() {
	note "$3: $1 records"
	expect_true "sqrt(($1 * $PERIOD / $2 - 1) ^ 2) < .02" "$3: $1 records"
}

test_one_command_records_both() {
	local turns=400000 scope=()
	for scope in -a ""; do
		# shellcheck disable=SC2086
		pmscope record -q $scope -o data -e "arm_spe/ts_enable=1,period=$PERIOD/u" \
			-- sh -c "taskset -c $(first_of arm_spe_0) '$WORKLOAD/loop' $turns
			taskset -c $(first_of arm_spe_1) '$WORKLOAD/loop' $((turns * 2))" \
			>infos
		head -n 1 infos >info
		by_cpu data >counted
		near "$(of arm_spe_0)" $((16 * turns)) "${scope:-task} on the first kind"
		near "$(of arm_spe_1)" $((32 * turns)) "${scope:-task} on the second"
	done
}

# by_cpu_perf FILE: the same as by_cpu, by perf script; i1i shows each record.
by_cpu_perf() {
	perf script -i "$1" --itrace=i1i -F cpu,ip 2>/dev/null | awk "$HEX"' {
		gsub(/[][]/, "")
		pc = substr("0000000000000000", length($2) + 1) $2
		if (pc >= "'"$(first pc)"'" && pc < "'"$(end pc)"'")
			n[$1 + 0]++
	} END { for (cpu in n) print cpu, n[cpu] }'
}

# perf itself (6.12, with either driver) exits when it reads data that CPUs of
# the second PMU wrote while events are enabled. So it reads only at the end,
# from an AUX area that holds everything.
test_stock_perf_records_both() {
	local turns=400000
	perf record -q -B -a -m ,4M -o data -c $PERIOD -e "arm_spe_0/ts_enable=1/u" \
		-e "arm_spe_1/ts_enable=1/u" -- \
		sh -c "taskset -c $(first_of arm_spe_0) '$WORKLOAD/loop' $turns
		taskset -c $(first_of arm_spe_1) '$WORKLOAD/loop' $((turns * 2))" >infos
	head -n 1 infos >info
	by_cpu data | sort >counted
	near "$(of arm_spe_0)" $((16 * turns)) "first kind"
	near "$(of arm_spe_1)" $((32 * turns)) "second kind"
	expect_eq "$(by_cpu_perf data | sort)" "$(cat counted)" "records of each CPU"
	DECODER=perf decode data
	whole_records
	expect_eq "$(pmscope script -i data --format=csv --fields=pc | sed 1d | wc -l)" \
		"$(record_count)" "records"
}

# An event of one PMU: what the task does on CPUs of the other is not a loss.
test_an_event_waits_while_its_task_is_elsewhere() {
	local pmu other turns=400000
	for pmu in 0 1; do
		other=arm_spe_$((1 - pmu))
		perf record -q -B -o data -c $PERIOD -e "arm_spe_$pmu/ts_enable=1/u" -- \
			sh -c "taskset -c $(first_of arm_spe_$pmu) '$WORKLOAD/loop' $turns
			taskset -c $(first_of $other) '$WORKLOAD/loop' $turns" >infos
		head -n 1 infos >info
		by_cpu data >counted
		near "$(of arm_spe_$pmu)" $((16 * turns)) arm_spe_$pmu
		expect_eq "$(of $other)" 0 "records of $other"
	done
}

# -C also chooses the PMUs; if one of them lacks a filter, the error names it.
test_options_choose_among_the_PMUs() {
	local pmu other=arm_spe_1
	for pmu in arm_spe_0 arm_spe_1; do
		pmscope record -q -o data -C "$(first_of $pmu)" \
			-e "arm_spe/ts_enable=1,period=$PERIOD/u" -- taskset \
			-c "$(first_of $pmu)" "$WORKLOAD/loop" 100000 >info
		by_cpu data >counted
		near "$(of $pmu)" 1600000 "-C of $pmu"
	done
	local with=("$PMUS"/arm_spe_[01]/format/inv_event_filter) without=arm_spe_0
	[ ${#with[@]} -eq 1 ] && [ -e "${with[0]}" ] || return 0
	[ "${with[0]}" != "$PMUS/arm_spe_0/format/inv_event_filter" ] ||
		without=arm_spe_1 other=arm_spe_0
	expect_status 1 pmscope record -o data --filter='event!=L1D-REFILL' -- true
	expect_match "$without cannot exclude samples by event" err
	expect_status 1 pmscope record -o data --filter='event!=L1D-REFILL' \
		-C "$(first_of $without)" -- true
	expect_status 0 pmscope record -o data --filter='event!=L1D-REFILL' \
		-C "$(first_of $other)" -- true
	expect_status 0 pmscope record -o data -C "$(first_of $other)" \
		-e 'arm_spe/inv_event_filter=8/' -- true
}

# Whichever CPU executes an operation, exactly one PMU counts it.
test_a_task_that_moves_between_kinds() {
	moving_loop arm_spe 100000000 65536 "$(first_of arm_spe_0)" \
		"$(first_of arm_spe_1)"
}

test_doctor_tells_each_kind() {
	local file
	pmscope doctor >findings || true
	for file in /sys/devices/system/cpu/cpu[0-9]*/regs/identification/midr_el1; do
		cat "$file"
	done | sort -u >kinds
	expect_true "$(wc -l <kinds) > 1" "kinds of CPUs"
	while read -r midr; do
		grep -q "^ok *machine .*$midr (CPU [0-9]" findings ||
			fail "doctor does not tell $midr"
	done <kinds
}

ktap_main "$@"
