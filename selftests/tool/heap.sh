#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --heap: which blocks a real program loads from, and how often.
. "$(dirname "$0")/../pmscope.sh"

# Two pools of one size, buffers that are at one address in turn, and an array
test_shares_of_blocks_and_members() {
	need_command pmscope
	need_spe
	pmscope record -q --heap -o data \
		-e "$SPE/ts_enable=1,load_filter=1,period=512,jitter=1/u" \
		-- "$WORKLOAD/heap" 400 >things
	pmscope script --format=csv -F object,member --filter=sym=load_all \
		data | tail -n +2 >all
	grep heap things >objects
	expect_shares 1 objects all 1000
	grep entry things >members
	grep make_table all >entries
	expect_shares 2 members entries 1000
	pmscope report --sort=object --weight=samples --format=csv \
		--filter=sym=load_all data >printed
	expect_eq "$(grep -c '^\[heap\] make_.* heap.c:[0-9]*,' printed)" 5 objects
}

# instructions OPTION...: of a program for an allocation and its end
instructions() {
	local pairs count=()
	for pairs in 1000 3000; do
		pmscope record -q "$@" -o data -- pmscope stat -j -o counted \
			-e instructions:u -- "$WORKLOAD/heap" 0 "$pairs" >things
		count+=("$(sed -n 's/.*"value":\([0-9]*\).*/\1/p' counted)")
	done
	echo $(((count[1] - count[0]) / 2000))
}

# More with --heap, of a small one that is not noted, and of one that is
test_instructions_of_an_allocation() {
	need_command pmscope
	need_spe
	[ -n "${PMSCOPE_EXACT:-}" ] || skip "instructions are not counted exactly"
	local none small noted
	none=$(instructions --no-counters)
	small=$(instructions --no-counters --heap)
	noted=$(instructions --no-counters --heap=0)
	note "$none; +$((small - none)) if it is not noted," \
		"+$((noted - none)) if it is"
	expect_true "$small - $none < 70" "small ones"
	expect_true "$noted - $none < 280" "noted ones"
}

ktap_main "$@"
