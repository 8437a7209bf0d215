# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# systemd.sh SECONDS - what ./systemd runs in a guest: systemd starts the sampler by
# its timer for SECONDS at least, while what happens to a host happens to it. What it
# leaves, and all that it ever left, goes to /mnt/out.
set -u
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
export PATH=/usr/sbin:/usr/bin:/sbin:/bin # without the tool of the checkout
LENGTH=$1
OUT=/mnt/out
DISK=/var/lib/private # of state directories of dynamic users
STATE=$DISK/pmscope
UNIT=/sys/fs/cgroup/system.slice/pmscope-sample.service
RELEASE=$(uname -r)
CPU1=/sys/devices/system/cpu/cpu1/online
BOUND=1800 # seconds that nothing takes longer than

# Seconds since boot: no step of the clock changes them.
uptime() {
	read -r UP _ </proc/uptime
	UP=${UP%.*}
}

# Without a process, of which an emulated machine starts few in a second
exec 7<> <(:)
pause() { read -rt 0.1 -u 7 || true; }

say() {
	uptime
	echo "$UP $*" | tee -a $OUT/events
}

die() {
	say "FAILED: $*"
	inside journalctl --no-pager -b | tail -n 60
	# shellcheck disable=SC2086 # two processes
	kill $WATCH
	exit 1
}

# until_it CMD [ARG...]: waits until CMD succeeds
until_it() {
	local end
	uptime
	end=$((UP + BOUND))
	until "$@"; do
		pause
		uptime
		[ "$UP" -lt $end ] || die "not in $BOUND s: $*"
	done
}

# inside CMD [ARG...]: in the namespaces of systemd
inside() { nsenter -t "$INIT" -m -p -- "$@"; }

# How many runs began
number() {
	NUMBER=0
	[ ! -e $STATE/number ] || read -r NUMBER _ <$STATE/number
}

began_more_than() {
	number
	[ "$NUMBER" -gt "$1" ]
}

# Is a run later than run $1 there?
left_after() {
	local run
	for run in "$STATE"/runs/*; do
		[ "${run##*/}" = '*' ] || [ "${run##*/}" -le "$1" ] || return 0
	done
	return 1
}

# The next run that begins leaves its parts.
next_run() {
	number
	until_it left_after "$NUMBER"
}

running() { read -r _ 2>/dev/null <$UNIT/cgroup.procs; }
idle() { ! running; }

# A run began, and is over
run_passed() {
	number
	until_it began_more_than "$NUMBER"
	until_it idle
}

# there PATTERN: some file below the directory of the run
there() {
	local file
	# shellcheck disable=SC2231 # a pattern
	for file in "$STATE"/work/*/$1; do
		[ ! -s "$file" ] || return 0
	done
	return 1
}

recording() { there recording && pgrep -f '^pmscope record ' >/dev/null; }

# kill_one COMMAND: kills only this process of a run
kill_one() {
	local pid
	# shellcheck disable=SC2086 # a child of a moment may have the same name
	pid=$(pgrep -f "^pmscope $1 ") && kill -KILL $pid
}

kill_all() {
	inside systemctl kill --signal=KILL pmscope-sample.service
}

fill_disk() { dd if=/dev/zero of=$DISK/filler bs=4k 2>/dev/null; }

event_recorder_killed() {
	until_it recording
	until_it kill_one record
}

event_export_killed() {
	# What the export reads is whole, then.
	until_it there 'lake/dataset=*'
	until_it kill_one export
}

event_all_killed_while_recording() {
	until_it recording
	kill_all
}

event_all_killed_while_exporting() {
	until_it there 'lake/dataset=*'
	kill_all
}

event_disk_full() {
	until_it idle
	fill_disk
	run_passed
	rm $DISK/filler
}

event_disk_full_while_recording() {
	until_it recording
	fill_disk
	until_it idle
	rm $DISK/filler
}

unload() {
	inside sh -c 'pmscope driver restore && modprobe -r pmscope' \
		>>$OUT/unload 2>&1
}

event_module_reloaded() {
	until_it recording
	! unload || say "unloaded while it was in use"
	until_it unload
	run_passed
	inside sh -c 'modprobe pmscope && pmscope driver use'
}

# Forward while a run records, and back while none does
event_clock_stepped() {
	until_it recording
	date -s '+30 hours' >>$OUT/dates
	until_it idle
	next_run
	until_it idle
	date -s '-30 hours' >>$OUT/dates
}

event_cpu_offline() {
	until_it recording
	echo 0 >$CPU1
	until_it idle
	next_run
	until_it recording
	echo 1 >$CPU1
}

EVENTS=(recorder_killed export_killed all_killed_while_recording
	all_killed_while_exporting disk_full disk_full_while_recording
	module_reloaded clock_stepped cpu_offline)

# As a fleet's hosts send them: whatever has its name
ship() {
	local file
	(cd $STATE && find lake runs -type f) >/tmp/shipping 2>/dev/null
	while read -r file; do
		[ ! -e "$OUT/shipped/$file" ] || continue
		mkdir -p "$OUT/shipped/${file%/*}"
		cp $STATE/"$file" "$OUT/shipped/$file.tmp" &&
			mv "$OUT/shipped/$file.tmp" "$OUT/shipped/$file"
	done </tmp/shipping
}

# Recordings are links, so that they are still there when the run is over.
keep_recordings() {
	local file run
	for file in "$STATE"/work/*/recording; do
		run=${file%/*}
		run=${run##*/}
		[ ! -s "$file" ] || [ -e $DISK/kept/"$run" ] ||
			ln "$file" $DISK/kept/"$run" 2>/dev/null
	done
	for file in "$DISK"/kept/*; do
		run=${file##*/}
		[ ! -e "$file" ] || [ -e $STATE/work/"$run" ] || {
			cp "$file" $OUT/recordings/ && rm "$file"
		}
	done
}

