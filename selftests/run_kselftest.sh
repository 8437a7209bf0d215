#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the installed tests on this machine and prints nested KTAP.
#
# The list is kselftest-list.txt beside this file, a line a test,
# "collection:test". Each test has the time its collection's `settings` file
# allows. After each test the kernel log is read: a warning, an oops or a
# lockdep report makes a test that passed a failure. PMSCOPE_AGAIN names tests
# that ran before: of those selected, only these run.
set -u
cd "$(dirname "$0")" || exit 1

# Kernel messages that mean that something is wrong.
KERNEL_TROUBLE='WARNING:|BUG:|INFO: (possible|suspicious|inconsistent|task)'
KERNEL_TROUBLE+='|Oops|Internal error|Unable to handle kernel|KASAN|KCSAN|UBSAN'
KERNEL_TROUBLE+='|possible (recursive|circular) locking|inconsistent lock state'
KERNEL_TROUBLE+='|rcu: INFO|kmemleak:.*new suspected|refcount_t:|Call trace:'
KERNEL_TROUBLE+='|[Ss]oft lockup|hung_task|nobody cared|Bad mode'

usage() {
	cat <<'HELP'
usage: run_kselftest.sh [-l] [-c COLLECTION]... [-t COLLECTION:TEST[:NAME]]...
         [-x COLLECTION:TEST[:NAME]]... [-o SECONDS] [-b] [-s FILE]
  -c COLLECTION              run the tests of this collection
  -t COLLECTION:TEST[:NAME]  run this test, or of it what is called NAME
  -x COLLECTION:TEST[:NAME]  leave this out
  -o SECONDS                 time each test may take, instead of its settings
  -b                         load the module if it is not loaded (built for this
                             kernel if necessary), and unload it afterwards
  -s FILE                    also write a summary of this board, which can be sent in
  -l                         list the tests
HELP
}

selected=()
named=' '
excluded=' '
limit=
summary=
board=
while getopts c:t:x:o:bs:lh option; do
	case $option in
	c) selected+=("^$OPTARG:") ;;
	t)
		test=$OPTARG
		if [[ $OPTARG = *:*:* ]]; then
			test=${OPTARG%:*}
			named+="$OPTARG "
		fi
		selected+=("^$test\$")
		;;
	x) excluded+="$OPTARG " ;;
	o) limit=$OPTARG ;;
	b) board=1 ;;
	s) summary=$(cd "$OLDPWD" && realpath -- "$OPTARG") || exit 1 ;;
	l) exec cat kselftest-list.txt ;;
	h)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 1
		;;
	esac
done
[ ${#selected[@]} -gt 0 ] || selected=('.')

tests() {
	local pattern test
	for pattern in "${selected[@]}"; do
		grep -E -- "$pattern" kselftest-list.txt
	done | awk '!seen[$0]++' | while read -r test; do
		[[ $excluded != *" $test "* ]] || continue
		[[ -z ${PMSCOPE_AGAIN:-} || " $PMSCOPE_AGAIN " == *" $test "* ]] &&
			echo "$test"
	done
}

# time_limit COLLECTION: prints it in seconds; 45 by default, as in the kernel.
time_limit() {
	local said
	said=$(sed -n 's/^timeout=//p' "$1/settings" 2>/dev/null)
	echo "${limit:-${said:-45}}"
}

mark_log() {
	echo "pmscope-selftests: $1" 2>/dev/null >/dev/kmsg
}

# Lines of trouble in the kernel log since the mark.
kernel_trouble() {
	dmesg 2>/dev/null | awk -v mark="pmscope-selftests: $1" '
		index($0, mark) { held = ""; next }
		{ held = held $0 "\n" }
		END { printf "%s", held }' | grep -E -- "$KERNEL_TROUBLE"
}

# names COLLECTION TEST: what to run of a test that runs in part, as its arguments
names() {
	local name
	[[ "$named$excluded" == *" $1:$2:"* ]] || return 0
	(cd "$1" && "./$2" -l) | while read -r name; do
		[[ $excluded != *" $1:$2:$name "* ]] || continue
		[[ $named != *" $1:$2:"* || $named == *" $1:$2:$name "* ]] &&
			echo "$name"
	done
}

# run_test COLLECTION TEST: prints its output, indented, and returns its result.
run_test() {
	local status trouble seconds arguments
	mapfile -t arguments < <(names "$1" "$2")
	seconds=$(time_limit "$1")
	mark_log "$1:$2"
	echo "  # Subtest: $1:$2"
	(cd "$1" && exec timeout -k 5 "$seconds" "./$2" "${arguments[@]}") |
		sed -u 's/^/  /'
	status=${PIPESTATUS[0]}
	if trouble=$(kernel_trouble "$1:$2"); then
		printf '  # kernel: %s\n' "${trouble//$'\n'/$'\n'  # kernel: }"
		return 125
	fi
	return "$status"
}

# verdict NUMBER NAME STATUS
verdict() {
	case $3 in
	0) echo "ok $1 $2" ;;
	4) echo "ok $1 $2 # SKIP" ;;
	124) echo "not ok $1 $2 # TIMEOUT $(time_limit "${2%%:*}") seconds" ;;
	125) echo "not ok $1 $2 # the kernel log has trouble" ;;
	*) echo "not ok $1 $2 # exit=$3" ;;
	esac
}

# load_module: with the layout of the tarball (make board)
load_module() {
	local module
	export PATH=$PWD/../bin:$PATH
	[ ! -d /sys/module/pmscope ] || return 0
	module=../modules/$(uname -r)/pmscope.ko
	if [ ! -e "$module" ]; then
		make -C ../source/kernel >&2 || return 1
		module=../source/kernel/pmscope.ko
	fi
	export PMSCOPE_MODULE=${PMSCOPE_MODULE:-$(realpath "$module")}
	insmod "$PMSCOPE_MODULE" || return 1
	# A board without SPE has no device to move.
	pmscope driver use --module="$PMSCOPE_MODULE" >&2
	trap 'rm -f "$ktap"; pmscope driver restore >/dev/null 2>&1
		rmmod pmscope' EXIT
}

# The exit status is that of this script.
run_all() {
	local list entry status number=0 failed=0 skipped=0
	mapfile -t list < <(tests)
	echo "KTAP version 1"
	echo "1..${#list[@]}"
	for entry in "${list[@]}"; do
		number=$((number + 1))
		run_test "${entry%%:*}" "${entry#*:}"
		status=$?
		verdict "$number" "$entry" "$status"
		case $status in
		0) ;;
		4) skipped=$((skipped + 1)) ;;
		*) failed=$((failed + 1)) ;;
		esac
	done
	echo "# Totals: pass:$((number - failed - skipped)) fail:$failed skip:$skipped"
	[ "$failed" -eq 0 ] && [ "$number" -gt 0 ] || return 1
	[ "$skipped" -lt "$number" ] || return 4
}

ktap=
if [ -n "$board" ]; then
	load_module || {
		echo "run_kselftest.sh: cannot load the module" >&2
		exit 1
	}
fi
if [ -z "$summary" ]; then
	run_all
	exit
fi
ktap=$(mktemp)
[ -n "$board" ] || trap 'rm -f "$ktap"' EXIT
run_all | tee "$ktap"
status=${PIPESTATUS[0]}
./summary.sh "$ktap" >"$summary" || exit 1
exit "$status"
