#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# script and report on the command line: forms, options, bad input.
# shellcheck source=selftests/ktap.sh
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
export ASAN_OPTIONS=detect_leaks=1

# A load: PC, CONTEXTIDR_EL1, events, latencies, VA, source, timestamp $1.
load() {
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x64\x2a\x00\x00\x00'
	printf '\x49\x00\x52\x16\x00\x99\x03\x00\x98\x09\x00'
	printf '\xb2\x00\x90\x00\x00\xff\xff\x00\x00\x9a\x01\x00\x43\x08'
	printf '\x71%b\x00\x00\x00\x00\x00\x00\x00' "\\x$1"
}

three_loads() {
	load 01
	load 02
	load 03
}

# One line on stderr that names an offset, and status 1.
rejects() {
	expect_status 1 "$PMSCOPE" "$@"
	expect_eq "$(wc -l <err)" 1 "lines of error"
	expect_match 'offset 0x[0-9a-f]+' err
}

test_text() {
	three_loads >f
	expect_status 0 "$PMSCOPE" script --raw f
	expect_eq "$(wc -l <out)" 3 lines
	expect_match 'LD GP-REG +401000 .* va 0xffff00009000 lat 9 issue 3 xlat 1 from source 8 RETIRED,L1D-ACCESS,TLB-ACCESS' out
}

test_jsonl() {
	load 01 >f
	expect_status 0 "$PMSCOPE" script --raw --format=jsonl f
	expect_eq "$(cat out)" '{"type":"spe","ticks":1,"tid":42,"el":0,"ns":1,"pc":"0x401000","op":{"class":"load","text":"LD GP-REG"},"va":"0xffff00009000","events":["RETIRED","L1D-ACCESS","TLB-ACCESS"],"latencies":{"total":9,"issue":3,"xlat":1},"source":{"code":8},"context":{"el1":42},"offset":0}' line
}

# A kernel that does not write CONTEXTIDR leaves it 0: all code is of pid 0.
test_code_of_pid_0() {
	load 01 | sed 's/d[*]/d\x00/' >f
	expect_status 0 "$PMSCOPE" script --raw --format=csv \
		-F tid,comm,pc,sym,symoff,dso,va f
	expect_eq "$(sed -n 2p out)" "0,swapper,0x401000,,,,0xffff00009000" csv
	expect_status 0 "$PMSCOPE" script --raw --format=jsonl -F tid,pc,sym,va f
	expect_eq "$(cat out)" \
		'{"tid":0,"pc":"0x401000","va":"0xffff00009000"}' jsonl
}

test_midr_names_the_source() {
	load 01 >f
	expect_status 0 "$PMSCOPE" script --raw --midr=0x410fd0c0 \
		--format=jsonl f
	expect_match '"source":\{"code":8,"name":"L2"\}' out
}

