#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stock perf counts with pmu_snapshot: one event listed twice gives the same
# number in every read, because each read of a group is one capture.
. "$(dirname "$0")/../pmscope.sh"

TWICE='{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/,pmu_snapshot/event=0x11/}'

# twice_equal FILE READS: of each three lines the first and the third hold the
# same count, which is above 0, and there are READS or more such groups.
twice_equal() {
	grep -v '^#' "$1" | grep pmu_snapshot/event >lines || {
		cat "$1"
		fail "perf printed no counts"
	}
	expect_no_match '<not (counted|supported)>' lines
	awk -F, -v reads="$2" '
		{ for (i = 1; $i !~ /^[0-9]+$/; i++) if (i > NF) exit 2
		  n[(NR - 1) % 3] = $i }
		NR % 3 == 0 { groups++; bad += n[0] != n[2] || n[0] == 0 }
		END { print groups + 0 " groups, " bad + 0 " bad"
		      exit !(groups >= reads && bad == 0) }' lines >summary || {
		cat summary lines
		fail "the two counts of event 0x11 are not equal in every read"
	}
	note "$(cat summary)"
}

before_each() { need_snapshot; }

test_one_read_of_a_cpu() {
	perf stat -C 0 -x, -o out -e "$TWICE" -- \
		taskset 1 "$WORKLOAD/spin" 1000000
	twice_equal out 1
}

test_every_interval() {
	perf stat -C 0 -I 10 -x, -o out -e "$TWICE" -- \
		taskset 1 "$WORKLOAD/spin" 50000000
	twice_equal out 3
}

test_all_cpus_one_by_one() {
	perf stat -a -A -x, -o out -e "$TWICE" -- \
		"$WORKLOAD/workers" fork 4 1000000
	sed 's/^CPU[0-9]*,//' out | sort -s -t, -k1,1 >/dev/null
	awk -F, '/^CPU/ { print $1 }' out | sort -u >cpus
	[ "$(wc -l <cpus)" = "$(nproc)" ] || fail "not one line for each CPU"
	while read -r cpu; do
		grep "^$cpu," out | cut -d, -f2- >one
		twice_equal one 1
	done <cpus
}

test_one_task() {
	perf stat --no-inherit -x, -o out -e "$TWICE" -- \
		"$WORKLOAD/spin" 1000000
	twice_equal out 1
}

test_task_with_children() {
	perf stat -x, -o out -e "$TWICE" -- \
		"$WORKLOAD/workers" fork 4 1000000
	twice_equal out 1
}

test_task_with_threads() {
	perf stat -x, -o out -e "$TWICE" -- \
		"$WORKLOAD/workers" thread 4 1000000
	twice_equal out 1
}

test_instructions_of_a_known_loop() {
	counts_are_exact || skip "instructions are not counted exactly here"
	local user='pmu_snapshot/event=0x8/u' small large
	perf stat -x, -o small -e "$user" -- "$WORKLOAD/spin" 1000000
	perf stat -x, -o large -e "$user" -- "$WORKLOAD/spin" 3000000
	small=$(grep -v '^#' small | cut -d, -f1 | tail -n 1)
	large=$(grep -v '^#' large | cut -d, -f1 | tail -n 1)
	expect_eq $((large - small)) 4000000 "2000000 iterations of 2 instructions"
}

test_children_are_counted() {
	counts_are_exact || skip "instructions are not counted exactly here"
	perf stat -x, -o out -e '{pmu_snapshot/event=0x8/u,pmu_snapshot/event=0x11/u}' \
		-- "$WORKLOAD/workers" fork 4 1000000
	local total
	total=$(grep event=0x8 out | cut -d, -f1)
	expect_true "$total >= 8000000 && $total < 10000000" \
		"4 children of 2000000 instructions each"
}

# Four at a time, because the machine has four counters.
test_each_name_counts() {
	sed 's,.*,pmu_snapshot/&/,' "$SNAPSHOT"/names/* | paste -sd ',,,\n' >lists
	while read -r list; do
		perf stat -C 0 -x, -o out -e "$list" -- true
		expect_no_match '<not (counted|supported)>' out
	done <lists
	expect_true "$(grep -o pmu_snapshot lists | wc -l) > 5" names
}

# A task of the cgroup and one outside it, on one CPU
test_tasks_of_a_control_group() {
	need_root
	group=pmscope-selftest
	cgroup=/sys/fs/cgroup/$group
	mkdir "$cgroup" 2>/dev/null || skip "no control groups (version 2) here"
	taskset 1 "$WORKLOAD/spin" 1000000000000 >/dev/null &
	spinning=$!
	trap 'kill $spinning; wait $spinning || true; rmdir "$cgroup"' EXIT
	echo "$spinning" >"$cgroup/cgroup.procs"
	perf stat -C 0 -x, -o out -e "$TWICE" -G "$group,$group,$group" -- \
		taskset 1 "$WORKLOAD/spin" 50000000
	twice_equal out 1
	expect_match ",$group," out
}

# count_in GROUPS [CMD...]: one event in each of the control groups, a line each
count_in() {
	perf stat -C 0 -x, -o out -e pmu_snapshot/event=0x1b/ \
		--for-each-cgroup "$(paste -sd, <<<"$1")" -- "${@:2}" 2>err
}

test_each_control_group_takes_a_counter() {
	need pmscope root
	local counters
	counters=$(grep -o '[0-9]*$' "$SNAPSHOT/caps/counters" | head -n 1)
	groups=$(seq -f pmscope-selftest-%g "$((counters + 1))")
	trap 'cd /sys/fs/cgroup && xargs rmdir <<<"$groups"' EXIT
	(cd /sys/fs/cgroup && xargs mkdir <<<"$groups") 2>/dev/null ||
		skip "no control groups (version 2) here"
	count_in "$(head -n "$counters" <<<"$groups")" true || fail "$(cat err)"
	expect_eq "$(grep -c pmscope-selftest out)" "$counters" groups
	! count_in "$groups" true || fail "more groups than counters are counted"
	expect_match '[Bb]usy' err
	# The counters of what has ended are given back a moment later.
	until [ -e told ] || count_in "$(head -n "$counters" <<<"$groups")" \
		sh -c 'until [ -e told ]; do sleep 0.1; done'; do
		sleep 0.1
	done &
	counting=$!
	trap 'touch told; wait $counting
		cd /sys/fs/cgroup && xargs rmdir <<<"$groups"' EXIT
	wait_until 'told of control groups' told_of_control_groups
}

told_of_control_groups() {
	! pmscope stat -C 0 -e pmu_snapshot/event=0x1b/ -- true 2>err &&
		grep -q 'events of others hold its counters.*control groups' err
}

# Why the module exists: the core PMU reads the same group counter by counter.
# This is a diagnostic, not a test: skew is no defect of that driver.
test_contrast_core_pmu_group() {
	local pmu
	pmu=$(core_pmu)
	perf stat -C 0 -I 10 -x, -o out \
		-e "{$pmu/event=0x11/,$pmu/event=0x8/,$pmu/event=0x11/}" -- \
		taskset 1 "$WORKLOAD/spin" 20000000
	note "$(awk -F, -v pmu="$pmu" 'index($0, pmu) { n[k++ % 3] = $2 }
		k && k % 3 == 0 && index($0, pmu) { skew = n[2] - n[0]
			if (skew) { groups++; sum += skew } reads++ }
		END { printf "%d of %d reads of a %s group are skewed", groups,
			reads, pmu
		      if (groups) printf ", by %d cycles in the mean", sum / groups
		}' out)"
}

ktap_main "$@"
