# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# guest.sh - the recordings that selftests/recount/run looks at, made in a guest
# with 4 CPUs. Its arguments are the names of some; without any it makes all.
set -eu
WORK=/opt/pmscope/selftests/workload
PMU=armv8_pmuv3
OUT=/mnt/recordings
cd /tmp

# Keep pmscope's output for a look.
record() {
	local name=$1
	shift
	pmscope record -o "$OUT/$name.data" "$@" >>"$OUT/$name.log" 2>&1
}

# Copies of programs for perf's own cache would take most of its time.
stock() {
	local name=$1
	shift
	perf record -N -o "$OUT/$name.data" "$@" >>"$OUT/$name.log" 2>&1
}

# A thread that moves from CPU to CPU.
make_hops() {
	record hops -c 2048 -F 4000 -s cycles,instructions -- \
		"$WORK/hop" 24 100000
}

# Processes and threads, which inherit.
make_tasks() {
	record tasks -c 2048 -F 4000 -s cycles,instructions -- sh -c "
		$WORK/workers fork 5 60000; $WORK/hop 9 10000
		$WORK/workers thread 5 60000"
}

make_all_cpus() {
	record all_cpus -a -c 2048 -F 500 -s cycles,instructions -- \
		"$WORK/workers" fork 3 300000
}

make_some_cpus() {
	record some_cpus -C 0,2 -c 512 -F 500 -s instructions,cycles -- \
		"$WORK/hop" 12 20000
}

make_cgroup() {
	local group=/sys/fs/cgroup/recount
	mkdir -p $group
	record cgroup -G recount -c 512 -F 1000 -s cycles,instructions -- \
		sh -c "echo \$\$ >$group/cgroup.procs; $WORK/hop 9 20000
			$WORK/workers fork 2 50000"
}

make_totals() {
	record totals --totals --user -c 512 -- "$WORK/loop" 60000
}

make_totals_all() {
	record totals_all --totals -a -c 2048 --loads -- \
		"$WORK/workers" fork 3 100000
}

# Data addresses, physical ones too.
make_data() {
	record data -d --physical -a -c 512 --loads --stores -- \
		"$WORK/stores" 60000
	record data_of_task -d -c 512 -- "$WORK/loop" 40000
	record data_shared -d -c 2048 -- sh -c "
		for kind in true false atomic read; do
			$WORK/share \$kind 10000
		done"
}

# More events than counters: the groups take turns. Stock perf does not record
# how long each counted.
FIVE="$PMU/event=0x8/,$PMU/event=0x11/,$PMU/event=0x23/,$PMU/event=0x24/,$PMU/event=0x3c/"
make_shared() {
	local groups="{cpu-clock,$FIVE}:S,{cpu-clock,$FIVE}:S"
	record shared -F 4000 -e "$groups" -- "$WORK/hop" 24 300000
	record shared_all -F 4000 -a -e "$groups" -- "$WORK/workers" fork 3 300000
	record shared_tasks -F 4000 -e "$groups" -- "$WORK/workers" thread 3 900000
	stock shared_stock -e "{cpu-clock/freq=4000/,$FIVE}:S" \
		-e "{cpu-clock/freq=4000/,$FIVE}:S" -- "$WORK/hop" 24 300000
}

# Perf's own recordings, by CPU and by thread, and a pipe.
make_stock() {
	local terms=ts_enable=1,pa_enable=1,pct_enable=1
	stock stock -c 1024 -e "arm_spe_0/$terms/" -- "$WORK/hop" 9 20000
	stock stock_thread --per-thread -c 1024 -e "arm_spe_0/$terms/" -- \
		"$WORK/loop" 20000
	stock stock_groups -e '{cpu-clock/freq=8000/,pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/}:S' \
		-- "$WORK/hop" 24 300000
}

# Compressed records, a compressed file, and a pack; what this machine's perf and
# report read.
make_packed() {
	record packed -z -d -c 1024 -F 1000 -s cycles,instructions -- \
		"$WORK/sums" 2 1
	perf script -i "$OUT/packed.data" --itrace=i1i -F event,ip,sym \
		>"$OUT/packed.perf" 2>>"$OUT/packed.log"
	pmscope report --format=csv -i "$OUT/packed.data" >"$OUT/packed.report"
	pmscope archive -o "$OUT/packed.pack" "$OUT/packed.data"
	pmscope record -u -c 1024 -o "$OUT/whole.data.zst" -- \
		"$WORK/loop" 60000 >>"$OUT/packed.log" 2>&1
	zstd -q -d "$OUT/whole.data.zst" -o whole.data
	perf script -i whole.data --itrace=i1i -F event,ip,sym \
		>"$OUT/whole.perf" 2>>"$OUT/packed.log"
}

# The module's own streams.
make_stream() {
	record stream -e '{pmu_snapshot/cpu_cycles,period=200000/,inst_retired}' \
		-- "$WORK/hop" 24 300000
	record stream_all -a -e \
		'{pmu_snapshot/inst_retired,overflow,period=100000/,cpu_cycles}' \
		-- "$WORK/workers" fork 3 200000
}

# An AUX area that is soon full.
make_lost() {
	stock lost -m 4,4 -a -c 256 -e arm_spe_0/ts_enable=1/ -- \
		"$WORK/workers" fork 3 200000
}