# As perf script has it; branches have none.
test_data_src_of_a_cpu() {
	{
		load 01
		printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x4a\x08\x01'
	} >f
	local words='488100442 |OP LOAD|LVL L2 hit|SNP None|TLB Walker hit'
	words="$words|LCK No|BLK  N/A"
	expect_status 0 "$PMSCOPE" script --raw --midr=0x410fd0c0 \
		-F data_src,op f
	expect_eq "$(cat out)" "$words load
- branch" text
	expect_status 0 "$PMSCOPE" script --raw --midr=0x410fd0c0 \
		--format=csv -F op,data_src f
	expect_eq "$(sed 1d out)" "load,$words
branch," csv
	expect_status 0 "$PMSCOPE" script --raw --midr=0x410fd0c0 \
		--format=jsonl -F data_src,op f
	expect_eq "$(cat out)" "{\"data_src\":\"$words\",\"op\":\"load\"}
{\"op\":\"branch\"}" jsonl
}

test_csv_has_one_field_a_column() {
	three_loads >f
	expect_status 0 "$PMSCOPE" script --raw --format=csv f
	expect_eq "$(awk -F, '{ print NF }' out | sort -u)" 29 columns
	expect_eq "$(awk -F, 'NR == 2 { print $1, $3, $10, $16, $21 }' out)" \
		"spe 1 0x401000 0xffff00009000 9" fields
}

test_chosen_fields() {
	load 01 >f
	expect_status 0 "$PMSCOPE" script --raw -F pc,lat_total,comm,events f
	expect_eq "$(cat out)" \
		"0x401000 9 - RETIRED,L1D-ACCESS,TLB-ACCESS" text
	expect_status 0 "$PMSCOPE" script --raw --format=csv \
		-F lat_total,comm,pc f
	expect_eq "$(cat out)" "lat_total,comm,pc
9,,0x401000" csv
	expect_status 0 "$PMSCOPE" script --raw --format=jsonl \
		-F comm,lat_total,pc,op_text,events f
	expect_eq "$(cat out)" \
		'{"lat_total":9,"pc":"0x401000","op_text":"LD GP-REG","events":["RETIRED","L1D-ACCESS","TLB-ACCESS"]}' jsonl
	expect_status 0 "$PMSCOPE" script --raw --format=jsonl -F comm f
	expect_eq "$(cat out)" '{}' "nothing known"
	expect_status 1 "$PMSCOPE" script --raw -F pc,nonsense f
	expect_match "'nonsense' is no field; there are type, time," err
	expect_status 1 "$PMSCOPE" script --raw -F pc,time,pc f
	expect_match "'pc' is given twice" err
}

# Of the first record only. No format has it when it is not asked for.
test_alternate_issue_latency() {
	{
		printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80'
		printf '\x98\x09\x00\x9c\x05\x00\x01'
		load 02
	} >f
	expect_status 0 "$PMSCOPE" script --raw --format=csv \
		-F pc,lat_alt_issue f
	expect_eq "$(cat out)" "pc,lat_alt_issue
0x401000,5
0x401000," csv
	expect_status 0 "$PMSCOPE" script --raw --format=jsonl \
		-F lat_alt_issue f
	expect_eq "$(cat out)" '{"lat_alt_issue":5}
{}' jsonl
	expect_status 0 "$PMSCOPE" script --raw -F lat_alt_issue f
	expect_eq "$(cat out)" "5
-" text
	expect_status 0 "$PMSCOPE" script --raw --format=csv f
	expect_no_match alt_issue out
}

# The first record has no Events packet, the second one with no bit set.
test_records_without_events() {
	{
		load 01 | sed 's/R\x16\x00//'
		load 02 | sed 's/R\x16/R\x00/'
	} >f
	expect_status 0 "$PMSCOPE" script --raw -F events,ticks f
	expect_eq "$(cat out)" "- 1
- 2" text
	expect_status 0 "$PMSCOPE" script --raw --format=csv -F events,ticks f
	expect_eq "$(sed 1d out)" ",1
,2" csv
	local expected='{"ticks":1}
{"events":[],"ticks":2}'
	expect_status 0 "$PMSCOPE" script --raw --format=jsonl -F events,ticks f
	expect_eq "$(cat out)" "$expected" jsonl
}

# The second one has no address, and so no translation of it.
test_report_tells_of_how_many_samples_means_are() {
	{
		load 01
		load 02 | sed 's/\xb2.*\x9a\x01\x00//'
	} >f
	expect_status 0 "$PMSCOPE" report --raw --sort=el --format=csv f
	expect_eq "$(sed -n 1p out)" \
		"el,samples,share,lat_samples,lat_mean,lat_p50,lat_p90,lat_p99,lat_max,issue_samples,issue_mean,xlat_samples,xlat_mean,events,sources" header
	expect_match '^0,2,1.000000,2,9.000,9,9,9,9,2,3.000,1,1.000,' out
}

# Readers of CSV take a blank line for no row.
test_csv_of_one_column_has_all_rows() {
	{
		load 01
		load 02 | sed 's/\xb2.*\x9a\x01\x00//'
	} >f
	local column
	for column in va sym comm counts; do
		expect_status 0 "$PMSCOPE" script --raw --format=csv \
			-F $column f
		expect_eq "$(grep -c . out)" 3 "lines of $column"
		expect_eq "$(sed -n 3p out)" '""' "$column"
	done
}

test_report_counts_all() {
	three_loads >f
	expect_status 0 "$PMSCOPE" report --raw --sort=op,el --format=csv f
	expect_eq "$(sed -n 2p out)" \
		"LD GP-REG,0,3,1.000000,3,9.000,9,9,9,9,3,3.000,3,1.000,RETIRED=3|L1D-ACCESS=3|TLB-ACCESS=3,8=3" row
	expect_status 0 "$PMSCOPE" report --raw --format=jsonl f
	expect_match '"type":"summary".*"samples":3,' out
	expect_status 0 "$PMSCOPE" report --raw f
	expect_match '^100.00% +3 ' out
}

# A store like load(), of line 0x9000 too, eight bytes behind.
store() {
	load "$1" | sed 's/\x49\x00\x52/\x49\x01\x52/; s/\xb2\x00\x90/\xb2\x08\x90/'
}

test_filter() {
	{
		load 01
		store 02
		load 03
	} >f
	local terms
	for terms in op=store 'va>=0xffff00009008' 'va!=0xffff00009000' \
		'op=store|branch,lat>=9' 'op!=load,event=L1D-ACCESS' \
		'source=8,op=store,lat<=9,tid=42'; do
		expect_status 0 "$PMSCOPE" script --raw --format=csv \
			-F ticks --filter="$terms" f
		expect_eq "$(sed -n '2,$p' out)" 2 "$terms"
		expect_match '^pmscope: 2 samples filtered out' err
		expect_status 0 "$PMSCOPE" report --raw --sort=op \
			--format=csv --filter="$terms" f
		expect_match '^ST GP-REG,1,1.000000' out
		expect_eq "$(wc -l <out)" 2 "rows of $terms"
	done
	for terms in op=branch 'lat>=10' event=MISPRED source=9 tid=41 comm=x \
		'sym=*' 'event!=RETIRED'; do
		expect_status 0 "$PMSCOPE" script --raw --filter="$terms" f
		expect_eq "$(wc -c <out)" 0 "$terms"
	done
	expect_status 0 "$PMSCOPE" script --raw --filter=op=load \
		--filter='lat>=9' f
	expect_eq "$(wc -l <out)" 2 "two options"
}

# A name that no CPU has would keep out all samples, as if there were none.
test_filter_by_source() {
	load 01 >f
	local source
	for source in drma L l1-hit remote-; do
		expect_status 1 "$PMSCOPE" script --raw --filter="source=$source" f
		expect_match "^pmscope: filter: '$source' is no value for source" err
	done
	for source in l2 L2 8 0x8 'dram|L2' 0xffff; do
		expect_status 0 "$PMSCOPE" script --raw --midr=0x410fd0c0 \
			--filter="source=$source" f
	done
	# Others have it.
	expect_status 0 "$PMSCOPE" script --raw --midr=0x410fd0c0 \
		--filter=source=non-cacheable-or-device f
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
}

test_filter_tells_what_there_is() {
	load 01 >f
	expect_status 1 "$PMSCOPE" script --raw --filter=op=jump f
	expect_match "'jump' is no value for op; there are other,load,store,branch$" err
	expect_status 1 "$PMSCOPE" script --raw --filter=event=L1D f
	expect_match "is no value for event; there are EXCEPTION-GEN,.*,L1D-REFILL,.*,IMPDEF:n$" err
	expect_status 1 "$PMSCOPE" script --raw --filter=source=ram f
	expect_match "is no value for source; there are L1,L2,peer-core,.*,remote-memory,.* and codes$" err
	expect_status 1 "$PMSCOPE" script --raw --filter=lat=long f
	expect_match "is no value for lat$" err
}

# Bit 12 is LATE-PREFETCH on a Neoverse N1 only.
test_filter_by_an_event_of_one_cpu() {
	load 01 | sed 's/\x52\x16\x00/\x52\x16\x10/' >f
	local midr
	for midr in 0x410fd0c0 0x410fd400; do
		expect_status 0 "$PMSCOPE" script --raw --format=csv \
			--midr=$midr -F ticks --filter=event=IMPDEF:12 f
		expect_eq "$(sed -n '2,$p' out)" 1 "IMPDEF:12 of $midr"
		expect_status 0 "$PMSCOPE" script --raw --format=csv \
			--midr=$midr -F ticks --filter=event=LATE-PREFETCH f
		sed -n '2,$p' out
	done >late
	expect_eq "$(cat late)" 1 "LATE-PREFETCH of the first"
}

test_filter_that_is_none() {
	load 01 >f
	local terms
	for terms in nonsense op 'op>=load' 'lat>=' 'lat=x' 'lat>=-5' 'va=0x10000000000000000' \
		lat event=NONE '=3' 'sym<=a' op=laod; do
		expect_status 1 "$PMSCOPE" script --raw --filter="$terms" f
		expect_eq "$(wc -l <err)" 1 "lines of error for $terms"
		expect_eq "$(wc -c <out)" 0 "output for $terms"
	done
}

test_report_by_event_and_latency() {
	three_loads >f
	expect_status 0 "$PMSCOPE" report --raw --sort=event --format=csv f
	expect_match '^RETIRED\|L1D-ACCESS\|TLB-ACCESS,3,1.000000' out
	expect_status 0 "$PMSCOPE" report --raw --weight=latency --histogram f
	expect_match '^ +8-15 +3 100.00%' out
	expect_match 'Of all samples 3 have a total latency, 3 a data source' out
	{ three_loads && printf '\x71\x05\0\0\0\0\0\0\0'; } >f
	expect_status 0 "$PMSCOPE" report --raw --sort=cpu f
	expect_match '^100.00% +4 .* 3  100% code 8 ' out
	three_loads >f
	expect_status 0 "$PMSCOPE" report --raw --histogram --format=jsonl f
	expect_match '"histogram":\[\[8,3\]\]' out
	expect_match '"timed":3,"sourced":3' out
	expect_status 0 "$PMSCOPE" report --raw --sort=cpu --histogram \
		--format=csv f
	expect_match '^cpu,.*,events,sources,histogram$' out
	expect_match '^\?,3,.*,8=3,8=3$' out
}

# Each key has all samples, wherever perf has its name from.
test_report_keys() {
	local key
	{ three_loads && store 04; } >f
	for key in sym dso line file frames comm pid tid cpu op event source \
		el lat symbol_daddr dso_daddr symbol symbol_iaddr srcline \
		srcfile mem local_weight; do
		expect_status 0 "$PMSCOPE" report --raw --sort="$key" \
			--format=csv f
		expect_eq "$(awk -F, 'NR > 1 { n += $2; share += $3 }
			END { print n, share }' out)" '4 1' "$key"
	done
	expect_status 0 "$PMSCOPE" report --raw --sort=mem,local_weight \
		--format=csv --midr=0x410fd0c0 f
	expect_eq "$(cut -d, -f 1-3 out)" 'source,lat,samples
L2,9,4' 'names of perf'
	expect_status 1 "$PMSCOPE" report --raw --sort=dcacheline f
	expect_match "'dcacheline' is no key; there are sym,dso,.*,symbol_daddr," err
	expect_status 1 "$PMSCOPE" report --raw --sort=dso,symbol,sym f
	expect_match "'sym' is given twice" err
}

# Of a CPU that is not known, too, codes and operations are told apart.
test_report_of_what_has_no_name() {
	printf '\x43\x05\x01\x43\x06\x01\x43\x05\x01' >f
	expect_status 0 "$PMSCOPE" report --raw --sort=source --format=csv f
	expect_eq "$(cut -d, -f 1,2 out)" 'source,samples
code 5,2
code 6,1' 'codes'
	printf '\x48\x10\x01\x4b\x10\x01\x48\x20\x01\x4b\x10\x01' >f
	expect_status 0 "$PMSCOPE" report --raw --sort=op --format=csv f
	expect_eq "$(cut -d, -f 1,2 out)" 'op,samples
OP-TYPE 0x10 (3),2
OP-TYPE 0x10 (0),1
OP-TYPE 0x20 (0),1' 'operations'
}

# Whatever the view and the form, of what is not in it.
test_says_what_is_missing() {
	local view format
	{ three_loads && printf '\xff' && load 04 && printf '\xb5%8s\x01' ''; } >f
	for view in --sort=sym --cachelines; do
		for format in text csv jsonl; do
			expect_status 1 "$PMSCOPE" report --raw "$view" \
				--format=$format --filter='lat>=9,lat<=9' f
			case $format in
			text) grep '^# ' out >losses ;;
			csv) grep '^pmscope: ' err >losses ;;
			jsonl) head -n 1 out >losses ;;
			esac
			expect_match '1 SPE records dropped|"damaged":1,' losses
			expect_match '1 SPE packets whose kind|"unknown":1,' losses
			expect_match '1 samples filtered|"filtered":1[,}]' losses
		done
	done
	expect_status 1 "$PMSCOPE" report --raw --timeline --format=jsonl f
	expect_match '^\{"type":"summary".*"damaged":1,' out
	expect_status 1 "$PMSCOPE" script --raw --filter='lat>=9,lat<=9' f
	expect_match '^pmscope: 1 SPE records dropped' err
	expect_match '^pmscope: 1 SPE packets whose kind' err
	expect_match '^pmscope: 1 samples filtered' err
	expect_match '^pmscope: f: offset 0x90: no SPE packet begins here' \
		<(tail -n 1 err)
}

