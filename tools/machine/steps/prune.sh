# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Removes from the cache what no recipe of this checkout makes any more.

# Prints the cache entries that "build all" and the tests would use.
cache_in_use() {
	local series

	sdk_root
	packaging_root
	rootfs_dir
	server_root 6.12 | xargs dirname
	checkpatch_path | xargs dirname
	perf_path | xargs dirname
	qemu_build | xargs dirname
	firmware_path | xargs dirname
	for series in "${KERNELS[@]}"; do
		kernel_dir "$series"
	done
}

cache_prune() {
	local entry keep

	open_cache
	keep=$(cache_in_use)
	for entry in "$CACHE"/{sdk,packaging,kernel,rootfs,server,checkpatch,perf,qemu,firmware,tmp}-*; do
		[ -d "$entry" ] || continue
		grep -qxF "$entry" <<<"$keep" && continue
		note "removing $entry"
		rm -rf --one-file-system "$entry" "$entry.log"
	done
}
