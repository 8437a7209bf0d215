#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What commands have in common: options, completion, bad input, full disks.
. "$(dirname "$0")/cli.sh"

# One line on stderr that names an offset, and status 1.
rejects() {
	expect_status 1 "$PMSCOPE" "$@"
	expect_eq "$(wc -l <err)" 1 "lines of error"
	expect_match 'offset 0x[0-9a-f]+' err
}

test_a_choice_that_there_is_not_names_those_there_are() {
	expect_error "'json' is not a valid FORMAT for --format: text, jsonl, csv$" script --format=json f
	expect_error "'x' is not a valid WEIGHT for --weight: samples, latency, cost, time$" report --weight=x f
}

test_root_of_a_machine_that_is_not_there() {
	load 01 >f
	expect_error '^pmscope: report: --symfs=nowhere: No such file' report --raw --symfs=nowhere f
	expect_error '^pmscope: report: --symfs=f: Not a directory' report --raw --symfs=f f
	works report --raw --symfs=. f
	works report --raw --symfs= f
}

# completes WORDS RESULT: completes the last of WORDS.
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
	completes rep report
	completes 'stat --topd' --topdown
	completes 'stat -e inst_ret' inst_retired
	completes 'stat -e cpu_cycles,inst_ret' cpu_cycles,inst_retired
	completes 'stat --event = inst_ret' inst_retired
	completes 'record -s inst_ret' inst_retired
	completes 'record --snapshot = inst_ret' inst_retired
	completes 'report -s zz' ''
	completes 'report -s sym,dso_' sym,dso_daddr
	completes 'report --sort = fra' frames
	completes 'script -F time,lat_al' time,lat_alt_issue
	completes 'script --fields = previous' previous_target
	completes 'driver u' use
	completes 'help sc' script
}

test_wrong_options() {
	three_loads >f
	says 'unknown option --nonsense' --raw --nonsense
	says 'unknown option --nonsense=3' --nonsense=3 --raw
	says 'unknown option -X' --raw -X
	says 'unknown option -X' -X3
	says 'unknown option --s=3' --s=3
	says 'unknown option --sor=3; did you mean --sort?' --sor=3
	says 'unknown option --lim=3; did you mean --limit?' --raw --lim=3
	says 'unknown option --lim; did you mean --limit?' --raw --lim 3
	says 'unknown option --he; did you mean --help?' --he
	says 'unknown option --cahcelines; did you mean --cachelines?' \
		--cahcelines
	says 'option --raw takes no argument' --raw=3
	says "'many' is not a valid N for --limit" --limit=many
	says "'0' is not a valid N for --limit" --limit=0
	expect_error '^pmscope: report: option --limit requires an argument$' report --limit
	expect_error '^pmscope: report: option --sort requires an argument$' report -s
	works report --raw --limit=3 f
	works report --raw --limit 3 f
}

test_wrong_commands() {
	local word
	for word in "c2c:use 'pmscope report --cachelines'" \
		"mem:use 'pmscope report --sort=source,sym'" \
		"reprot:did you mean 'pmscope report'\?" \
		"sc:did you mean 'pmscope script'\?"; do
		expect_error "^pmscope: unknown command '${word%%:*}'; ${word#*:}$" "${word%%:*}"
		expect_error "^pmscope: unknown command '${word%%:*}'; ${word#*:}$" help "${word%%:*}"
	done
	# The commands that stand for others exist.
	three_loads >f
	works report --cachelines --raw f
	works report --sort=source,sym --raw f
}

# Before anything is measured.
test_top_refuses() {
	expect_error "^pmscope: top: unknown sort key 'nonsense'" top --once -s nonsense
	expect_error "^pmscope: filter: unknown filter 'nonsense'" top --once --filter=nonsense=1
	expect_error "^pmscope: top: '0' is not a valid SECONDS for --delay" top --once -d 0
	expect_error "^pmscope: top: unexpected argument 'true'" top --once true
	[ -d /sys/bus/event_source/devices/arm_spe_0 ] ||
		expect_status 1 "$PMSCOPE" top --once
}

# With earlier options: LeakSanitizer reports what is not freed.
test_options_before_a_refusal() {
	local command
	for command in 'script --filter=op=load' 'report --filter=op=load' \
		'stat -e a -e b' 'trace -e a' 'record -e a --filter=op=load'; do
		# shellcheck disable=SC2086
		works $command --help
		# shellcheck disable=SC2086
		expect_status 1 "$PMSCOPE" $command --nonsense
		expect_eq "$(wc -l <err)" 2 "lines of $command"
	done
}

# It looks for the function in the program first.
test_trace_of_an_event_that_is_not_known() {
	expect_error "^pmscope: event 'nonsense': unknown" trace -e nonsense main -- true
}