test_report_of_cache_lines() {
	{
		load 01
		store 02
		load 03
	} >f
	expect_status 0 "$PMSCOPE" report --raw --cachelines f
	expect_match '^ +3 +2 +1 +0 +3 +9.0  RW......  0xffff00009000 ' out
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=csv \
		--line-size=8 f
	expect_eq "$(wc -l <out)" 3 rows
	expect_match '^0xffff00009008,0,,1,0,1,0,1,9.000,"-","-",W.......,' out
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=jsonl f
	expect_match '"type":"line","address":"0xffff00009000".*"loads":2,"stores":1' out
	expect_status 1 "$PMSCOPE" report --raw --line-size=48 f
}

# An operation $2 of function $1 of the kernel, without a latency.
access() {
	printf '\xb0\x00%b\x00\x10\x00\x80\xff\xa0' "\\x$1"
	printf '\x49%b\xb2\x00\x90\x00\x00\xff\xff\x00\x00\x01' "\\x$2"
}

# Text has the busiest functions and how many there are besides, others all.
test_cache_line_of_many_functions() {
	local i
	for i in 0{1..9} {10..12}; do
		printf 'ffff80001000%s00 T function_%s\n' "$i" "$i"
		access "$i" 00 >>f
	done >kallsyms
	{ access 12 00 && access 12 01 && access 11 01; } >>f
	expect_status 0 "$PMSCOPE" report --raw --cachelines \
		--kallsyms=kallsyms f
	expect_match '  function_12 2/1, function_11 1/1, function_01 1/0, .*, 4 more 4/0$' out
	expect_match '^ +15 +13 +2 +0 +0 +-  B\.' out
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=jsonl \
		--kallsyms=kallsyms f
	expect_match '"code":\[\{"sym":"function_12","loads":2,"stores":1\}' out
	expect_eq "$(grep -o '"sym"' out | wc -l)" 12 functions
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=csv \
		--kallsyms=kallsyms f
	expect_eq "$(grep -o 'function_' out | wc -l)" 12 "functions of CSV"
}

