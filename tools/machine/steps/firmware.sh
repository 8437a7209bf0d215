# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# UEFI firmware: with it a machine is described by ACPI tables, as servers are,
# and not by a devicetree.

firmware_make() { # DIR
	local dir=$1

	private_apt "$dir/apt" "$HOST_ARCH" trixie
	fetch_and_extract "$dir/package" qemu-efi-aarch64
	unset APT_CONFIG
	mv "$dir/package/usr/share/qemu-efi-aarch64/QEMU_EFI.fd" "$dir"
	rm -rf "$dir"/{apt,package}
}

firmware_path() {
	local hash dir

	hash=$(recipe_hash "$MACHINE/steps/firmware.sh")
	dir=$(cached "firmware-$hash" 600 firmware_make)
	echo "$dir/QEMU_EFI.fd"
}
