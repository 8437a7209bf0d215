#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The library as a stranger meets it: installed, found by pkg-config, linked
# either way, with a manual for each function.
# shellcheck source=selftests/ktap.sh
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
OUT=$(cd "$(dirname "$PMSCOPE")/.." && pwd)

# install_lib: into ./root, and pkg-config made to look there.
install_lib() {
	command -v pkg-config >/dev/null || skip "no pkg-config"
	command -v cc >/dev/null || skip "no C compiler"
	# A program cannot have a library with the sanitizers under it.
	[ "$(basename "$OUT")" != san ] || skip "built with the sanitizers"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$TOOLS" O="$OUT" DESTDIR="$PWD/root" PREFIX=/opt/p \
		LIBDIR=/opt/p/lib/here install-lib >install.log 2>&1 ||
		fail "$(tail -n 3 install.log)"
	LIBS=$PWD/root/opt/p/lib/here
	export PKG_CONFIG_PATH=$LIBS/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/root
}

# Two loads of 7 and 9 cycles, a store, each with its END.
make_trace() {
	printf '\x49\x00\x98\x07\x00\x01\x49\x00\x98\x09\x00\x01' >trace
	printf '\x49\x01\x98\x50\x00\x01' >>trace
}

EXPECTED='2 loads of 3 records, mean 8 cycles; 0 damaged'

test_program_with_the_shared_library() {
	install_lib
	make_trace
	# shellcheck disable=SC2046
	cc -Wall -Wextra -Werror -o program "$TOOLS/examples/latency.c" \
		$(pkg-config --cflags --libs pmscope)
	LD_LIBRARY_PATH=$LIBS ./program trace >out
	expect_eq "$(cat out)" "$EXPECTED"
	readelf -d program >dynamic
	expect_match 'NEEDED.*libpmscope\.so\.0\]' dynamic
	readelf -V program >versions
	expect_match 'LIBPMSCOPE_0\.1' versions
}

test_program_with_the_static_library() {
	install_lib
	make_trace
	rm "$LIBS"/libpmscope.so*
	# Of the library's own libraries the shared ones do.
	# shellcheck disable=SC2046
	cc -Wall -Wextra -Werror -o program "$TOOLS/examples/latency.c" \
		$(pkg-config --cflags pmscope) "$LIBS/libpmscope.a" \
		-ldw -lelf -lzstd -lm -pthread
	./program trace >out
	expect_eq "$(cat out)" "$EXPECTED"
	pkg-config --static --libs pmscope >flags
	expect_match '-lpmscope.*-lm.*-ldw' flags
}

test_names_and_links() {
	install_lib
	(cd "$LIBS" && ls) >files
	expect_match '^libpmscope\.so\.[0-9]+\.[0-9]+\.[0-9]+$' files
	[ -e root/opt/p/include/linux/pmscope.h ] || fail "no linux/pmscope.h"
	[ -e "$LIBS/libpmscope.so" ] || fail "no libpmscope.so"
	expect_eq "$(readlink "$LIBS/libpmscope.so")" libpmscope.so.0
	expect_eq "$(pkg-config --modversion pmscope)" \
		"$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$TOOLS/../dkms.conf")"
}

# The archive must not take names from the program it is linked with.
test_archive_shows_public_names_only() {
	command -v nm >/dev/null || skip "no nm"
	[ -e "$OUT/lib/libpmscope.a" ] || skip "no archive"
	nm --defined-only "$OUT/lib/libpmscope.a" |
		awk '$2 ~ /^[TDBR]$/ && $3 !~ /^pmscope_/ { print $3 }' >others
	[ "$(basename "$OUT")" = san ] || [ ! -s others ] ||
		fail "$(tr '\n' ' ' <others)"
}

test_each_function_has_a_manual() {
	local name manuals=$TOOLS/../Documentation/man
	sed -n 's/^\t\(pmscope_[a-z_0-9]*\);$/\1/p' "$TOOLS/lib/libpmscope.map" \
		>names
	[ -s names ] || fail "no names in the map"
	while read -r name; do
		grep -qE "^\.F[no] $name( |$)" "$manuals"/*.3 || echo "$name"
	done <names >without
	[ ! -s without ] || fail "no manual: $(tr '\n' ' ' <without)"
}

ktap_main "$@"