# All of them are one field of CSV.
test_cache_line_of_functions_with_commas() {
	printf 'ffff8000100%s T %s\n' 00100 'pair<a,b>' 00200 'c"d' >kallsyms
	{ access 01 00 && access 02 00 && access 01 00; } >f
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=csv \
		--kallsyms=kallsyms f
	expect_match ',R\.{7},"pair<a,b>\|c""d"$' out
}

# 0x9000 of a process that is not known, and in physical memory.
test_cache_lines_by_virtual_and_physical_addresses() {
	printf 'I\x00\xb2\x00\x90\x00\x00\x00\x00\x00\x00\x01' >f
	printf 'I\x01\xb3\x00\x90\x00\x00\x00\x00\x00\x00\x01' >>f
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=csv f
	expect_match '^0x9000,0,,1,1,0,' out
	expect_match '^0x9000,1,,1,0,1,' out
}

# A branch with an address of data is none, nor is what has no type.
test_cache_line_of_other_operations() {
	{
		load 01
		load 02 | sed 's/I\x00R/J\x00R/'
		load 03 | sed 's/I\x00R/R/'
	} >f
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=csv f
	expect_match '^0xffff00009000,0,,3,1,0,0,3,9.000,' out
}

# Text is cut for people to read, and says so.
test_report_of_many_cache_lines() {
	local line
	for line in $(seq 16 75); do
		load 01 | sed "s/\xb2\x00\x90/\xb2\x00\x$line/"
	done >f
	expect_status 0 "$PMSCOPE" report --raw --cachelines f
	expect_eq "$(grep -vc '^#' out)" 50 "rows of text"
	expect_match '^# 10 more lines \(--limit\)$' out
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=csv f
	expect_eq "$(wc -l <out)" 61 "lines of CSV"
	expect_status 0 "$PMSCOPE" report --raw --cachelines --format=jsonl f
	expect_eq "$(wc -l <out)" 61 "JSON lines"
	expect_status 0 "$PMSCOPE" report --raw --cachelines --limit=7 \
		--format=csv f
	expect_eq "$(wc -l <out)" 8 "lines of CSV with a limit"
}

