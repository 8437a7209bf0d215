# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The root where Debian packages are built and checked: the SDK with debhelper,
# lintian and the like, so that only who builds packages needs them.

packaging_make() { # DIR SDK
	local packages

	packages=$(package_list "$MACHINE/packages/packaging.list" | tr , ' ')
	cp -a "$2/." "$1"
	apt_transport_options >"$1/etc/apt/apt.conf.d/99transport"
	# shellcheck disable=SC2016,SC2086 # the other shell; one word each
	(enter_root "$1" sh -euc '
		export DEBIAN_FRONTEND=noninteractive
		apt-get -q update
		apt-get -q -y --no-install-recommends install "$@"
		apt-get clean
		rm -rf /var/lib/apt/lists' packaging $packages)
}

packaging_root() {
	local hash sdk

	sdk=$(sdk_root)
	hash=$(recipe_hash "$MACHINE/packages/packaging.list" \
		"$MACHINE/steps/packaging.sh" "${sdk##*/}")
	cached "packaging-$hash" 3000 packaging_make "$sdk"
}
