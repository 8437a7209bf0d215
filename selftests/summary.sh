#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: summary.sh KTAP
#
# What a board's owner can send in, as JSON: the features of the CPUs, the answers of
# the firmware, the results in KTAP. Nothing in it tells whose machine that is: no
# name of the host, no serial number, no network address, no path, no command line.
# Only the fields below are written, and of text only characters that no path has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PMUS=/sys/bus/event_source/devices

# Also without quotes and backslashes, which JSON would need to escape
plain() { tr '\n' ' ' | tr -cd 'A-Za-z0-9_.,:()+ -' | sed 's/ *$//'; }

# text NAME: a member with the text on stdin
text() { printf '"%s": "%s"' "$1" "$(plain)"; }

# The release without what a builder added to it
kernel() { uname -r | sed 's/^\([0-9]*\.[0-9]*\(\.[0-9]*\)\{0,1\}\).*/\1/'; }

# A member for each file of a PMU's caps: numbers and words of the module
caps() {
	local file separator=
	for file in "$1"/caps/*; do
		[ -r "$file" ] || continue
		printf '%s' "$separator"
		# shellcheck disable=SC2094 # the name and the contents
		text "$(basename "$file" | plain)" <"$file"
		separator=', '
	done
}

pmus() {
	local pmu separator=
	for pmu in "$PMUS"/pmu_snapshot* "$PMUS"/arm_spe_*; do
		[ -d "$pmu" ] || continue
		printf '%s\n  "%s": {%s}' "$separator" "$(basename "$pmu" | plain)" \
			"$(caps "$pmu")"
		separator=,
	done
}

# How many CPUs there are of each kind
cpus() {
	cat /sys/devices/system/cpu/cpu*/regs/identification/midr_el1 2>/dev/null |
		sort | uniq -c | awk '
		{ printf "%s{\"midr\": \"%s\", \"number\": %d}",
			(NR > 1) ? ", " : "", $2, $1 }'
}

# Each check of doctor with its status; the finding of those whose words are the
# module's own.
doctor() {
	pmscope doctor -j 2>/dev/null | sed -n \
		's/^{"check": *"\([a-z-]*\)", *"status": *"\([a-z]*\)", *"finding": *"\(.*\)", *"advice".*/\1\t\2\t\3/p' |
		while IFS=$'\t' read -r check status finding; do
			printf '{"check": "%s", "status": "%s"' "$check" "$status"
			case $check in
			firmware | capture)
				printf ', '
				printf '%s' "$finding" | text finding
				;;
			esac
			echo '}'
		done | awk '{ printf "%s\n  %s", (NR > 1) ? "," : "", $0 }'
}

# Names of tests are those of the source.
results() {
	awk -v stage=board -f "$here/tally.awk" "$1" | awk '
		{ n[$1]++ }
		$1 != "pass" {
			names[$1] = names[$1] (names[$1] == "" ? "" : ", ") \
				"\"" $3 ($4 ~ /^\(/ ? "" : " " $4) "\""
		}
		END {
			printf "\"passed\": %d, \"failed\": [%s], \"skipped\": [%s]",
				n["pass"], names["FAIL"], names["skip"]
		}' | tr -cd 'A-Za-z0-9_.,:"[] -'
}

cat <<END
{"schema": 1, $(pmscope --version 2>/dev/null | head -n 1 | text tool),
 $(kernel | text kernel), "page_size": $(getconf PAGESIZE),
 "cpus": [$(cpus)],
 "pmus": {$(pmus)},
 "doctor": [$(doctor)],
 "tests": {$(results "$1")}}
END
