#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The errata that doctor --verify knows are those of the documentation.
. "$(dirname "$0")/../../selftests/ktap.sh"

TOP=$(cd "$(dirname "$0")/../.." && pwd)

test_the_documentation_has_the_same_errata() {
	# "Neoverse N1, erratum 1694299": a title is above a line of "="
	awk '/^==+$/ && title != "" && length(title) <= length($0) { print title }
		{ title = $0 }' "$TOP/Documentation/reference/errata.rst" |
		grep -vE '^(Errata of CPUs|What is not here|=*)$' | sort >documented
	sed -n 's/^CPU(\(\w*\), [^"]*"\([^"]*\)".*/\1 \2/p' \
		"$TOP/tools/lib/base/cpus.def" >names
	sed -n 's/^ERRATUM(\(\w*\), [^"]*"\([^"]*\)".*/\1 \2/p' \
		"$TOP/tools/pmscope/verify/errata.def" |
		awk 'NR == FNR { id = $1; sub(/[^ ]* /, ""); name[id] = $0; next }
		{ id = $1; sub(/[^ ]* /, ""); print name[id] ", " $0 }' names - |
		sort >known
	[ -s known ] || fail "no errata"
	diff known documented || fail "the tables differ"
}

ktap_main "$@"
