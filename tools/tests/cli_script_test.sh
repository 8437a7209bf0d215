#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# script on the command line: its forms, fields and filters.
. "$(dirname "$0")/cli.sh"

test_text() {
	three_loads >f
	works script --raw f
	expect_eq "$(wc -l <out)" 3 lines
	expect_match 'LD GP-REG +401000 .* va 0xffff00009000 lat 9 issue 3 xlat 1 from source 8 RETIRED,L1D-ACCESS,TLB-ACCESS' out
}

test_jsonl() {
	load 01 >f
	works script --raw --format=jsonl f
	expect_eq "$(cat out)" '{"type":"spe","schema":1,"ticks":1,"tid":42,"el":0,"ns":1,"pc":"0x401000","op":"load","op_text":"LD GP-REG","va":"0xffff00009000","events":["RETIRED","L1D-ACCESS","TLB-ACCESS"],"lat_total":9,"lat_issue":3,"lat_xlat":1,"source":8,"context_el1":42,"offset":0}' line
}

# A kernel that does not write CONTEXTIDR leaves it 0: all code is of pid 0.
test_code_of_pid_0() {
	load 01 | sed 's/d[*]/d\x00/' >f
	works script --raw --format=csv -F tid,comm,pc,sym,symoff,dso,va f
	expect_eq "$(sed -n 2p out)" "0,swapper,0x401000,,,,0xffff00009000" csv
	works script --raw --format=jsonl -F tid,pc,sym,va f
	expect_eq "$(cat out)" \
		'{"tid":0,"pc":"0x401000","va":"0xffff00009000"}' jsonl
}

test_midr_names_the_source() {
	load 01 >f
	expect_output '"source":8,"source_name":"L2"' \
		script --raw --midr=0x410fd0c0 --format=jsonl f
}

