#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands that look at this machine: doctor, regs, stat, record, report.
. "$(dirname "$0")/../pmscope.sh"

before_each() { need_command pmscope; }

test_doctor_says_what_works() {
	need_snapshot
	pmscope doctor >out
	expect_match 'PMUv3_SS|snapshot' out
	expect_match 'SPE' out
	note "$(head -n 1 out)"
}

# The log of a loaded module has more than errors.
test_doctor_tells_how_to_load_the_module() {
	need_module_file
	keep_module_state
	module_loaded || load_module
	unload_module
	expect_status 1 pmscope doctor
	expect_match 'pmscope is not loaded' out
	expect_no_match 'taint' out
}

test_regs_decodes_registers() {
	need root snapshot
	pmscope regs >out
	expect_match 'ID_AA64DFR0_EL1' out
	expect_match 'PMCR_EL0' out
}

# A kernel at EL2 (VHE) reaches PMSCR_EL2 by the name PMSCR_EL1.
test_regs_names_the_PMSCR_that_is_used() {
	need root snapshot spe
	pmscope regs -C 0 >out
	if grep -q ' MDCR_EL2 ' out; then
		expect_match ' PMSCR_EL2 ' out
		expect_match ' PMSCR_EL12 ' out
		expect_no_match ' PMSCR_EL1 ' out
	else
		expect_match ' PMSCR_EL1 ' out
		expect_no_match ' PMSCR_EL1?2 ' out
	fi
}

# Both groups belong to this command: do not advise to stop others.
test_stat_tells_that_its_groups_do_not_fit_together() {
	need root snapshot
	local group='{r01,r03,r04,r10}'
	expect_status 0 pmscope stat -C 0 -e "$group" -- true
	if pmscope stat -C 0 -e "$group" -e "$group" -- true 2>err; then
		skip "this CPU has counters for both"
	fi
	expect_match 'groups of this command together need more counters' err
	expect_match 'has 4 events, the others have 4' err
	expect_no_match 'stop the other' err
}

# goes_with REGISTER REGEX: the register is present if a line says that the CPU
# has it.
goes_with() {
	if grep -Eq "$2" out; then
		expect_match " $1 " out
	else
		expect_no_match " $1 " out
	fi
}

test_regs_are_those_that_the_CPU_has() {
	need root snapshot
	! grep -q unknown "$SNAPSHOT/caps/gate" ||
		skip "firmware does not say what it traps"
	pmscope regs -C 0 >out
	goes_with PMMIR_EL1 'PMUVer=([5-9]|1[0-4])\b'
	goes_with PMUACR_EL1 'PMUVer=(9|1[0-4])\b'
	goes_with PMSNEVFR_EL1 'PMSIDR_EL1 .* FnE=1'
	goes_with PMSDSFR_EL1 'PMSIDR_EL1 .* FDS=1'
	goes_with PMBMAR_EL1 'ID_AA64DFR2_EL1 .* SPE_nVM=1'
}

test_stat_group() {
	need_snapshot
	pmscope stat -C 0 -x, -o out \
		-e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/,pmu_snapshot/event=0x11/}' \
		-- taskset 1 "$WORKLOAD/spin" 1000000
	awk -F, '/event=0x11/ { n[k++] = $1 } END { exit !(k == 2 &&
		n[0] == n[1] && n[0] > 0) }' out || fail "$(cat out)"
}

test_stat_intervals() {
	need_snapshot
	pmscope stat -C 0 -I 10 -x, -o out \
		-e '{pmu_snapshot/event=0x11/,pmu_snapshot/event=0x11/}' \
		-- taskset 1 "$WORKLOAD/spin" 50000000
	awk -F, '/event=0x11/ { n[k++ % 2] = $2 }
		/event=0x11/ && k % 2 == 0 { reads++; bad += n[0] != n[1] }
		END { exit !(reads >= 3 && !bad) }' out || fail "$(cat out)"
}

test_stat_json() {
	need_snapshot
	pmscope stat -C 0 -j -o out -e pmu_snapshot/event=0x11/ -- true
	expect_match '^\{.*"event":"pmu_snapshot/event=0x11/".*\}$' out
}

# A recording of ours is perf's format: perf reads it, too.
test_record_is_read_by_perf() {
	need_spe
	pmscope record -o data -e "$SPE/ts_enable=1/u" -c 4096 -- \
		"$WORKLOAD/loop" 1000000 >info
	perf report -D -i data >packets 2>/dev/null
	expect_true "$(grep -c ' PC 0x' packets) > 3000" "records perf sees"
	perf report -i data --stdio >printed 2>err
	expect_match '[0-9.]+%.*loop' printed
	pmscope script --format=jsonl data >lines
	expect_eq "$(wc -l <lines)" "$(grep -c ' PC 0x' packets)" \
		"records of pmscope and of perf"
}

# Both times are of the recording: the option selects what the field names. The
# CPUs of a task that moved are printed one after another.
test_record_knows_the_time_of_day() {
	need_pmscope_spe
	local before from
	before=$(date '+%F %T')
	pmscope record -q -c 4096 --user -o data -- \
		"$WORKLOAD/spin" 20000000 >/dev/null
	pmscope script -F tod data | sort >tods
	expect_true "\"$(head -n 1 tods)\" >= \"$before\"" 'not before it began'
	expect_true "\"$(tail -n 1 tods)\" < \"$(date '+%F %T').999\"" \
		'nor after it ended'
	from=$(sed -n 20p tods)
	pmscope script -F tod --time="$from," data | sort >later
	awk -v from="$from" '$0 "" >= from' tods >expected
	expect_eq "$(cat later)" "$(cat expected)" 'from there on'
}

