# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The SDK: a Debian trixie root with every compiler and library that the
# machine needs, so that it is built the same way on any host.

SDK_SUITES=(trixie trixie-updates trixie-security)

sdk_packages() {
	package_list "$MACHINE/packages/sdk.list"
	package_list "$MACHINE/packages/sdk-arm64.list" :arm64
	[ "$HOST_ARCH" = arm64 ] && return
	echo "gcc-14-$TRIPLET,gcc-$TRIPLET,libc6-dev-arm64-cross"
}

sdk_make() { # DIR
	local architectures=$HOST_ARCH sources

	[ "$HOST_ARCH" = arm64 ] || architectures=$HOST_ARCH,arm64
	need_command mmdebstrap mmdebstrap
	sources=$(debian_sources "${SDK_SUITES[@]}")
	apt_transport_options >"$1.apt.conf"
	# shellcheck disable=SC2046
	mmdebstrap --mode=root --variant=apt --skip=check/empty \
		--architectures="$architectures" --aptopt="$1.apt.conf" \
		--aptopt='Apt::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		$(sdk_packages | sed 's/^/--include=/') \
		trixie "$1" - <<<"$sources"
	rm -f "$1.apt.conf"
	ln -sf gcc-14 "$1/usr/bin/gcc"
	ln -sf gcc "$1/usr/bin/cc"
}

sdk_root() {
	local hash

	need_root
	hash=$(recipe_hash "$MACHINE"/packages/sdk{,-arm64}.list \
		"$MACHINE/steps/sdk.sh" "$HOST_ARCH")
	cached "sdk-$hash" 3000 sdk_make
}
