#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope report --cachelines: threads of a real program that share a line, or
# the data in it, as SPE recorded them.
. "$(dirname "$0")/../pmscope.sh"

# recorded HOW: the line of shared data, as JSON and as rows of CSV.
recorded() {
	need pmscope spe
	[ "$(nproc)" -gt 1 ] || skip "one CPU alone shares nothing"
	pmscope record -q --data -o data \
		-e "$SPE/ts_enable=1,load_filter=1,store_filter=1,period=1024/u" \
		-- "$WORKLOAD/share" "$1" 200000 >info
	LINE=$(info line info)
	pmscope report --cachelines --format=jsonl data |
		grep "\"address\":\"$LINE\"" >whole ||
		fail "no line $LINE: $(pmscope report --cachelines data | head)"
	sed 's/,"layout":.*//' whole >line
	pmscope script -F va,tid,cpu,op,lat_total --format=csv data >rows
	note "$(sed 's/,"readers.*//' line)"
}

# rows_of OFFSET CONDITION: how many rows at that offset of the line have it.
rows_of() {
	awk -F, -v va="$(printf '0x%x' $((LINE + $1)))" -v tids="$(info tid info)" '
		BEGIN { split(tids, tid, ",") }
		$1 == va && ('"$2"') { n++ }
		END { print n + 0 }' rows
}

# part OFFSET THREAD OP KEY: what the report counts there is what rows have.
part() {
	local tid counted
	tid=$(info tid info | cut -d, -f "$2")
	counted=$(sed "s/.*{\"offset\":$1,//; s/\"code\".*//
		s/.*\"tid\":$tid,//; s/}.*//" line |
		sed "s/.*\"$4\":\([0-9]*\).*/\1/")
	expect_eq "$counted" "$(rows_of "$1" "\$2 == $tid && \$4 == \"$3\"")" \
		"$4 of thread $tid at $1"
	[ "$counted" -gt 20 ] || fail "$counted $4 of thread $tid at $1"
}

verdict() {
	expect_match "\"verdict\":\"$1\",\"threads\":$2," line
}

test_false_sharing() {
	recorded false
	verdict 'false sharing' 2
	expect_match '"variables":\["shared_line"\]' line
	expect_match '"parts":"BB\.{6}"' line
	expect_eq "$(grep -o '"offset":[0-9]*' line | xargs)" 'offset:0 offset:8' \
		offsets
	part 0 1 load loads
	part 0 1 store stores
	part 8 2 load loads
	part 8 2 store stores
	expect_match \
		'"layout":\[\{"offset":0,"size":64,"member":"shared_line\[\]"\}\]' whole
	pmscope report --cachelines data >text
	expect_match "^# $LINE: false sharing$" text
	expect_match '^ +0x8 .* shared_line\[\] +[0-9]+ \(1\)  load_and_store ' text
	expect_match '^# Layout: 0x0 shared_line\[\]$' text
	expect_match '^# Move apart: 0x0 shared_line\[\] \(thread [0-9]+ stores\), 0x8 shared_line\[\] \(thread [0-9]+ stores\)$' text
}

test_true_sharing() {
	recorded true
	verdict 'true sharing' 2
	part 0 1 load loads
	part 0 2 store stores
}

test_atomics_share() {
	grep -q atomics /proc/cpuinfo || skip "no atomic instructions here"
	recorded atomic
	verdict 'true sharing' 2
	expect_match '"parts":"B\.{7}"' line
}

test_readers_share_nothing() {
	recorded 'read'
	verdict 'read only' 2
	part 0 1 load loads
	part 0 2 load loads
}

# The thread ran on both CPUs, but is the only one.
test_thread_that_moves() {
	recorded move
	verdict 'one thread' 1
	expect_match '"readers":"0-1","writers":"0-1"' line
	expect_match '"cpus":"0-1"' line
}

ktap_main "$@"