# A pipe, and records by another clock.
make_forms() {
	pmscope record -o - -c 1024 -s cycles,instructions -- \
		"$WORK/hop" 12 40000 >"$OUT/pipe.data" 2>"$OUT/pipe.log"
	stock clock -k CLOCK_MONOTONIC -c 1024 \
		-e arm_spe_0/ts_enable=1/ -- "$WORK/hop" 9 20000
}

# stat NAME ARGUMENT...: what it prints in each form, with all that it read.
counted() {
	local name=$1 form
	shift
	for form in '' -j '-x;'; do
		local run=$OUT/stat_$name${form:0:2}
		# shellcheck disable=SC2086
		strace -X raw -xx -s 4096 -o "$run.log" \
			-e trace=openat,read,close,perf_event_open,getrusage \
			pmscope stat -o "$run.out" ${form/x/x } "$@" >/dev/null
		printf '%s\n' ${form/x/x } "$@" >"$run.arguments"
	done
}

make_stat() {
	local two="{cycles,instructions},{cpu-clock,$PMU/event=0x8/}"
	local shared="{$FIVE},{$FIVE},{cycles}"
	counted program -e "$two" -- "$WORK/hop" 8 20000
	counted threads -e "$two" -- "$WORK/workers" thread 3 50000
	counted cpus -a -A -e "$two" -- "$WORK/workers" fork 3 50000
	counted some -C 1,3 -e "$two" -- "$WORK/hop" 8 20000
	counted cores -a --per-core -e "$two" -- "$WORK/hop" 8 20000
	counted intervals -a -I 1 -e "$two" -- "$WORK/hop" 24 300000
	counted intervals_of_cpus -a -A -I 1 -e "$shared" -- \
		"$WORK/hop" 24 300000
	counted shared -e "$shared" -- "$WORK/hop" 24 300000
	counted repeated -r 3 -e "$two" -- "$WORK/workers" fork 2 20000
	counted repeated_shared -r 3 -e "$shared" -- "$WORK/hop" 24 100000
	counted slots --topdown -- "$WORK/hop" 24 300000
	counted slots_of_cpus --topdown -a -A -- "$WORK/workers" fork 3 50000
	counted slots_in_time --topdown -a -I 1 -- "$WORK/hop" 24 300000
	counted slots_repeated --topdown -r 3 -- "$WORK/hop" 24 100000
	counted turns --topdown --td-level 2 -- "$WORK/hop" 24 4000000
	counted turns_of_cpus --topdown --td-level 2 --midr 0x410fd493 -a -A -- \
		"$WORK/workers" fork 3 8000000
	counted metrics --metrics Cycle_Accounting,General -r 3 -- \
		"$WORK/hop" 24 100000
	for midr in 0x414fd0c1 0x410fd490 0x410fd493 0x411fd402 0x410fd4f0 \
		0x410fd8e0 0x410fd840; do
		counted "cpu_$midr" --topdown --midr $midr -- \
			"$WORK/branches" 20000
	done
	counted skew --compare -C 0 -e cycles,instructions -- \
		taskset 1 "$WORK/hop" 8 2000000
}

# The same program on 4, 2 and 1 CPUs, counted by perf and by pmscope.
make_agree() {
	local cpus cpu name
	for cpus in 4 2 1; do
		name=$OUT/agree_$cpus
		for cpu in 1 2 3; do
			echo $((cpu < cpus)) >/sys/devices/system/cpu/cpu$cpu/online
		done
		perf stat -x, -o "$name.perf" -e instructions:u -- \
			"$WORK/hop" 24 300000
		pmscope stat -x, -o "$name.stat" \
			-e pmu_snapshot/inst_retired/u -- "$WORK/hop" 24 300000
	done
	for cpu in 1 2 3; do
		echo 1 >/sys/devices/system/cpu/cpu$cpu/online
	done
}

# Builds of one program: the same at other addresses, and one with a slower loop.
make_builds() {
	local build run
	for run in 1 2 3; do
		for build in sums sums_again sums_slow; do
			record "$build$run" --totals --user -c 1024 -s instructions -- \
				"$WORK/$build" 6 $run
		done
	done
}

# Programs that wait for unlike things, in recordings with names that say nothing;
# "blind.key" says which is which. Two have loops of known instructions, and say on
# the first line where they are.
make_blind() {
	local kind number=0
	local -A command=(
		[chase]="$WORK/chase 67108864 200000"
		[translations]="$WORK/chase 17039360 200000 4160"
		[branches]="$WORK/branches 200000"
		[sharing]="$WORK/share turns 2000"
	)
	for kind in $(shuf -e "${!command[@]}"); do
		number=$((number + 1))
		# shellcheck disable=SC2086 # words
		record "blind$number" -c 512 --user -- ${command[$kind]}
		cp "$OUT/blind$number.data" "$OUT/$kind.data"
		cp "$OUT/blind$number.log" "$OUT/$kind.log"
		echo "blind$number $kind" >>"$OUT/blind.key"
	done
}

mkdir -p "$OUT"
[ $# -gt 0 ] || set -- hops tasks all_cpus some_cpus cgroup totals totals_all \
	data shared stock packed stream lost forms stat agree builds blind
for name; do
	make_"$name"
done
