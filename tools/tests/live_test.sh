#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What record records: names, mappings, CPUs, nodes.
# shellcheck disable=SC2016,SC2094 # programs for sh -c; several outputs
. "$(dirname "$0")/live.sh"

before_each() { need_perf_events; }

test_record_is_read_back() {
	expect_status 5 "$PMSCOPE" record -e '{cpu-clock,page-faults}:Su' -F 5000 \
		-i -o a.data -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exit 5'
	expect_match 'a.data: .* snapshots or samples' err
	expect_output '"comm":"sh"' script --format=jsonl a.data
	expect_match '\{"event":"page-faults","value":[0-9]+\}' out
}

# A file truncated anywhere: an error, and never more records than the complete file
# has.
test_cut_recordings() {
	local size at whole
	"$PMSCOPE" record -q -e '{cpu-clock,page-faults}:Su' -F 5000 -o data -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	size=$(stat -c %s data)
	whole=$("$PMSCOPE" script --format=jsonl data | wc -l)
	for at in 7 16 104 $((size / 4)) $((size / 2)) $((size * 3 / 4)) \
		$((size - 1)); do
		head -c "$at" data >part
		expect_status 1 "$PMSCOPE" script --format=jsonl part
		expect_eq "$(wc -l <err)" 1 "lines of error, cut at $at"
		[ "$(wc -l <out)" -le "$whole" ] ||
			fail "cut at $at: more records than before"
	done
}

