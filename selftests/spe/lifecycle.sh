#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings in which the CPU changes, and whom they are of: migration, hotplug,
# control groups; and buffers as large as memory allows.
. "$(dirname "$0")/records.sh"

CPU1=/sys/devices/system/cpu/cpu1/online
CPU1_FAIL=/sys/devices/system/cpu/cpu1/hotplug/fail
CPU_STATES=/sys/devices/system/cpu/hotplug/states
CGROUP=/sys/fs/cgroup

need_two_cpus() {
	[ "$(nproc)" -gt 1 ] || skip "one CPU only"
}

# The interval continues where the task left the other CPU: no operation is
# counted twice or omitted.
test_a_task_that_moves_between_cpus() {
	need spe two_cpus pmscope
	moving_loop "$SPE" 200000000 524288 0 1
}

bring_back() { echo 1 >$CPU1; }

test_a_cpu_that_goes_and_comes_back() {
	need root spe two_cpus pmscope
	[ -w $CPU1 ] || skip "no CPU can go"
	local turn
	trap bring_back EXIT
	pmscope record -q -a -o data -e "$SPE/ts_enable=1,period=16384/" -- \
		"$WORKLOAD/workers" fork 4 4000000 >info &
	local recorder=$!
	wait_until "the workload has started" test -s info
	for turn in 1 2 3; do
		echo 0 >$CPU1
		echo 1 >$CPU1
	done
	wait $recorder || fail "pmscope record exits with $?"
	decode data
	whole_records
	need_records 100
	pmscope record -q -C 1 -o data -e "$SPE/ts_enable=1,period=4096/u" -- \
		taskset 2 "$WORKLOAD/loop" 200000 >info
	decode data
	whole_records
	expect_true "$(record_count) > 700" "$(record_count) records behind turn $turn"
}

# A later callback refuses to let a CPU go offline: it stays, and its recording
# continues.
test_a_cpu_that_has_to_stay() {
	need root pmscope_spe two_cpus pmscope
	[ -w $CPU1_FAIL ] || skip "no CPU can be made to stay"
	local next
	next=$(sed -n 's|^ *\([0-9]*\): pmscope/gate:online$|\1|p' $CPU_STATES)
	pmscope record -q -C 1 -o data -e "$SPE/period=4096/u" -- sh -c "
		taskset 2 '$WORKLOAD/loop' 500000
		echo $next >$CPU1_FAIL
		echo 0 >$CPU1
		taskset 2 '$WORKLOAD/spin' 2000000" >info 2>errors || true
	expect_eq "$(cat $CPU1)" 1 "CPU 1 is online"
	expect_match 'Resource temporarily unavailable|I/O error' errors
	pmscope report -i data --format=csv --sort=comm >rows
	note "$(cut -d, -f1,2 rows | paste -sd ' ')"
	expect_match '^loop,' rows
	expect_match '^spin,' rows
}

# The largest power of two that is half of memory or less: 1 GiB of 4.
test_a_buffer_as_large_as_memory_allows() {
	need_spe
	[ -n "${PMSCOPE_SLOW:-}" ] || skip "takes long: set PMSCOPE_SLOW=1"
	local size=1
	while [ $((size * 2 * 2 * 1024)) -le \
		"$(sed -n 's/MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)" ]; do
		size=$((size * 2))
	done
	perf record -q -C 0 -o data -m ",${size}M" -c 1024 \
		-e "$SPE/ts_enable=1/u" -- taskset 1 "$WORKLOAD/loop" 300000 >info
	DECODER=perf decode data
	whole_records
	note "${size} MiB, $(record_count) records"
	expect_eq "$(flagged $TRUNCATED)" 0 "truncated buffers"
	expect_true "$(record_count) > 4600" "$(record_count) records of 4682"
}

# make_group: the control group pmscope-test, at $group, until the test ends.
make_group() {
	need root spe pmscope
	[ -w $CGROUP/cgroup.procs ] || skip "no control groups at $CGROUP"
	group=$CGROUP/pmscope-test
	mkdir "$group"
	# shellcheck disable=SC2064
	trap "rmdir $group" EXIT
}

test_a_control_group_and_no_other_task() {
	local group
	make_group
	pmscope record -q -G pmscope-test -o data \
		-e "$SPE/ts_enable=1,period=4096/u" -- sh -c "
		'$WORKLOAD/workers' fork 2 500000 >others &
		echo \$\$ >$group/cgroup.procs
		'$WORKLOAD/loop' 500000
		echo \$\$ >$CGROUP/cgroup.procs
		wait" >info
	pmscope report -i data --format=csv --sort=comm >rows
	note "$(cut -d, -f1,2 rows | paste -sd ' ')"
	expect_match '^loop,' rows
	expect_no_match '^workers,' rows
	expect_true "$(sed -n 's/^loop,\([0-9]*\),.*/\1/p' rows) > 1900" "records"
}

# The running program and its mappings from before are there, too.
test_a_task_that_comes_into_a_control_group() {
	local group
	make_group
	# shellcheck disable=SC2016
	pmscope record -q -G pmscope-test -o data \
		-e "$SPE/ts_enable=1,period=4096/u" -- sh -c '
		echo $$ >$1/cgroup.procs
		i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
		echo $$ >$2/cgroup.procs' sh "$group" $CGROUP
	pmscope report -i data --format=csv --sort=comm,dso >rows
	note "$(cut -d, -f1-3 rows | paste -sd ' ')"
	expect_match '^sh,/.*sh,' rows
	expect_no_match '^pmscope,' rows
}

ktap_main "$@"
