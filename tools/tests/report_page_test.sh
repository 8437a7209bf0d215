#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope-report(1) tells of all that report prints for programs: each key of
# its JSON lines, each column of its CSV.
# shellcheck source=tools/tests/cli.sh
. "$(dirname "$0")/cli.sh"

PAGE=$TOOLS/../Documentation/reference/man/pmscope-report.1

# Records of a perf.data, as pmscope/perfdata.h has them.
MMAP=1 COMM=3 SAMPLE=9 HEADER_ATTR=64 AUXTRACE_INFO=70 AUXTRACE=71
EVENT_UPDATE=78 TIME_CONV=79 HEADER_FEATURE=80

NUMA_TOPOLOGY=14 MEM_TOPOLOGY=22

# Types of PMUs; IDENTIFIER, TID, TIME and CPU of samples, and READ.
SPE=10 SNAPSHOT=20 OTHER=4
SAMPLE_TYPE=0x10086 SAMPLE_READ=0x10096

# GROUP and ID of a read, and both times.
GROUP=12 TIMED_GROUP=15

# put SIZE VALUE...: numbers of SIZE bytes.
put() {
	local size=$1 value i text=
	shift
	for value; do
		for ((i = 0; i < size; i++)); do
			printf -v text '%s\\x%02x' "$text" \
				$((value >> 8 * i & 255))
		done
	done
	printf %b "$text"
}

# record TYPE CMD...: what CMD prints is its body.
record() {
	"${@:2}" >body
	put 4 "$1"
	put 2 0 $((8 + $(wc -c <body)))
	cat body
}

# attr PMU CONFIG SAMPLE_TYPE READ_FORMAT ID, with sample_id_all.
attr() {
	put 4 "$1" 112
	put 8 "$2" 0 "$3" "$4" 0x40000 0 0 0 0 0 0 0 0 "$5"
}

# name ID TEXT
name() {
	put 8 2 "$1"
	printf '%s' "$2"
	put 1 0 0 0 0 0 0 0 0
}

# event ID CONFIG NAME: one of pmu_snapshot.
event() {
	record $HEADER_ATTR attr $SNAPSHOT "$2" $SAMPLE_READ $GROUP "$1"
	record $EVENT_UPDATE name "$1" "pmu_snapshot/$3/"
}

# CPUs 0 to 3 are of node 3.
numa_nodes() {
	put 8 $NUMA_TOPOLOGY
	put 4 1 3
	put 8 0 0
	put 4 4
	printf '0-3\0'
}