# As in perf script; branches have none.
test_data_src_of_a_cpu() {
	{
		load 01
		printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x4a\x08\x01'
	} >f
	local words='488100442 |OP LOAD|LVL L2 hit|SNP None|TLB Walker hit'
	words="$words|LCK No|BLK  N/A"
	works script --raw --midr=0x410fd0c0 -F data_src,op f
	expect_eq "$(cat out)" "$words load
- branch" text
	works script --raw --midr=0x410fd0c0 --format=csv -F op,data_src f
	expect_eq "$(sed 1d out)" "load,$words
branch," csv
	works script --raw --midr=0x410fd0c0 --format=jsonl -F data_src,op f
	expect_eq "$(cat out)" "{\"data_src\":\"$words\",\"op\":\"load\"}
{\"op\":\"branch\"}" jsonl
}

test_csv_has_one_field_a_column() {
	three_loads >f
	works script --raw --format=csv f
	expect_eq "$(awk -F, '{ print NF }' out | sort -u)" 29 columns
	expect_eq "$(awk -F, 'NR == 2 { print $1, $3, $10, $16, $21 }' out)" \
		"spe 1 0x401000 0xffff00009000 9" fields
}

test_chosen_fields() {
	load 01 >f
	works script --raw -F pc,lat_total,comm,events f
	expect_eq "$(cat out)" \
		"0x401000 9 - RETIRED,L1D-ACCESS,TLB-ACCESS" text
	works script --raw --format=csv -F lat_total,comm,pc f
	expect_eq "$(cat out)" "lat_total,comm,pc
9,,0x401000" csv
	works script --raw --format=jsonl -F comm,lat_total,pc,op_text,events f
	expect_eq "$(cat out)" \
		'{"lat_total":9,"pc":"0x401000","op_text":"LD GP-REG","events":["RETIRED","L1D-ACCESS","TLB-ACCESS"]}' jsonl
	works script --raw --format=jsonl -F comm f
	expect_eq "$(cat out)" '{}' "nothing known"
	expect_error "unknown field 'nonsense'; valid fields: type, schema, time," script --raw -F pc,nonsense f
	expect_error "'pc' is given twice" script --raw -F pc,time,pc f
}

# script_line FIELDS [OPTION...]: what a line is with -F FIELDS.
script_line() {
	works script --raw -F "$@" f
	tail -n 1 out
}

test_fields_added_and_left_out() {
	load 01 >f
	local line=' LD GP-REG    401000 [unknown] ([unknown]) va 0xffff00009000 '
	line+='lat 9 issue 3 xlat 1'
	local end=' RETIRED,L1D-ACCESS,TLB-ACCESS'
	local start='?               ?/42         [?]'
	expect_eq "$(script_line +ticks,+op)" \
		"$start $line from source 8$end ticks 1 op load" added
	expect_eq "$(script_line -comm,-cpu,-tid,-pid,-source,-source_name)" \
		"$line$end" "left out"
	# A sample without a value has no name; what is there is not added.
	expect_eq "$(script_line +line,+pc,+lat)" \
		"$start $line from source 8$end" "nothing to add"
	# Of two fields in one word one stays.
	expect_eq "$(script_line -pid,-source_name,-sym)" \
		"?               42           [?] ${line/ \[unknown\] / } from 8$end" \
		"one of two"
	expect_eq "$(script_line -source)" \
		"$start $line$end" "no name of the source"
	expect_eq "$(script_line -line,-schema)" \
		"$start $line from source 8$end" "not there before"
}

test_fields_added_and_left_out_for_programs() {
	load 01 >f
	works script --raw --format=csv f
	local before
	before=$(sed -n 1p out)
	works script --raw --format=csv -F +lat_alt_issue,+pc,-cpu,-offset f
	expect_eq "$(sed -n 1p out)" \
		"$(sed 's/,cpu,/,/; s/,offset,/,/; s/$/,lat_alt_issue/' <<<"$before")" \
		columns
	expect_eq "$(awk -F, 'NR == 2 { print NF, $9 }' out)" "28 0x401000" row
	works script --raw --format=jsonl -F +addr,-events f
	expect_no_match events out
	expect_match '"offset":0,"addr":"0xffff00009000"\}$' out
	works script --raw --format=jsonl -F \
		"-${before//,/,-},-schema,-time_enabled,-time_running" f
	expect_eq "$(cat out)" '{}' nothing
}

test_fields_with_and_without_a_sign() {
	load 01 >f
	local list
	for list in pc,+line +line,pc -line,pc; do
		expect_status 1 "$PMSCOPE" script --raw -F "$list" f
	done
	expect_match "^pmscope: script: field 'pc': put \+ or - before all" err
	expect_error "field 'pc' is given twice" script --raw -F +pc,-pc f
	expect_error "unknown field 'nonsense'" script --raw -F +nonsense f
	# A sort key has no sign.
	expect_error "unknown sort key '\+sym'" report --raw --sort=+sym f
}

# Only for the first record. It is printed only on request.
test_alternate_issue_latency() {
	{
		printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80'
		printf '\x98\x09\x00\x9c\x05\x00\x01'
		load 02
	} >f
	works script --raw --format=csv -F pc,lat_alt_issue f
	expect_eq "$(cat out)" "pc,lat_alt_issue
0x401000,5
0x401000," csv
	works script --raw --format=jsonl -F lat_alt_issue f
	expect_eq "$(cat out)" '{"lat_alt_issue":5}
{}' jsonl
	works script --raw -F lat_alt_issue f
	expect_eq "$(cat out)" "5
-" text
	works script --raw --format=csv f
	expect_no_match alt_issue out
}

# The first record has no Events packet, the second one with no bit set.
test_records_without_events() {
	{
		load 01 | sed 's/R\x16\x00//'
		load 02 | sed 's/R\x16/R\x00/'
	} >f
	works script --raw -F events,ticks f
	expect_eq "$(cat out)" "- 1
- 2" text
	works script --raw --format=csv -F events,ticks f
	expect_eq "$(sed 1d out)" ",1
,2" csv
	local expected='{"ticks":1}
{"events":[],"ticks":2}'
	works script --raw --format=jsonl -F events,ticks f
	expect_eq "$(cat out)" "$expected" jsonl
}

# CSV readers skip a blank line.
test_csv_of_one_column_has_all_rows() {
	{
		load 01
		load 02 | sed 's/\xb2.*\x9a\x01\x00//'
	} >f
	local column
	for column in va sym comm counts; do
		works script --raw --format=csv -F $column f
		expect_eq "$(grep -c . out)" 3 "lines of $column"
		expect_eq "$(sed -n 3p out)" '""' "$column"
	done
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
		'source=8,op=store,lat<=9,tid=42' \
		'op=store,issue=3,xlat=1,el=0,pc=0x401000' \
		'op=store,pc=4198400,lat=0009,issue=0X3'; do
		works script --raw --format=csv -F ticks --filter="$terms" f
		expect_eq "$(sed -n '2,$p' out)" 2 "$terms"
		expect_match '^pmscope: 2 samples filtered out' err
		expect_output '^ST GP-REG,1,1.000000' \
			report --raw --sort=op --format=csv --filter="$terms" f
		expect_eq "$(wc -l <out)" 2 "rows of $terms"
	done
	for terms in op=branch 'lat>=10' event=MISPRED source=9 tid=41 comm=x \
		'sym=*' 'event!=RETIRED' 'issue>=4' 'xlat!=1' 'el>=1' \
		'pc!=0x401000'; do
		works script --raw --filter="$terms" f
		expect_eq "$(wc -c <out)" 0 "$terms"
	done
	works script --raw --filter=op=load --filter='lat>=9' f
	expect_eq "$(wc -l <out)" 2 "two options"
	works script --raw --filter= --filter=op=load --filter= f
	expect_eq "$(wc -l <out)" 2 "one option and empty ones"
}

# A name that no CPU has would keep out all samples, as if there were none.
test_filter_by_source() {
	load 01 >f
	local source
	for source in drma L l1-hit remote-; do
		expect_status 1 "$PMSCOPE" script --raw --filter="source=$source" f
		expect_match "^pmscope: filter: '$source' is not a valid value for source" err
	done
	for source in l2 L2 8 0x8 008 'dram|L2' 0xffff; do
		works script --raw --midr=0x410fd0c0 --filter="source=$source" f
	done
	# Others have it.
	works script --raw --midr=0x410fd0c0 --filter=source=non-cacheable-or-device f
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
}

# Names of sources depend on the CPU; codes work for all.
test_filter_by_names_where_no_cpu_is_known() {
	load 01 >f
	works script --raw --filter=source=L2 f
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
	expect_match 'data sources are shown as numbers \(set --midr\)$' err
	works script --raw --filter=source=L2 --midr=0x410fd0c0 f
	expect_eq "$(wc -l <out)" 1 rows
	expect_eq "$(cat err)" '' 'what is said'
	works script --raw --filter=source=9 f
	expect_no_match midr err
}

test_filter_tells_what_there_is() {
	load 01 >f
	expect_status 1 "$PMSCOPE" script --raw --filter=op=jump f
	expect_match "'jump' is not a valid value for op; valid values: other,load,store,branch$" err
	expect_status 1 "$PMSCOPE" script --raw --filter=event=L1D f
	expect_match "is not a valid value for event; valid values: EXCEPTION-GEN,.*,L1D-REFILL,.*,IMPDEF:n$" err
	expect_status 1 "$PMSCOPE" script --raw --filter=source=ram f
	expect_match "is not a valid value for source; valid values: L1,L2,peer-core,.*,remote-memory,.* or a code$" err
	expect_error "is not a valid value for lat; expected a number$" script --raw --filter=lat=long f
	expect_status 1 "$PMSCOPE" script --raw --filter='time>=0.5' f
	expect_match "'0.5' is not a valid value for time; expected a time in ns, or with a unit: 1.5s, 20ms$" err
}

# Some of these would be 12 if truncated to 32 bits.
test_filter_by_an_event_that_cannot_be() {
	load 01 | sed 's/\x52\x16\x00/\x52\x16\x10/' >f
	local bit
	for bit in '' 64 4294967308 -4294967284 -1 ' 12' 12x; do
		expect_error "'IMPDEF:$bit' is not a valid value for event" \
			script --raw --filter="event=IMPDEF:$bit" f
	done
}

# Bit 12 is LATE-PREFETCH on a Neoverse N1 only.
test_filter_by_an_event_of_one_cpu() {
	load 01 | sed 's/\x52\x16\x00/\x52\x16\x10/' >f
	local midr
	for midr in 0x410fd0c0 0x410fd400; do
		works script --raw --format=csv --midr=$midr -F ticks \
			--filter=event=IMPDEF:12 f
		expect_eq "$(sed -n '2,$p' out)" 1 "IMPDEF:12 of $midr"
		works script --raw --format=csv --midr=$midr -F ticks \
			--filter=event=LATE-PREFETCH f
		sed -n '2,$p' out
	done >late
	expect_eq "$(cat late)" 1 "LATE-PREFETCH of the first"
}

test_filter_that_is_none() {
	load 01 >f
	local terms
	for terms in nonsense op 'op>=load' 'lat>=' 'lat=x' 'lat>=-5' 'va=0x10000000000000000' \
		lat event=NONE '=3' 'sym<=a' op=laod 'op=load|' 'op=|load' \
		'op=load,' ',op=load' 'op=load,,lat>=1' 'pc=40100c' 'lat>=0x' \
		',' '|'; do
		expect_status 1 "$PMSCOPE" script --raw --filter="$terms" f
		expect_eq "$(wc -l <err)" 1 "lines of error for $terms"
		expect_eq "$(wc -c <out)" 0 "output for $terms"
	done
}

# times COUNT WORD SEPARATOR: WORD repeated.
times() {
	seq -s "$3" "$1" | sed "s/[0-9]\+/$2/g"
}

test_filter_of_many_terms_and_values() {
	load 01 >f
	works script --raw -F ticks \
		--filter="$(times 15 'lat>=9' ,),tid=$(times 7 41 '|')|42" f
	expect_eq "$(cat out)" 1 "a sample"
	expect_error 'filter: more than 16 terms$' \
		script --raw --filter="$(times 17 'lat>=9' ,)" f
	expect_status 1 "$PMSCOPE" script --raw --filter="tid=$(times 9 42 '|')" f
	expect_match 'filter: tid: more than 8 values$' err
}

# Padding of either kind begins no record.
test_packets_before_which_a_file_ends() {
	{
		load 01
		printf '\x23\x00'
		head -c 14 /dev/zero
		printf '\x20\x00'
	} >f
	expect_output ' 20 00 +PAD$' script --raw --packets f
	expect_eq "$(cat err)" "" stderr
	printf '\x98\x05\x00\x20\x00' >>f
	expect_error 'offset 0x42: cut short' script --raw --packets f
}

test_packets_refuses_what_they_have_not() {
	local option
	load 01 >f
	for option in --fields=pc --format=csv --filter=op=load \
		--skip-unknown; do
		expect_status 1 "$PMSCOPE" script --raw --packets $option f
		expect_match "^pmscope: script: --packets and ${option%%=*} are" err
		expect_eq "$(wc -c <out)" 0 "output with $option"
	done
	works script --raw --packets --format=text f
}

# A physical data address, and an unknown operation.
test_script_text_of_other_addresses() {
	{
		printf 'I\x01\xb3\x00\x90\x00\x00\x00\x00\x00\x00\x01'
		load 02 | sed 's/I\x00R/R/'
	} >f
	expect_output ' pa 0x9000' script --raw f
	expect_match ' \? .*0xffff00009000' out
}

# on_terminal CMD...: its terminal gets what it prints, but for stdout in a file.
on_terminal() {
	env -u CI TERM=xterm script -qec "$*" /dev/null </dev/null >terminal
}

# A terminal shows progress or lines, never one within the other.
test_progress_is_not_among_lines() {
	three_loads >f
	on_terminal "$PMSCOPE script --raw f >out"
	expect_match '100%' terminal
	expect_eq "$(wc -l <out)" 3 lines
	on_terminal "$PMSCOPE script --raw f"
	expect_eq "$(grep -c '[0-9]%' terminal)" 0 "lines with progress"
	expect_eq "$(wc -l <terminal)" 3 lines
	on_terminal "$PMSCOPE script --raw f | cat"
	expect_eq "$(grep -c '[0-9]%' terminal)" 0 "lines with progress"
}

# Of index 6, and of 30, whose header has two bytes; the last of two wins.
test_counters_without_a_name() {
	{
		load 01 | sed 's/\x9a\x01\x00/&\x9e\x01\x01/'
		load 02 | sed 's/\x9a\x01\x00/&\x9e\x05\x00\x23\x9e\xff\xff/'
		load 03
	} >f
	works script --raw --format=csv f
	sed -n 's/.*,//p' out >counts
	expect_eq "$(xargs <counts)" 'counts 6=257 30=65535' counts
	expect_eq "$(cat err)" \
		'pmscope: 3 SPE packets of unknown type'
	expect_output '"offset":0,"counts":\[\{"index":6,"value":257\}\]\}$' script --raw --format=jsonl f
	expect_eq "$(grep -c counts out)" 2 "records with counts"
	works script --raw -F counts,lat_total f
	expect_eq "$(xargs <out)" '6=257 9 30=65535 9 - 9' text
	expect_output ',TLB-ACCESS counts 6=257$' script --raw -F +counts f
	expect_output '^\{"counts":\[\{"index":30,"value":65535\}\]\}$' script --raw -F counts --format=jsonl f
}

ktap_main "$@"
