# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The initramfs: init, and before it the modules of the kernel, if it has any.

GUEST_OUT=$BUILD/machine

guest_init() {
	local dir=$GUEST_OUT/initramfs

	is_stale "$GUEST_OUT/init.cpio" "$MACHINE/guest" || return 0
	"$MACHINE/sdk" make -s -C "$MACHINE/guest" O="$dir" \
		CROSS_COMPILE="$CROSS" >&2
	(cd "$dir" && echo init |
		"$MACHINE/sdk" cpio -o -H newc --quiet) >"$GUEST_OUT/init.cpio.tmp"
	mv "$GUEST_OUT/init.cpio.tmp" "$GUEST_OUT/init.cpio"
}

# The kernel reads archives that follow each other as one.
initramfs_build() { # NAME [ARCHIVE]
	local out=$GUEST_OUT/initramfs-$1.cpio lock

	shift
	mkdir -p "$GUEST_OUT"
	exec {lock}>"$GUEST_OUT/.lock-initramfs"
	flock "$lock"
	guest_init
	if is_stale "$out" "$GUEST_OUT/init.cpio" "$@"; then
		cat "$@" "$GUEST_OUT/init.cpio" >"$out.$$"
		mv "$out.$$" "$out"
	fi
	exec {lock}>&-
	echo "$out"
}