test_standard_input() {
	three_loads >f
	works script --raw f
	mv out expected
	"$PMSCOPE" script --raw - <f >out
	cmp out expected
	# shellcheck disable=SC2002
	cat f | "$PMSCOPE" script --raw -i - >out
	cmp out expected
}

# refuses COMMAND INPUT WHAT: there is no room for a copy.
refuses() {
	expect_status 1 prlimit --fsize=500000 "$PMSCOPE" "$1" --input="$2"
	expect_eq "$(cat err)" "pmscope: $2: offset 0x0: $3" "$1"
}

# The first bytes of a stream show that it is unsupported; it may continue.
test_streams_of_other_kinds() {
	local other='not a perf.data; for raw SPE data use --raw'
	refuses script - "$other" < <(yes)
	mkfifo fifo
	yes >fifo &
	refuses report fifo "$other"
	wait || :
	refuses script /dev/zero "$other"
	refuses report - 'compressed with gzip; decompress it first' \
		< <(printf '\x1f' && sleep 0.1 && printf '\x8b' && cat /dev/zero)
	refuses script - "$other" < <(printf 'PERFILE' && cat /dev/zero)
	expect_error 'cut short inside the header' script - < <(printf 'PERFILE')
}

test_what_would_be_right_is_told() {
	load 01 >f
	expect_error "'banana' is not a valid N for --count: 1 or more" record -c banana -- true
	expect_status 1 "$PMSCOPE" report --raw -o missing/x f
	expect_eq "$(cat err)" "pmscope: missing/x: No such file or \
directory; its directory has to exist" 'error'
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
	expect_eq "$(cat err)" "pmscope: -: offset 0x0: empty" closed
	mkdir dir
	{ printf 'PERFILE2\x68'; head -c 95 /dev/zero; } >dir/data
	touch dir/data.0
	expect_status 1 env TMPDIR=/nowhere "$PMSCOPE" script dir
	expect_match '^pmscope: dir: No such file or directory; a directory is first copied' err
}

# What comes before the damage is reported, and the offset of the damage.
test_compressed_by_zstd() {
	local size cut
	command -v zstd >/dev/null || skip "no zstd"
	three_loads >f
	zstd -q f
	works script --raw f
	mv out expected
	works script --raw f.zst
	cmp out expected
	cat f.zst f.zst >two.zst
	"$PMSCOPE" script --raw - <two.zst >out
	expect_eq "$(wc -l <out)" $((2 * $(wc -l <expected))) rows
	size=$(stat -c %s f.zst)
	for cut in $(seq 4 7 $((size - 1))); do
		head -c "$cut" f.zst >cut.zst
		expect_status 1 "$PMSCOPE" script --raw cut.zst
		expect_match "^pmscope: cut.zst: offset 0x$(printf %x "$cut"): cut short inside a frame of zstd$" err
	done
	{ cat f.zst; echo garbage; } >more.zst
	expect_error '^pmscope: more.zst: offset 0x[0-9a-f]*: damaged zstd data: ' script --raw more.zst
	cmp out expected
}

test_bombs_of_zstd() {
	command -v zstd >/dev/null || skip "no zstd"
	{ printf PERFILE2; head -c 500000000 /dev/zero; } | zstd -q >bomb.zst
	expect_status 1 prlimit --fsize=100000000 "$PMSCOPE" report bomb.zst
	expect_match 'bomb.zst: offset 0x[0-9a-f]*: the zstd data expands to more' err
	head -c 500000000 /dev/zero | zstd -q >other.zst
	expect_status 1 prlimit --fsize=2000000 "$PMSCOPE" report other.zst
	expect_match 'other.zst: offset 0x0: not a perf.data' err
}

# A file next to a recording is used only if it is a regular file.
test_what_is_beside_a_recording() {
	load 01 >f
	mkfifo f.kallsyms
	expect_status 0 timeout 300 "$PMSCOPE" script --raw f
	rm f.kallsyms
	mkdir f.kallsyms
	works script --raw f
	expect_eq "$(wc -l <out)" 1 rows
	expect_eq "$(cat err)" '' 'what is said'
	touch f.symfs
	works script --raw f
	expect_eq "$(cat err)" \
		'pmscope: warning: cannot read symbols from f.symfs: Not a directory' error
}

test_what_is_beside_a_recording_and_cannot_be_read() {
	[ "$(id -u)" = 0 ] || skip 'it takes another user'
	load 01 >f
	touch f.kallsyms
	mkdir f.symfs
	chmod 755 .
	chmod 600 f.kallsyms f.symfs
	expect_status 0 setpriv --reuid 65534 "$PMSCOPE" script --raw f
	expect_match '^pmscope: warning: cannot read symbols from f.kallsyms: Permission denied' err
	expect_match '^pmscope: warning: cannot read symbols from f.symfs: Permission denied' err
}

