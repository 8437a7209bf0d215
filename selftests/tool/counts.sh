#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat, pmscope stat and pmscope report say the same of one run of a program,
# to the last instruction. The program is a task that moves between CPUs, or one that
# makes threads or processes. All attach to it while it waits.
. "$(dirname "$0")/../pmscope.sh"

EVENT=pmu_snapshot/inst_retired/

# begin CMD...: CMD waits for a start signal. A failed test leaves no process,
# whose output the runner would wait for.
begin() {
	mkfifo go
	# shellcheck disable=SC2046
	trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
	# shellcheck disable=SC2016
	bash -c 'read -r line <go; exec "$@"' waits "$@" >program &
	program=$!
	observers=()
}

is_attached() {
	readlink "/proc/$1/fd/"* | grep -q perf_event &&
		grep -q '^State:[[:space:]]*S' "/proc/$1/status"
}

# observe CMD...: CMD counts or records the program, until that ends.
observe() {
	"$@" -p "$program" >"${#observers[@]}.out" 2>"${#observers[@]}.err" &
	observers+=($!)
	for _ in {1..600}; do
		is_attached $! && return
		sleep 0.1
	done
	cat ./*.err
	fail "'$*' does not attach"
}

# Enabling an event does not sleep, so a task that sleeps twice has it.
finish() {
	local pid
	for pid in "${observers[@]}"; do
		sleep 0.2
		wait_until "an observer sleeps" is_attached "$pid"
	done
	echo >go
	wait "$program" || fail "the program fails: $(cat program)"
	for pid in "${observers[@]}"; do
		wait "$pid" || { cat ./*.err && fail "an observer fails"; }
	done
}

# reported FILE: prints the event's count in the report of FILE.
reported() {
	pmscope report -i "$1" --format=jsonl | jq --arg event "$2" \
		'select(.type == "counter" and .event == $event) | .count'
}

expect_nothing_scaled() {
	pmscope report -i "$1" >text
	expect_no_match scaled text
	pmscope report -i "$1" --timeline >text
	expect_no_match scaled text
}

# All count user space, because the kernel still runs after the end.
observe_all() {
	observe perf stat -x, -o perf -e "$(core_pmu)/inst_retired/u"
	observe pmscope stat -x, -o stat -e "${EVENT}u"
	observe pmscope record -o data --no-spe --user --freq 200 \
		--snapshot inst_retired
}

# expect_all_equal LEAST: and no fewer
expect_all_equal() {
	local by_perf by_stat by_report
	by_perf=$(counts perf "$(core_pmu)/inst_retired/u")
	by_stat=$(counts stat "${EVENT}u")
	by_report=$(reported data "$EVENT")
	note "perf stat $by_perf, pmscope stat $by_stat, report $by_report"
	expect_true "$by_perf >= $1" "instructions"
	expect_eq "$by_stat" "$by_perf" "instructions by pmscope stat"
	expect_eq "$by_report" "$by_perf" "instructions by pmscope report"
	expect_nothing_scaled data
}

# slices FILE: the sum over a timeline, rounded.
slices() {
	pmscope report -i "$1" --timeline --format=jsonl | jq -s --arg event \
		"$EVENT" '[.[] | .counts[$event] // 0] | add | round'
}

before_each() {
	need snapshot pmscope jq
}

test_a_task_that_moves() {
	begin "$WORKLOAD/hop" 40 500000
	observe_all
	finish
	expect_all_equal 40000000
	expect_eq "$(slices data)" "$(reported data "$EVENT")" "sum of the slices"
	expect_eq "$(pmscope script -i data --format=jsonl |
		jq -s '[.[].cpu] | unique | length')" "$(nproc)" "CPUs"
}

# by_report: "N FUNCTION" of each that a clock found running, and by perf
ticks_by_report() {
	pmscope report -i data --sort=sym --weight=time --format=jsonl | jq -r '
		select(.clock_samples > 0) | "\(.clock_samples) \(.sym)"' | sort
}

ticks_by_perf() {
	perf script -i data --no-itrace -F event,ip,sym 2>/dev/null |
		awk '/cpu-clock/ { n[$3]++ }
			END { for (name in n) print n[name], name }' | sort
}

# What record takes beside SPE where nothing else is asked for
test_counters_and_a_clock_beside_spe() {
	need_spe
	begin "$WORKLOAD/hop" 40 2500000
	observe perf stat -x, -o perf -e "$(core_pmu)/inst_retired/u"
	observe pmscope record -o data --user
	finish
	! grep -q 'no counters beside SPE' 1.err ||
		skip "this kernel does not hand groups on to other tasks"
	expect_eq "$(reported data "$EVENT")" \
		"$(counts perf "$(core_pmu)/inst_retired/u")" "instructions"
	expect_nothing_scaled data
	ticks_by_report >ours
	ticks_by_perf >perfs
	note "$(paste -sd, ours)"
	expect_true "$(awk '{ n += $1 } END { print n + 0 }' ours) >= 10" "samples"
	expect_eq "$(cat ours)" "$(cat perfs)" "samples of the clock"
}

# time_of FILE: "FUNCTION SHARE ERROR", by samples of a clock or by gaps of SPE's
time_of() {
	pmscope report -i "$1" --weight=time --sort=sym --format=jsonl 2>&1 | jq -rs '
		[.[] | select(.type == "row" and .share > 0.05)] as $rows |
		([.[].clock_samples // 0] | add) as $n |
		$rows[] | .share as $p |
		"\(.sym) \($p) \(if .time_ns then .time_error / .time_ns * $p
			else 3 * ($p * (1 - $p) / $n | sqrt) end)"' | sort
}

# Without a clock, the gaps between samples tell the same, which operations do not.
test_time_without_a_clock() {
	need_spe
	pmscope record -q -o clock --user -- "$WORKLOAD/sums" 100 1
	pmscope record -q -o gaps --no-clock --user -- "$WORKLOAD/sums" 100 1
	time_of clock >ours
	time_of gaps >others
	note "$(paste -sd, ours); $(paste -sd, others)"
	expect_eq "$(pmscope annotate -i clock --format=jsonl | jq -r '
		select(.type == "function" and .share > 0.05) | "\(.sym) \(.share)"' |
		sort)" "$(cut -d ' ' -f 1,2 ours)" "time by annotate"
	expect_eq "$(cut -d ' ' -f 1 others | xargs)" "add_up fill look_up" "functions"
	while read -r name p error _ q more; do
		expect_true "($p - $q)^2 <= ($error + $more)^2" "$name"
		expect_true "$more < 0.05" "error of $name"
	done < <(paste -d ' ' ours others)
}

TURNS=100000000

# instructions_of CMD...: of spin, its interrupts among them, when CMD starts it
instructions_of() {
	"$@" perf stat -x, -o count -e "$(core_pmu)/inst_retired/" -- \
		"$WORKLOAD/spin" $TURNS >/dev/null
	counts count "$(core_pmu)/inst_retired/"
}

test_the_defaults_cost_a_hundredth_at_most() {
	need_spe
	counts_are_exact || skip "counts are not exact here"
	local record=(pmscope record -q -o data) alone all spe clock
	alone=$(instructions_of env)
	all=$(instructions_of "${record[@]}")
	spe=$(instructions_of "${record[@]}" --no-counters --no-clock)
	clock=$(instructions_of "${record[@]}" --no-counters)
	note "alone $alone, SPE +$((spe - alone)), with the clock" \
		"+$((clock - alone)), with all +$((all - alone))"
	expect_true "$alone >= 2 * $TURNS" "instructions"
	expect_true "$all * 100 <= $alone * 101" "1 % more at most"
}

# Another holds all counters, for each CPU and first.
test_counters_that_are_not_free() {
	need_spe
	local held
	held=$(printf "$(core_pmu)/event=0x3c/D,%.0s" {1..40})
	# shellcheck disable=SC2016
	perf stat -a -e "${held%,}" -- sh -c 'echo $$ >sleeper; exec sleep 600' \
		>/dev/null 2>&1 &
	holder=$!
	trap 'kill $holder $(cat sleeper) 2>/dev/null || true' EXIT
	# shellcheck disable=SC2016
	wait_until "the counters" eval \
		'[ "$(ls /proc/$holder/fd 2>/dev/null | wc -l)" -gt 40 ]'
	expect_status 0 pmscope record -o data --user -c 1024 -- \
		"$WORKLOAD/spin" 1000000
	expect_true "$(awk '/no counters beside/ { n++ } END { print n + 0 }' \
		err) <= 1" "told once at most"
	# One in 1024, and 128 more on average
	expect_true "$(pmscope report -i data --format=csv |
		awk -F, '$1 ~ /spin/ { print $3 }') >= 1700" "samples"
}

# Before Linux 6.12 samples of a group are of the first task alone.
need_inherited_groups() {
	! grep -q 'follow only the first task' 2.err || {
		finish
		skip "this kernel does not hand groups on to other tasks"
	}
}

test_threads_that_move() {
	begin "$WORKLOAD/workers" thread 4 2000000
	observe_all
	need_inherited_groups
	finish
	expect_all_equal 16000000
}

test_children_that_move() {
	begin "$WORKLOAD/workers" fork 4 2000000
	observe_all
	need_inherited_groups
	finish
	expect_all_equal 16000000
}

TOP_DOWN=(cpu_cycles op_retired op_spec stall_slot stall_slot_backend
	stall_slot_frontend)

# in_group FORMAT: the events of the first level, each as FORMAT has it
in_group() {
	local events
	# shellcheck disable=SC2059 # the caller's
	events=$(printf "$1," "${TOP_DOWN[@]}")
	echo "{${events%,}}"
}

# counts_in_order FILE: the name and the count of each of these events
counts_in_order() {
	local event
	for event in "${TOP_DOWN[@]}"; do
		echo "$event $(counts "$1" "$(core_pmu)/$event/u")"
	done
}

# top_down SLOTS FILE: the shares by Arm's formulas, from the counts of perf stat
top_down() {
	counts_in_order "$2" | awk -v width="$1" '
		function share(name, part) { printf "%s %.6f\n", name, 100 * part }
		{ count[$1] = $2 }
		END {
			slots = width * count["cpu_cycles"]
			used = (slots - count["stall_slot"]) / slots
			retired = count["op_retired"] / count["op_spec"]
			share("retiring", used * retired)
			share("bad speculation", used * (1 - retired))
			share("backend bound", count["stall_slot_backend"] / slots)
			share("frontend bound", count["stall_slot_frontend"] / slots)
		}'
}

# expect_top_down SLOTS CMD...: the shares that are printed, and what perf counts
# of the same run
expect_top_down() {
	begin "${@:2}"
	observe perf stat -x, -o perf -e "$(in_group "$(core_pmu)/%s/u")"
	observe pmscope stat -j -o stat -e "$(in_group 'pmu_snapshot/%s/u')"
	finish
	top_down "$1" perf >shares
	jq -r 'select(.metric_unit // "" | startswith("% of slots, ")) |
		"\(.metric_unit | ltrimstr("% of slots, ")) \(.metric)"' \
		stat >printed
	note "$2: $(paste -sd ' ' shares)"
	awk '{ sum += $NF } END { exit !(sum > 99.99999 && sum < 100.00001) }' \
		shares || fail "the shares are not all: $(cat shares)"
	cmp shares printed || fail "printed are $(paste -sd ' ' printed)"
	rm go
}

test_slots_top_down() {
	local slots
	slots=$(cat "$PMUS/$(core_pmu)/caps/slots" 2>/dev/null || echo 0)
	((slots)) || skip "PMMIR_EL1.SLOTS is 0 on these CPUs"
	expect_top_down $((slots)) "$WORKLOAD/hop" 40 500000
	expect_top_down $((slots)) "$WORKLOAD/branches" 100000
	expect_top_down $((slots)) sh -c 'seq 2000 | sort | md5sum'
}

# by_methodology NAME...: the metrics that stat printed of the last run
by_methodology() {
	jq -r 'select(.metric_name) | "\(.metric_name) \(.value)"' stat
}

# The same by Neoverse V1's formulas, whose corrections are by mispredictions.
test_top_down_of_neoverse_v1() {
	local slots
	slots=$(cat "$PMUS/$(core_pmu)/caps/slots" 2>/dev/null || echo 0)
	((slots)) || skip "PMMIR_EL1.SLOTS is 0 on these CPUs"
	pmscope stat --topdown --midr 0x411fd402 -j -o stat -- \
		"$WORKLOAD/branches" 100000 >/dev/null
	jq -r 'select(.event) | "\(.event | split("/")[1]) \(.value)"' stat |
		awk -v width=$((slots)) '
		{ n[$1] = $2 }
		END {
			c = n["cpu_cycles"]; s = width * c
			used = 1 - n["stall_slot"] / s
			done = n["op_retired"] / n["op_spec"]
			lost = 4 * n["br_mis_pred"] / c
			printf "frontend_bound %.6f\n",
				100 * (n["stall_slot_frontend"] / s - lost)
			printf "backend_bound %.6f\n",
				100 * n["stall_slot_backend"] / s
			printf "retiring %.6f\n", 100 * used * done
			printf "bad_speculation %.6f\n",
				100 * (used * (1 - done) + lost)
		}' >expected
	by_methodology | awk '{ printf "%s %.6f\n", $1, $2 }' >printed
	note "$(paste -sd ' ' printed)"
	cmp expected printed || fail "expected $(paste -sd ' ' expected)"
}

# perf records until the last sample on each CPU, and its report starts with the
# first. What runs after the last is in no sample.
test_a_recording_by_perf() {
	begin "$WORKLOAD/hop" 40 500000
	observe perf stat -x, -o perf -e "$(core_pmu)/inst_retired/u"
	local event=pmu_snapshot/event=0x8/u known all first last
	observe perf record --sample-cpu -o data -F 1000 \
		-e "{cpu-clock,$event}:S"
	finish
	known=$(reported data "$event")
	all=$(counts perf "$(core_pmu)/inst_retired/u")
	pmscope script -i data --format=jsonl |
		jq -s '[group_by(.cpu)[] | [.[].counts[1].value]]' >values
	first=$(jq 'map(.[0]) | add' values)
	last=$(jq 'map(.[-1]) | add' values)
	note "perf stat $all, report $known, samples from $first to $last"
	expect_eq "$known" $((last - first)) "instructions between samples"
	expect_true "$last <= $all" "instructions up to the last samples"
	expect_true "$last >= $all / 2" "instructions up to the last samples"
	expect_nothing_scaled data
}

ktap_main "$@"
