# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# lake.sh - what the sampler left in $STATE, its directory or a copy of that, read by
# DuckDB: sourced by ./run and ./systemd.
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# ask SQL: a line for each row; NAME.parquet stands for all parts of a dataset
ask() {
	local consumers sql
	consumers=$("$TOP/tools/machine/build" consumers)
	# shellcheck disable=SC2001 # a group
	sql=$(sed "s,'\([a-z]*\)\.parquet','$STATE/lake/dataset=\1/*/*/*.parquet',g" \
		<<<"$1")
	node "$TOP/tools/tests/export/ask.mjs" "$consumers" "$sql"
}

# runs: prints the numbers of the runs that left parts, lowest first
runs() { find "$STATE/runs" -type f -printf '%f\n' | sort -n; }

# key RUN: of its recording, which names its parts
key() { sed -n 's,.*/\([0-9a-f]*\)-0\.parquet$,\1,p' "$STATE/runs/$1" | sort -u; }

# every_part_is_whole DATASET...: which are all that there are
every_part_is_whole() {
	local dataset parts
	for dataset; do
		parts=$(find "$STATE/lake/dataset=$dataset" -type f | wc -l)
		# As text, so that every column of every row is read
		ask "select count(distinct filename) from read_parquet(
			'$dataset.parquet', filename = true) t
			where length(t::text) > 0
			union all select count(distinct file_name) from
			parquet_file_metadata('$dataset.parquet')" >counts
		note "$dataset: $parts parts, with rows: $(head -n 1 counts)"
		expect_eq "$(tail -n 1 counts)" "$parts" "parts of $dataset"
		case $dataset in
		losses | hosts)
			expect_eq "$(head -n 1 counts)" "$parts" "parts with rows"
			;;
		esac
	done
	(cd "$STATE/lake" && find . -type f) | sort >found
	(cd "$STATE/runs" && cat ./*) | sort >listed
	cmp found listed || fail "$(diff found listed)"
}

# every_run_is_there_or_lost BEGAN: each run left its parts, or the next one that did
# counts it as lost.
every_run_is_there_or_lost() {
	local kept lost before=0 run told
	kept=$(runs | wc -l)
	lost=$(ask "select sum(number)::int from 'losses.parquet'
		where kind = 'runs'")
	note "$1 runs began, $kept left parts, $lost are counted as lost"
	expect_eq "$((kept + lost))" "$(runs | tail -n 1)" "parts and losses"
	expect_true "$(runs | tail -n 1) <= $1" "the last run"
	ask "select recording, number from 'losses.parquet'
		where kind = 'runs'" >lost
	for run in $(runs); do
		told=$(sed -n "s/^$(key "$run")\t//p" lost)
		expect_eq "$told" $((run - before - 1)) "lost before run $run"
		before=$run
	done
}

# The order of the runs is that of the clock that nobody sets. A run that was killed
# before its first sample has no begin.
runs_are_in_order() {
	local run last=0 begin
	ask "select h.recording, coalesce(time_begin::varchar,
		case when samples = 0 then 'none' end) from 'hosts.parquet' h" >begins
	for run in $(runs); do
		begin=$(sed -n "s/^$(key "$run")\t//p" begins)
		[ "$begin" != none ] || continue
		expect_true "$begin > $last" "begin of run $run"
		last=$begin
	done
	expect_true "$last > 0" "begin of the last run"
}