test_names_of_nothing() {
	expect_status 1 "$PMSCOPE" script ''
	expect_eq "$(cat err)" "pmscope: script: '' is not a valid FILE" error
	expect_error "report: '' is not a valid FILE for --kallsyms" report --kallsyms= f
	expect_error "regs: '' is not a valid FILE for --input" regs -i ''
}

test_cut_at_every_byte() {
	three_loads >f
	local size cut
	size=$(stat -c %s f)
	for cut in $(seq "$size"); do
		head -c "$cut" f >g
		local whole=$((cut / (size / 3)))
		if [ $((cut % (size / 3))) = 0 ]; then
			works script --raw --packets g
			works script --raw g
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
	expect_error 'offset 0x30' script --raw --format=csv f
	expect_eq "$(sed 1d out | wc -l)" 2 'rows of whole records'
	works script --raw --format=csv --skip-unknown f
	expect_eq "$(sed 1d out | wc -l)" 3 'rows of all records'
	expect_eq "$(cat err)" \
		'pmscope: 1 SPE packets of unknown type'
	works report --raw --sort=op --format=csv --skip-unknown f
	expect_eq "$(sed 1d out | cut -d, -f 2)" 3 samples
}

test_empty_random_and_missing() {
	local view file
	: >empty
	rejects script --raw empty
	rejects script --raw --packets empty
	rejects script empty
	rejects report empty
	head -c 5000 /dev/urandom >random
	rejects script random
	expect_match 'offset 0x0: not a perf.data; for raw SPE data use --raw$' err
	rejects report --raw random
	expect_no_match perf.data err
	printf PERFILE2 | cat - random >recording
	rejects report --raw recording
	expect_match '; this is a perf.data: omit --raw$' err
	expect_error 'nothing: No such file or directory$' script nothing
	expect_error "perf.data: No such file .*'pmscope record'.* --input" report
	expect_error 'Is a directory' script .
	for view in script 'script --packets' 'script --format=jsonl' report; do
		for file in nothing . random; do
			# shellcheck disable=SC2086 # several words
			expect_status 1 "$PMSCOPE" $view $file
			expect_eq "$(wc -l <err)" 1 "lines of error, $view $file"
		done
	done
}

readonly VIEWS=(report 'report --format=jsonl' 'report --format=csv'
	'report --format=html' 'report --timeline' 'report --cachelines'
	'report --timeline --format=csv' 'report --cachelines --format=jsonl'
	annotate 'annotate --format=jsonl' 'annotate --format=csv'
	script 'script --format=jsonl' 'script --format=csv')

# What would be in it is zeros.
test_unreadable_input_has_no_empty_report() {
	: >empty
	head -c 5000 /dev/zero | tr '\0' '\377' >bad
	local view file
	for view in "${VIEWS[@]}"; do
		for file in empty bad; do
			# shellcheck disable=SC2086 # several words
			rejects $view --raw --input=$file
			expect_eq "$(cat out)" '' "$view of raw $file"
			# shellcheck disable=SC2086 # several words
			rejects $view --input=$file
			expect_eq "$(cat out)" '' "$view of $file"
		done
	done
	rejects report --header-only bad
	expect_eq "$(cat out)" '' header
	rejects report --header --format=jsonl bad
	expect_eq "$(cat out)" '' 'header as JSON'
	rejects annotate --raw --input=bad main
	expect_match 'no SPE packet begins here' err
	echo before >page
	for view in text html; do
		rejects report --raw --format=$view -o page bad
		expect_eq "$(cat page)" before "the file before, $view"
	done
}

# What was read is shown, and the error comes after it.
test_a_damaged_end_costs_only_the_end() {
	{
		three_loads
		printf '\xff'
	} >f
	local view
	for view in "${VIEWS[@]}"; do
		# shellcheck disable=SC2086 # several words
		expect_error 'no SPE packet begins here' $view --raw --input=f
		[ -s out ] || fail "no output of $view"
	done
	rejects report --raw --sort=op f
	expect_match '^# f: 3 SPE samples' out
	# A filter that nothing passes does not make it unreadable.
	rejects report --raw --filter='lat>1000' f
	expect_match '^# 3 samples filtered out' out
}

# Its output fills the pipe long before it ends.
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
	expect_match '^pmscope: f: was truncated while it was read, before offset 0x' err
	[ "$(wc -l <rest)" -lt 131071 ] || fail "all of it was read before"
}

