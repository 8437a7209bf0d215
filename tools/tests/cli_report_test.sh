#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report on the command line: keys, views, what it tells of losses.
. "$(dirname "$0")/cli.sh"

# The second one has no address, and so no address translation.
test_report_tells_of_how_many_samples_means_are() {
	{
		load 01
		load 02 | sed 's/\xb2.*\x9a\x01\x00//'
	} >f
	works report --raw --sort=el --format=csv f
	expect_eq "$(sed -n 1p out)" \
		"el,samples,share,lat_samples,lat_mean,lat_p50,lat_p90,lat_p99,lat_max,issue_samples,issue_mean,xlat_samples,xlat_mean,events,sources" header
	expect_match '^0,2,1.000000,2,9.000,9,9,9,9,2,3.000,1,1.000,' out
}

test_report_counts_all() {
	three_loads >f
	works report --raw --sort=op,el --format=csv f
	expect_eq "$(sed -n 2p out)" \
		"LD GP-REG,0,3,1.000000,3,9.000,9,9,9,9,3,3.000,3,1.000,RETIRED=3|L1D-ACCESS=3|TLB-ACCESS=3,8=3" row
	expect_output '"type":"summary".*"samples":3,' report --raw --format=jsonl f
	expect_output '^100.00% +3 ' report --raw f
}

test_report_by_event_and_latency() {
	three_loads >f
	expect_output '^RETIRED\|L1D-ACCESS\|TLB-ACCESS,3,1.000000' report --raw --sort=event --format=csv f
	expect_output '^ +8-15 +3 100.00%' report --raw --weight=latency --histogram f
	expect_match 'Of all samples 3 have a total latency, 3 a data source' out
	{ three_loads && printf '\x71\x05\0\0\0\0\0\0\0'; } >f
	expect_output '^100.00% +3 .* 3  100% code 8 ' report --raw --sort=cpu f
	three_loads >f
	expect_output '"histogram":\[\[8,3\]\]' report --raw --histogram --format=jsonl f
	expect_match '"timed":3,"sourced":3' out
	expect_output '^cpu,.*,events,sources,histogram$' \
		report --raw --sort=cpu --histogram --format=csv f
	expect_match '^\?,3,.*,8=3,8=3$' out
	# One more, of no cycles.
	load 04 | sed 's/\x98\x09/\x98\x00/' >>f
	expect_output '^\?,4,.*,8=4,0=1\|8=3$' \
		report --raw --sort=cpu --histogram --format=csv f
}

# Each key has all samples, wherever perf has its name from.
test_report_keys() {
	local key
	{ three_loads && store 04; } >f
	for key in sym dso line file frames comm pid tid cpu op event source \
		el lat symbol_daddr dso_daddr object member callers symbol symbol_iaddr srcline \
		srcfile mem local_weight; do
		works report --raw --sort="$key" --format=csv f
		expect_eq "$(awk -F, 'NR > 1 { n += $2; share += $3 }
			END { print n, share }' out)" '4 1' "$key"
	done
	works report --raw --sort=mem,local_weight --format=csv --midr=0x410fd0c0 f
	expect_eq "$(cut -d, -f 1-3 out)" 'source,lat,samples
L2,9,4' 'names of perf'
	expect_status 1 "$PMSCOPE" report --raw --sort=dcacheline f
	expect_match "unknown sort key 'dcacheline'; valid keys: .*,sym,symoff,dso,.*,symbol_daddr," err
	expect_error "'sym' is given twice" report --raw --sort=dso,symbol,sym f
}

# For an unknown CPU, too, codes and operations are distinguished.
test_report_of_what_has_no_name() {
	printf '\x43\x05\x01\x43\x06\x01\x43\x05\x01' >f
	works report --raw --sort=source --format=csv f
	expect_eq "$(cut -d, -f 1,2 out)" 'source,samples
code 5,2
code 6,1' 'codes'
	printf '\x48\x10\x01\x4b\x10\x01\x48\x20\x01\x4b\x10\x01' >f
	works report --raw --sort=op --format=csv f
	expect_eq "$(cut -d, -f 1,2 out)" 'op,samples
OP-TYPE 0x10 (3),2
OP-TYPE 0x10 (0),1
OP-TYPE 0x20 (0),1' 'operations'
}

# In every view and format.
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
			expect_match '1 SPE packets of unknown|"unknown":1,' losses
			expect_match '1 samples filtered|"filtered":1[,}]' losses
		done
	done
	expect_status 1 "$PMSCOPE" report --raw --timeline --format=jsonl f
	expect_match '^\{"type":"summary".*"damaged":1,' out
	expect_error '^pmscope: 1 SPE records dropped' script --raw --filter='lat>=9,lat<=9' f
	expect_match '^pmscope: 1 SPE packets of unknown' err
	expect_match '^pmscope: 1 samples filtered' err
	expect_match '^pmscope: f: offset 0x90: no SPE packet begins here' \
		<(tail -n 1 err)
}