# perf relocates kernel symbols by the one that the recording names; some
# kernels list no _text.
test_record_names_a_symbol_that_the_kernel_lists() {
	need_spe
	local address name
	pmscope record -q -o data -u -c 4096 -- true
	perf script --show-mmap-events -i data 2>/dev/null | sed -nE \
		's/.* @ 0x([0-9a-f]+)\]: . \[kernel\.kallsyms\](.*)/\1 \2/p' >told
	read -r address name <told || fail "no mapping of the kernel"
	expect_match "^$address [tT] $name$" /proc/kallsyms
}

# A program is not named by another file that takes its name later, nor by the
# copies that perf keeps below HOME.
test_record_keeps_files_of_one_name_apart() {
	need_spe
	cp "$WORKLOAD/loop" prog
	cp "$WORKLOAD/spin" other
	pmscope record -q -o data -u -c 4096 -- \
		sh -c './prog 1000000; mv other prog; ./prog 10000000'
	HOME=$PWD pmscope report --sort=dso,sym --format=csv data >printed
	expect_match '/prog,spin_[a-z]+,[0-9]{3}' printed
	expect_match '/prog,\[unknown\],[0-9]{3}' printed
}

# The hardware keeps only what the filter says; perf reads the rest.
test_record_filters_in_words() {
	need_spe
	pmscope record -q -o data -u -c 4096 --filter='op=store,lat>=1' -- \
		"$WORKLOAD/loop" 1000000 >info
	pmscope script --format=csv -F op,lat_total data | sed 1d |
		sort | uniq -c >kept
	expect_no_match 'load|branch|other' kept
	expect_match store kept
	expect_status 1 pmscope record -o other --filter=comm=xz -- true
	expect_match 'hardware cannot filter by this' err
}

# With buffers of a few records many are lost, and then the interval must
# grow; how many depends on when the reader runs.
test_record_adapts_the_interval() {
	need_spe
	local lost
	expect_status 0 pmscope record -o data -u -c 1024 \
		--aux-size="$(pages 2)" --max-loss=0 -- "$WORKLOAD/spin" 100000000
	lost=$(sed -n 's/.*: \([0-9]*\) of [0-9]* SPE buffers were trunc.*/\1/p' err)
	note "${lost:-0} buffers truncated"
	[ "${lost:-0}" -lt 100 ] ||
		expect_match 'interval was doubled [0-9]+ times' err
	pmscope report data >printed
	expect_match spin printed
}

test_record_tells_that_a_buffer_is_too_small() {
	need_spe
	local page
	page=$(getconf PAGESIZE)
	expect_status 1 pmscope record -o data -u --aux-size="$page" -- true
	expect_match "at least two pages \\($((2 * page / 1024)) KiB\\)" err
	expect_status 0 pmscope record -q -o data -u \
		--aux-size=$((2 * page)) -- true
}

test_report_names_the_hot_code() {
	need_spe
	perf record -q -o data -c 4096 -e "$SPE/ts_enable=1,jitter=1/u" -- \
		"$WORKLOAD/loop" 1000000 >info
	pmscope report data >printed
	expect_match 'loop_(begin|run)' printed
}

test_report_of_a_snapshot_recording() {
	need spe snapshot
	pmscope record -o data -c 4096 -F 1000 -e "$SPE/ts_enable=1/u" \
		-e '{cpu-clock,pmu_snapshot/event=0x11/,pmu_snapshot/event=0x8/}:S' \
		-- "$WORKLOAD/loop" 4000000 >info
	pmscope report data >printed
	expect_match 'loop' printed
}

# Their numbers concern all users' processes.
test_stats_are_for_root() {
	need root snapshot setpriv
	local file count=0
	for file in "$PMUS"/{pmu_snapshot,arm_spe_*}/stats/*; do
		[ -e "$file" ] || continue
		expect_status 0 cat "$file"
		expect_match '[0-9]' out
		expect_status 1 as_nobody cat "$file"
		expect_match 'Permission denied' err
		count=$((count + 1))
	done
	note "$count files"
	expect_true "$count > 5" "files"
}

# says_nothing_of_stats CMD...: CMD succeeds as nobody, without mentioning them.
says_nothing_of_stats() {
	expect_status 0 as_nobody "$@"
	expect_no_match 'stats|[Pp]ermission denied|SPE driver' err
	expect_no_match 'stats|not loaded' out
}

test_others_do_without_stats() {
	need setpriv root snapshot pmscope_spe
	local paranoid=/proc/sys/kernel/perf_event_paranoid before
	before=$(cat $paranoid)
	# shellcheck disable=SC2064
	trap "echo $before >$paranoid" EXIT
	echo 2 >$paranoid
	chmod 755 "$KTAP_DIR"
	chmod 777 .
	says_nothing_of_stats pmscope doctor
	says_nothing_of_stats pmscope stat -x, -o counted \
		-e pmu_snapshot/event=0x11/u -- "$WORKLOAD/spin" 1000000
	expect_match '^[1-9][0-9]*,' counted
	says_nothing_of_stats pmscope record -o data -c 4096 -e "$SPE//u" -- \
		"$WORKLOAD/loop" 1000000
	says_nothing_of_stats pmscope report data
	expect_match loop out
}

ktap_main "$@"
