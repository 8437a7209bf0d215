# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# records.sh - what the SPE tests share: recording a workload and checking its
# records. pmscope does both where it is installed, and stock perf where RECORDER
# or DECODER says so: it takes much longer to start and to print. That pmscope
# prints the packets that perf does, tool:script.sh shows. A CONDITION is an awk
# expression over the fields of a record: pc op va pa tgt total issue xlat ts
# context source events; what a record does not have is "-", numbers are as
# records.awk says.

. "$(dirname "${BASH_SOURCE[0]}")/../pmscope.sh"

HEX=$(cat "$HERE/../hex.awk")
# shellcheck disable=SC2016
FIELDS='{ pc = $1; op = $2; va = $3; pa = $4; tgt = $5; total = $6
	  issue = $7; xlat = $8; ts = $9; context = $10; source = $11
	  events = $12 }'

# by_pmscope CHOICE: pmscope is installed, and CHOICE is not perf.
by_pmscope() { [ "$1" != perf ] && command -v pmscope >/dev/null; }

# record TERMS PERIOD WORKLOAD [ARG...]: files data, info, packets, records.
record() {
	local terms=$1 period=$2
	shift 2
	need_spe
	if by_pmscope "${RECORDER:-}"; then
		pmscope record -q -o data --aux-size="${AUX_SIZE:-8M}" \
			-e "$SPE/$terms,period=$period/u" -- \
			"$WORKLOAD/$1" "${@:2}" >info
	else
		perf record -q -B -o data -m ",${AUX_SIZE:-8M}" -c "$period" \
			-e "$SPE/$terms/u" -- "$WORKLOAD/$1" "${@:2}" >info
	fi
	decode data
}

# recording NAME TERMS PERIOD WORKLOAD [ARG...]: the same, made once for all
# tests of a file that use the name.
recording() {
	local shared=$KTAP_DIR/recordings/$1 file
	shift
	need_spe
	if [ ! -e "$shared/packets" ]; then
		mkdir -p "$shared"
		pushd "$shared" >/dev/null || return
		record "$@"
		popd >/dev/null || return
	fi
	for file in data info packets records; do
		cp "$shared/$file" .
	done
}

# decode FILE: packets and records of a recording.
decode() {
	if by_pmscope "${DECODER:-}"; then
		pmscope script --packets "$1" >packets
	else
		perf report -D -i "$1" 2>/dev/null >packets
	fi
	awk "$HEX$(cat "$HERE/../records.awk")" packets >records
	expect_no_match 'Bad packet' packets
}

# Flags of PERF_RECORD_AUX (include/uapi/linux/perf_event.h).
# shellcheck disable=SC2034
{
	TRUNCATED=1
	COLLISION=8
}

# flagged BIT: how many buffers carry the flag, among the packets of perf, which
# has no letter for each.
flagged() {
	awk -v bit="$1" "$HEX"'
		/PERF_RECORD_AUX .*flags: 0x/ {
			sub(/.*flags: 0x/, "")
			sub(/[^0-9a-f].*/, "")
			n += int(number($0) / bit) % 2
		}
		END { print n + 0 }' packets
}

# total NAME: a counter of the driver, over all CPUs.
total() { sed -n 's/^total //p' "$SPE_DIR/stats/$1"; }

# Each record is complete: it has a PC, an operation and events.
whole_records() {
	none 'pc == "-" || op == "-" || events == "-"' "a record is torn"
}

record_count() { wc -l <records; }

# whole_loop TURNS PERIOD: the records left, which perf decoded, are one for each
# PERIOD operations of the loop: none was left out or counted twice.
whole_loop() {
	note "$(record_count) records"
	expect_eq "$(flagged $TRUNCATED)" 0 "truncated buffers"
	expect_true "sqrt(($(record_count) * $2 / (16 * $1) - 1) ^ 2) < .01" \
		"$(record_count) records of $1 turns"
}

# moving_loop EVENT TURNS PERIOD CPU CPU: the loop alternates between two CPUs,
# and all its operations are recorded.
moving_loop() {
	local event=$1 turns=$2 period=$3 cpu=("$4" "$5") task recorder moves=0
	pmscope record -q -o data -e "$event/ts_enable=1,period=$period/u" -- \
		"$WORKLOAD/loop" "$turns" >info &
	recorder=$!
	wait_until "the workload has started" test -s info
	task=$(pgrep -nx loop) || fail "the loop has ended already"
	while taskset -cp "${cpu[moves % 2]}" "$task" >/dev/null 2>&1; do
		moves=$((moves + 1))
	done
	wait $recorder
	note "$moves moves"
	expect_true "$moves > 1" "moves"
	DECODER=perf decode data
	whole_records
	in_range pc pc
	whole_loop "$turns" "$period"
}

need_records() {
	[ "$(record_count)" -ge "$1" ] || {
		head -n 40 packets
		fail "$(record_count) records, $1 or more were expected"
	}
}

# first NAME, end NAME: the bounds of a range in the workload's line, address
# NAME: a single address there. As in the records, 16 hexadecimal digits.
first() { printf %016x "$(info "$1" info | sed 's/-.*//')"; }
end() { printf %016x "$(info "$1" info | sed 's/.*-//')"; }
address() { first "$1"; }

# records_awk PROGRAM: over the records, with their fields named.
records_awk() { awk "$HEX
$FIELDS
$1" records; }

# inside FIELD NAME: the condition that the field is in the range NAME. Strings
# of one length compare as their numbers; "-" is less than a digit.
inside() { echo "($1 >= \"$(first "$2")\" && $1 < \"$(end "$2")\")"; }

# in_range FIELD NAME [CONDITION]: each record for which the condition holds has
# the field, and it lies in the range that the workload printed as NAME.
in_range() {
	none "(${3:-1}) && !$(inside "$1" "$2")" \
		"$1 is outside $(info "$2" info)"
}

# is FIELD NAME: the condition that the field is that address.
is() { echo "($1 == \"$(address "$2")\")"; }

# share CONDITION: fraction of the records for which it holds.
share() {
	records_awk "$1 { n++ }
		END { if (!NR) exit 1; printf \"%.5f\", n / NR }"
}

# share_is CONDITION PART WHOLE WHAT: within 5 standard deviations of the
# binomial distribution of that many records.
share_is() {
	records_awk "$1 { n++ }
		END {
			p = $2 / $3
			bound = 5 * sqrt(NR * p * (1 - p)) + 1
			d = n - NR * p
			printf \"%.4f of %d records, %.4f expected\\n\",
				n / NR, NR, p
			exit !(d <= bound && -d <= bound)
		}" >said || fail "share of $4: $(cat said)"
	note "$4: $(cat said)"
}

# mean FIELD: its mean over the records that have it.
mean() {
	records_awk "$1 != \"-\" { n++; sum += $1 }
		END { if (!n) exit 1; printf \"%.2f\", sum / n }"
}

# none CONDITION WHAT: no record for which it holds.
none() {
	records_awk "$1 { if (!n++) print \"for instance: \" \$0 }
		END { exit !!n }" || fail "$2"
}

# only CONDITION: drops all other records.
only() {
	records_awk "$1" >kept
	mv kept records
	[ -s records ] || fail "no records where $1"
}
