#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# diff on the command line: operands, conditions, exit status, bad input.
. "$(dirname "$0")/cli.sh"

# loads NR CYCLES: so many loads with that total latency, below 128.
loads() {
	local i cycles
	cycles=$(printf '\\x%02x' "$2")
	for ((i = 0; i < $1; i++)); do
		load 01
	done | sed "s/\x98\x09/\x98$cycles/g"
}

# recordings: old, slow (three times the latency) and same
recordings() {
	loads 200 9 >old
	loads 200 27 >slow
	loads 150 9 >same
}

# refuses WORDS OPTION...: one line on stderr, before a recording is read
refuses() {
	expect_status 1 "$PMSCOPE" diff "${@:2}"
	expect_eq "$(head -n 1 err)" "pmscope: diff: $1" "${*:2}"
	expect_eq "$(cat out)" '' 'nothing else'
}

test_diff_tells_slower_from_same() {
	recordings
	expect_output '^# Cost is in cycles of latency per 1000 samples$' diff --raw --sort=op old slow
	expect_match '^ +\+18000.0 .* costs more +LD GP-REG$' out
	expect_match '^ +lat_p90  9 -> 27  \+18 \(\+18 to ' out
	expect_output '^ +-18000.0 .* costs less +LD GP-REG$' diff --raw --sort=op slow old
	expect_output '^# 0 of 1 rows changed' diff --raw --sort=op old same
	expect_eq "$(head -n 1 out)" \
		'# Work: not known; record both with --totals' 'work'
	expect_match ' within noise +LD GP-REG$' out
	expect_output '^ +lat_p90  9 -> 9  \+0 .* within noise$' diff --raw -v --sort=op old same
}

test_diff_rows_that_only_one_has() {
	recordings
	for i in 1 2 3; do store 01; done >>slow
	for ((i = 0; i < 40; i++)); do store 01; done >>old
	expect_output '^ST GP-REG,costs less,40,3,' diff --raw --sort=op --format=csv old slow
	expect_output '^ST GP-REG,new,0,40,' diff --raw --sort=op --format=csv same old
	expect_output '^ST GP-REG,gone,40,0,' diff --raw --sort=op --format=csv old same
	expect_output '^ST GP-REG,too few samples,0,3,' diff --raw --sort=op --format=csv same slow
}

test_diff_forms() {
	recordings
	works diff --raw --sort=op --format=jsonl old slow
	expect_match '^\{"type":"summary","per":"samples",.*"rows":1,"compared":1,"changed":1,' out
	expect_match '^\{"type":"total","verdict":"costs more",' out
	expect_match '^\{"type":"row","op":"LD GP-REG","verdict":"costs more","samples_old":200,"samples_new":200,' out
	expect_match '"lat_p90":\{"old":9.000,"old_low":9.000,"old_high":9.000,"new":27.000,.*"change":18.000,"low":18.000,"high":18.000,"changed":true\}' out
	works diff --raw --sort=op --format=csv old slow
	expect_match '^op,verdict,samples_old,samples_new,cost_old,cost_new,cost_change,cost_low,cost_high,cost_changed,share_old,.*,mispred_changed,sources$' out
	expect_match '^LD GP-REG,costs more,200,200,9000.000,27000.000,18000.000,' out
	expect_match ',8=200/200$' out
}

test_diff_limit() {
	recordings
	for ((i = 0; i < 40; i++)); do store 01; done >>old
	expect_output '^# 1 more rows \(--limit\)$' diff --raw --sort=op --limit=1 old slow
	expect_match '^# 2 of 2 rows changed' out
	works diff --raw --sort=op --limit=1 --format=csv old slow
	expect_eq "$(wc -l <out)" 2 'lines'
}

test_diff_fail_if() {
	recordings
	expect_status 2 "$PMSCOPE" diff --raw --sort=op \
		--fail-if='lat.p90>+10%' old slow
	expect_match '^# old: old: 200 SPE samples$' out
	expect_eq "$(cat err)" "pmscope: lat.p90>+10% holds for the total and 1 of 1 rows; the first is LD GP-REG" 'err'
	expect_status 2 "$PMSCOPE" diff --raw --sort=op \
		--fail-if='rows:lat.p90>+10%,cost<-1' old slow
	expect_eq "$(cat err)" "pmscope: rows:lat.p90>+10% holds for 1 of 1 rows; the first is LD GP-REG" 'err'
	expect_status 2 "$PMSCOPE" diff --raw --sort=op \
		--fail-if='total:lat.p90>+10%' old slow
	expect_eq "$(cat err)" "pmscope: total:lat.p90>+10% holds for the total" 'err'
	works diff --raw --sort=op --fail-if='lat.p90>+201%' --fail-if=lat.p90\<-1 \
		old slow
	works diff --raw --sort=op --fail-if='lat.p90>0,cost>0,l1d_refill>0' old same
	expect_status 2 "$PMSCOPE" diff --raw --sort=op \
		--fail-if='lat.p90<-50%' slow old
}

