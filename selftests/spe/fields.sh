#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a record says besides where it is: events, targets, latencies, physical
# addresses, contexts, data sources.
. "$(dirname "$0")/records.sh"

test_branches_behave_as_written() {
	recording branches jitter=1 1024 branches 400000
	need_records 4000
	cp records all
	only "$(is pc always)"
	none 'events ~ /NOT-TAKEN/' "the branch that is always taken is not"
	none 'tgt == "-"' "a taken branch has no target"
	expect_true "$(share 'events ~ /MISPRED/') < 0.05" "mispredictions of always"
	cp all records
	only "$(is pc never)"
	none 'events !~ /NOT-TAKEN/' "the branch that is never taken is"
	none 'tgt != "-"' "a branch that is not taken has a target"
	cp all records
	only "$(is pc random)"
	expect_true "$(share 'events ~ /NOT-TAKEN/') > 0.4 &&
		$(share 'events ~ /NOT-TAKEN/') < 0.6" "taken half of the time"
	expect_true "$(share 'events ~ /MISPRED/') > 0.25" "mispredictions of random"
}

test_targets_are_the_branches_targets() {
	recording branches jitter=1 1024 branches 400000
	only "$(is pc always)"
	none 'number(tgt) != number(pc) + 8' "the target is not two instructions on"
	recording loop jitter=1 1024 loop 200000
	only "op ~ /^B/ && $(inside pc pc)"
	none "!$(is tgt pc)" "the loop's branch does not go to its start"
}

test_memory_is_slower_than_cache() {
	recording near load_filter=1,jitter=1 1024 chase 16384 1000000
	chase_loads_only
	local near_latency near_refill far_latency far_refill
	near_latency=$(mean total)
	near_refill=$(share 'events ~ /L1D-REFILL/')
	recording far load_filter=1,jitter=1 1024 chase 67108864 1000000
	chase_loads_only
	far_latency=$(mean total)
	far_refill=$(share 'events ~ /L1D-REFILL/')
	note "16 KiB: latency $near_latency, L1D refills $near_refill"
	note "64 MiB: latency $far_latency, L1D refills $far_refill"
	expect_true "$far_latency > 4 * $near_latency" "latency of 64 MiB"
	expect_true "$near_refill < 0.05 && $far_refill > 0.9" "L1D refills"
	expect_true "$(share 'events ~ /TLB-REFILL/') > 0.3" "TLB refills of 64 MiB"
}

chase_loads_only() {
	only "op ~ /^LD/ && $(is pc pc)"
	in_range va va
}

test_latencies_fit_together() {
	recording far load_filter=1,jitter=1 1024 chase 67108864 1000000
	need_records 500
	none 'total == "-" || total == 0' "a record has no total latency"
	none 'issue == "-" || issue > total' "issued after it was complete"
	none 'op ~ /^(LD|ST)/ && xlat == "-"' "an access without translation latency"
}

test_data_source_of_loads() {
	local sources
	recording near load_filter=1,jitter=1 1024 chase 16384 1000000
	chase_loads_only
	none 'source == "-"' "a load without a data source"
	sources=$(awk '{ print $11 }' records | sort | uniq -c | sort -rn | head -1)
	note "16 KiB: $sources"
	expect_true "$(share 'source == "00"') > 0.9" "loads from the L1 data cache"
	recording far load_filter=1,jitter=1 1024 chase 67108864 1000000
	chase_loads_only
	expect_true "$(share 'source == "0e"') > 0.5" "loads from DRAM"
}

test_physical_address_on_request() {
	need_root
	record pa_enable=1,jitter=1 1024 loop 200000
	none 'op ~ /^(LD|ST)/ && pa == "-"' "an access without physical address"
	none 'va != "-" && substr(va, length(va) - 2) != substr(pa, length(pa) - 2)' \
		"virtual and physical address differ within a page"
	recording loop jitter=1 1024 loop 200000
	none 'pa != "-"' "a physical address that was not asked for"
}

test_context_is_the_thread() {
	need root spe
	perf record -q -B -o data -c 1024 -e "$SPE/jitter=1/u" -- \
		sh -c "echo \$\$ >pid; exec $WORKLOAD/loop 100000" >info
	decode data
	if ! only 'context != "-"'; then
		zgrep -q 'CONFIG_PID_IN_CONTEXTIDR is not' /proc/config.gz &&
			skip "the kernel leaves CONTEXTIDR alone"
		fail "no record has a context"
	fi
	none "context != $(cat pid)" "a record of another thread"
}

# contexts: does an unprivileged recording contain them?
contexts() {
	as_nobody perf record -q -B -o data -m 2,16 -c 1024 -e "$SPE//u" -- \
		"$WORKLOAD/loop" 20000 >info
	decode data
	need_records 200
	if [ "$(share 'context != "-"')" = 1.00000 ]; then echo 1; else echo 0; fi
	none 'context != "-" && context == 0' "a record of no thread"
	rm -f data
}

# CONTEXTIDR_EL1 and physical addresses are for the same users.
test_context_is_for_who_may_profile_the_kernel() {
	need root spe setpriv
	local paranoid=/proc/sys/kernel/perf_event_paranoid before level allowed
	before=$(cat $paranoid)
	# shellcheck disable=SC2064
	trap "echo $before >$paranoid" EXIT
	chmod 755 "$KTAP_DIR"
	chmod 777 .
	test_context_is_the_thread
	for level in 2 1; do
		echo $level >$paranoid
		allowed=0
		if as_nobody perf record -q -B -o tried -m 2,16 \
			-e "$SPE/pa_enable=1/u" -- true >out 2>&1; then
			allowed=1
		fi
		note "level $level: $allowed"
		expect_eq "$(contexts)" $allowed "contexts at level $level"
	done
}

ktap_main "$@"
