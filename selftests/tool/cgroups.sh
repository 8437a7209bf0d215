#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --all-cgroups: the control group of each sample's thread. The kernel says
# in /proc where threads are, and perf script what the samples of the clock tell.
. "$(dirname "$0")/../pmscope.sh"

ROOT=/sys/fs/cgroup

before_each() {
	need pmscope jq pmscope_spe
	first=pmscope.$$/first second=pmscope.$$/second running=()
	mkdir -p "$ROOT/$first" "$ROOT/$second" 2>/dev/null ||
		skip "no control groups (version 2) here"
	trap leave_groups EXIT
}

leave_groups() {
	local pid
	for pid in "${running[@]}"; do
		kill "$pid"
		wait "$pid" || true
	done 2>/dev/null
	rmdir "$ROOT/$first" "$ROOT/$second" "$ROOT/pmscope.$$"
}

# start GROUP: a program that runs in it until the test ends
start() {
	"$WORKLOAD/spin" 1000000000000 >/dev/null &
	running+=($!)
	echo $! >"$ROOT/$1/cgroup.procs"
}

# groups_of PID: the groups of its samples, a line each with their number
groups_of() {
	pmscope report -i data --sort=cgroup --filter=pid="$1" --format=jsonl |
		jq -r 'select(.type == "row") | "\(.cgroup) \(.samples)"'
}

# The path that /proc has for a process
group_of() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }

test_each_thread_has_its_group() {
	start "$first"
	start "$second"
	pmscope record -q --all-cgroups -a -c 2048 -o data -- \
		"$WORKLOAD/loop" 3000000 >/dev/null
	for pid in "${running[@]}"; do
		groups_of "$pid" >groups
		note "$(cat groups)"
		expect_eq "$(awk '{ print $1 }' groups)" "$(group_of "$pid")" \
			"group of $pid"
	done
}

test_the_samples_of_the_clock_are_perf_s() {
	need_command perf
	start "$first"
	pmscope record -q --all-cgroups -a -F 500 -c 4096 -o data -- \
		"$WORKLOAD/loop" 3000000 >/dev/null
	perf script -i data --no-itrace -F sw:pid,cgroup >printed 2>err ||
		fail "perf script: $(cat err)"
	awk -v pid="${running[0]}" '$1 == pid { print $NF }' printed |
		sort -u >perfs
	expect_eq "$(cat perfs)" "$(group_of "${running[0]}")" "groups by perf"
}

# All samples of the first group are before those of the second.
test_a_thread_that_is_moved() {
	start "$first"
	pmscope record -q --all-cgroups -a -c 4096 -o data -- sh -c "
		'$WORKLOAD/loop' 3000000
		echo ${running[0]} >$ROOT/$second/cgroup.procs
		'$WORKLOAD/loop' 3000000" >/dev/null
	pmscope script -i data --filter=pid="${running[0]}" --format=csv \
		-F time,cgroup | awk -F, 'NR > 1 { print $2 }' | uniq -c >groups
	note "$(cat groups)"
	expect_eq "$(awk '{ print $2 }' groups)" \
		"$(printf '/%s\n' "$first" "$second")" groups
}

ktap_main "$@"
