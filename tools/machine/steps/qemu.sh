# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# QEMU with the model of pmscope: see ../qemu.  PMSCOPE_QEMU names another one.

qemu_build() {
	local log=$BUILD/machine/qemu.log hash

	if [ -n "${PMSCOPE_QEMU:-}" ]; then
		echo "$PMSCOPE_QEMU"
		return
	fi
	mkdir -p "$BUILD/machine"
	open_cache
	hash=$(qemu_step "$log" --hash)
	[ -x "$CACHE/qemu-$hash/qemu-system-aarch64" ] || {
		require_space 3000 "$CACHE"
		note "making qemu-$hash, some minutes (log: $log)"
	}
	qemu_step "$log"
}

qemu_step() { # LOG [ARG]
	local log=$1

	shift
	PMSCOPE_CACHE=$CACHE "$MACHINE/qemu/build" "$@" 2>"$log" || {
		tail -n 25 "$log" >&2
		die "QEMU could not be made; the whole log is $log"
	}
}
