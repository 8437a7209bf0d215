# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# pmscope.sh - what the tests know about the board, the module and the
# workloads; it brings ktap.sh.

. "$(dirname "${BASH_SOURCE[0]}")/ktap.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
WORKLOAD=$HERE/../workload
PMUS=/sys/bus/event_source/devices
SNAPSHOT=$PMUS/pmu_snapshot
SPE_DEVICES=/sys/bus/platform/devices

# pages N: their size, as recorders take it
pages() { echo "$(($1 * $(getconf PAGESIZE) / 1024))K"; }

# lacks THING REASON: skips the test; fails it if PMSCOPE_HAS names the thing
# (command snapshot spe module).
lacks() {
	case " ${PMSCOPE_HAS:-} " in
	*" $1 "*) fail "$2" ;;
	*) skip "$2" ;;
	esac
}

need_command() {
	local name
	for name; do
		command -v "$name" >/dev/null || lacks command "no $name here"
	done
}

# need WHAT...: what need_WHAT wants, or that command
need() {
	local what
	for what; do
		if declare -F "need_$what" >/dev/null; then
			"need_$what"
		else
			need_command "$what"
		fi
	done
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

need_snapshot() {
	need_command perf
	[ -d "$SNAPSHOT" ] ||
		lacks snapshot "no pmu_snapshot here: is pmscope loaded?"
}

need_hardware_capture() {
	need_snapshot
	[ "$(cat "$SNAPSHOT/caps/backend")" = hardware ] ||
		skip "the captures here are not the hardware's"
}

module_is_used() { [ "$(cat /sys/module/pmscope/refcnt)" != 0 ]; }
module_is_unused() { ! module_is_used; }

# The first arm_spe_<n>; set by need_spe.
need_spe() {
	need_command perf
	local pmu
	for pmu in "$PMUS"/arm_spe_*; do
		[ -d "$pmu" ] || lacks spe "no SPE PMU here: is a driver bound?"
		SPE=${pmu##*/}
		SPE_DIR=$pmu
		return
	done
}

need_pmscope_spe() {
	need_spe
	[ "$(spe_driver)" = pmscope ] || skip "pmscope does not drive $SPE"
}

# The core PMU of this board, for instance armv8_pmuv3.
core_pmu() {
	local pmu
	for pmu in "$PMUS"/armv[89]_*; do
		[ -d "$pmu" ] && echo "${pmu##*/}" && return 0
	done
	skip "no Armv8 PMU here"
}

# The platform device that describes the SPE, by the way firmware names it.
spe_device() {
	local device
	for device in "$SPE_DEVICES"/spe-pmu* "$SPE_DEVICES"/*:spe-pmu* \
		"$SPE_DEVICES"/arm,spe-v1*; do
		[ -d "$device" ] && echo "$device" && return 0
	done
	return 1
}

# Name of the driver that owns the SPE device, or nothing.
spe_driver() {
	local device
	device=$(spe_device) || return 0
	[ -e "$device/driver" ] || return 0
	basename "$(readlink "$device/driver")"
}

module_file() {
	local file
	for file in "${PMSCOPE_MODULE:-}" \
		"$HERE/../../modules/$(uname -r)/pmscope.ko" \
		"/lib/modules/$(uname -r)/updates/dkms/pmscope.ko" \
		"/lib/modules/$(uname -r)/extra/pmscope.ko"; do
		[ -e "$file" ] && echo "$file" && return 0
	done
	return 1
}

need_module_file() {
	need_root
	module_file >/dev/null || lacks module "no pmscope.ko for $(uname -r)"
}

module_loaded() { [ -d /sys/module/pmscope ]; }

# load_module [PARAMETER...]
load_module() { insmod "$(module_file)" "$@"; }

unload_module() {
	if module_loaded; then
		rmmod pmscope
	fi
}

# Gives the SPE device to pmscope, and loads it first if necessary.
use_device() { pmscope driver use --module="$(module_file)"; }

# Gives it back to the kernel's own driver; pmscope stays loaded.
restore_device() { pmscope driver restore --module="$(module_file)"; }

# Restores the module and the driver of the SPE device at the end of the test.
keep_module_state() {
	kept_loaded=
	if module_loaded; then kept_loaded=yes; fi
	kept_driver=$(spe_driver)
	trap restore_module_state EXIT
}

restore_module_state() {
	unload_module
	[ -z "$kept_loaded" ] || load_module
	case $kept_driver in
	pmscope) use_device >/dev/null ;;
	arm_spe_pmu) restore_device >/dev/null ;;
	esac
}

# kernel_log CMD...: returns CMD's status; the kernel messages meanwhile are in
# `log`.
kernel_log() {
	local mark="pmscope-selftests: log $RANDOM$RANDOM" status=0
	echo "$mark" >/dev/kmsg
	"$@" || status=$?
	dmesg | awk -v mark="$mark" '
		seen { sub(/^\[[^]]*\] /, ""); print }
		index($0, mark) { seen = 1 }' >log
	return "$status"
}

# info KEY FILE: the value of KEY=VALUE in a workload's line.
info() { sed -n "s/.* $1=\([^ ]*\).*/\1/p" "$2"; }

# counts FILE EVENT: the counts of EVENT in a `perf stat -x,` or `-I -x,` file.
counts() {
	awk -F, -v event="$2" '
		{ for (i = 2; i <= NF; i++) if ($i == event) print $(i - 2) }' "$1"
}

# expect_cycles_counted_twice FILE: a `perf stat -x,` file has two equal counts.
expect_cycles_counted_twice() {
	awk -F, '/event=0x11/ { n[k++] = $1 }
		END { exit !(k == 2 && n[0] == n[1] && n[0] > 0) }' "$1" || {
		cat "$1"
		fail "the two counts differ"
	}
}

# Cycles equal instructions on this machine (QEMU's -icount): counts are exact.
counts_are_exact() {
	local pmu
	pmu=$(core_pmu)
	perf stat -x, -o exact -e "{$pmu/event=0x11/u,$pmu/event=0x8/u}" -- \
		"$WORKLOAD/spin" 1000000 >/dev/null
	awk -F, '{ n[NR] = $1 } END {
		exit !(n[NR] > 2000000 && n[NR] < 2100000) }' exact
}

# expect_shares COLUMN KNOWN ROWS LEAST: the names in a column of ROWS, at least so
# many, have the shares that lines "NAME NUMBER" of KNOWN give them, within 5 standard
# deviations; there are hardly any others.
expect_shares() {
	awk -F, -v column="$1" -v least="$4" 'NR == FNR {
			at = match($0, / [0-9]+$/)
			of[substr($0, 1, at - 1)] = substr($0, at + 1)
			all += substr($0, at + 1); next }
		{ n++; seen[$column]++ }
		END { for (i in of) {
				p = of[i] / all
				bound = 5 * sqrt(p * (1 - p) / n)
				printf "# %s: %.4f of %d, %.4f +- %.4f\n", i,
					seen[i] / n, n, p, bound
				bad += seen[i] / n - p > bound ||
					p - seen[i] / n > bound
				left += seen[i]
			}
			print "# others:", n - left
			exit bad || n < least || n - left > n / 1000 }' \
		"$2" "$3" >shares || fail "$(cat shares; sort "$3" | uniq -c)"
	note "$(sed "s,^# ,," shares | paste -sd ";")"
}
