# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# guest.sh - an hour of the sampler in a few minutes: many runs, and between and in
# them what happens to a host: kills, a full disk, steps of the clock, CPUs that go
# and come, the module reloaded. What it leaves goes to /mnt/out, which
# selftests/sampler/run looks at.
set -u
DISK=/tmp/sampler
DIRECTORY=$DISK/state
OUT=/mnt/out
WORK=/opt/pmscope/selftests/workload
MODULE=/opt/pmscope/modules/$(uname -r)/pmscope.ko
CPU1=/sys/devices/system/cpu/cpu1/online
RUNS=0

# The capabilities of the unit, as setpriv takes them: +perfmon,+sys_ptrace,...
CAPABILITIES=$(sed -n 's/^AmbientCapabilities=//p' /mnt/pmscope-sample.service |
	tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')

# settings NAME=VALUE...: the rest of the configuration is always the same
settings() {
	printf '%s\n' seconds=0.1 'record=-a -c 16384 -s cycles,instructions -F 50' \
		export=--symbols samples_every=4 max_size=16M \
		max_recording=4M min_free=2M "$@" >/tmp/sample.conf
}

# sampler DIRECTORY: as the unit starts it, its user and capabilities
sampler() {
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		--inh-caps="-all,$CAPABILITIES" \
		--ambient-caps="-all,$CAPABILITIES" \
		--bounding-set="-all,$CAPABILITIES" \
		pmscope-sample -c /tmp/sample.conf -d "$1"
}

# The lines of log/N.txt tell what run N found; sizes has the disk it then took.
run_one() {
	RUNS=$((RUNS + 1))
	(sampler $DIRECTORY) >"$OUT/log/$RUNS.txt" 2>&1
	echo "status $?" >>"$OUT/log/$RUNS.txt"
	du -sk $DIRECTORY | cut -f 1 >>"$OUT/sizes"
}

# tree PID: the process and all below it
tree() {
	local child
	echo "$1"
	for child in $(pgrep -P "$1"); do
		tree "$child"
	done
}

# killed MOMENT: a run that is killed with its children when MOMENT comes: the file
# of that name appears in its directory, or it is over.
killed() {
	local pid
	RUNS=$((RUNS + 1))
	(sampler $DIRECTORY) >"$OUT/log/$RUNS.txt" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null &&
		! compgen -G "$DIRECTORY/$1" >/dev/null; do
		sleep 0.01
	done
	# shellcheck disable=SC2046 # several
	kill -KILL $(tree $pid) 2>/dev/null
	wait $pid
	echo "killed at $1: $?" >>"$OUT/log/$RUNS.txt"
}

fill_disk() { dd if=/dev/zero of=$DISK/filler bs=4k 2>/dev/null; }

begin() {
	mkdir -p $DISK $OUT/log
	mount -t tmpfs -o size=24M,mode=0755,uid=65534 none $DISK
	sysctl -q kernel.perf_event_paranoid=2 kernel.kptr_restrict=1
	ulimit -l unlimited
	settings
	while :; do
		"$WORK/hop" 24 300000 >/dev/null
		sleep 0.2
	done &
	LOAD=$!
}

main() {
	local moment day
	begin
	run_one
	for moment in 'work/*' 'work/*/recording' 'work/*/lake/.[0-9a-f]*' \
		'work/*/parts'; do
		killed "$moment"
	done
	run_one
	# A script that is killed alone leaves its recorder, which goes on.
	RUNS=$((RUNS + 1))
	(sampler $DIRECTORY) >"$OUT/log/$RUNS.txt" 2>&1 &
	until compgen -G "$DIRECTORY/work/*/recording" >/dev/null; do
		sleep 0.01
	done
	kill -KILL $!
	run_one
	# Full before a run, and while one records
	fill_disk
	run_one
	rm $DISK/filler
	settings min_free=0
	fill_disk
	run_one
	rm $DISK/filler
	settings
	run_one
	for day in '2031-01-01' '2026-11-01'; do
		date -s "$day" >/dev/null
		run_one
	done
	echo 0 >"$CPU1"
	run_one
	echo 1 >"$CPU1"
	rmmod pmscope
	run_one
	insmod "$MODULE"
	pmscope driver use --module="$MODULE" >/dev/null
	run_one
	cp -r $DIRECTORY/. $OUT/state
	cat $DIRECTORY/number >$OUT/began
	# A smaller bound, and every system call of a run
	settings max_size=200K max_recording=64K
	run_one
	find $DIRECTORY/runs -type f -printf '%f\n' >$OUT/kept
	strace -f -qq -o /tmp/calls pmscope-sample -c /tmp/sample.conf \
		-d /tmp/traced >$OUT/traced.txt 2>&1
	sed -n 's/^[0-9]* *\([a-z_0-9]*\)(.*/\1/p' /tmp/calls | sort -u >$OUT/calls
	kill $LOAD
}

main
