# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernels that Debian has no package of, from its sources, in the same form as the
# others (see kernel.sh): 6.1, 6.12 and 7.3 with lockdep, KASAN and the like, and
# 6.12 with pages of 64 KiB. All but arm_spe_pmu is built in.

# shellcheck disable=SC2034 # for kernel.sh
SOURCE_KERNELS=(6.12-debug 6.12-64k 6.1-debug 7.3-debug)

source_configs() { # SERIES
	local name

	for name in source "${1%-*}" "${1#*-}"; do
		[ ! -e "$MACHINE/guest/$name.config" ] ||
			echo "$MACHINE/guest/$name.config"
	done
}

source_make() { # SOURCE TARGET...
	local source=$1

	shift
	"$MACHINE/sdk" env CCACHE_DIR="$CACHE/ccache" CCACHE_MAXSIZE=1G \
		make -s -C "$source" -j"$(nproc)" ARCH=arm64 \
		CROSS_COMPILE="$CROSS" CC="ccache ${CROSS}gcc-14" "$@"
}

# An option that the source does not know, or that lacks another, would be left
# out without a word.
source_configure() { # SOURCE SERIES
	local config=$1/all.config option

	# shellcheck disable=SC2046
	cat $(source_configs "$2") >"$config"
	source_make "$1" KCONFIG_ALLCONFIG="$config" allnoconfig
	grep '^CONFIG_' "$config" | grep -v '=n$' | while read -r option; do
		grep -qxF "$option" "$1/.config" || die "not taken: $option"
	done
}

# The parts of the tree that a module build needs.
source_headers() { # SOURCE
	find "$1" \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \) \
		-not -path '*/scripts/*' -not -path '*/tools/*' -delete
	"$MACHINE/sdk" "${CROSS}objcopy" --only-section=.BTF \
		--only-section=.BTF_ids "$1/vmlinux" "$1/vmlinux.btf"
	mv "$1/vmlinux.btf" "$1/vmlinux"
	rm -f "$1"/{vmlinux.o,vmlinux.unstripped,.tmp_vmlinux*}
}

kernel_make_source() { # DIR SERIES
	local dir=$1 source=$1/headers/kdir package

	# shellcheck disable=SC2046
	private_apt "$dir/apt" "$HOST_ARCH" $(kernel_suites "${2%-*}")
	package=$(source_package "${2%-*}")
	fetch_and_extract "$dir/package" "$package"
	unset APT_CONFIG
	mkdir -p "$source" "$dir/boot/modules"
	tar -xJf "$dir/package/usr/src/$package.tar.xz" \
		-C "$source" --strip-components=1
	source_configure "$source" "$2"
	source_make "$source" Image modules
	source_make "$source" kernelrelease | tail -n 1 >"$dir/release"
	source_make "$source" INSTALL_MOD_PATH="$dir/tree/usr" modules_install
	cp "$source/arch/arm64/boot/Image" "$dir/Image"
	"$MACHINE/sdk" mkfs.erofs --quiet -T0 -zlz4 "$dir/modules.erofs" "$dir/tree"
	: >"$dir/boot/modules/order"
	(cd "$dir/boot" && find . | "$MACHINE/sdk" cpio -o -H newc --quiet) \
		>"$dir/boot.cpio"
	source_headers "$source"
	(cd "$dir" && rm -rf apt package tree boot)
}

kernel_source_dir() { # SERIES
	local hash

	# shellcheck disable=SC2046
	hash=$(recipe_hash "$MACHINE/steps/source-kernel.sh" \
		$(source_configs "$1") "$HOST_ARCH")
	cached "kernel-$1-$hash" 12000 kernel_make_source "$1"
}
