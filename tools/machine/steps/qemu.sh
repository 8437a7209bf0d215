# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# QEMU with the model of pmscope: see ../qemu.  PMSCOPE_QEMU names another one.

QEMU_SERIES=10.0

# The newest upstream tarball in the cache
qemu_tarball() {
	find "$CACHE/src" -maxdepth 1 -name "qemu_$QEMU_SERIES.*.orig.tar.xz" \
		2>/dev/null | sort -V | tail -n 1
}

# Only the hooked files of the source are unpacked.
qemu_try_hooks() { # TARBALL DIR
	local hooks=$MACHINE/qemu/hooks top files patch out

	top=$(tar -tf "$1" | sed 's,/.*,,;q' || true)
	mapfile -t files < <(sed -n 's,^+++ b/\([^[:blank:]]*\).*,\1,p' \
		"$hooks"/*.patch | sort -u)
	mkdir -p "$2"
	tar -C "$2" --strip-components=1 -xf "$1" "${files[@]/#/$top/}" ||
		die "$top lacks a file that $hooks change"
	for patch in "$hooks"/*.patch; do
		out=$(patch -s -f -d "$2" -p1 -i "$patch" 2>&1) || die \
			"hooks/${patch##*/} does not apply to $top:" \
			"${out//$'\n'/; }; change the patch, or put an older" \
			"qemu_*.orig.tar.xz into $CACHE/src"
	done
}

# The mirror's tarball is kept only if the hooks apply to it.
qemu_fetch() {
	local dir

	mkdir -p "$CACHE/src"
	dir=$(mktemp -d "$CACHE/src/apt.XXXXXX")
	# shellcheck disable=SC2064 # the local is gone at exit
	trap "rm -rf '$dir'" EXIT
	private_apt "$dir/apt" "$HOST_ARCH" trixie
	sed -i 's/^deb /deb-src /' "$dir/apt/sources.list"
	apt-get -q update
	(cd "$dir" && apt-get -q source --download-only qemu)
	unset APT_CONFIG
	mv "$dir"/qemu_"$QEMU_SERIES".*.orig.tar.xz "$dir/apt/" ||
		die "the mirror's QEMU is not $QEMU_SERIES"
	qemu_try_hooks "$dir"/apt/qemu_*.orig.tar.xz "$dir/hooked"
	mv "$dir"/apt/qemu_*.orig.tar.xz "$CACHE/src/"
}

# Prints the path of QEMU's source.
qemu_source() {
	local log

	open_cache
	if [ -z "$(qemu_tarball)" ]; then
		log=$CACHE/qemu-source.log
		note "fetching the source of QEMU (log: $log)"
		in_own_shell qemu_fetch >"$log" 2>&1 ||
			die "no source of QEMU: $(qemu_source_why)"
	fi
	qemu_tarball
}

qemu_source_why() {
	grep -E '^(E|Error|build|run): ' "$CACHE/qemu-source.log" ||
		tail -n 3 "$CACHE/qemu-source.log"
}

# Prints something if it is not in the cache.
qemu_missing() {
	local hash

	[ -z "${PMSCOPE_QEMU:-}" ] || return 0
	[ -z "$(qemu_tarball)" ] ||
		hash=$(PMSCOPE_CACHE=$CACHE "$MACHINE/qemu/build" --hash)
	[ -x "$CACHE/qemu-${hash:-}/qemu-system-aarch64" ] || echo qemu
}

qemu_build() {
	local log=$BUILD/machine/qemu.log hash

	if [ -n "${PMSCOPE_QEMU:-}" ]; then
		echo "$PMSCOPE_QEMU"
		return
	fi
	mkdir -p "$BUILD/machine"
	qemu_source >/dev/null
	open_cache
	hash=$(qemu_step "$log" --hash)
	[ -x "$CACHE/qemu-$hash/qemu-system-aarch64" ] || {
		require_space 3000 "$CACHE"
		note "making qemu-$hash, some minutes (log: $log)"
	}
	qemu_step "$log"
}

qemu_step() { # LOG [ARG]
	local log=$1

	shift
	PMSCOPE_CACHE=$CACHE "$MACHINE/qemu/build" "$@" 2>"$log" || {
		tail -n 25 "$log" >&2
		die "QEMU could not be made; the whole log is $log"
	}
}