# An operation $2 of function $1 of the kernel, without a latency.
access() {
	printf '\xb0\x00%b\x00\x10\x00\x80\xff\xa0' "\\x$1"
	printf '\x49%b\xb2\x00\x90\x00\x00\xff\xff\x00\x00\x01' "\\x$2"
}

# Text has the busiest functions and the number of others; the other formats
# have all.
test_cache_line_of_many_functions() {
	local i
	for i in 0{1..9} {10..12}; do
		printf 'ffff80001000%s00 T function_%s\n' "$i" "$i"
		access "$i" 00 >>f
	done >kallsyms
	{ access 12 00 && access 12 01 && access 11 01; } >>f
	expect_output '  function_12 2/1, function_11 1/1, function_01 1/0, .*, 4 more 4/0$' \
		report --raw --cachelines --kallsyms=kallsyms f
	expect_match '^ +15 +13 +2 +0 +0 +-  B\.' out
	expect_output '"code":\[\{"sym":"function_12","loads":2,"stores":1\}' \
		report --raw --cachelines --format=jsonl --kallsyms=kallsyms f
	expect_eq "$(sed 's/"offsets".*//' out | grep -o '"sym"' | wc -l)" 12 \
		functions
	works report --raw --cachelines --format=csv --kallsyms=kallsyms f
	expect_eq "$(grep -o 'function_' out | wc -l)" 12 "functions of CSV"
}

# A branch at 0xffff8000100$1 to 0xffff8000100$2.
branch() {
	printf '\xb0%b\x00\x10\x00\x80\xff\xa0' "\\x${1:2}\\x${1:0:2}"
	printf '\x4a\x01\xb1%b\x00\x10\x00\x80\xff\xa0\x01' \
		"\\x${2:2}\\x${2:0:2}"
}

# Two functions of one name: the same offset in both is one row.
test_keys_of_instructions() {
	printf 'ffff8000100%s t %s\n' 00100 twin 00200 other 00300 twin \
		00400 end >kallsyms
	{ branch 0104 0300 && branch 0304 0100 && branch 0304 0100 &&
		branch 0208 0200 && branch 0108 0200; } >f
	printf 'I\x00\x01' >>f # a load without a PC
	works report --raw --sort=sym,symoff --kallsyms=kallsyms --format=csv f
	expect_eq "$(cut -d, -f1-3 out)" "sym,symoff,samples
twin,4,3
[unknown],?,1
other,8,1
twin,8,1" "offsets in functions"
	works report --raw --sort=pc --format=csv f
	expect_eq "$(cut -d, -f1-2 out)" "pc,samples
0xffff800010000304,2
?,1
0xffff800010000104,1
0xffff800010000108,1
0xffff800010000208,1" "addresses"
	works report --raw --sort=target --format=jsonl f
	expect_eq "$(sed -n 's/.*\("target".*\),"share.*/\1/p' out)" \
		'"target":"0xffff800010000100","samples":2
"target":"0xffff800010000200","samples":2
"target":null,"samples":1
"target":"0xffff800010000300","samples":1' "targets"
}

# All of them are one field of CSV.
test_cache_line_of_functions_with_commas() {
	printf 'ffff8000100%s T %s\n' 00100 'pair<a,b>' 00200 'c"d' >kallsyms
	{ access 01 00 && access 02 00 && access 01 00; } >f
	expect_output ',R\.{7},"pair<a,b>\|c""d",' \
		report --raw --cachelines --format=csv --kallsyms=kallsyms f
}

# A separator may be part of a name.
test_cache_line_of_functions_with_bars() {
	printf 'ffff8000100%s T %s\n' 00100 'operator|(a,b)' 00200 'c\d' \
		>kallsyms
	{ access 01 00 && access 02 00 && access 01 00; } >f
	expect_output ',R\.{7},"operator\\\|\(a,b\)\|c\\\\d",' \
		report --raw --cachelines --format=csv --kallsyms=kallsyms f
}

# On AmpereOne, data from the own chip may come from another core.
test_cache_lines_that_another_core_had() {
	local source midr
	while read -r midr source peers; do
		load 01 | sed "s/\x43\x08/\x43\x$source/" >f
		works report --raw --midr="$midr" --cachelines --format=csv f
		expect_eq "$(sed 1d out | cut -d, -f 7)" "$peers" "$midr $source"
	done <<-EOF
		0xc00fac40 00 1
		0xc00fac40 05 1
		0xc00fac40 07 0
		0x410fd0c0 00 0
		0x410fd0c0 09 1
		0x410fd0c0 0d 1
		0x410fd0c0 0e 0
		0x480fd060 04 1
		0x480fd060 08 0
		0x480fd060 09 0
		0x481fd010 09 0
	EOF
}

# The LLC missed and the access was remote: memory of another node answered,
# whether a source says so (HIP12) or not (Kunpeng 920).
test_cache_lines_of_remote_memory() {
	local midr
	load 01 | sed 's/\x52\x16\x00/\x52\x1e\x07/; s/\x43\x08/\x43\x09/' >f
	for midr in 0x480fd060 0x481fd010; do
		expect_output '"peer":0,"remote_memory":1,' \
			report --raw --midr=$midr --cachelines --format=jsonl f
		expect_output '0xffff00009000 .* 1 +1 +- / -  one thread ' \
			report --raw --midr=$midr --cachelines f
	done
	load 01 | sed 's/\x52\x16\x00/\x52\x16\x04/; s/\x43\x08/\x43\x09/' >f
	expect_output '"peer":0,"remote_memory":0,' \
		report --raw --midr=0x481fd010 --cachelines --format=jsonl f
}