# A copy has another date; in a file and in a pipe.
test_record_knows_its_date() {
	local date
	date=$(date -u +%F)
	"$PMSCOPE" record -e task-clock -o f -- true 2>err || fail "$(cat err)"
	"$PMSCOPE" record -e task-clock -o - -- true >g 2>err || fail "$(cat err)"
	touch -d 2001-01-01 f g
	works export --format=parquet -o lake f g
	expect_no_match 'does not tell its date' err
	expect_eq "$(find lake -path "*/date=$date/*.parquet" | wc -l)" 12 parts
	expect_eq "$(find lake -name '*.parquet' | wc -l)" 12 'all parts'
}

test_record_pipe_keeps_the_programs_output_out() {
	works record -e cpu-clock:u -F 5000 -o - -- sh -c \
		'echo hello; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	expect_match hello err
	mv out a.pipe
	works script --format=jsonl a.pipe
}

# Many groups make its /proc entry long.
test_record_names_a_task_of_many_groups() {
	setpriv --groups "$(seq -s, 100000 101000)" sh -c "
		echo >ready; while [ -e ready ]; do :; done" 2>err &
	local task=$!
	wait_until "the task runs" test -e ready -o -s err
	[ ! -s err ] || skip "no groups for this user"
	works record -q -F 2000 -e '{cpu-clock,cs}:Su' -p $task -o g.data -- sh -c "
		ticks() { cut -d ' ' -f 14 /proc/$task/stat; }
		begin=\$(ticks)
		until [ \$((\$(ticks) - begin)) -ge 20 ]; do sleep 0.05; done"
	rm ready
	wait $task
	"$PMSCOPE" script g.data >printed
	expect_match '^sh ' printed
	expect_no_match '^\?' printed
}

# samples_after MS: samples of a program that takes some hundred ms, and its
# names
samples_after() {
	works record -q -F 5000 -e "{cpu-clock,cs}:Su" -D "$1" -o d.data -- sh -c \
		'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
	"$PMSCOPE" script d.data >printed
	wc -l <printed
}

# Names and mappings are recorded from the start, samples later.
test_record_starts_late() {
	expect_eq "$(samples_after 100000)" 0 "samples that come too early"
	grep -q libc d.data || fail "no mappings of the time before"
	expect_true "$(samples_after 1) > 10" "samples"
}

# While the file's beginning, which tells what there is, waits in a pipe, a
# process that is already told of becomes another. The rings have room for what
# else the machine does meanwhile.
test_record_sees_what_begins_while_it_begins() {
	need_system_wide
	local others=() recorder i
	mkfifo go pipe
	cp "$(command -v bash)" other
	bash -c 'read -r _ <go; exec ./other -c "while :; do :; done"' &
	others=($!)
	for i in {1..60}; do
		sleep 60 &
		others+=($!)
	done
	"$PMSCOPE" record -q -a -d -e '{cpu-clock,page-faults}:S' -F 1000 -m 32M \
		-o pipe -- sleep 0.5 &
	recorder=$!
	exec 3<pipe
	for ((i = 0; i < 100; i++)); do
		! grep -qs pipe_write "/proc/$recorder/wchan" || break
		sleep 0.1
	done
	echo >go
	wait_until "it runs" grep -qs '^other$' "/proc/${others[0]}/comm"
	sleep 0.2
	cat <&3 >a.data
	exec 3<&-
	wait "$recorder" || fail "record fails"
	kill "${others[@]}"
	"$PMSCOPE" script --format=csv -F comm,tid a.data >out
	expect_match "^other,${others[0]}$" out
	! grep -q "^bash,${others[0]}$" out || fail "the name of before"
}

# allowed_cpus: those that this process may use, a line each
allowed_cpus() {
	local first last
	taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
		while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done
}

# A task that started on a CPU that is not recorded has a name where it moves
# to.
test_record_knows_tasks_that_come_from_other_cpus() {
	need_system_wide
	local cpus
	mapfile -t cpus < <(allowed_cpus)
	[ ${#cpus[@]} -gt 1 ] || skip "one CPU"
	works record -q -C "${cpus[0]}" -e '{cpu-clock,page-faults}:Su' -F 5000 -o \
		a.data -- taskset -c "${cpus[1]}" bash -c \
		"taskset -cp ${cpus[0]} \$\$ >/dev/null
		for ((i = 0; i < 100000; i++)); do :; done; echo \$\$ >pid"
	"$PMSCOPE" script --format=csv -F comm,pid a.data >out
	expect_match "^bash,$(cat pid)$" out
}

# BPF programs that appear, and the period of each sample with a frequency.
test_record_asks_for_what_perf_does() {
	perf --version >/dev/null 2>&1 || skip "no perf"
	works record -q -e cs:u -o a.data -- true
	perf evlist -v -i a.data >events 2>err
	expect_match 'dummy:u: .*ksymbol: 1' events
	expect_match 'cs:u: .*sample_type: [A-Z|]*PERIOD' events
}

# record_stopped OPTION... -- [COMMAND...]: the tool is stopped until the
# program, bash, has ended: no record follows what was lost.
record_stopped() {
	local recorder child i
	# shellcheck disable=SC2016
	"$PMSCOPE" record -e page-faults:u -c 1 -m 1 -o a.data "$@" \
		bash -c 'kill -STOP $PPID; printf -v x "%*s" 40000000 ""' 2>err &
	recorder=$!
	for ((i = 0; i < 300; i++)); do
		read -r child </proc/$recorder/task/$recorder/children || :
		! grep -qs '^State:.*zombie' "/proc/${child:-none}/status" || break
		sleep 0.1
	done
	kill -CONT "$recorder"
	wait "$recorder" || fail "record fails"
	expect_match 'warning: [0-9]{4,} records lost' err
}

test_record_tells_what_was_lost_at_the_end() {
	record_stopped -i --
	works script a.data
	expect_match '^pmscope: [0-9]{4,} samples lost' err
}

test_what_was_lost_at_the_end_tells_its_cpu() {
	local cpu
	cpu=$(allowed_cpus | tail -n 1)
	record_stopped -- taskset -c "$cpu"
	perf script -D -i a.data 2>err | grep LOST_SAMPLES >lost
	expect_match "^$cpu .*PERF_RECORD_LOST_SAMPLES" lost
}

# The kernel lowers its limit at any time; perf record does so, too. No clock: a slow
# machine does nothing but serve a timer that is as fast.
test_more_samples_a_second_than_the_kernel_allows() {
	local max=/proc/sys/kernel/perf_event_max_sample_rate
	max=$(cat $max)
	works record -q -F $((max + 1)) -e cs:u -o f.data -- true
	expect_match "warning: -F $((max + 1)) .*: sampling $max times a second" err
}

test_sizes_in_pages() {
	local size
	for size in 16 '16,32' ',4M' '64K,1M' 3; do
		works record -q -e cs:u -m $size -o m.data -- true
	done
	for size in '' ',' 0 '16,' x '16,x' 16:; do
		expect_status 1 "$PMSCOPE" record -q -e cs:u -m "$size" -- true
	done
}

test_cpus_that_are_not_there() {
	need_system_wide
	works stat -o stat -C 0,1022-1023 -e cs -- true
	expect_match "skipping 2 offline CPUs of '0,1022-1023'" err
}

test_record_is_read_by_perf() {
	perf --version >/dev/null 2>&1 || skip "no perf"
	works record -e '{cpu-clock,page-faults}:Su' -F 5000 -i -o a.data -- sh -c \
		'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	perf script -i a.data >script 2>err
	expect_match ' sh +[0-9]+ .* cpu-clock' script
	expect_match ' sh +[0-9]+ .* page-faults' script
	perf report --header-only -i a.data >header 2>err
	expect_match "^# hostname : $(uname -n)" header
	expect_match '^# cmdline : .*record' header
	expect_match '^# group: .*\{cpu-clock,page-faults\}' header
	perf buildid-list -i a.data >ids 2>err
	expect_match '^[0-9a-f]{40} ' ids
}

nodes() {
	perf report -I --header-only -i "$1" 2>err |
		sed -n '/^# memory nodes/,/^#  *[0-9]* \[/p; /cpu list/p'
}

# Every other CPU of some thousands.
test_record_knows_the_cpus_of_large_nodes() {
	local file=/sys/devices/system/node/node0/cpulist
	[ -e $file ] || skip "no NUMA nodes here"
	unshare -m true 2>/dev/null || skip "no mounts for this user"
	seq -s, 0 2 2500 >list
	expect_status 0 unshare -m sh -c "mount --bind list $file && exec \
		$PMSCOPE record -q -e cs:u -o a.data -- true"
	grep -qaF "$(cat list)" a.data || fail "the list is not in the file"
}

# perf reads memory nodes and their CPUs like its own.
test_record_knows_the_memory_of_nodes() {
	[ -e /sys/devices/system/memory/block_size_bytes ] ||
		skip "the kernel does not tell blocks of memory"
	perf record -q -e cpu-clock:u -o b.data true 2>err ||
		skip "no perf: $(head -n 1 err)"
	works record -q -e cs:u -o a.data -- true
	nodes b.data >theirs
	[ -s theirs ] || skip "this perf does not tell nodes"
	nodes a.data >ours
	expect_eq "$(cat ours)" "$(cat theirs)" nodes
}

test_record_keeps_an_old_file() {
	echo old >a.data
	works record -q -e cs -o a.data -- true
	expect_eq "$(cat a.data.old)" old "kept file"
	mkdir b.data.old
	echo old >b.data
	expect_error 'b.data.old is a directory' record -q -e cs -o b.data -- true
	expect_eq "$(cat b.data)" old "file that cannot be kept"
}

# The sanitizers come before what is preloaded.
applies() {
	[ "$1" != record_on_older_kernels ] || ! grep -q __asan_init "$PMSCOPE"
}

# Like Linux 5.11 and older, without build-ids of mappings.
test_record_on_older_kernels() {
	cat >older.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <linux/perf_event.h>
	#include <sys/syscall.h>

	long syscall(long nr, struct perf_event_attr *attr, long a, long b,
		     long c, long d)
	{
		long (*next)(long, ...) = dlsym(RTLD_NEXT, "syscall");

		if (nr != SYS_perf_event_open || !attr->build_id)
			return next(nr, attr, a, b, c, d);
		errno = EINVAL;
		return -1;
	}
	END
	cc -shared -fPIC -o older.so older.c 2>err || skip "no compiler"
	LD_PRELOAD=$PWD/older.so expect_status 0 "$PMSCOPE" record -e cs \
		-o data -- sleep 0.01
	works report -i data
}

test_record_tells_what_it_has_no_memory_for() {
	local size
	export ASAN_OPTIONS+=:allocator_may_return_null=1
	for size in --data-size=512G --mmap-pages=512G; do
		expect_status 1 "$PMSCOPE" record -e cs -o data $size -- true
		expect_match '^pmscope: cannot map 536870912 KiB for records: .*; use a smaller size$' err
	done
}

test_record_of_what_is_no_control_group() {
	need_system_wide
	expect_status 1 "$PMSCOPE" record -e cs -o data -G /sys/kernel -- true
	expect_match 'the directory of --cgroup is not a control group$' err
	expect_status 1 "$PMSCOPE" record -e cs -o data -G /not-there -- true
	expect_match "control group '/not-there': /.*/not-there: No such file" err
}

ktap_main "$@"