# Like a new recording over an old one.
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
	local command
	expect_output '^Usage: pmscope script' script --help
	expect_match '--format=FORMAT .*text\|jsonl\|csv' out
	expect_eq "$(wc -c <err)" 0 "bytes on stderr"
	expect_status 1 "$PMSCOPE" script --nonsense
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
	expect_error 'not a valid FORMAT for --format' script --format=xml f
	expect_error "unknown sort key 'nonsense'" report --sort=nonsense f
	expect_status 1 "$PMSCOPE" nonsense
	expect_status 1 "$PMSCOPE"
	works help report
	for command in '' doctor driver regs stat record script report; do
		works $command --help
		{ [ -s out ] && [ ! -s err ]; } || fail "$command --help"
	done
}

test_events_that_there_are_not() {
	expect_output ' cpu_cycles ' events -a CYCLES nonsense
	expect_status 1 "$PMSCOPE" events -a nonsense other-nonsense
	expect_eq "$(wc -c <out)" 0 "bytes on stdout"
	expect_match "^pmscope: events: no event matches 'nonsense'" err
	expect_match "^pmscope: events: no event matches 'other-nonsense'" err
}

# Lost output is an error without a recording, too.
test_full_disk_for_every_command() {
	three_loads >f
	local args status
	for args in --version --help "help report" "script --help" events doctor \
		"script --raw f" \
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

# The reader of four threads' output goes away; the status is in $status.
printed_in_part() {
	status=0
	"$PMSCOPE" script --raw --threads=4 -F pc f 2>err \
		> >(head -n 50000 >/dev/null) || status=$?
}

# Whichever thread writes, and whatever errno is in another thread.
test_nobody_reads_what_is_printed() {
	local status
	load 01 >f
	for _ in $(seq 16); do cat f f >g && mv g f; done
	for _ in $(seq 8); do
		printed_in_part
		expect_eq "$status $(cat err)" '141 ' 'it ends'
	done
	trap '' PIPE
	for _ in $(seq 8); do
		printed_in_part
		expect_eq "$status $(cat err)" \
			'1 pmscope: standard output: Broken pipe' 'it is told'
	done
}

# Fields that are 0 and have a word for it are printed even if everything is 0.
test_regs_tells_what_a_value_of_0_means() {
	printf 'cpu0 %s\n' 'PMSSCR_EL1 0x0' 'PMECR_EL1 0x0' 'PMCR_EL0 0x1' \
		'PMSCR_EL2 0x3' 'PMSCR_EL12 0x2' 'PMCCNTR_EL0 0x0' >dump
	expect_output 'control: NC=0 \(captured\) SS=0 \(complete\)$' regs -i dump
	expect_match 'SSE=0 \(captures disabled\) PMEE=0 \(interrupt\)$' out
	expect_match ' PMSCR_EL2 .* E2SPE=1 E0HSPE=1$' out
	expect_match ' PMSCR_EL12 .* E1SPE=1$' out
	expect_match 'cycle counter$' out
	expect_output '"words":\{"NC":"captured","SS":"complete"\}\}$' regs -j -i dump
	expect_match '"SSE":"captures disabled"' out
	expect_match '"PMCCNTR_EL0","value":"0x0","fields":\{"VALUE":"0x0"\}\}$' \
		out
}

test_a_place_to_run() {
	local status=0
	"$PMSCOPE" --version >&- 2>err || status=$?
	expect_eq "$status" 1 'status without standard output'
	echo data >f
	"$PMSCOPE" report --raw f <&- >&- 2>&- || status=$?
	expect_eq "$(cat f)" data 'the file after closed descriptors'
	(ulimit -s 64 && expect_status 1 "$PMSCOPE" events)
	expect_match 'the limit of the stack is 64 KiB; raise it: ulimit -s 1024' err
	unshare -m true 2>err || skip "cannot unmount /proc"
	expect_status 1 unshare -m sh -c 'umount -l /proc; exec "$@"' sh \
		"$PMSCOPE" events
	expect_match '/proc is not mounted' err
}

# Where LLVM's library just has room to be loaded, it has none to begin.
test_no_memory_for_llvm() {
	local limit status
	"$PMSCOPE" --version | grep -q LLVM || skip "no LLVM"
	for limit in $(seq 160000 600 200000); do
		status=0
		(ulimit -v "$limit" && exec "$PMSCOPE" --version) >out 2>err ||
			status=$?
		# 127: of the dynamic linker
		[[ $status = [01] || $status = 127 ]] ||
			fail "status $status with $limit KiB: $(cat err)"
		[ "$status" != 1 ] || expect_match 'not enough memory for LLVM' err
	done
}

# ASan's own memory does not fit into the limit.
applies() {
	[ "$1" != no_memory_for_llvm ] || ! grep -q __asan_init "$PMSCOPE"
}

ktap_main "$@"
