# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the host itself needs, from its own Debian packages.

missing_packages() {
	local wanted

	wanted=$(package_list "$MACHINE/packages/host.list" | tr , '\n')
	# shellcheck disable=SC2016,SC2086 # dpkg-query expands; one word each
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
		awk '$2 == "installed" { print $1 }' |
		grep -vxF -f - <(echo "$wanted") || true
}

deps_install() {
	local packages

	command -v apt-get >/dev/null ||
		die "this is no Debian system (no apt-get); Debian 12 or 13 is needed"
	mapfile -t packages < <(missing_packages)
	[ ${#packages[@]} -gt 0 ] || return 0
	need_root
	note "installing ${packages[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update >&2 ||
		die "apt-get update failed; is the network up and the mirror right?"
	apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=600 \
		install "${packages[@]}" >&2 ||
		die "could not install ${packages[*]}"
}
