#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf's own shell tests of SPE, with whichever driver owns the device.
. "$(dirname "$0")/../pmscope.sh"

# perf's tests give perf one second to start, which can be too short for an
# emulated CPU: here their sleep starts when the workload of `perf record` runs,
# and takes longer. The test of forks needs perf to go on after its program has
# run for 10 s.
patient_sleep() {
	# shellcheck disable=SC2317
	sleep() {
		local turns=600
		while [ $((turns--)) -gt 0 ] &&
			! pgrep -f '^(dd|perf test) ' >/dev/null; do
			command sleep 0.1
		done
		command sleep $((6 * $1))
	}
	export -f sleep
}

# perf records at the interval that the CPU recommends, also itself with -a:
# with 256 that is 90 MB, on which `perf script` and `perf report` take minutes.
need_time() {
	[ "$(cat "$SPE_DIR/caps/min_interval")" -ge 4096 ] ||
		skip "would take many minutes: caps/min_interval is below 4096"
}

# perf_test NAME: status 2 of the test is a skip. perf's test sleeps, and a busy host
# may be too slow for that, so one good run of three is a pass.
perf_test() {
	need spe time
	local script turn status=0
	script=$(find /usr/lib*/perf-core /usr/lib*/perf /usr/lib*/linux-perf* \
		-name "$1" -print -quit 2>/dev/null)
	[ -n "$script" ] || skip "perf's $1 is not installed"
	for turn in 1 2 3; do
		status=0
		(
			patient_sleep
			bash "$script"
		) >out 2>&1 || status=$?
		cat out
		[ "$status" != 2 ] || skip "$1 says it cannot run"
		[ "$status" != 0 ] || return 0
		note "$1: run $turn exits with $status"
	done
	return "$status"
}

test_arm_spe() { perf_test test_arm_spe.sh; }

test_arm_spe_fork() { perf_test test_arm_spe_fork.sh; }

test_perf_mem_report() {
	need spe time
	perf mem record -o data -- "$WORKLOAD/chase" 16777216 300000 \
		>info 2>err || fail "perf mem record: $(cat err)"
	perf mem report -i data --stdio >printed 2>errors
	expect_match '[0-9.]+% +[0-9]+ .*chase' printed
}

ktap_main "$@"