# Each in a process of its own, as copies take longer than a recording may be there.
watch_recordings() {
	until [ -e /tmp/finished ]; do
		keep_recordings
		pause
	done
	keep_recordings
}

watch_parts() {
	local turn=0
	until [ -e /tmp/finished ]; do
		turn=$(((turn + 1) % 8))
		[ $turn != 1 ] || ship
		du -sk $STATE 2>/dev/null | cut -f 1 >>$OUT/sizes
		pause
		pause
	done
	ship
}

begin() {
	local unit
	mkdir -p $OUT/{recordings,shipped} $DISK
	mount -t tmpfs -o size=24M,mode=0700 none $DISK
	mkdir $DISK/kept
	# In the place of DKMS, which stage server tests
	mkdir -p "/lib/modules/$RELEASE/updates/dkms"
	cp "/opt/pmscope/modules/$RELEASE/pmscope.ko" \
		"/lib/modules/$RELEASE/updates/dkms/"
	depmod
	modprobe arm_spe_pmu # as udev does on a server
	for unit in console-getty.service ldconfig.service \
		systemd-binfmt.service proc-sys-fs-binfmt_misc.automount; do
		ln -s /dev/null /etc/systemd/system/$unit
	done
	echo 0123456789abcdef0123456789abcdef >/etc/machine-id
	ln -sf /lib/systemd/system/multi-user.target \
		/etc/systemd/system/default.target
}

systemd_is_up() {
	INIT=$(pgrep -o -x systemd) && inside systemctl is-active --quiet \
		multi-user.target 2>/dev/null
}

start_systemd() {
	unshare --pid --mount --fork --mount-proc env container=other \
		/lib/systemd/systemd --show-status=no </dev/null \
		>$OUT/systemd 2>&1 &
	until_it systemd_is_up
}

# As the README says, with a shorter time between runs.
install() {
	inside apt-get -q -y --no-install-recommends install \
		/mnt/deb/pmscope_*_arm64.deb
	modprobe pmscope
	pmscope driver use
	cat /mnt/settings >>/etc/pmscope/sample.conf
	mkdir -p /etc/systemd/system/pmscope-sample.timer.d
	cp /mnt/timer.conf /etc/systemd/system/pmscope-sample.timer.d/
	inside systemctl daemon-reload
	inside systemd-analyze --man=no verify pmscope-sample.timer \
		pmscope-sample.service >$OUT/verify 2>&1 || echo failed >>$OUT/verify
	inside systemd-run --quiet --unit=load sh -c 'while :; do
		/opt/pmscope/selftests/workload/hop 24 300000; sleep 1; done'
	inside sh -eux /mnt/enable
}

# at N: the Nth event does not begin before its time
at() {
	uptime
	[ "$UP" -ge $((BEGUN + $1 * LENGTH / (${#EVENTS[@]} + 1))) ]
}

main() {
	local event n=0
	WATCH=
	begin
	watch_recordings &
	WATCH=$!
	watch_parts &
	WATCH+=" $!"
	start_systemd
	say "systemd is up"
	install
	say "the timer runs"
	BEGUN=$UP
	next_run
	for event in "${EVENTS[@]}"; do
		n=$((n + 1))
		until_it at $n
		number
		say "$event: in or after run $NUMBER"
		event_"$event"
		next_run
	done
	n=$((n + 1))
	until_it at $n
	next_run
	inside systemctl stop pmscope-sample.timer
	until_it idle
	say "the timer is stopped"
	touch /tmp/finished
	# shellcheck disable=SC2086 # two processes
	wait $WATCH
	cp -r $STATE $OUT/state
	inside journalctl --no-pager -o cat -u pmscope-sample >$OUT/journal
	inside systemctl list-timers --all --no-pager >$OUT/timers
}

main
