#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each filter lets through what it names and nothing else.
. "$(dirname "$0")/records.sh"

need_format() {
	need_spe
	[ -e "$SPE_DIR/format/$1" ] || skip "$SPE has no $1"
}

filtered() {
	record "$1,jitter=1" 1024 loop 1000000
	need_records "$2"
}

test_loads() {
	filtered load_filter=1 1500
	none 'op !~ /^LD/' "a record is no load"
}

test_stores() {
	filtered store_filter=1 700
	none 'op !~ /^ST/' "a record is no store"
}

test_branches() {
	filtered branch_filter=1 700
	none 'op !~ /^B/' "a record is no branch"
}

test_loads_and_stores() {
	filtered load_filter=1,store_filter=1 2200
	none 'op !~ /^(LD|ST)/' "a record is no access"
	expect_true "$(share 'op ~ /^LD/') > 0.6 && $(share 'op ~ /^LD/') < 0.73" \
		"two loads to a store"
}

test_minimum_latency() {
	record jitter=1 1024 chase 4194304 500000
	local all slow
	all=$(record_count)
	record min_latency=30,jitter=1 1024 chase 4194304 500000
	slow=$(record_count)
	none 'total < 30' "a record is below the minimum latency"
	expect_true "$slow > 100 && $slow < $all" "$slow of $all records are slow"
}

# Event 3 is an L1 data cache refill, event 5 a walk of the page table.
test_event() {
	record event_filter=0x8,load_filter=1,jitter=1 1024 chase 67108864 500000
	need_records 100
	none 'events !~ /L1D-REFILL/' "a record without the event"
}

# All the events must be there, not one of them.
test_two_events() {
	record event_filter=0x28,load_filter=1,jitter=1 1024 chase 67108864 500000
	need_records 50
	none 'events !~ /L1D-REFILL/ || events !~ /TLB-REFILL/' \
		"one event is missing"
}

test_inverse_event() {
	need_format inv_event_filter
	record inv_event_filter=0x4,jitter=1 1024 loop 300000
	need_records 1000
	none 'events ~ /L1D-ACCESS/' "a record with the other event"
	record inv_event_filter=0x8,jitter=1 1024 chase 4194304 500000
	need_records 100
	none 'events ~ /L1D-REFILL/' "a record with the event"
}

# Data source 0 is the L1 data cache. The bits are in config4 or, on kernels
# without it, in config2.
test_inverse_data_source() {
	need_format inv_data_src_filter
	record load_filter=1,inv_data_src_filter=0x1,jitter=1 1024 loop 300000
	none 'source == "00"' "a load of the loop from the L1 data cache"
	record load_filter=1,inv_data_src_filter=0x4000,jitter=1 1024 \
		chase 67108864 500000
	none 'source == "0e"' "a load from memory"
	record load_filter=1,inv_data_src_filter=0x1,jitter=1 1024 \
		chase 67108864 500000
	need_records 100
	none 'source == "00"' "a load from the L1 data cache"
}

# A mask without its filter: all but that type (FEAT_SPE_EFT).
test_all_but_loads() {
	local kind
	need_format load_filter_mask
	for kind in load:LD store:ST branch:B; do
		filtered "${kind%:*}_filter_mask=1" 6000
		none "op ~ /^${kind#*:}/" "a record is a ${kind%:*}"
	done
}

# Both filters and both masks: an operation that is load and store at once.
test_masks_are_all_required() {
	need_format load_filter_mask
	record load_filter=1,load_filter_mask=1,store_filter_mask=1,jitter=1 \
		1024 loop 1000000
	need_records 1500
	none 'op !~ /^LD/' "a record is no load"
}

# each_kind LIMIT PATTERN FIELD: FIELD and its mask, with a loop that has what it names
each_kind() {
	record "$3=1,jitter=1" 1024 limits "$1"
	need_records 50
	none "op !~ /$2/" "a record without $2"
	record "$3_mask=1,jitter=1" 1024 limits "$1"
	need_records 50
	none "op ~ /$2/" "a record with $2"
}

test_floating_point_and_vectors() {
	need_format float_filter
	each_kind fdivs FP float_filter
	each_kind copy SIMD simd_filter
}

ktap_main "$@"
