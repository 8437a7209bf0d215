# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# Shared by build, sdk and run: places, messages, locks, the cache.

MACHINE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(cd "$MACHINE/../.." && pwd -P)
BUILD=$TOP/build
CACHE=${PMSCOPE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/pmscope}
HOST_ARCH=$(dpkg --print-architecture 2>/dev/null || echo unknown)
TRIPLET=aarch64-linux-gnu

# A 64-bit Arm host's own compiler needs no prefix.
CROSS=
[ "$HOST_ARCH" = arm64 ] || CROSS=$TRIPLET-

note() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	note "$*"
	exit "${DIE_STATUS:-1}"
}

need_root() {
	[ "$(id -u)" = 0 ] ||
		die "must run as root (it makes a Debian root directory and" \
			"enters it); try: sudo -E $0"
}

need_command() { # COMMAND PACKAGE
	command -v "$1" >/dev/null ||
		die "no $1 on this machine; run $MACHINE/build deps" \
			"(Debian package $2)"
}

# A short hash of the given files and words, so that a cached thing is rebuilt
# if and only if its recipe changes.
recipe_hash() { # FILE-OR-WORD...
	local item

	for item; do
		if [ -f "$item" ]; then
			printf 'file %s\n' "${item#"$TOP"/}"
			cat -- "$item"
		else
			printf 'word %s\n' "$item"
		fi
	done | sha256sum | cut -c1-12
}

# True unless STAMP exists and no file below PATH... is newer.
is_stale() { # STAMP PATH...
	local stamp=$1

	shift
	[ ! -e "$stamp" ] || [ -n "$(find "$@" -newer "$stamp" -print -quit)" ]
}

require_space() { # MIB DIRECTORY
	local free

	free=$(df -Pm "$2" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$1" ] ||
		die "$2 has $free MiB free, $1 MiB are needed; free some" \
			"or set PMSCOPE_CACHE to a larger disk"
}

open_cache() {
	mkdir -p "$CACHE" || die "cannot make the cache directory $CACHE"
	CACHE=$(cd "$CACHE" && pwd -P)
}

# Run "MAKER TEMPDIR" unless CACHE/NAME exists; it appears complete or not at
# all.  The lock is held by file descriptor, so it ends with this process.
cached() { # NAME MIB MAKER [ARG...]
	local name=$1 mib=$2 maker=$3 lock

	shift 3
	open_cache
	if [ ! -e "$CACHE/$name" ]; then
		exec {lock}>"$CACHE/.lock-${name%-*}"
		flock -n "$lock" || {
			note "another build makes $name, waiting"
			flock "$lock"
		}
		[ -e "$CACHE/$name" ] || make_cached "$name" "$mib" "$maker" "$@"
		exec {lock}>&-
	fi
	printf '%s\n' "$CACHE/$name"
}

# If the shell tests the status of a function, errors in the function do not
# stop it; in a subshell they do.
in_own_shell() { # FUNCTION [ARG...]
	# shellcheck disable=SC2016 # the other shell expands these
	bash -c '. "$1"; shift; "$@"' "$0" "$MACHINE/all.sh" "$@"
}

make_cached() { # NAME MIB MAKER [ARG...]
	local name=$1 mib=$2 maker=$3 tmp=$CACHE/tmp-$1 log=$CACHE/$1.log
	local start=$SECONDS

	shift 3
	require_space "$mib" "$CACHE"
	rm -rf --one-file-system "$tmp"
	mkdir "$tmp"
	note "making $name (log: $log)"
	if ! in_own_shell "$maker" "$tmp" "$@" >"$log" 2>&1; then
		tail -n 25 "$log" >&2
		rm -rf --one-file-system "$tmp"
		die "$name could not be made; the whole log is $log"
	fi
	mv -T "$tmp" "$CACHE/$name"
	note "made $name in $((SECONDS - start)) s"
}

# Mounts in a root must not be visible outside. If / is not a mount point, as
# in a chroot, that cannot be requested; but mounts there are rarely shared.
propagation() {
	if unshare --mount --propagation private true 2>/dev/null; then
		echo private
	elif unshare --mount --propagation unchanged true 2>/dev/null; then
		echo unchanged
	else
		die "cannot make a mount namespace: this needs root with" \
			"CAP_SYS_ADMIN (in a container: --privileged)"
	fi
}

# In place of this shell: CMD with the directory ROOT as its root
enter_root() { # ROOT CMD [ARG...]
	local root=$1 mode

	shift
	open_cache
	mode=$(propagation)
	exec unshare --mount --propagation "$mode" \
		"$MACHINE/steps/enter-root" "$root" "$PWD" "$CACHE" "$TOP" -- "$@"
}
