#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --heap: which blocks a real program loads from, and how often.
. "$(dirname "$0")/../pmscope.sh"

# expect_shares COLUMN NAMES: samples of rows have the shares that things has for
# NAMES, a pattern, within 5 standard deviations
expect_shares() {
	grep "$2" things >known
	awk -F, -v column="$1" 'NR == FNR {
			at = match($0, / [0-9]+$/)
			of[substr($0, 1, at - 1)] = substr($0, at + 1)
			all += substr($0, at + 1); next }
		{ n++; seen[$column]++ }
		END { for (i in of) {
				p = of[i] / all
				bound = 5 * sqrt(p * (1 - p) / n)
				printf "# %s: %.4f of %d, %.4f +- %.4f\n", i,
					seen[i] / n, n, p, bound
				bad += seen[i] / n - p > bound ||
					p - seen[i] / n > bound
				left += seen[i]
			}
			print "# others:", n - left
			exit bad || n < 1000 || n - left > n / 1000 }' \
		known rows >shares || fail "$(cat shares; sort rows | uniq -c | head)"
	note "$(sed "s,^# ,," shares | paste -sd ";")"
}

# Two pools of one size, buffers that are at one address in turn, and an array
test_shares_of_blocks_and_members() {
	need_command pmscope
	need_spe
	pmscope record -q --heap -o data \
		-e "$SPE/ts_enable=1,load_filter=1,period=512,jitter=1/u" \
		-- "$WORKLOAD/heap" 400 >things
	pmscope script --format=csv -F object,member --filter=sym=load_all \
		data | tail -n +2 >all
	cp all rows
	expect_shares 1 heap
	grep make_table all >rows
	expect_shares 2 entry
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
