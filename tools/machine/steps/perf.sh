# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The newest perf that Debian has for this host, beside the host's own: what it
# prints of SPE data is what pmscope's text is compared with.  It runs with the
# libraries of its own release, which are unpacked with it.

PERF_SUITES=(trixie trixie-updates trixie-security trixie-backports)

# A wrapper that runs the unpacked perf with the loader it was made for.
perf_wrapper() { # TREE
	cat <<-'END'
	#!/bin/sh
	tree=$(dirname "$(readlink -f "$0")")/tree
	libs=$(echo "$tree"/usr/lib/*-linux-gnu)
	exec "$libs"/ld-linux-*.so.* --library-path "$libs" "$tree/usr/bin/perf" "$@"
	END
}

perf_make() { # DIR
	local dir=$1 sources

	need_command mmdebstrap mmdebstrap
	sources=$(debian_sources "${PERF_SUITES[@]}")
	apt_transport_options >"$dir/apt.conf"
	mmdebstrap --mode=root --variant=extract --skip=check/empty \
		--architectures="$HOST_ARCH" --aptopt="$dir/apt.conf" \
		--aptopt='Apt::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/*' \
		--include=linux-perf/trixie-backports \
		trixie "$dir/tree" - <<<"$sources"
	rm -f "$dir/apt.conf"
	perf_wrapper >"$dir/perf"
	chmod +x "$dir/perf"
	"$dir/perf" version
}

perf_path() {
	local hash

	need_root
	hash=$(recipe_hash "$MACHINE/steps/perf.sh" "$HOST_ARCH")
	echo "$(cached "perf-$hash" 600 perf_make)/perf"
}
