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

# With an index of today: that of a fresh machine is empty or old.
host_install() { # PACKAGE...
	[ $# -gt 0 ] || return 0
	need_root
	note "installing $*"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update >&2 ||
		die "apt-get update failed; is the network up and the mirror right?"
	apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=600 \
		install "$@" >&2 || die "could not install $*"
}

deps_install() { # [RECIPE...]
	local packages

	mapfile -t packages < <(host_packages "$@")
	host_install "${packages[@]}"
}
