#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What record refuses, and regs, doctor and driver on any machine.
# shellcheck disable=SC2016,SC2094 # programs for sh -c; several outputs
. "$(dirname "$0")/live.sh"

test_record_refuses_what_makes_no_sense() {
	local option command
	expect_status 1 "$PMSCOPE" record --no-spe -- true
	expect_status 1 "$PMSCOPE" record -u -k -- true
	expect_status 1 "$PMSCOPE" record --per-thread -a -- true
	expect_error "record: '0' is not a valid N for --count" record -e cs -c 0 -- true
	expect_status 1 "$PMSCOPE" record -e cs -F 0 -- true
	expect_error '--max-loss=101: .* at most 100 percent' record --max-loss=101 -- true
	expect_error 'cannot be combined with --max-loss' record --totals --max-loss=5 -- true
	expect_status 1 "$PMSCOPE" record --aux-size=3M -- true
	expect_match "'3M' is not a valid SIZE .*: a power of two, one page to 1024G$" err
	expect_error "'0' is not a valid DATA.*: pages, .* one page to 1024G$" record -m 0 -- true
	expect_status 1 "$PMSCOPE" record -e cs -o /nonexistent/x -- true
	expect_error "event 'cycels': unknown" record -e cycels -- true
	for option in --output --cgroup --input; do
		command=$([ $option = --input ] && echo report || echo record)
		expect_error "'' is not a valid [A-Z]* for $option$" "$command" $option=
	done
}

# refuses REGEX COMMAND...: before anything is measured
refuses() {
	expect_error "$1" "${@:2}"
	expect_eq "$(wc -l <err)" 1 "lines of error"
}

# Refuse options that would have no effect.
test_options_that_would_have_no_effect() {
	local option
	for option in --loads --stores --branches --min-latency=5 \
		--event-filter=2 --source=dram --filter=op=load --no-jitter \
		--physical --totals --max-loss=5; do
		refuses "${option%%=*} .*(--no-spe|requires SPE)" record "$option" --no-spe \
			-s cs -- true
	done
	for option in --loads --stores --branches --min-latency=5 \
		--event-filter=2 --source=dram --filter=op=load --no-jitter \
		--physical; do
		refuses "${option%%=*} .* -e" record "$option" -e cs -- true
	done
	for option in --max-loss=5 --totals; do
		refuses "${option%%=*} requires SPE" record $option -e cs -- true
	done
	refuses '-c applies to' record -c 5 --no-spe -s cs -- true
	refuses '-c and -F are mutually' record -F 500 -c 3 -e cs -- true
	refuses '--per-thread' record --per-thread -G / -e cs -- true
	refuses '-j and -x are mutually' trace -j -x, main -- true
	refuses '--module' driver --module=x.ko status
}

test_record_without_spe_says_so() {
	ls /sys/bus/event_source/devices/arm_spe_0 >/dev/null 2>&1 &&
		skip "this machine has SPE"
	expect_error 'no SPE PMU' record -- true
}

test_doctor_on_any_machine() {
	status=0
	"$PMSCOPE" doctor >out || status=$?
	expect_true "$status == 0 || $status == 1" "status $status"
	expect_match '^(ok|info) +machine +' out
	expect_match '^snapshots: (not )?usable' out
	"$PMSCOPE" doctor -j >out || true
	expect_match '^\{"snapshots":(true|false),"spe":(true|false)\}$' out
}

test_regs_decodes_a_saved_dump() {
	printf 'cpu1 PMSSCR_EL1 0x100000000\ncpu2 PMBSR_EL1 0x90020005\n' >dump
	expect_output '^cpu1 +PMSSCR_EL1 .*NC=1 \(not captured\)' regs -i dump
	expect_match 'PMBSR_EL1 .*EC=0x24 \(stage 1 abort\).*S=1' out
	works regs -j -C 2 -i dump
	expect_eq "$(wc -l <out)" 1 lines
	expect_match '"fields":\{"MSS2":"0x0","EC":"0x24"' out
	expect_error "no registers of CPUs '3,9'" regs -C 3,9 -i dump
	echo rubbish >>dump
	expect_error '^pmscope: dump: line 3' regs -i dump
}

test_regs_of_what_is_no_dump() {
	expect_status 1 "$PMSCOPE" regs -i .
	expect_eq "$(cat err)" 'pmscope: .: Is a directory' error
	expect_status 1 "$PMSCOPE" regs -i /dev/null
	expect_eq "$(cat err)" 'pmscope: /dev/null: no registers found' \
		error
	seq 100 >numbers
	expect_status 1 "$PMSCOPE" regs -i numbers
	expect_eq "$(wc -l <err)" 9 'lines of error'
	expect_match 'numbers: 92 more lines are not valid either$' err
}

test_driver_without_a_device() {
	grep -qs arm,statistical-profiling-extension-v1 \
		/sys/bus/platform/devices/*/of_node/compatible &&
		skip "this machine has an SPE device"
	ls -d /sys/bus/platform/devices/arm,spe-v1* >/dev/null 2>&1 &&
		skip "this machine has an SPE device"
	expect_status 3 "$PMSCOPE" driver use
	expect_status 1 "$PMSCOPE" driver
	expect_error 'give one action: use, restore or status' driver restart
	expect_status 3 "$PMSCOPE" driver --device nope status
	expect_match nope err
}

ktap_main "$@"
