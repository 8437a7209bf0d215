# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# pmscope.ko for one kernel, built from a copy so that several kernels can be
# built at the same time and none leaves anything beside the sources.

module_copy() { # DIR
	mkdir -p "$1"
	"$MACHINE/sdk" rsync -a --delete --exclude='*.o' --exclude='*.ko' \
		--exclude='*.mod*' --exclude='.*.cmd' --exclude='.*.d' \
		--exclude=modules.order --exclude=Module.symvers \
		--exclude='*.have' --exclude=have.h \
		"$TOP/kernel" "$TOP/include" "$1/"
}

# With MAKE-ARG... (W=1, C=1) everything is compiled in a separate copy.
module_build() { # SERIES [MAKE-ARG...]
	local dir=$BUILD/module/$1 kernel lock

	kernel=$(kernel_dir "$1")
	shift
	[ $# -eq 0 ] || dir=$dir-check
	mkdir -p "$BUILD/module"
	exec {lock}>"$dir.lock"
	flock "$lock"
	[ $# -eq 0 ] || rm -rf "$dir"
	module_copy "$dir"
	"$MACHINE/sdk" env CCACHE_DIR="$CACHE/ccache" CCACHE_MAXSIZE=1G \
		make -s -C "$dir/kernel" -j"$(nproc)" ARCH=arm64 \
		KDIR="$kernel/headers/kdir" CROSS_COMPILE="$CROSS" \
		CC="ccache ${CROSS}gcc" "$@" >&2
	exec {lock}>&-
	echo "$dir/kernel/pmscope.ko"
}
