# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Debian's arm64 kernels.  A cached kernel is a directory with
#   release        the kernel's own name (uname -r)
#   Image          what QEMU boots
#   modules.erofs  the modules an emulated machine can use, below usr/lib/modules
#   boot.cpio      those that the initramfs loads, with the order of loading
#   headers/       the package tree; headers/kdir is where "make -C" goes

# shellcheck disable=SC2034 # for build
KERNELS=(6.1 6.12 6.12-16k 6.12-rt 7.3)

is_kernel() { # SERIES
	[[ " ${KERNELS[*]} ${SOURCE_KERNELS[*]} " == *" $1 "* ]]
}

fetch_and_extract() { # DIR PACKAGE:ARCH...
	local dir=$1 debs=$1.debs deb

	shift
	mkdir -p "$dir" "$debs"
	(cd "$debs" && apt-get -q download "$@")
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$debs"
}

# Modules that an emulated machine without network, screen or bus can use.
KERNEL_MODULE_DIRS=(arch crypto fs lib mm kernel net/9p
	drivers/block drivers/char drivers/firmware drivers/perf drivers/virtio)

# The modules that lead from the initramfs to the root file system.
KERNEL_BOOT_MODULES=(virtio_mmio virtio_blk virtio_console erofs overlay
	9pnet_virtio 9p)

# Stage the useful modules as TREE/usr/lib/modules/RELEASE.
modules_stage() { # IMAGE-PACKAGE-TREE RELEASE TREE
	local from=$1/usr/lib/modules/$2 to=$3/usr/lib/modules/$2 dir

	[ -d "$from" ] || from=$1/lib/modules/$2
	mkdir -p "$to/kernel"
	cp "$from"/modules.* "$to"
	for dir in "${KERNEL_MODULE_DIRS[@]}"; do
		[ -d "$from/kernel/$dir" ] || continue
		mkdir -p "$(dirname "$to/kernel/$dir")"
		cp -r "$from/kernel/$dir" "$to/kernel/$dir"
	done
	ln -s usr/lib "$3/lib"
	"$MACHINE/sdk" depmod -b "$3" "$2"
}

# The boot modules uncompressed, and "order", the list to load them by.
boot_modules() { # TREE RELEASE BOOTDIR
	local file name

	mkdir -p "$3"
	"$MACHINE/sdk" modprobe -a -d "$1" -S "$2" --show-depends \
		"${KERNEL_BOOT_MODULES[@]}" |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
	while read -r file; do
		name=$(basename "${file%.xz}")
		case $file in
		*.xz) xz -dc "$file" >"$3/$name" ;;
		*) cp "$file" "$3/$name" ;;
		esac
		echo "$name"
	done >"$3/order"
}

kernel_image() { # IMAGE-PACKAGE-TREE RELEASE
	local file

	for file in "$1"/boot/vmlinuz-"$2" "$1"/usr/lib/modules/"$2"/vmlinuz*; do
		[ ! -f "$file" ] || echo "$file"
	done | head -n 1
}

kernel_make() { # DIR SERIES
	local dir=$1 series=$2 release

	# shellcheck disable=SC2046
	private_apt "$dir/apt" "$HOST_ARCH,arm64" $(kernel_suites "$series")
	release=$(kernel_newest "$series") ||
		die "the mirror has no complete arm64 kernel $series"
	echo "$release" >"$dir/release"
	# shellcheck disable=SC2046
	fetch_and_extract "$dir/headers" $(kernel_header_packages "$release")
	# shellcheck disable=SC2046
	fetch_and_extract "$dir/image" $(kernel_image_packages "$release")
	unset APT_CONFIG

	mv "$(kernel_image "$dir/image" "$release")" "$dir/Image"
	headers_relocate "$dir/headers" "$release"
	headers_add_btf "$dir/headers" "$dir/Image"
	modules_stage "$dir/image" "$release" "$dir/tree"
	boot_modules "$dir/tree" "$release" "$dir/boot/modules"
	(cd "$dir/boot" && find . | "$MACHINE/sdk" cpio -o -H newc --quiet) \
		>"$dir/boot.cpio"
	rm "$dir/tree/lib"
	"$MACHINE/sdk" mkfs.erofs --quiet -T0 -zlz4 "$dir/modules.erofs" "$dir/tree"
	(cd "$dir" && rm -rf apt image tree boot)
}

kernel_dir() { # SERIES
	local hash

	is_kernel "$1" ||
		die "no kernel $1; there are ${KERNELS[*]} ${SOURCE_KERNELS[*]}"
	if [[ " ${SOURCE_KERNELS[*]} " == *" $1 "* ]]; then
		kernel_source_dir "$1"
		return
	fi
	hash=$(recipe_hash "$MACHINE"/steps/{kernel.sh,headers.sh,carve-btf} \
		"$HOST_ARCH")
	cached "kernel-$1-$hash" 1000 kernel_make "$1"
}
