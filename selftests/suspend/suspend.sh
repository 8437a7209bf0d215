#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The machine sleeps while tasks and CPUs are recorded and counted: all goes on
# afterwards, nothing is lost, nothing is written meanwhile.
#
# The clock of the machine wakes it. Only where the caller says that it may sleep:
# PMSCOPE_SUSPEND=1.
. "$(dirname "$0")/../spe/records.sh"

POWER=/sys/power
ALARM=/sys/class/rtc/rtc0/wakealarm
PERIOD=65536
TURNS=150000000

# need_sleep STATE
need_sleep() {
	[ -n "${PMSCOPE_SUSPEND:-}" ] ||
		skip "the machine would sleep: set PMSCOPE_SUSPEND=1"
	need_root
	[ -w $ALARM ] || skip "no clock that wakes the machine"
	grep -qw "$1" $POWER/state || skip "no $1 in $POWER/state"
}

# Suspend-to-idle for two or three seconds.  An alarm that comes before the machine
# sleeps keeps it from that: by wakeup_count the kernel knows which are new.
doze() {
	local turn count
	for turn in $(seq 20); do
		echo 0 >$ALARM
		count=$(cat $POWER/wakeup_count)
		echo +3 >$ALARM
		if echo "$count" >$POWER/wakeup_count && echo freeze >$POWER/state; then
			return
		fi
	done
	fail "the machine did not sleep in $turn turns"
}

# Hibernation without writing an image: all CPUs except the first go offline and
# come back, and the first saves its state.
hibernate() {
	echo core >$POWER/pm_test
	echo disk >$POWER/state || fail "the kernel refuses to hibernate"
	echo none >$POWER/pm_test
}

# over SLEEP RECORDER...: RECORDER runs the loop while the machine sleeps. The
# line of the loop goes to info.
over() {
	local sleep=$1 recorder
	shift
	"$@" >info &
	recorder=$!
	wait_until "the workload has started" test -s info
	$sleep
	pgrep -x loop >/dev/null || fail "the loop had ended before"
	wait $recorder || fail "$1 exits with $?"
}

# The largest distance of two records in time, in nanoseconds.
largest_gap() {
	pmscope script -i data --format=csv --fields=time | sort -n | awk '
		NR > 2 && $1 - last > most { most = $1 - last }
		{ last = $1 }
		END { printf "%.0f\n", most }'
}

# Nothing is written by a machine that sleeps.
slept() { expect_true "$(largest_gap) > 500000000" "no record for half a second"; }

# loop_over SLEEP MODIFIERS [OPTION...] -- [PREFIX...]: records the loop across
# a sleep; each of its operations belongs to one interval.
loop_over() {
	over "$1" pmscope record -q -o data \
		-e "$SPE/ts_enable=1,period=$PERIOD/$2" "${@:3}" \
		"$WORKLOAD/loop" $TURNS
	DECODER=perf decode data
	whole_records
	only "$(inside pc pc)"
	whole_loop $TURNS $PERIOD
}

test_a_task_is_recorded() {
	need_sleep freeze
	need spe pmscope
	loop_over doze u --
	slept
}

test_all_CPUs_are_recorded() {
	need_sleep freeze
	need spe pmscope
	loop_over doze "" -a --
	slept
}

test_groups_are_counted() {
	need_sleep freeze
	need_snapshot
	local events=pmu_snapshot/event=0x8/u
	over doze perf stat -x, -o counts -e "{$events,$events}" -- \
		"$WORKLOAD/loop" $TURNS
	cat counts
	awk -F, -v least=$((16 * TURNS)) '/event=0x8/ {
			n[k++] = $1
			bad += $5 != 100 || $1 < least || $1 > 1.001 * least
		}
		END { exit bad || k != 2 || n[0] != n[1] }' counts ||
		fail "of $((16 * TURNS)): $(grep -v '^#' counts)"
}

test_streams_go_on() {
	need_sleep freeze
	need snapshot pmscope
	local events=pmu_snapshot/inst_retired
	over doze pmscope record -q -a -o data \
		-e "{$events,period=10000000/,$events/}" -- \
		"$WORKLOAD/loop" $TURNS
	pmscope script -i data --format=csv --fields=cpu,lost >rows
	awk -F, 'NR > 1 {
			n[$1]++
			lost += $2
		}
		END {
			for (cpu in n)
				print "CPU " cpu ": " n[cpu] " records, " lost " lost"
			# A timer may be late on a busy host, and long rest.
			exit lost > NR || !n[0]
		}' rows >said || {
		head rows
		fail "$(cat said)"
	}
	note "$(paste -sd ';' said)"
}

test_a_task_is_recorded_over_hibernation() {
	need_sleep disk
	need spe pmscope
	loop_over hibernate u --
}

# Perf core removes the events of CPUs that go offline for good; the first CPU
# stays.
test_CPU_0_is_recorded_over_hibernation() {
	need_sleep disk
	need spe pmscope
	loop_over hibernate "" -a -- taskset 1
}

ktap_main "$@"