test_a_choice_that_there_is_not_names_those_there_are() {
	expect_status 1 "$PMSCOPE" script --format=json f
	expect_match "'json' is not a valid FORMAT for --format: text, jsonl, csv$" err
	expect_status 1 "$PMSCOPE" report --weight=x f
	expect_match "'x' is not a valid WEIGHT for --weight: samples, latency$" err
}

test_report_refuses_what_a_view_has_not() {
	local view option
	three_loads >f
	for view in timeline cachelines; do
		for option in --sort=sym --weight=latency --histogram; do
			expect_status 1 "$PMSCOPE" report --raw --$view \
				$option f
			expect_match "^pmscope: report: --$view .* ${option%=*}$" err
			expect_eq "$(wc -c <out)" 0 "output of --$view $option"
		done
	done
	expect_status 1 "$PMSCOPE" report --raw --timeline --cachelines f
	expect_match 'timeline has rows of its own, without --cachelines' err
	expect_status 1 "$PMSCOPE" report --raw --line-size=64 f
	expect_match 'report: --line-size is for --cachelines' err
	expect_status 1 "$PMSCOPE" report --raw --cachelines --line-size=0 f
	expect_match 'line-size=0: a cache line has 8 to 4096 bytes' err
	expect_status 0 "$PMSCOPE" report --raw --cachelines --line-size=64 f
}

