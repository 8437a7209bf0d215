#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A loop of known composition, sampled: every record lies in it, the shares of
# the operation types are the loop's, the intervals are those of D17.3.
. "$(dirname "$0")/records.sh"

# shellcheck disable=SC2034
RECORDER=perf
# Long enough that the program's start ends before the first sample.
PERIOD=4096
ITERATIONS=1000000

# The records of a task that moves come in the order of the CPUs' buffers.
taskset -cp 0 $$ >/dev/null

without_jitter() {
	DECODER=perf recording plain ts_enable=1,jitter=0 $PERIOD loop $ITERATIONS
	need_records 3500
}

with_jitter() {
	recording jitter ts_enable=1,jitter=1 $PERIOD loop $((3 * ITERATIONS))
	need_records 11000
}

test_records_are_where_the_loop_is() {
	without_jitter
	in_range pc pc
	in_range va va 'op ~ /^(LD|ST)/'
	none 'op !~ /^(LD|ST)/ && va != "-"' "an operation without data has a VA"
	none 'events !~ /RETIRED/' "a record is not retired"
	expect_eq "$(flagged $TRUNCATED)" 0 "truncated buffers"
}

test_shares_are_those_of_the_loop() {
	with_jitter
	share_is 'op ~ /^LD/' 2 16 "loads"
	share_is 'op ~ /^ST/' 1 16 "stores"
	share_is 'op ~ /^B/' 1 16 "branches"
	share_is 'op ~ /^OTHER/' 12 16 "other operations"
}

test_number_of_records() {
	without_jitter
	expect_eq "$(flagged $TRUNCATED)" 0 "truncated buffers"
	local lost expected=$((ITERATIONS * 16 / (PERIOD + 1)))
	lost=$((expected - $(record_count)))
	expect_true "$lost <= $expected * 0.02 && $lost >= -2" \
		"$(record_count) records of $expected"
}

# Operation numbers in the loop, from PC and VA, as a column: number modulo
# 16384 for accesses (three tables of 1024 elements), and the slot for all.
number_operations() {
	records_awk "{
		slot = (number(pc) - number(\"$(first pc)\")) / 4
		element = ((number(va) - number(\"$(first va)\")) % 8192) / 8
		print slot, va == \"-\" ? va : element * 16 + slot
	}" >operations
}

# RND is 0: INTERVAL * 256 + 1 operations lie between two samples, always
# (Arm ARM D17.3.4.1). A sample lost to a collision leaves a multiple of it.
test_intervals_without_jitter() {
	without_jitter
	number_operations
	awk -v interval=$((PERIOD + 1)) '
		NR > 1 {
			step = ($1 - slot + 16) % 16
			for (missed = 1; missed < 16 && \
			     (missed * interval) % 16 != step; missed++)
				;
			since += missed
			collisions += missed > 1
			if (missed == 16) bad++
			if ($2 != "-") {
				if (last != "" && since < 64 && \
				    (last + since * interval) % 16384 != $2)
					bad++
				checked++
			}
		}
		$2 != "-" { last = $2; since = 0 }
		{ slot = $1 }
		END {
			printf "%d records, %d data addresses, %d missed, %d bad\n",
				NR, checked, collisions, bad
			exit !(checked > 500 && !bad && collisions < NR / 50)
		}' operations >said || {
		head -n 20 operations
		fail "intervals are not $PERIOD + 1: $(cat said)"
	}
	note "$(cat said)"
}

# RND is 1. Without FEAT_SPE_ERnd an interval is INTERVAL * 256 + 1 + r, with
# it INTERVAL * 256 + 1 + r - r', r' being the number before; r is uniform in
# 0..255 (Arm ARM D17.3.4.2 and D17.3.4.3).
test_intervals_with_jitter() {
	with_jitter
	number_operations
	local ernd
	ernd=$(cat "$SPE_DIR/caps/ernd")
	awk -v base=$((PERIOD + 1)) -v ernd="$ernd" '
		NR > 1 && $2 != "-" && at != "-" {
			d = ($2 - at + 16384) % 16384 - base
			if (d > 512) { missed++; at = $2; next }
			n++; sum += d; squares += d * d
			if (d < (ernd ? -255 : 0) || d > 255) outside++
			low += d < (ernd ? -128 : 64)
			high += d >= (ernd ? 128 : 192)
		}
		{ at = $2 }
		END {
			if (!n) { print "no pair of accesses"; exit 1 }
			mean = sum / n
			deviation = sqrt(squares / n - mean * mean)
			wanted_mean = ernd ? 0 : 127.5
			wanted = ernd ? 104.5 : 73.9
			tail = n * (ernd ? 0.125 : 0.25)
			bound = 5 * wanted / sqrt(n)
			printf "ERnd %d, %d pairs: mean %+.1f, deviation %.1f, tails %d and %d of %d, %d missed\n",
				ernd, n, mean, deviation, low, high, tail, missed
			exit !(n > 200 && !outside && missed < n / 50 + 1 &&
			       mean - wanted_mean <= bound &&
			       wanted_mean - mean <= bound &&
			       deviation > wanted * 0.85 &&
			       deviation < wanted * 1.15 &&
			       low > tail * 0.6 && low < tail * 1.4 &&
			       high > tail * 0.6 && high < tail * 1.4)
		}' operations >said || fail "intervals: $(cat said)"
	note "$(cat said)"
}

test_time_goes_forward() {
	without_jitter
	none 'ts == "-"' "a record has no timestamp"
	none '{ now = ts + 0; back = now < last; last = now } back' \
		"a timestamp is before the one ahead of it"
	record ts_enable=0 $PERIOD loop 200000
	none 'ts != "-"' "a record has a timestamp that was not asked for"
}

ktap_main "$@"
