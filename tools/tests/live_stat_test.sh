#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stat: what it counts, the forms of its output, what it refuses.
# shellcheck disable=SC2016,SC2094 # programs for sh -c; several outputs
. "$(dirname "$0")/live.sh"

test_stat_passes_on_the_exit_status() {
	need_perf_events
	expect_status 7 "$PMSCOPE" stat -e cs -- sh -c 'exit 7'
	expect_status 143 "$PMSCOPE" stat -e cs -- sh -c 'kill -TERM $$'
	expect_status 127 "$PMSCOPE" stat -e cs -- ./no-such-program
	expect_match "cannot run './no-such-program': No such file" err
}

test_stat_leaves_the_programs_output_alone() {
	need_perf_events
	works stat -e cs -- echo hello
	expect_eq "$(cat out)" hello output
	expect_match 'cs$|cs ' err
}

test_stat_csv() {
	need_perf_events
	works stat -x, -o - -e cs,page-faults,cpu-clock -- true
	expect_eq "$(wc -l <out)" 3 lines
	expect_eq "$(awk -F, '{ print NF }' out | sort -u)" 7 fields
	expect_eq "$(awk -F, 'NR == 2 { print $3 }' out)" page-faults event
	expect_eq "$(awk -F, 'NR == 3 { print $2 }' out)" msec unit
}

# Milliseconds as in perf, and the raw count in JSON.
test_stat_units_of_clocks() {
	need_perf_events
	works stat -x, -o - -e task-clock -- true
	expect_eq "$(awk -F, '{ print $2, ($1 * 1e6 - $4) ^ 2 < 1e10 }' out)" \
		'msec 1' 'time in CSV'
	works stat -j -o - -e task-clock -- true
	expect_eq "$(awk -F '[:,]' 'NR == 1 { print ($6 - $10) ^ 2 < 1e10 }' out)" \
		1 'time in JSON'
}

# Rows of one must not mix with those of another.
test_stat_of_several_groups() {
	need_perf_events
	works stat -x, -o - -e \
		'{page-faults:u},{cs:u,cpu-clock:u},{minor-faults:u}' -- true
	expect_eq "$(cut -d, -f 3 out | tr '\n' ' ')" \
		'page-faults:u cs:u cpu-clock:u minor-faults:u ' events
}

# The kernel refuses it of a member.
test_stat_of_pinned_groups() {
	need_perf_events
	works stat -x, -o - -e '{cpu-clock,faults}:D' -- true
	works stat -x, -o - -e cpu-clock:D -e faults:D -- true
	expect_eq "$(cut -d, -f 3 out | tr '\n' ' ')" 'cpu-clock:D faults:D ' \
		events
}

test_stat_on_a_full_disk() {
	need_perf_events
	expect_status 1 "$PMSCOPE" stat -o /dev/full -e cs -- true
	expect_eq "$(cat err)" 'pmscope: /dev/full: No space left on device' error
}

# As in perf, for shells that cannot write a tab in another way.
test_stat_fields_with_tabs_between() {
	need_perf_events
	works stat -x '\t' -o - -e cs -- true
	expect_eq "$(awk -F '\t' '{ print NF, $3 }' out)" "7 cs" fields
	expect_error "'' is not a valid SEP for --field-separator" stat -x '' -e cs -- true
}

# A reader of comma-separated values must see as many fields in each line.
test_stat_csv_with_a_name_that_holds_the_separator() {
	need_perf_events
	local software='software/config=3,config1=0/'
	[ -d /sys/bus/event_source/devices/software ] || skip "no such PMU"
	expect_output "^[0-9]+,,\"$software\",[0-9]+,100.00,,$" stat -x, -o - -e "$software" -- true
	expect_output "^[0-9]+;;$software;[0-9]+;100.00;;$" stat '-x;' -o - -e "$software" -- true
}

test_stat_json_sees_children() {
	need_perf_events
	works stat -j -o - -e page-faults -- true
	one=$(sed -n 's/.*"event":"page-faults".*"value":\([0-9]*\),.*/\1/p' out)
	works stat -j -o - -e page-faults -- sh -c \
		'/bin/true; /bin/true; /bin/true; /bin/true'
	five=$(sed -n 's/.*"event":"page-faults".*"value":\([0-9]*\),.*/\1/p' out)
	expect_true "$five > 2 * $one" "faults of the children"
	expect_match '^\{"elapsed_s":[0-9.]+,"user_s":[0-9.]+,"system_s":[0-9.]+\}$' out
}