# In raw trace nothing has a time.
test_timeline_tells_of_samples_without_a_time() {
	three_loads >f
	expect_status 0 "$PMSCOPE" report --raw --timeline f
	expect_match '^# 3 of them without a time, not shown$' out
	expect_status 0 "$PMSCOPE" report --raw --timeline --format=csv f
	expect_eq "$(wc -l <out)" 1 "lines of CSV"
	expect_match '^pmscope: 3 samples without a time, not shown$' err
}

# says WORDS OPTION...: what report tells of them.
says() {
	expect_status 1 "$PMSCOPE" report "${@:2}" f
	expect_eq "$(cat err)" "pmscope: report: $1
Try 'pmscope report --help'." "${*:2}"
}

test_packets_refuses_what_they_have_not() {
	local option
	load 01 >f
	for option in --fields=pc --format=csv --filter=op=load \
		--skip-unknown; do
		expect_status 1 "$PMSCOPE" script --raw --packets $option f
		expect_match "^pmscope: script: --packets .* ${option%%=*}$" err
		expect_eq "$(wc -c <out)" 0 "output with $option"
	done
	expect_status 0 "$PMSCOPE" script --raw --packets --format=text f
}

test_root_of_a_machine_that_is_not_there() {
	load 01 >f
	expect_status 1 "$PMSCOPE" report --raw --symfs=nowhere f
	expect_match '^pmscope: report: --symfs=nowhere: No such file' err
	expect_status 0 "$PMSCOPE" report --raw --symfs=. f
	expect_status 0 "$PMSCOPE" report --raw --symfs= f
}

test_completion_knows_all_options() {
	local command
	pmscope() { "$PMSCOPE" "$@"; }
	# shellcheck source=tools/completion/pmscope.bash
	. "$TOOLS/completion/pmscope.bash"
	for command in $(_pmscope_words); do
		pmscope "$command" --help |
			grep -oE '^ *(-., )?--[a-z-]+' | sed 's/.*--/--/' >help
		_pmscope_options "$command" >known
		expect_eq "$(cat known)" "$(cat help)" "options of $command"
	done
}

# completes WORDS RESULT: the last of WORDS is what is being typed.
completes() {
	local COMP_WORDS COMP_CWORD COMPREPLY
	read -ra COMP_WORDS <<<"pmscope $1"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_pmscope
	expect_eq "${COMPREPLY[*]}" "$2" "what '$1' becomes"
}

