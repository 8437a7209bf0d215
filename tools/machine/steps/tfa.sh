# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Trusted Firmware-A, from Debian's source package, as the machine's EL3. It starts
# a kernel that is in memory already: QEMU loads it, and the initramfs, to these
# places.

TFA_KERNEL=0x40200000
# shellcheck disable=SC2034 # for run
TFA_INITRAMFS=0x48000000

# The source, and the tool that packs the images.
tfa_fetch() { # DIR
	local dir=$1

	private_apt "$dir/apt" "$HOST_ARCH" trixie
	sed -i 'p; s/^deb /deb-src /' "$dir/apt/sources.list"
	apt-get -q update
	(cd "$dir" && apt-get -q source --download-only arm-trusted-firmware)
	fetch_and_extract "$dir/tools" arm-trusted-firmware-tools
	unset APT_CONFIG
	mkdir "$dir/source"
	tar -xf "$dir"/arm-trusted-firmware_*.orig.tar.xz -C "$dir/source" \
		--strip-components=1
}

# The first stage is at the begin of the flash, the package with the others, for
# which it looks there, at 256 KiB.
tfa_pack() { # DIR RELEASE-DIR
	"$MACHINE/sdk" "$1/tools/usr/bin/fiptool" create \
		--tb-fw "$2/bl2.bin" --soc-fw "$2/bl31.bin" "$1/fip.bin"
	cp "$2/bl1.bin" "$1/flash.bin"
	dd if="$1/fip.bin" of="$1/flash.bin" bs=256K seek=1 conv=notrunc \
		status=none
}

tfa_make() { # DIR
	local dir=$1

	tfa_fetch "$dir"
	"$MACHINE/sdk" make -s -C "$dir/source" -j"$(nproc)" \
		CROSS_COMPILE="$TRIPLET-" CC="$TRIPLET-gcc-14" PLAT=qemu \
		DEBUG=0 LOG_LEVEL=20 QEMU_USE_GIC_DRIVER=QEMU_GICV3 \
		ENABLE_FEAT_FGT2=2 ARM_LINUX_KERNEL_AS_BL33=1 \
		PRELOADED_BL33_BASE=$TFA_KERNEL bl1 bl2 bl31
	tfa_pack "$dir" "$dir/source/build/qemu/release"
	(cd "$dir" && rm -rf apt source tools fip.bin arm-trusted-firmware_*)
}

tfa_path() {
	local hash

	need_root
	hash=$(recipe_hash "$MACHINE/steps/tfa.sh" "$HOST_ARCH")
	echo "$(cached "tfa-$hash" 500 tfa_make)/flash.bin"
}
