#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope stat: who is counted, in what rows, and the skew that captures avoid.
. "$(dirname "$0")/../pmscope.sh"

before_each() {
	need pmscope snapshot
}

test_compare_shows_the_skew() {
	pmscope stat --compare -j -o out -C 0 -e cpu_cycles,inst_retired -- \
		taskset 1 "$WORKLOAD/spin" 20000000
	expect_eq "$(jq -s '[.[] | select(.skew_of) | .reads > 0] | all' out)" \
		true "both groups are read"
	expect_eq "$(jq -c 'select(.skew_of == "pmu_snapshot:cpu_cycles") | .max' \
		out)" 0 "largest skew of captures"
	expect_true "$(jq 'select(.skew_of) | select(.skew_of |
		startswith("armv8")) | .mean' out) > 0" "mean skew of the CPU's PMU"
	expect_eq "$(jq -s '[.[] | select(.event)] | length' out)" 4 "rows"
}

test_compare_wants_one_group_of_ours() {
	expect_status 1 pmscope stat --compare -a -e cpu-clock -- true
	expect_match "'cpu-clock' is not an event of pmu_snapshot" err
}

# The cores of the machine, each with all its CPUs; the sum is that of -A.
test_a_row_for_each_core() {
	pmscope stat -a --per-core -j -o out -e inst_retired -- true
	expect_eq "$(jq -s '[.[] | .cpus // 0] | add' out)" "$(nproc)" CPUs
	jq -r 'select(.core) | .core' out >cores
	[ "$(sort -u cores | wc -l)" = "$(wc -l <cores)" ] ||
		fail "a core has two rows"
	expect_no_match -v '^S[0-9]+-D[0-9]+-C[0-9]+$' cores
}

test_places_need_cpus() {
	expect_status 1 pmscope stat --per-core -- true
	expect_match 'require -a or -C' err
	expect_status 1 pmscope stat -a -A --per-core -- true
	expect_match '-A and --per-core are' err
}

test_captures_are_reported() {
	pmscope stat -C 0 -j -o out -e cpu_cycles -- true
	expect_true "$(jq 'select(.captures) | .captures' out) > 0" captures
	expect_eq "$(jq 'select(.captures) | .captures_failed' out)" 0 failures
	pmscope stat -C 0 -o out -e cpu_cycles -- true
	expect_match '[0-9]+  captures, 0.00% failed' out
}

# The events that the error names count.
test_topdown_names_what_the_CPU_lacks() {
	[ ! -e "$SNAPSHOT/names/op_retired" ] || skip "the CPU has OP_RETIRED"
	# The CPU goes by the name of one with a methodology of its own.
	expect_status 1 pmscope stat --topdown --midr 0x410fd4a0 -- true
	expect_match '^pmscope: --topdown: this CPU has no OP_RETIRED' err
	local events
	events=$(sed -n "s/.* -e '\(.*\)'$/\1/p" err)
	pmscope stat -j -o out -e "$events" -- true
	expect_eq "$(jq -s '[.[] | select(.metric_unit == "% of cycles")] |
		length' out)" 2 "shares of cycles"
}

test_topdown_of_neoverse_n1() {
	[ ! -e "$SNAPSHOT/names/op_retired" ] || skip "the CPU has OP_RETIRED"
	pmscope stat --topdown --midr 0x414fd0c1 -j -o out -- true
	expect_eq "$(jq -r 'select(.metric_group == "Cycle_Accounting") |
		.metric_name' out | paste -sd ' ')" \
		"frontend_stalled_cycles backend_stalled_cycles" metrics
}

test_metrics_by_name() {
	pmscope stat --list-metrics >list
	expect_match '^  ipc  ' list
	pmscope stat -M ipc -j -o out -- "$WORKLOAD/spin" 100000 >/dev/null
	expect_eq "$(jq -s '(map(select(.event | strings | test("inst_ret"))) |
		.[0].value) as $i | (map(select(.event | strings | test("cycles"))) |
		.[0].value) as $c | map(select(.metric_name == "ipc")) |
		(.[0].value - $i / $c) | . < 1e-6 and . > -1e-6' out)" true ipc
	expect_status 1 pmscope stat -M nonsense -- true
	expect_match "unknown metric or group 'nonsense'" err
	expect_status 1 pmscope stat -M ipc --per-thread -- true
	expect_match '--per-thread requires -p or -t' err
}

