#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope top: what it shows of an interval is what the hardware sampled in it.
. "$(dirname "$0")/../pmscope.sh"

# spin: a program that runs until the test ends.
spin() {
	need pmscope root spe
	# shellcheck disable=SC2046
	trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
	"$WORKLOAD/spin" 1000000000000 >range &
	program=$!
	wait_until "the program has begun" test -s range
}

# shown FILE: the number of samples in each first line.
shown() { sed -n 's/^# pmscope top: \([0-9]*\) SPE samples in .*/\1/p' "$1"; }

# SAMPLE_FILTRATE counts the records that SPE writes, with a counter of its own.
test_top_shows_as_many_samples_as_the_PMU_counts() {
	spin
	local core counted
	core=$(core_pmu)
	# On all CPUs: at a context switch the kernel stops the PMU of counters of
	# the task before SPE.
	perf stat -a -x, -o counts -e "$core/event=0x4002/" -- \
		pmscope top --once -d 1 -c 16K -p "$program" >out
	counted=$(awk -F, '/event=0x4002/ { print $1 }' counts)
	note "$(head -n 1 out)"
	[ "$counted" -gt 100 ] || fail "only $counted samples"
	expect_no_match 'lost|truncated|collisions' out
	expect_eq "$(shown out)" "$counted" 'samples'
	expect_eq "$(awk '!/^#/ { n += $2 } END { print n }' out)" "$counted" \
		'samples of all rows'
	# The loop of two instructions has nearly all of them.
	expect_match "^ *9[0-9]\\.[0-9]+% .* spin_begin .*/workload/spin" out
}

test_top_of_all_tasks_shows_those_that_the_filter_keeps() {
	spin
	pmscope top --once -d 0.5 -s comm --filter='comm=spin' --weight=latency \
		>out
	expect_match '^100\.00% .* spin' out
	expect_match ', by latency, of those with comm=spin$' out
}

test_top_prints_lines_where_no_terminal_is() {
	spin
	mkdir empty
	cd empty
	timeout -s INT --preserve-status 4 pmscope top -d 0.3 -p "$program" \
		--limit=1 >../out </dev/null
	[ "$(shown ../out | wc -l)" -gt 1 ] || fail "$(cat ../out)"
	expect_no_match $'\033' ../out
	# Nothing is written to a file.
	expect_eq "$(ls -A)" '' 'files'
}

test_top_ends_with_what_it_shows() {
	spin
	(sleep 2 && kill "$program") &
	expect_status 0 timeout 60 pmscope top -d 30 -p "$program"
	expect_match '/workload/spin' out
	[ "$(shown out)" -gt 0 ] || fail 'no samples'
}

# What record says at its end, script prints and perf decodes.
test_record_says_how_many_samples_there_are() {
	need pmscope spe
	pmscope record -o data -c 64K -- "$WORKLOAD/spin" 30000000 2>err >range
	said=$(sed -n 's/.*MB, \([0-9]*\) SPE samples, .*/\1/p' err)
	[ "${said:-0}" -gt 100 ] || fail "$(cat err)"
	expect_eq "$(pmscope script -i data -F type | grep -c '^spe')" "$said" \
		'samples of script'
	expect_eq "$(perf report -i data -D | grep -c ' PC 0x')" "$said" \
		'samples that perf decodes'
}

ktap_main "$@"