# Damage wins: who cannot read all cannot judge.
test_diff_fail_if_of_damaged() {
	recordings
	printf '\xff\xff\xff\x5b' >>slow
	expect_error 'no SPE packet begins here' \
		diff --raw --sort=op --fail-if='lat.p90>+10%' old slow
	expect_match 'lat_p90  9 -> 27' out
}

test_diff_refuses_nonsense_before_it_reads() {
	refuses "--fail-if='cost>-5%': holds for rows that did not change; an increase is written >+LIMIT" \
		--fail-if='cost>-5%' none nowhere
	refuses "--fail-if='speed>5%': unknown measure; valid measures: cost, share, lat_mean, lat_p50, lat_p90, lat_p99, issue_mean, xlat_mean, l1d_refill, llc_refill, tlb_refill, mispred, ops, instructions, time, cycles" \
		--fail-if='speed>5%' none nowhere
	refuses "--fail-if='rows:ops>5%': is known of whole recordings only" \
		--fail-if='rows:ops>5%' none nowhere
	refuses "--fail-if='cost': missing < or >, for example lat.p90>+10%" \
		--fail-if=cost none nowhere
	refuses 'expected two recordings, OLD and NEW, or --filter-a or --filter-b and one' one
	refuses '--input requires --filter-a or --filter-b' -i f a b
	refuses "unexpected argument 'c'" a b c
	refuses "unexpected argument 'b'" --filter-a=cpu=1 a b
	refuses 'standard input can be read only once' - -
	refuses "unknown sort key 'x'; valid keys: $(valid_keys)" --sort=x a b
	refuses "sort key 'tid' has other values in each recording" --sort=tid a b
	refuses '--noise=60: must be at most 50 percent' --noise=60 a b
	refuses "'x' is not a valid PERCENT for --noise" --noise=x a b
}

valid_keys() {
	"$PMSCOPE" report --sort=x f 2>&1 | sed -n 's/.*valid keys: //p'
}

test_diff_units_that_a_recording_lacks() {
	recordings
	expect_status 1 "$PMSCOPE" diff --raw --per=population old slow
	expect_match 'diff: --per=population: old has no counts .* record them with --totals$' err
	expect_error 'record them with --snapshot=inst_retired$' diff --raw --per=instructions old slow
	works diff --raw --per=nothing --weight=samples old same
	expect_match '^# Cost is in samples of the whole recording$' out
	expect_match '^ +-50.0 ' out
}

test_diff_of_one_recording() {
	recordings
	cat slow >>old
	expect_output '^# old: old: 200 SPE samples of lat<=10$' \
		diff --raw --sort=op --filter-a='lat<=10' --filter-b='lat>10' old
	expect_match ' costs more +LD GP-REG$' out
	expect_output '^# new: old: 200 SPE samples of op=load,lat>10$' \
		diff --raw --sort=tid --filter=op=load --filter-b='lat>10' -i old
	expect_match '^# new: 200 samples filtered out' out
}

test_diff_of_nothing() {
	recordings
	local pair
	: >empty
	for pair in 'old empty' 'empty old' 'empty empty'; do
		# shellcheck disable=SC2086 # two names
		expect_status 1 "$PMSCOPE" diff --raw $pair
		expect_eq "$(cat out)" '' "no empty report of $pair"
		expect_match '^pmscope: empty: offset 0x0: empty$' err
	done
	expect_output '^# One of them has no samples: nothing to compare$' diff --raw --filter-b='lat>1000' old
	expect_error '^pmscope: nowhere: No such file or directory' diff --raw old nowhere
	expect_eq "$(cat out)" '' 'no empty report'
	expect_error 'not a perf.data; for raw SPE data use --raw' diff old old
	expect_eq "$(cat out)" '' 'no empty report'
	printf '\xff' >>old
	expect_status 1 "$PMSCOPE" diff --raw old old
	expect_match '^# old: old: 200 SPE samples' out
	expect_match 'no SPE packet begins here' err
}

# Names of files are those of the user, but may be anything.
test_diff_hostile_file_names() {
	recordings
	cp old $'\033[31mred'
	works diff --raw $'\033[31mred' same
	expect_eq "$(tr -d '\n[:print:]' <out)" '' 'control characters'
	works diff --raw --format=jsonl $'\033[31mred' same
	expect_eq "$(tr -d '\n[:print:]' <out)" '' 'control characters'
}

ktap_main "$@"