# A group of six and the cycles, then one event: with the counters of the machine
# these are two turns. Each turn of a group is one capture.
test_metrics_of_threads() {
	"$WORKLOAD/workers" thread 2 1000000000000 >/dev/null &
	local pid=$!
	# shellcheck disable=SC2064
	trap "kill $pid" EXIT
	local tasks=()
	until [ ${#tasks[@]} = 3 ]; do
		sleep 0.1
		tasks=("/proc/$pid/task/"*)
	done
	pmscope stat -M General,Cycle_Accounting --per-thread -p $pid -j -o out -- \
		sleep 0.3
	expect_eq "$(jq -r 'select(.metric_name == "ipc") | .thread' out |
		sort -u | wc -l)" \
		"$(jq -r 'select(.event) | .thread' out | sort -u | wc -l)" threads
	expect_true "$(jq -s 'map(select(.metric_name == "ipc" and .value > 0)) |
		length' out) >= 1" "threads with a value"
}

test_running_tasks() {
	"$WORKLOAD/spin" 1000000000000 >/dev/null &
	pmscope stat -p $! -I 10 -j -o out -e inst_retired:u 2>err &
	local stat=$!
	until [ -s out ]; do
		kill -0 "$stat" 2>/dev/null || {
			cat err
			fail "stat -p ends by itself"
		}
	done
	kill %1
	wait "$stat" || {
		cat err
		fail "stat -p fails"
	}
	expect_match '"event":"pmu_snapshot/inst_retired/u"' out
}

# perf core refuses a group while a child that inherited it exits.
test_children_that_end_while_they_are_read() {
	pmscope stat -I 1 -j -o out -e '{inst_retired:u,cpu_cycles:u}' -- \
		sh -c "for i in $(seq -s ' ' 100); do /bin/true & done; wait"
	expect_match '"event":"pmu_snapshot/inst_retired/u"' out
}

test_repeated_runs_have_a_spread() {
	pmscope stat -r 3 -j -o out -e inst_retired:u -- "$WORKLOAD/spin" 100000 \
		>/dev/null
	expect_eq "$(jq -s '[.[] | select(.spread_percent != null)] | length' out)" \
		1 "rows with a spread"
}

CPU1=/sys/devices/system/cpu/cpu1/online

bring_back() { echo 1 >$CPU1; }

# The kernel splits the groups of a CPU that goes offline.
test_a_cpu_that_goes_offline_is_counted_until_then() {
	need_root
	[ -w $CPU1 ] || skip "no CPU can go"
	local before
	trap bring_back EXIT
	pmscope stat -a -A -I 50 -x, -o out -e cpu_cycles,inst_retired -- \
		sh -c 'until [ -e go ]; do sleep 0.1; done' 2>err &
	wait_until "CPU 1 is counted" grep -q 'CPU1,[0-9]' out
	echo 0 >$CPU1
	before=$(wc -l <out)
	wait_until "counts go on" awk -v n="$before" \
		'NR > n && /CPU1,<not/ { k++ } END { exit k < 4 }' out
	touch go
	wait $! || fail "$(cat err)"
	expect_match '1 CPU went offline; measured until then$' err
	bring_back
	rm go
	pmscope stat -a -o out -x, -e cpu_cycles,inst_retired -- \
		sh -c 'touch runs; until [ -e go ]; do sleep 0.1; done' &
	wait_until "the program runs" test -e runs
	echo 0 >$CPU1
	touch go
	wait $! || fail "the sum of all is not printed"
	expect_match '^[0-9]+,,pmu_snapshot/inst_retired/' out
}

# Nobody sees at the end that it was away.
test_a_cpu_that_comes_back_is_reported() {
	need_root
	[ -w $CPU1 ] || skip "no CPU can go"
	local command
	trap bring_back EXIT
	for command in 'stat -o counts' 'record -q -o data'; do
		# shellcheck disable=SC2086
		expect_status 0 pmscope $command -a -e cs -- \
			sh -c "echo 0 >$CPU1; echo 1 >$CPU1"
		expect_match '1 CPU went offline; .* 1 came back and was not' err
	done
}

ktap_main "$@"
