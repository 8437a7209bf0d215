# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Programs that read what pmscope exports, and a browser with what drives it, from
# Debian and npm: only tests use them.

consumers_packages() {
	package_list "$MACHINE/packages/npm.list" | tr , '\n'
	# npm leaves out what this package needs on each kind of machine.
	echo "nodejs-polars-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')-gnu"
}

consumers_make() { # DIR
	local packages

	mapfile -t packages < <(consumers_packages)
	npm install --prefix "$1" --no-audit --no-fund --ignore-scripts \
		"${packages[@]}"
}

# Many machines have Node.js from elsewhere, whose npm is no Debian package.
consumers_install() {
	local packages=()

	command -v npm >/dev/null || packages+=(nodejs npm)
	command -v chromium >/dev/null || packages+=(chromium)
	[ ${#packages[@]} -gt 0 ] || return 0
	need_root
	note "installing ${packages[*]}"
	DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
		-o DPkg::Lock::Timeout=600 install "${packages[@]}" >&2 ||
		die "could not install ${packages[*]}"
}

# Only the tests of `make check-all` use it.
firefox_path() {
	if ! command -v firefox-esr >/dev/null; then
		need_root
		note "installing firefox-esr"
		DEBIAN_FRONTEND=noninteractive apt-get -q -y \
			--no-install-recommends -o DPkg::Lock::Timeout=600 \
			install firefox-esr >&2 ||
			die "could not install firefox-esr"
	fi
	command -v firefox-esr
}

consumers_path() {
	local hash

	consumers_install
	hash=$(recipe_hash "$MACHINE/steps/consumers.sh" \
		"$MACHINE/packages/npm.list" "$(uname -m)")
	echo "$(cached "consumers-$hash" 1500 consumers_make)/node_modules"
}