# text FEATURE TEXT
text() {
	put 8 "$1"
	put 4 16
	printf '%s' "$2"
	head -c $((16 - ${#2})) /dev/zero
}

# Available and online
nrcpus() {
	put 8 7
	put 4 4 4
}

# perf record
command_line() {
	put 8 11
	put 4 2 8
	printf 'perf\0\0\0\0'
	put 4 8
	printf 'record\0\0'
}

# For thread 42 on CPU 1; the leader is the event $1.
sample_head() {
	put 8 "$1"
	put 4 42 42
	put 8 "$2" 1
}

# group TIME ID VALUE [ID VALUE]...
group() {
	sample_head "$2" "$1"
	put 8 $((($# - 1) / 2))
	shift
	for ((; $# > 0; )); do
		put 8 "$2" "$1"
		shift 2
	done
}

# timed_group TIME VALUE: it counted a quarter of the time.
timed_group() {
	sample_head 9 "$1"
	put 8 1 $((4 * $1)) "$1" "$2" 9
}

task() {
	put 4 42 42
	printf 'worker\0\0'
	sample_head 1 1 | tail -c +9
	put 8 1
}

mapping() {
	put 4 42 42
	put 8 0x400000 0x10000 0
	printf '/bin/worker\0\0\0\0\0'
	sample_head 1 1 | tail -c +9
	put 8 1
}

# Of CPU 1.
trace_head() {
	put 8 "$(wc -c <bytes)" 0 0
	put 4 1 0xffffffff 1 0
}

# Of a user process, of no process, and with physical addresses; one without an
# address.
trace() {
	three_loads
	store 04
	load 05 | sed 's/\xb2\x00\x90/\xb3\x00\x90/'
	load 06 | sed 's/\xb2.*\x9a\x01\x00//'
}

# SPE's own counts, groups of two PMUs, one of an event without a name.
recording() {
	local time
	trace >bytes
	printf 'PERFILE2\x10\0\0\0\0\0\0\0'
	record $HEADER_ATTR attr $SPE 0 $SAMPLE_TYPE 0 1
	event 2 0x4000 sample_pop
	event 3 0x4001 sample_feed
	event 4 0x4002 sample_filtrate
	event 5 0x11 cpu_cycles
	event 6 0x08 inst_retired
	record $HEADER_ATTR attr $OTHER 1 $SAMPLE_READ $TIMED_GROUP 9
	record $AUXTRACE_INFO put 4 4 0 $SPE 0 1 0
	record $TIME_CONV put 8 0 1 0
	# One block of 256 TiB on node 3.
	record $HEADER_FEATURE put 8 $MEM_TOPOLOGY 1 0x1000000000000 1 3 1 1 1
	record $HEADER_FEATURE numa_nodes
	record $HEADER_FEATURE text 3 machine # HOSTNAME
	record $HEADER_FEATURE text 4 6.12.1  # OSRELEASE
	record $HEADER_FEATURE text 5 6.1     # VERSION
	record $HEADER_FEATURE text 6 aarch64 # ARCH
	record $HEADER_FEATURE text 8 cpu     # CPUDESC
	record $HEADER_FEATURE nrcpus
	record $HEADER_FEATURE put 8 10 4096 # TOTAL_MEM
	record $HEADER_FEATURE command_line
	record $COMM task
	record $MMAP mapping
	for time in 1 3000 6000; do
		record $SAMPLE group $time 2 1000 3 100 4 7 \
			5 $((2 * time)) 6 $time
		record $SAMPLE timed_group $time $((3 * time))
	done
	record $AUXTRACE trace_head
	cat bytes
}

# All keys of --sort according to --help, in lists of an accepted length.
sort_lists() {
	"$PMSCOPE" report --help |
		sed -n 's/.*valid keys: //p' | tr ',' '\n' |
		xargs -n 8 | tr ' ' ','
}

# JSON lines of all views.
printed() {
	local view keys
	for view in --histogram --timeline --cachelines --header; do
		"$PMSCOPE" report --format=jsonl --midr=0x410fd0c0 $view full
	done
	for keys in $(sort_lists); do
		"$PMSCOPE" report --format=jsonl --sort="$keys" full
		"$PMSCOPE" report --format=jsonl --sort="$keys" --raw bare
	done
}

# "TYPE KEY" for each key of JSON lines, "TYPE OBJECT.KEY" for a nested one;
# names of events are not keys.
flat() {
	awk '{
		rest = $0
		type = depth = 0
		while (match(rest, /^("([^"\\]|\\.)*"|[][{},:]|[^][{},:"]+)/)) {
			token = substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
			text = substr(token, 2, length(token) - 2)
			if (token == "{")
				path[++depth] = key
			else if (token == "}")
				key = path[depth--]
			else if (token ~ /^"/ && rest ~ /^:/) {
				key = text
				if (depth < 2)
					print type ? type : "any", key
				else if (path[2] != "events" && path[2] != "counts")
					print type, path[2] "." key
			} else if (token ~ /^"/ && key == "type" && !type)
				type = text
		}
	}' | sort -u
}

# The same for the man page: items, and emphasised words in them.
page_keys() {
	awk '
		/^\.Sh / { on = /JSON LINES/; type = "any" }
		!on { next }
		/^\.El/ { items = within = "" }
		/^\.Em / && !items { within = $2 "." }
		/^\.It / {
			items = ""
			for (i = 2; i <= NF; i++)
				if ($i ~ /^[a-z_0-9]+$/) {
					print type, within $i
					items = items " " $i
				}
		}
		/^\.Dq / && items == " type" { type = $2 }
		/^\.Em / && items {
			n = split(items, item, " ")
			for (i = 2; i <= NF; i++)
				for (j = 1; j <= n; j++)
					if ($i ~ /^[a-z_0-9]+$/)
						print type, item[j] "." $i
		}' "$PAGE" | sed 's/^[a-z]* type$/any type/' | sort -u
}

# The keys of --sort are listed at the option.
page_sort_keys() {
	sed -n '/^\.It Fl s , -sort/,/^\.It Fl -weight/s/^\.Cm //p' "$PAGE" |
		tr -cs 'a-z_' '\n' | sort -u
}

page_types() {
	sed -n '/^\.Sh JSON/,/^\.Sh CSV/{/^\.It type$/{n;s/^\.Dq //p;};}' \
		"$PAGE" | sort -u
}

recordings() {
	recording >full
	trace >bare
}

test_recordings_are_whole() {
	recordings
	expect_status 0 "$PMSCOPE" report full
	expect_match '6 SPE samples, 3 snapshots, 3 other groups of counters$' out
	expect_match '^# Of 1000 operations one in 10.0 was sampled; 1 records' out
	expect_match '^# 0.500 instructions per cycle$' out
}

test_each_key_of_json_lines_is_reported() {
	recordings
	printed | flat >keys_of_tool
	sort_lists | tr ',' '\n' | sort >keys
	page_sort_keys >told
	expect_eq "$(comm -23 keys told | tr '\n' ' ')" '' \
		"keys of --sort that the page lacks"
	{ sed 's/^/row /' keys && page_keys; } | sort -u >told
	expect_eq "$(comm -23 keys_of_tool told | tr '\n' ';')" '' \
		"keys that the page lacks"
	note "$(wc -l <keys_of_tool) keys"
	# An emphasised word in an item need not be a key.
	grep -E '^[a-z]+ ([a-z_0-9]+|lost\..*)$' told >items
	expect_eq "$(comm -13 keys_of_tool items | tr '\n' ';')" '' \
		"keys of the page that nobody prints"
}

test_each_type_of_json_lines_is_reported() {
	recordings
	"$PMSCOPE" report --format=jsonl --header full >out
	"$PMSCOPE" report --format=jsonl --timeline full >>out
	"$PMSCOPE" report --format=jsonl --cachelines full >>out
	sed 's/^{"type":"\([a-z]*\)".*/\1/' out | sort -u >types
	expect_eq "$(cat types)" "$(page_types)" types
}

# columns VIEW: the columns in the man page, "samples,share,...".
columns() {
	awk -v view="$1" '
		/^\.Sh / { on = /CSV/ }
		/^A (row|slice|line) has/ { inside = $2 == view }
		/^\.Pp/ { inside = 0 }
		on && inside && /^\.Em / {
			for (i = 2; i <= NF; i++)
				if ($i ~ /^[a-z_0-9]+$/)
					printf("%s%s", n++ ? "," : "", $i)
		}' "$PAGE"
}

# header OPTION...
header() {
	"$PMSCOPE" report --format=csv "$@" full 2>/dev/null | head -n 1
}

test_each_column_of_csv_is_reported() {
	local keys
	recordings
	for keys in $(sort_lists); do
		expect_eq "$(header --histogram --sort="$keys")" \
			"$keys,$(columns row)" "rows by $keys"
	done
	expect_eq "$(header --cachelines)" "$(columns line)" lines
	expect_eq "$(header --timeline | sed 's/,pmu_snapshot.*//')" \
		"$(columns slice)" slices
}

ktap_main "$@"
