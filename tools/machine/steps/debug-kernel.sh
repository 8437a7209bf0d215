# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A kernel of Debian's 6.12 source with lockdep, KASAN and the like, in the
# same form as the others (see kernel.sh). All but arm_spe_pmu is built in.

DEBUG_CONFIG=$MACHINE/guest/debug.config

debug_make() { # SOURCE TARGET...
	local source=$1

	shift
	"$MACHINE/sdk" make -s -C "$source" -j"$(nproc)" ARCH=arm64 \
		CROSS_COMPILE="$CROSS" CC="${CROSS}gcc-14" "$@"
}

# An option that the source does not know, or that lacks another, would be left
# out without a word.
debug_configure() { # SOURCE
	local option

	debug_make "$1" KCONFIG_ALLCONFIG="$DEBUG_CONFIG" allnoconfig
	grep '^CONFIG_' "$DEBUG_CONFIG" | grep -v '=n$' | while read -r option; do
		grep -qxF "$option" "$1/.config" || die "not taken: $option"
	done
}

# What building a module needs of the tree.
debug_headers() { # SOURCE
	find "$1" \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \) \
		-not -path '*/scripts/*' -not -path '*/tools/*' -delete
	"$MACHINE/sdk" "${CROSS}objcopy" --only-section=.BTF \
		--only-section=.BTF_ids "$1/vmlinux" "$1/vmlinux.btf"
	mv "$1/vmlinux.btf" "$1/vmlinux"
	rm -f "$1"/{vmlinux.o,vmlinux.unstripped,.tmp_vmlinux*}
}

kernel_make_debug() { # DIR
	local dir=$1 source=$1/headers/kdir

	private_apt "$dir/apt" "$HOST_ARCH" trixie trixie-security
	fetch_and_extract "$dir/package" linux-source-6.12
	unset APT_CONFIG
	mkdir -p "$source" "$dir/boot/modules"
	tar -xJf "$dir"/package/usr/src/linux-source-6.12.tar.xz \
		-C "$source" --strip-components=1
	debug_configure "$source"
	debug_make "$source" Image modules
	debug_make "$source" kernelrelease | tail -n 1 >"$dir/release"
	debug_make "$source" INSTALL_MOD_PATH="$dir/tree/usr" modules_install
	cp "$source/arch/arm64/boot/Image" "$dir/Image"
	"$MACHINE/sdk" mkfs.erofs --quiet -T0 -zlz4 "$dir/modules.erofs" "$dir/tree"
	: >"$dir/boot/modules/order"
	(cd "$dir/boot" && find . | "$MACHINE/sdk" cpio -o -H newc --quiet) \
		>"$dir/boot.cpio"
	debug_headers "$source"
	(cd "$dir" && rm -rf apt package tree boot)
}

kernel_debug_dir() {
	local hash

	hash=$(recipe_hash "$MACHINE/steps/debug-kernel.sh" "$DEBUG_CONFIG" \
		"$HOST_ARCH")
	cached "kernel-6.12-debug-$hash" 12000 kernel_make_debug
}
