#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash, zsh and fish: what the shells offer is what the tool's tables
# have. The stage `packages` runs this with zsh and fish.
. "$(dirname "$0")/cli.sh"

export PMSCOPE

# bash_offers WORD...: what bash makes of the last WORD, one a line
bash_offers() {
	pmscope() { "$PMSCOPE" "$@"; }
	local COMP_WORDS COMP_CWORD COMPREPLY
	# shellcheck source=tools/completion/pmscope.bash
	. "$TOOLS/completion/pmscope.bash"
	COMP_WORDS=(pmscope "$@")
	COMP_CWORD=$#
	_pmscope
	[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

# The shell's own functions are replaced by some that print what they get.
zsh_offers() {
	zsh -fc '
		pmscope() { "$PMSCOPE" "$@" }
		_files() { print FILES $PREFIX }
		compset() { PREFIX=${PREFIX#${~2}} }
		compadd() { while [[ $1 != -a ]] shift; print -rl -- "${(@P)2}" }
		source "$0"
		words=(pmscope "$@") CURRENT=$#words PREFIX=$words[-1]
		_pmscope' "$TOOLS/completion/_pmscope" "$@" | sed '/^$/d'
}

# fish_offers LINE: the whole line; fish tells the meanings, too.
fish_offers() {
	# shellcheck disable=SC2016 # fish expands them
	HOME=$PWD fish -c '
		function pmscope; $PMSCOPE $argv; end
		source $argv[1]
		complete -C "$argv[2]"' "$TOOLS/completion/pmscope.fish" \
		"pmscope $1" 2>fish.err | cut -f 1
}

need() { command -v "$1" >/dev/null || skip "no $1 here"; }

# valid TEXT: the names in the tool's own message, as lines
valid() {
	sed -n "s/.*$1: //p" err | tr -d ' ' | tr ',' '\n'
}

# The tables of the tool, by other ways than completion
tables() {
	"$PMSCOPE" help | sed -n 's/^  \([a-z]*\) .*/\1/p' >commands
	expect_status 1 "$PMSCOPE" report --sort='?'
	valid 'valid keys' >keys
	expect_status 1 "$PMSCOPE" script -F '?'
	valid 'valid fields' >fields
	expect_status 1 "$PMSCOPE" export --format='?'
	valid 'for --format' >formats
	"$PMSCOPE" events -a | awk '{ print $(NF > 0 && $1 ~ /^0x/ ? 2 : 3) }' |
		sort -u >known_events
	for table in commands keys fields formats known_events; do
		[ -s "$table" ] || fail "no $table"
	done
}

# same WHAT FILE: standard input has the lines of FILE
same() {
	sort -u >offered
	sort -u "$2" | diff offered - >differ || fail "$1: $(head -n 5 differ)"
}

# compare OFFERS: a function that takes words
compare() {
	local command
	tables
	"$1" '' | grep -vx help | same commands commands
	while read -r command; do
		"$PMSCOPE" "$command" --help |
			grep -oE '^ *(-., )?--[a-z-]+' | sed 's/.*--/--/' >options
		"$1" "$command" -- | same "options of $command" options
	done <commands
	"$1" report --sort '' | same keys keys
	"$1" script --fields '' | same fields fields
	"$1" export --format '' | same formats formats
	# A machine with PMUs has these beside.
	"$1" stat -e '' | grep -v / >names
	comm -23 known_events <(sort -u names) >lost
	[ ! -s lost ] || fail "events: $(head -n 5 lost)"
}

test_bash_offers_what_the_tool_has() {
	compare bash_offers
}

test_zsh_offers_what_the_tool_has() {
	need zsh
	compare zsh_offers
}

as_line() { fish_offers "$*"; }

test_fish_offers_what_the_tool_has() {
	need fish
	compare as_line
}

# Bash breaks the word at the =, and completes files itself.
test_zsh_completes_files_after_an_option() {
	need zsh
	expect_eq "$(zsh_offers report --input=perf.d)" 'FILES perf.d' --input=
	expect_eq "$(zsh_offers report perf.d)" 'FILES perf.d' "an operand"
}

test_fish_completes_files_after_an_option() {
	need fish
	touch perf.data
	expect_eq "$(fish_offers 'report --input=perf.d')" --input=perf.data \
		--input=
	expect_eq "$(fish_offers 'report perf.d')" perf.data "an operand"
}

test_lists_keep_what_is_there() {
	expect_eq "$(bash_offers report -s sym,dso_)" sym,dso_daddr "a list"
	expect_eq "$(bash_offers script -F +lat_al)" +lat_alt_issue "a sign"
	expect_eq "$(bash_offers record --sort = '' | head -n 1)" '' "no option"
	expect_eq "$(bash_offers stat -e '{cpu_cycles,inst_ret')" \
		'{cpu_cycles,inst_retired' "a group"
	expect_eq "$(bash_offers report --filter = 'op=load,symbol_d')" \
		'op=load,symbol_daddr=' "a filter"
	expect_eq "$(bash_offers stat -- per)" '' "a program"
}

# Bash breaks words at each =, unless they are quoted.
test_values_of_filters_are_offered() {
	load 01 >f
	expect_status 1 "$PMSCOPE" script --raw --filter='op=?' f
	valid 'valid values' >operations
	bash_offers report --filter = op = | same operations operations
	bash_offers record --filter op = | same operations operations
	expect_eq "$(bash_offers record --filter = 'lat>=50,op=lo')" \
		'lat>=50,op=load' "a quoted term"
	expect_eq "$(bash_offers report --filter = 'source!=l3|dra')" \
		'source!=l3|dram' "a second value"
	expect_eq "$(bash_offers record --source dra)" dram --source
	expect_eq "$(bash_offers report --filter = 'event=MISP')" \
		'event=MISPRED' "an event"
	expect_eq "$(bash_offers report --filter = 'lat>=')" '' "a number"
}

test_each_choice_of_an_option_is_offered() {
	expect_eq "$(bash_offers report --color = '' | paste -sd ' ')" \
		'auto always never' --color
	expect_eq "$(bash_offers diff --per = in)" instructions --per
	expect_eq "$(bash_offers stat -M ipc,backend_bo)" ipc,backend_bound -M
	expect_eq "$(bash_offers record --aux-size = '')" '' --aux-size
	expect_eq "$(bash_offers record --switch-output = si)" signal \
		--switch-output
	# Its argument can be left out: the next word is something else.
	expect_eq "$(bash_offers record --switch-output --all-cp)" --all-cpus \
		"after an option"
}

# Events and terms of PMUs are those of sysfs; where PMUs are, there are some.
test_pmus_are_offered() {
	local pmu dir=/sys/bus/event_source/devices
	pmu=$(find -L "$dir" -mindepth 2 -maxdepth 2 -name format 2>/dev/null |
		head -n 1)
	[ -n "$pmu" ] || skip "no PMU in sysfs"
	pmu=$(basename "$(dirname "$pmu")")
	bash_offers stat -e "$pmu" >offered
	grep -qx "$pmu/" offered || fail "no $pmu/"
	ls "$dir/$pmu/format" >formats
	bash_offers stat -e "$pmu/" | sed -n "s,^$pmu/\(.*\)=$,\1,p" |
		same "terms of $pmu" formats
}

ktap_main "$@"
