#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope script: one record a line in text, JSON and CSV.
. "$(dirname "$0")/../pmscope.sh"

# One recording by stock perf, for all tests of this file.
recording() {
	need pmscope spe
	if [ ! -e "$KTAP_DIR/info" ]; then
		perf record -q -o "$KTAP_DIR/data" -m ,8M -c 4096 \
			-e "$SPE/ts_enable=1,jitter=1/u" -- \
			"$WORKLOAD/loop" 400000 >"$KTAP_DIR/info"
	fi
	cp "$KTAP_DIR/data" "$KTAP_DIR/info" .
}

# Each line is an object; each PC is in the loop, each VA in its tables.
test_json_lines() {
	recording
	pmscope script --format=jsonl data >lines
	expect_no_match '^[^{]|[^}]$' lines
	expect_true "$(wc -l <lines) > 1400" "$(wc -l <lines) lines"
	awk -v pc="$(info pc info)" -v va="$(info va info)" "
		$(cat "$HERE/../hex.awk")"'
		function field(name) {
			if (!match($0, "\"" name "\":\"?0x[0-9a-f]+"))
				return -1
			value = substr($0, RSTART, RLENGTH)
			sub(/.*0x/, "", value)
			return number(value)
		}
		function outside(name, range,    ends) {
			split(range, ends, "-")
			at = field(name)
			return at < number(substr(ends[1], 3)) ||
				at >= number(substr(ends[2], 3))
		}
		outside("pc", pc) { print "pc: " $0; bad++ }
		field("va") != -1 { addresses++ }
		field("va") != -1 && outside("va", va) { print "va: " $0; bad++ }
		END { exit bad || !addresses }' lines >said || {
		head -n 5 said
		fail "a record is outside the loop or its tables"
	}
}

test_csv_has_one_heading_and_equal_rows() {
	recording
	pmscope script --format=csv data >rows
	pmscope script --format=jsonl data >lines
	expect_eq "$(($(wc -l <rows) - 1))" "$(wc -l <lines)" \
		"rows beside the heading"
	head -n 1 rows >heading
	expect_match '^([a-z0-9_]+,)+[a-z0-9_]+$' heading
	awk -F, 'NR == 1 { columns = NF } NF != columns { print; exit 1 }' rows ||
		fail "a row has other columns than the heading"
}

test_text_has_a_line_a_record() {
	recording
	pmscope script data >text
	pmscope script --format=jsonl data >lines
	expect_eq "$(wc -l <text)" "$(wc -l <lines)" "lines of text"
}

test_reads_what_perf_pipes() {
	need pmscope spe
	perf record -q -o - -c 4096 -e "$SPE//u" -- "$WORKLOAD/spin" 5000000 \
		2>/dev/null >piped
	pmscope script --format=jsonl piped >lines
	expect_true "$(wc -l <lines) > 1000" "$(wc -l <lines) lines"
}

# There is no room for a copy.
test_reads_a_pipe_while_it_records() {
	need pmscope spe
	pmscope record -o - -c 4096 -- "$WORKLOAD/spin" 5000000 2>err |
		tee piped |
		TMPDIR=/nowhere pmscope report --format=csv --sort=sym,dso,comm - \
			>from_pipe
	pmscope report --format=csv --sort=sym,dso,comm - <piped >from_file
	cmp from_pipe from_file || fail "a pipe and its file differ"
	expect_match ',spin,' from_pipe
}

test_reads_compressed_recordings() {
	need pmscope spe
	perf record -q -z -o data -c 4096 -e "$SPE//u" -- \
		"$WORKLOAD/spin" 5000000 >info 2>err ||
		skip "this perf has no zstd"
	pmscope script --format=jsonl data >lines
	expect_true "$(wc -l <lines) > 1000" "$(wc -l <lines) lines"
}

ktap_main "$@"
