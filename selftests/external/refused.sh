#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Frames that are not what they should be, by the caller's --cpu: each is refused, and
# the log and sysfs name why, PMSCOPE_REFUSED: CPU:WORD... What is given by external= is
# as good as what the device tree has.
. "$(dirname "$0")/../pmscope.sh"

EXTERNAL=$PMUS/pmu_external
MODULE=${PMSCOPE_MODULE:-/opt/pmscope/modules/$(uname -r)/pmscope.ko}

applies() {
	case ${PMSCOPE_REFUSED:+refused} in
	refused) [[ $1 == a_frame_that_lies* ]] ;;
	*) [[ $1 != a_frame_that_lies* ]] ;;
	esac
}

before_each() {
	need_root
	[ -d "$EXTERNAL" ] || skip "no pmu_external here"
}

test_a_frame_that_lies_is_refused_and_named() {
	local pair

	dmesg >log
	for pair in $PMSCOPE_REFUSED; do
		expect_match "^cpu${pair%:*} refused: .*${pair#*:}" \
			"$EXTERNAL/caps/frames"
		expect_match "CPU ${pair%:*}: the frame .* refused: .*${pair#*:}" log
		perf stat -C "${pair%:*}" -e pmu_external/event=0x8/ true \
			>out 2>&1 || true
		expect_match 'not supported|No such device' out
	done
	expect_eq "$(cat "$EXTERNAL/cpumask")" "" "CPUs that can be watched"
	pmscope doctor >out || true
	expect_match 'watching.* pmu_external counts no CPU' out
	expect_match 'a frame is refused: .*\(' out
}

test_the_layout_is_told() {
	expect_match '^cpu1 (arch|arm)$' "$EXTERNAL/caps/frames"
	expect_match '^cpu1 (capture|read)$' "$EXTERNAL/caps/pc"
	dmesg >log
	expect_match 'external: CPU 1: a frame at .* \(device tree\), layout ar' log
	pmscope doctor >out || true
	expect_match 'watching.* pmu_external counts CPUs 0-1 from other CPUs' out
}

# reload PARAMETER...
reload() {
	pmscope driver restore >/dev/null 2>&1 || true
	rmmod pmscope
	insmod "$MODULE" "$@"
}

# As the machine has them: the first CPU's frame is no second CPU's.
test_frames_that_the_administrator_names() {
	reload external=1:0x0b130000:0x0b110000
	expect_match '^cpu0 ar' "$EXTERNAL/caps/frames"
	expect_match '^cpu1 ar' "$EXTERNAL/caps/frames"
	# That CPU may be idle without power at any of these.
	for _ in {1..10}; do
		reload external=1:0x0b030000
		expect_match '^cpu1 refused: .*PMDEVAFF' "$EXTERNAL/caps/frames"
		sleep 0.1
	done
	reload external=1:0x0b130000:0x0b010000
	expect_match '^cpu1 refused: .*EDDEVAFF' "$EXTERNAL/caps/frames"
	reload external=off
	[ ! -d "$EXTERNAL" ] || fail "external=off is there"
	reload external=v8
	expect_match '^cpu1 ar' "$EXTERNAL/caps/frames"
	# A list with a mistake has no effect.
	reload external=1:0x0b030000,none
	expect_match '^cpu1 ar' "$EXTERNAL/caps/frames"
	reload external=none
	dmesg >log
	expect_match 'external=none: off, v8, v7, or CPU:ADDRESS' log
}

ktap_main "$@"
