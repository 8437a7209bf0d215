#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything at once for PMSCOPE_SECONDS (default 10): tools that open and
# close groups and recordings, streams, CPUs that come and go, a storm of forks,
# attempts to unload. run_kselftest.sh then reads the kernel log; what is asserted here is
# that each of them got on, and that the module still unloads and works.
. "$(dirname "$0")/../pmscope.sh"

GROUP='{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/,pmu_snapshot/event=0x11/}'

# A tool may find its CPU gone or the unit taken by another (perf ends with 255
# then): only a signal, a crash of the tool, is a failure.
tool() {
	local status=0
	"$@" >/dev/null 2>&1 || status=$?
	[ "$status" -le 128 ] || [ "$status" = 255 ] ||
		echo "status $status: $*" >>crashes
	# 4: skipped, as it will be each time.
	case $status in
	0 | 4) echo >>"done.$name" ;;
	esac
}

count_task() { tool perf stat -e "$GROUP" -- "$WORKLOAD/spin" 100000; }
count_all() { tool perf stat -a -e "$GROUP" -- "$WORKLOAD/spin" 100000; }
count_cpu() { tool perf stat -C 0 -I 10 -e "$GROUP" -- "$WORKLOAD/spin" 300000; }
count_forks() { tool perf stat -e "$GROUP" -- "$WORKLOAD/workers" fork 4 20000; }
count_core() { tool perf stat -a -e cycles,instructions -- "$WORKLOAD/spin" 100000; }

sample_group() {
	tool perf record -q -o group.data -c 1000000 \
		-e "{cpu-clock,pmu_snapshot/event=0x11/}:S" -- \
		"$WORKLOAD/spin" 300000
}

record_task() {
	tool perf record -q -o task.data -c 1024 -e "$SPE//" -- \
		"$WORKLOAD/loop" 100000
}

record_all() {
	tool perf record -q -o all.data -a -c 2048 -m ",$(pages 16)" -e "$SPE//" -- \
		"$WORKLOAD/loop" 100000
}

record_forks() {
	tool perf record -q -o forks.data -c 2048 -e "$SPE//" -- \
		"$WORKLOAD/workers" fork 4 20000
}

read_files() {
	tool find /sys/bus/event_source/devices/ /sys/kernel/debug/pmscope \
		-type f -exec cat {} +
}

# A record at each task switch, from a BPF program, and 10000 per second from a
# timer: what the buffers do not hold is counted.
streams() { tool "$HERE/../bpf/requests"; }

# Somebody has an event open all the time, so this must not succeed.
unload() {
	! rmmod pmscope 2>/dev/null || echo "unloaded while in use" >>crashes
	echo >>"done.$name"
}

hotplug() {
	local cpu
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ -w "$cpu" ] || continue
		tool dd if=/dev/stdin of="$cpu" status=none <<<0
		tool dd if=/dev/stdin of="$cpu" status=none <<<1
		sleep 0.3
	done
}

# again NAME: over and over, until the time is up and it has got on once.
again() {
	local name=$1
	trap - ERR
	set +e
	while [ "$SECONDS" -lt "$end" ] || [ ! -s "done.$name" ]; do
		"$name"
	done
}

test_all_at_once() {
	need root snapshot spe
	local loops=(count_task count_all count_cpu count_forks count_core
		sample_group record_task record_all record_forks read_files
		unload hotplug) loop pids=() holder idle
	[ ! -x "$HERE/../bpf/requests" ] || loops+=(streams)
	: >crashes
	idle=$(cat /sys/module/pmscope/refcnt)
	SECONDS=0
	end=${PMSCOPE_SECONDS:-10}
	perf stat -C 0 -e "$GROUP" >holder 2>&1 &
	holder=$!
	until [ "$(cat /sys/module/pmscope/refcnt)" -gt "$idle" ]; do
		kill -0 "$holder" || fail "the holder ended: $(cat holder)"
	done
	for loop in "${loops[@]}"; do
		again "$loop" &
		pids+=($!)
	done
	wait "${pids[@]}"
	kill "$holder" || fail "the holder ended: $(cat holder)"
	wait "$holder" || true
	for loop in "${loops[@]}"; do
		note "$loop: $(wc -l <"done.$loop") times"
	done
	[ ! -s crashes ] || fail "$(cat crashes)"
}

test_module_still_works() {
	need_module_file
	keep_module_state
	unload_module
	load_module
	perf stat -x, -o counts -C 0 -e "$GROUP" -- "$WORKLOAD/spin" 100000
	expect_eq "$(counts counts pmu_snapshot/event=0x11/ | uniq | wc -l)" 1 \
		"the two counts of cycles"
}

ktap_main "$@"