test_completion_of_events_and_words() {
	pmscope() { "$PMSCOPE" "$@"; }
	# shellcheck source=tools/completion/pmscope.bash
	. "$TOOLS/completion/pmscope.bash"
	# shellcheck disable=SC2329
	_pmscope_events() { printf 'cpu_cycles\ninst_retired\n'; }
	completes rep report
	completes 'stat --topd' --topdown
	completes 'stat -e i' inst_retired
	completes 'stat -e cpu_cycles,i' cpu_cycles,inst_retired
	completes 'stat --event = i' inst_retired
	completes 'record -s i' inst_retired
	completes 'record --snapshot = i' inst_retired
	completes 'report -s i' ''
	completes 'driver u' use
	completes 'help sc' script
}

test_wrong_options() {
	three_loads >f
	says 'there is no option --nonsense' --raw --nonsense
	says 'there is no option --nonsense=3' --nonsense=3 --raw
	says 'there is no option -X' --raw -X
	says 'there is no option -X' -X3
	says '--s=3 may be several options' --s=3
	says '--raw takes no value' --raw=3
	says "'many' is not a valid N for --limit" --limit=many
	says "'0' is not a valid N for --limit" --limit=0
	expect_status 1 "$PMSCOPE" report --limit
	expect_match '^pmscope: report: --limit=N lacks its value$' err
	expect_status 1 "$PMSCOPE" report -s
	expect_match '^pmscope: report: --sort=KEYS lacks its value$' err
	expect_status 0 "$PMSCOPE" report --raw --lim=3 f
}

test_standard_input() {
	three_loads >f
	expect_status 0 "$PMSCOPE" script --raw f
	mv out expected
	"$PMSCOPE" script --raw - <f >out
	cmp out expected
	# shellcheck disable=SC2002
	cat f | "$PMSCOPE" script --raw -i - >out
	cmp out expected
}

# It is the copy of the pipe that fails, not the pipe.
test_pipe_that_cannot_be_kept() {
	local tail='; a pipe is first copied to a file in TMPDIR, or /tmp'
	load 01 >f
	expect_status 1 env TMPDIR=/nowhere "$PMSCOPE" script --raw - < <(cat f)
	expect_eq "$(cat err)" \
		"pmscope: -: No such file or directory$tail" error
	mkfifo kept
	cat f >kept &
	expect_status 1 env TMPDIR=/nowhere "$PMSCOPE" report --raw kept
	wait
	expect_match "^pmscope: kept: No such file or directory$tail" err
	expect_status 1 "$PMSCOPE" report --raw - <&-
	expect_eq "$(cat err)" "pmscope: -: Bad file descriptor" closed
}

test_cut_at_every_byte() {
	three_loads >f
	local size cut
	size=$(stat -c %s f)
	for cut in $(seq "$size"); do
		head -c "$cut" f >g
		local whole=$((cut / (size / 3)))
		if [ $((cut % (size / 3))) = 0 ]; then
			expect_status 0 "$PMSCOPE" script --raw --packets g
			expect_status 0 "$PMSCOPE" script --raw g
		else
			rejects script --raw --packets g
			rejects script --raw g
		fi
		expect_eq "$(wc -l <out)" $whole "records of $cut bytes"
	done
}

test_bad_byte_is_shown_among_the_packets() {
	{
		load 01
		printf '\xff'
		load 02
	} >f
	rejects script --raw --packets f
	expect_match '^\.  00000030:  ff {45} Bad packet!$' out
	expect_match 'offset 0x30' err
	expect_eq "$(grep -c 'TS ' out)" 2 timestamps
}

# 0x56 would be two bytes long if it were a packet.
test_unknown_packets_can_be_skipped() {
	{
		load 01
		printf '\x56\xff\xff'
		load 02
		load 03
	} >f
	expect_status 1 "$PMSCOPE" script --raw --format=csv f
	expect_match 'offset 0x30' err
	expect_eq "$(sed 1d out | wc -l)" 2 'rows of whole records'
	expect_status 0 "$PMSCOPE" script --raw --format=csv --skip-unknown f
	expect_eq "$(sed 1d out | wc -l)" 3 'rows of all records'
	expect_eq "$(cat err)" \
		'pmscope: 1 SPE packets whose kind has no meaning here, skipped'
	expect_status 0 "$PMSCOPE" report --raw --sort=op --format=csv \
		--skip-unknown f
	expect_eq "$(sed 1d out | cut -d, -f 2)" 3 samples
}

