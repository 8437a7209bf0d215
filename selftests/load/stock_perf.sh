#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With pmscope loaded, stock perf prints the same rows and numbers as without, unless
# the command names a PMU of pmscope. $PERF is another version of perf to test.
. "$(dirname "$0")/../pmscope.sh"

PERF=${PERF:-perf}

# shellcheck disable=SC2034 # the tables are used by name
# Arguments of perf stat
COUNTING=(
	''
	-d
	-ddd
	--topdown
	'-e inst_retired'
	'-e INST_RETIRED:u'
	'-e inst_retired,cpu_cycles,l1d_cache,br_retired,mem_access'
	'-e {inst_retired,cpu_cycles}'
	'-e cycles,instructions,branches,branch-misses,cache-misses'
	'-e L1-dcache-loads,dTLB-loads,stalled-cycles-frontend'
	'-e r8,r11'
	'-e armv8*/inst_retired/,armv8*/event=0x11/'
	'-e */inst_retired/'
	'-a -e inst_retired'
	'-a -A -e inst_retired,cpu_cycles'
	'-a --per-core -e inst_retired'
	'-C 0 -e inst_retired'
	'-M l1d_cache_mpki'
	'-M ipc,branch_misprediction_ratio'
)
# shellcheck disable=SC2034
# Arguments of perf list
LISTS=('' hw cache pmu metric inst_retired '--details pmu' '-j pmu')
# shellcheck disable=SC2034
# perf commands that record
RECORDERS=(
	record
	'record -a'
	'record -e inst_retired'
	'record -e inst_retired,cpu_cycles:u'
	'mem record'
	'mem record -t load'
	'c2c record'
)

# perf_says ARG...: what perf prints, and its status
perf_says() {
	local status=0
	"$PERF" "$@" 2>&1 || status=$?
	echo "status $status"
}

# each ARRAY CMD...: CMD with the words of each element, outputs numbered
each() {
	local -n table=$1
	local nr words
	for nr in "${!table[@]}"; do
		read -ra words <<<"${table[nr]}"
		"${@:2}" "${words[@]}" >"$1.$nr"
	done
}

count() {
	local turns=5000000
	# All that a CPU does: much of one program, beside which the rest is little
	[[ " $* " != *" -"[aC]" "* ]] || turns=40000000
	rm -f counted
	perf_says stat -x, -o counted "$@" -- taskset 1 "$WORKLOAD/spin" $turns
	# Without the time that a counter ran
	[ ! -s counted ] || sed -E '/^#/d; s/,[0-9]+,([0-9]+\.[0-9]+),/,\1,/' counted
}

# Recorded events, not records: a PMU has another number in each run.
recorded() {
	rm -f data
	perf_says "$@" -o data -- "$WORKLOAD/spin" 2000000 |
		grep -v 'Captured and wrote\|Woken up'
	perf_says evlist -i data
}

all_commands() {
	mkdir "$1"
	cd "$1"
	each COUNTING count
	each LISTS perf_says list
	each RECORDERS recorded
	cd ..
}

# Both runs, made once for all tests: the device stays with a driver.
runs() {
	need module_file perf pmscope
	counts_are_exact || skip "counts are not exact here"
	cd "$KTAP_DIR"
	[ ! -d without ] || return 0
	keep_module_state
	module_loaded || load_module
	! spe_device || use_device
	all_commands with
	! spe_device || restore_device
	unload_module
	all_commands without
}

# Names of our PMUs; in perf list they have rows of their own.
others() { grep -v 'pmu_snapshot\|pmscope_stream' "$1"; }

# alike FILE: the same words in both runs. Numbers above 10,000 differ by less than
# 10 %, other digits may differ.
alike() {
	awk 'function differ() { print FILENAME ": " $0; print "not: " line; exit 1 }
	{
		line = FNR in first ? first[FNR] : ""
		if (NR == FNR) { first[FNR] = $0; lines = FNR; next }
		n = split($0, here, /[, ]+/)
		if (FNR > lines || split(line, there, /[, ]+/) != n) differ()
		for (i = 1; i <= n; i++) {
			a = here[i]; b = there[i]
			if (a !~ /^[0-9.]+$/ || b !~ /^[0-9.]+$/) {
				if (a "" != b "") differ()
			} else if (a + b > 20000 && (a > b * 1.1 || b > a * 1.1))
				differ()
		}
	}
	END { if (FNR != lines) { print lines, "lines, not", FNR; exit 1 } }' \
		"without/$1" "with/$1"
}

# compare ARRAY FILTER: each output of its commands
compare() {
	runs
	local -n rows=$1
	local nr bad=0
	for nr in "${!rows[@]}"; do
		"$2" "$1.$nr" >difference || {
			echo "perf ${rows[nr]}:"
			cat difference
			bad=1
		}
	done
	[ $bad = 0 ] || fail "perf differs with the module"
	note "${#rows[@]} commands, of them $(grep -l '^status 0' without/"$1".* |
		wc -l) without an error"
}

test_stat_counts_the_same() { compare COUNTING alike; }

same_list() { diff "without/$1" <(others "with/$1"); }

test_list_has_the_same_rows() { compare LISTS same_list; }

same_events() { diff "without/$1" "with/$1"; }

test_recorders_take_the_same_events() { compare RECORDERS same_events; }

ktap_main "$@"