# One page of 4 KiB, two lines of 16 bytes; the slower one is first, with its
# share.
test_lines_by_their_latency() {
	{
		load 01 && load 02
		store 03 | sed 's/\x98\x09/\x98\x64/; s/\xb2\x08/\xb2\x18/'
	} >f
	works report --raw --cachelines --line-size=16 --weight=latency --format=csv f
	sed -n '2,$s/,.*//p' out >addresses
	expect_eq "$(xargs <addresses)" '0xffff00009010 0xffff00009000' order
	expect_match '^0xffff00009010,.*,one thread,1,0,100,0,0.847458,,' out
	works report --raw --cachelines --line-size=16 --weight=samples --format=csv f
	sed -n '2,$s/,.*//p' out >addresses
	expect_eq "$(xargs <addresses)" '0xffff00009000 0xffff00009010' order
	expect_match '^0xffff00009000,.*,one thread,1,0,18,0,0.666667,,' out
	expect_output '^ 84.75%         1        0        1 ' \
		report --raw --cachelines --line-size=16 --weight=latency f
	for size in 4096 2097152; do
		expect_output '^0xffff0000[09]000,0,,3,2,1,0,3,39.333,' \
			report --raw --cachelines --line-size=$size --format=csv f
		expect_match ',118,0,1.000000,,"","",' out
		expect_eq "$(wc -l <out)" 2 "lines of $size bytes"
	done
}

# Long text is shortened and marked.
test_report_of_many_cache_lines() {
	local line
	for line in $(seq 16 75); do
		load 01 | sed "s/\xb2\x00\x90/\xb2\x00\x$line/"
	done >f
	works report --raw --cachelines f
	expect_eq "$(grep -vc '^#' out)" 50 "rows of text"
	expect_match '^# 10 more lines \(--limit\)$' out
	works report --raw --cachelines --format=csv f
	expect_eq "$(wc -l <out)" 61 "lines of CSV"
	works report --raw --cachelines --format=jsonl f
	expect_eq "$(wc -l <out)" 61 "JSON lines"
	works report --raw --cachelines --limit=7 --format=csv f
	expect_eq "$(wc -l <out)" 8 "lines of CSV with a limit"
}

test_names_of_files_steer_no_terminal() {
	local view name
	name=$(printf 'f\033[1m\nx')
	three_loads >"$name"
	for view in --sort=el --cachelines --timeline; do
		expect_output '^# f\?\[1m\?x: ' report --raw $view "$name"
		expect_error '^pmscope: no\?\[1m: No such file' \
			report --raw $view "$(printf 'no\033[1m')"
	done
}

test_report_refuses_what_a_view_has_not() {
	local view option size
	three_loads >f
	for view in timeline cachelines; do
		for option in --sort=sym --histogram --weight=latency \
			      --weight=samples; do
			[[ $view$option != cachelines--weight=* ]] || continue
			expect_error "^pmscope: report: ${option%=*} and --$view are" \
				report --raw --$view $option f
			expect_eq "$(wc -c <out)" 0 "output of --$view $option"
		done
	done
	expect_error '--cachelines and --timeline are mutually exclusive' report --raw --timeline --cachelines f
	expect_error 'report: --line-size requires --cachelines' report --raw --line-size=64 f
	expect_status 1 "$PMSCOPE" report --raw --cachelines --line-size=0 f
	expect_match 'line-size=0: must be a power of 2 from 8 to 2097152$' err
	for size in 4 24 48 4194304 0x8000000000000000; do
		expect_status 1 "$PMSCOPE" report --raw --cachelines \
			--line-size=$size f
		expect_eq "$(wc -c <out)" 0 "output of --line-size=$size"
	done
	works report --raw --cachelines --line-size=64 f
}

# In raw trace nothing has a time.
test_timeline_tells_of_samples_without_a_time() {
	three_loads >f
	expect_output '^# 3 of them without a time, not shown$' report --raw --timeline f
	works report --raw --timeline --format=csv f
	expect_eq "$(wc -l <out)" 1 "lines of CSV"
	expect_match '^pmscope: 3 samples without a time, not shown$' err
}

# As in perf; the letter and the name are one option.
test_vmlinux_that_is_not_there() {
	three_loads >f
	local option command
	for option in '-k nowhere' --vmlinux=nowhere; do
		for command in report annotate script \
			'export --format=folded -o x'; do
			# shellcheck disable=SC2086 # two words
			expect_error \
				'--vmlinux=nowhere: No such file or directory$' \
				$command --raw $option -i f
			expect_eq "$(cat out)" '' "output of $command"
		done
	done
	: >empty
	works report --raw -k empty f
}

ktap_main "$@"