test_empty_random_and_missing() {
	: >empty
	rejects script --raw empty
	rejects script --raw --packets empty
	rejects script empty
	rejects report empty
	head -c 5000 /dev/urandom >random
	rejects script random
	rejects report --raw random
	expect_status 1 "$PMSCOPE" script nothing
	expect_match 'nothing: No such file or directory$' err
	expect_status 1 "$PMSCOPE" report
	expect_match "perf.data: No such file .*'pmscope record' .* --input" err
	expect_status 1 "$PMSCOPE" script .
	expect_match 'Is a directory' err
}

# Its output fills the pipe long before its end.
cut_while_it_is_read() { # THREADS
	local pid status=0 line
	cp whole f
	"$PMSCOPE" script --raw --threads="$1" f >pipe 2>err &
	pid=$!
	exec 5<pipe
	read -r line <&5
	expect_match 'LD GP-REG' <(echo "$line")
	: >f
	cat <&5 >rest
	exec 5<&-
	wait "$pid" || status=$?
	expect_eq "$status" 1 status
	expect_eq "$(wc -l <err)" 1 "lines of error"
	expect_match '^pmscope: f: was cut while it was read, before offset 0x' err
	[ "$(wc -l <rest)" -lt 131071 ] || fail "all of it was read before"
}

# As when it is recorded anew.
test_file_that_is_cut_while_it_is_read() {
	local threads
	load 01 >whole
	while [ "$(stat -c %s whole)" -lt 8000000 ]; do
		cat whole whole >twice
		mv twice whole
	done
	mkfifo pipe
	for threads in 1 2 4 8; do
		cut_while_it_is_read $threads
	done
}

test_usage() {
	expect_status 0 "$PMSCOPE" script --help
	expect_match '^Usage: pmscope script' out
	expect_match '--format=FORMAT .*text\|jsonl\|csv' out
	expect_eq "$(wc -c <err)" 0 "bytes on stderr"
	expect_status 1 "$PMSCOPE" script --nonsense
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
	expect_status 1 "$PMSCOPE" script --format=xml f
	expect_match 'not a valid FORMAT for --format' err
	expect_status 1 "$PMSCOPE" report --sort=nonsense f
	expect_match "'nonsense' is no key" err
	expect_status 1 "$PMSCOPE" nonsense
	expect_status 1 "$PMSCOPE"
	expect_status 0 "$PMSCOPE" help report
}

test_events_that_there_are_not() {
	expect_status 0 "$PMSCOPE" events -a CYCLES nonsense
	expect_match ' cpu_cycles ' out
	expect_status 1 "$PMSCOPE" events -a nonsense other-nonsense
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
	expect_match "^pmscope: events: no event has 'nonsense' in its name" err
	expect_match "^pmscope: events: no event has 'other-nonsense' in" err
}

test_full_disk() {
	three_loads >f
	local status=0
	"$PMSCOPE" script --raw f >/dev/full 2>err || status=$?
	expect_eq "$status" 1 status
	expect_match 'No space left' err
}

# What is printed without a recording is no less lost.
test_full_disk_for_every_command() {
	three_loads >f
	local args status
	for args in --version --help "help report" "script --help" events \
		"report --raw f" "report --raw --cachelines f" \
		"report --raw --timeline f"; do
		status=0
		# shellcheck disable=SC2086
		"$PMSCOPE" $args >/dev/full 2>err || status=$?
		expect_eq "$status" 1 "status of $args"
		expect_eq "$(cat err)" \
			"pmscope: standard output: No space left on device" \
			"error of $args"
	done
}

# Of what four threads print, then nobody reads any more; the status is in
# $status.
printed_in_part() {
	status=0
	"$PMSCOPE" script --raw --threads=4 -F pc f 2>err \
		> >(head -n 50000 >/dev/null) || status=$?
}

# Whichever thread it is that writes, and whatever errno is in another.
test_nobody_reads_what_is_printed() {
	local i status
	load 01 >f
	for i in $(seq 16); do cat f f >g && mv g f; done
	for i in $(seq 8); do
		printed_in_part
		expect_eq "$status $(cat err)" '141 ' 'it ends'
	done
	trap '' PIPE
	for i in $(seq 8); do
		printed_in_part
		expect_eq "$status $(cat err)" \
			'1 pmscope: standard output: Broken pipe' 'it is told'
	done
}

ktap_main "$@"
