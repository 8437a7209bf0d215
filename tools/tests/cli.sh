# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cli.sh - the tool on the command line, and SPE records for it to read.

. "$(dirname "${BASH_SOURCE[0]}")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=1

# A load: PC, CONTEXTIDR_EL1, events, latencies, VA, source, timestamp $1.
load() {
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x64\x2a\x00\x00\x00'
	printf '\x49\x00\x52\x16\x00\x99\x03\x00\x98\x09\x00'
	printf '\xb2\x00\x90\x00\x00\xff\xff\x00\x00\x9a\x01\x00\x43\x08'
	printf '\x71%b\x00\x00\x00\x00\x00\x00\x00' "\\x$1"
}

three_loads() {
	load 01
	load 02
	load 03
}

# A store like load(), also to line 0x9000, eight bytes further.
store() {
	load "$1" | sed 's/\x49\x00\x52/\x49\x01\x52/; s/\xb2\x00\x90/\xb2\x08\x90/'
}

# expect_error REGEX ARG...: pmscope fails, and a line of the error matches.
expect_error() {
	expect_status 1 "$PMSCOPE" "${@:2}"
	expect_match "$1" err
}

# works ARG...: pmscope does not fail.
works() { expect_status 0 "$PMSCOPE" "$@"; }

# expect_output REGEX ARG...: pmscope does not fail, and a line of output matches.
expect_output() {
	works "${@:2}"
	expect_match "$1" out
}

# says WORDS OPTION...: the output of report with these options.
says() {
	expect_status 1 "$PMSCOPE" report "${@:2}" f
	expect_eq "$(cat err)" "pmscope: report: $1
Try 'pmscope report --help'." "${*:2}"
}
