# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# ktap.sh - KTAP tests in bash: source it, write test_NAME functions, and end
# the file with `ktap_main "$@"`.
#
# Each test runs in a subshell with `set -eu -o pipefail` in a directory of its
# own ($PWD, removed afterwards): the first command that fails, fails the test.
# What a test prints is shown, as diagnostics, when it fails. Exit status as
# kselftest's: 0 all passed, 1 a test failed, 4 every test was skipped.
# FILE -l lists the tests, FILE NAME... runs those only. A file that defines a
# function `applies NAME` has the tests for which it succeeds; `before_each` is the
# begin of each test.

# Output of tools is compared, and awk and grep are slower with UTF-8.
export LC_ALL=C

# A diagnostic of the test, shown whether it passes or not.
note() { echo "# $*" >&3; }

fail() {
	echo "FAILED: $*"
	exit 1
}

# Leaves the test as skipped, with the missing thing named.
skip() {
	echo "$*" >"$KTAP_REASON"
	exit 4
}

# expect_eq LEFT RIGHT WHAT
expect_eq() {
	[ "$1" = "$2" ] || fail "$3: '$1' is not '$2'"
}

# expect_match REGEX FILE: some line of FILE matches.
expect_match() {
	grep -Eq -- "$1" "$2" || {
		head -n 40 "$2"
		fail "no line of $2 matches '$1'"
	}
}

# expect_no_match REGEX FILE
expect_no_match() {
	! grep -E -- "$1" "$2" || fail "$2 has lines that match '$1'"
}

# expect_true CONDITION WHAT: an awk expression, for numbers with fractions.
expect_true() {
	awk "BEGIN { exit !($1) }" || fail "$2: not $1"
}

# expect_status STATUS CMD...: stdout and stderr go to files out and err.
expect_status() {
	local wanted=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	[ "$status" = "$wanted" ] && return
	head -n 20 out err
	fail "'$*' exits with $status, not $wanted"
}

# wait_until WHAT CMD...: until CMD succeeds; no fixed time would do everywhere.
wait_until() {
	local what=$1 turn
	shift
	for turn in $(seq 1200); do
		! "$@" || return 0
		sleep 0.1
	done
	fail "not in $turn turns: $what"
}

# The test functions of this file in source order.
ktap_tests() {
	local name
	shopt -s extdebug
	for name in $(compgen -A function test_); do
		declare -F "$name"
	done | sort -k2n | awk '{ sub("^test_", "", $1); print $1 }' |
		while read -r name; do
			! declare -F applies >/dev/null || applies "$name" ||
				continue
			echo "$name"
		done
	shopt -u extdebug
}

# Runs one test in its subshell; the status is the test's.
ktap_body() {
	set -eEu -o pipefail
	trap 'echo "line $LINENO: \"$BASH_COMMAND\" exits with $?" >&2' ERR
	mkdir -p "$KTAP_DIR/$1"
	cd "$KTAP_DIR/$1"
	if declare -F before_each >/dev/null; then
		before_each
	fi
	"test_$1"
}

# took BEGUN: a comment with the seconds since then, a value of EPOCHREALTIME
took() {
	local us=$((${EPOCHREALTIME/./} - ${1/./}))
	printf '# took %d.%03d s\n' $((us / 1000000)) $((us / 1000 % 1000))
}

ktap_one() {
	local number=$1 name=$2 begun=$EPOCHREALTIME status
	KTAP_REASON=$KTAP_DIR/reason
	: >"$KTAP_REASON"
	(ktap_body "$name") 3>&1 >"$KTAP_DIR/log" 2>&1 </dev/null
	status=$?
	rm -rf "${KTAP_DIR:?}/$name"
	took "$begun"
	case $status in
	0)
		echo "ok $number $name"
		;;
	4)
		echo "ok $number $name # SKIP $(cat "$KTAP_REASON")"
		;;
	*)
		sed 's/^/# /' "$KTAP_DIR/log"
		echo "not ok $number $name"
		;;
	esac
	return "$status"
}

ktap_main() {
	local tests number=0 failed=0 skipped=0 name
	if [ "${1-}" = -l ]; then
		ktap_tests
		return
	fi
	mapfile -t tests < <(ktap_tests)
	[ $# -eq 0 ] || tests=("$@")
	KTAP_DIR=$(mktemp -d)
	trap 'rm -rf "$KTAP_DIR"' EXIT
	echo "KTAP version 1"
	echo "1..${#tests[@]}"
	for name in "${tests[@]}"; do
		number=$((number + 1))
		ktap_one "$number" "$name"
		case $? in
		0) ;;
		4) skipped=$((skipped + 1)) ;;
		*) failed=$((failed + 1)) ;;
		esac
	done
	[ "$failed" -eq 0 ] && [ "$number" -gt 0 ] || exit 1
	[ "$skipped" -lt "$number" ] || exit 4
	exit 0
}
