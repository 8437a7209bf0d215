#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each public header stands alone, in C and in C++; the shared library shows
# what they declare and nothing else.
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
INCLUDE=$TOOLS/lib/include
UAPI=$TOOLS/../include/uapi
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
LIBRARY=$(dirname "$PMSCOPE")/../lib/libpmscope.so

each_header_with() {
	local header
	for header in "$INCLUDE"/pmscope/*.h; do
		echo "#include <pmscope/$(basename "$header")>" >one
		"$@" -I"$INCLUDE" -I"$UAPI" -Wall -Wextra -Wpedantic -Wshadow \
			-Wconversion -Werror -fsyntax-only one
	done
}

test_c() {
	command -v cc >/dev/null || skip "no C compiler"
	each_header_with cc -std=c99 -x c
	each_header_with cc -std=gnu11 -x c
}

test_cplusplus() {
	command -v c++ >/dev/null || skip "no C++ compiler"
	each_header_with c++ -std=c++11 -Wold-style-cast -x c++
}

test_library_has_what_the_headers_declare() {
	[ -e "$LIBRARY" ] || skip "no shared library"
	command -v nm >/dev/null || skip "no nm"
	cat "$INCLUDE"/pmscope/*.h | tr '\n\t' '  ' |
		grep -o 'PMSCOPE_API[^;{]*' | grep -o 'pmscope_[a-z0-9_]* *(' |
		tr -d ' (' | sort -u >declared
	nm -D --defined-only "$LIBRARY" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' |
		sort -u >exported
	[ -s declared ] || fail "no declarations found"
	diff declared exported
}

ktap_main "$@"