test_stat_without_inherit_does_not() {
	need_perf_events
	works stat -i -x, -o - -e page-faults -- sh -c \
		'/bin/true; /bin/true; /bin/true; /bin/true; exit 0'
	alone=$(cut -d, -f1 out)
	works stat -x, -o - -e page-faults -- sh -c \
		'/bin/true; /bin/true; /bin/true; /bin/true; exit 0'
	expect_true "$(cut -d, -f1 out) > $alone" "faults with children"
}

test_stat_repeat() {
	need_perf_events
	works stat -r 3 -x, -o - -e page-faults -- sh -c 'echo x >>runs'
	expect_eq "$(wc -l <runs)" 3 runs
	expect_eq "$(awk -F, '{ print NF }' out)" 8 fields
	# The spread is in the same column as in perf.
	expect_match '^[0-9]+,,page-faults,[0-9.]+%,[0-9]+,100\.00,,$' out
}

# Each run opens its own files, and the limit may be low.
test_stat_repeats_close_their_files() {
	need_perf_events
	expect_status 0 sh -c 'ulimit -n 32 && exec "$@"' sh \
		"$PMSCOPE" stat -r 40 -x, -o - -e cs:u,page-faults:u -- true
}

# Whatever becomes of the program; a signal for the tool is the end.
test_stat_repeats_programs_that_fail() {
	need_perf_events
	expect_status 200 "$PMSCOPE" stat -r 3 -x, -o - -e cs:u -- \
		sh -c 'echo x >>runs; exit 200'
	expect_eq "$(wc -l <runs)" 3 "runs that fail"
	expect_status 139 "$PMSCOPE" stat -r 2 -x, -o - -e cs:u -- \
		sh -c 'echo x >>runs; kill -SEGV $$'
	expect_eq "$(wc -l <runs)" 5 "runs that crash"
	expect_status 143 "$PMSCOPE" stat -r 2 -x, -o - -e cs:u -- \
		sh -c 'echo x >>runs; kill $PPID; sleep 100'
	expect_eq "$(wc -l <runs)" 6 "runs until a signal"
}

test_stat_intervals_add_up() {
	need_perf_events
	works stat -I 20 -x, -o - -e page-faults -- sh -c \
		'i=0; while [ $i -lt 30 ]; do /bin/true; i=$((i + 1)); done'
	expect_true "$(wc -l <out) >= 1" "intervals"
	expect_eq "$(awk -F, '$1 < last { print "back" } { last = $1 }' out)" "" \
		"order of times"
}

test_stat_per_cpu() {
	need_system_wide
	works stat -a -A -x, -o - -e cs,cpu-clock -- true
	expect_eq "$(wc -l <out)" "$((2 * $(getconf _NPROCESSORS_ONLN)))" lines
	expect_match '^CPU0,' out
}

# A program that is only a timer is not counted.
test_stat_says_of_whom_the_counts_are() {
	expect_output "^ Counts for 'true':" stat -o - -e cs:u -- true
	expect_output '^ Counts for the tasks:' stat -o - -e cs:u -p $$ -- true
	need_system_wide
	expect_output '^ Counts for 1 CPU:' stat -o - -e cs -C 0 -- true
}

test_stat_refuses_what_makes_no_sense() {
	expect_error 'nothing to measure' stat
	expect_status 1 "$PMSCOPE" stat -a -p 1
	expect_status 1 "$PMSCOPE" stat -r 2 -I 100 -- true
	expect_error "stat: '0' is not a valid N for --repeat" stat -e cs -r 0 -- true
	expect_status 1 "$PMSCOPE" stat -e cs -I 0 -- true
	expect_status 1 "$PMSCOPE" stat -A -- true
	expect_error "'nonsense' is not a list of CPUs" stat -C nonsense -- true
	expect_status 1 "$PMSCOPE" stat -e '{cs,' -- true
	expect_error 'no-such-event' stat -e no-such-event -- true
	expect_error '4194305' stat -e cs -p 4194305
	expect_status 1 "$PMSCOPE" stat -e cs -o /nonexistent/x -- true
}

ktap_main "$@"
