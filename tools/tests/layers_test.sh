#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The folders call each other and include each other as ../layers says, and no
# objects call each other in a circle.
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
OBJ=$(dirname "$PMSCOPE")/../obj

# One line per symbol: OBJECT, D (defines) or U (uses), SYMBOL. Objects without
# source, and those that were not built, are ignored.
symbols() {
	(cd "$TOOLS" && find lib session pmscope fuzz -name '*.c') |
		sed 's/c$/o/' | sort >sources
	(cd "$OBJ" && find . -name '*.o') | sed 's/..//' | sort |
		comm -12 sources - >objects
	(cd "$OBJ" && xargs nm -gA) <objects | sed 's/\.o:/ /' |
		awk '{ print $1, $(NF - 1) == "U" ? "U" : "D", $NF }'
}

public() {
	grep -oE '\bpmscope_\w+;' "$TOOLS/lib/libpmscope.map" | tr -d ';'
}

# calls SYMBOLS: OBJECT OBJECT FUNCTION of each call of another object. Each
# target of fuzz/ has functions of the same names.
calls() {
	awk '$2 == "D" && $1 !~ /^fuzz/ { home[$3] = $1; next }
	$3 in home && home[$3] != $1 { print $1, home[$3], $3 }' \
		<(sort -k 2,2 "$1") | sort -u
}

# forbidden CALLS RULES: the calls that no rule allows.
forbidden() {
	awk -v rules="$2" -v names="$(public)" '
	BEGIN {
		for (n = split(names, name, "\n"); n; n--)
			shown[name[n]] = 1
		while ((getline line <rules) > 0) {
			if (line ~ /^#/)
				continue
			n = split(line, word, " ")
			sub(/:$/, "", word[1])
			for (; n > 1; n--)
				may[word[1], word[n]] = 1
		}
	}
	{
		folder = $1
		sub(/\/[^\/]*$/, "", folder)
		sub(/\/[^\/]*$/, "", $2)
		if (folder == $2 || may[folder, $2] ||
		    (may[folder, "lib"] && $2 ~ /^lib\// && shown[$3]))
			next
		print folder " calls " $3 "() of " $2
	}' "$1"
}

test_folders_call_what_they_may() {
	command -v nm >/dev/null || skip "no nm"
	symbols >named
	calls named >called
	[ "$(wc -l <called)" -gt 1000 ] || fail "found $(wc -l <called) calls"
	forbidden called "$TOOLS/layers" >bad
	sed 's/^/# /' bad
	[ ! -s bad ] || fail "$(wc -l <bad) calls that tools/layers forbids"
}

test_no_circle() {
	awk '!/^#/ { sub(/:/, "")
		for (i = 2; i <= NF; i++)
			if ($i != "lib")
				print $1, $i
	}' "$TOOLS/layers" >arrows
	tsort arrows >order || fail "folders call each other in a circle"
}

# The child that reads symbols for its parent is below it: reader_serve().
test_no_circle_of_objects() {
	command -v nm >/dev/null || skip "no nm"
	symbols >named
	calls named | cut -d' ' -f1,2 | sort -u >arrows
	[ "$(wc -l <arrows)" -gt 1000 ] || fail "found $(wc -l <arrows) arrows"
	tsort arrows >order || fail "objects call each other in a circle"
	awk 'NR == 1 { print $2, $1 }' arrows >arrow && cat arrow >>arrows
	! tsort arrows >order 2>&1 || fail "a circle is not found"
}

test_a_forbidden_call_is_found() {
	echo "lib/base/io lib/symbols/symbols pmscope_symbols_new" >called
	forbidden called "$TOOLS/layers" >bad
	expect_eq "$(cat bad)" \
		"lib/base calls pmscope_symbols_new() of lib/symbols" "what is said"
}

# A private header is for its folder and those that may call it.
test_folders_include_what_they_may() {
	local file header
	cd "$TOOLS" || exit
	grep -oE '^#include "[a-z]+/[a-z_0-9]+\.h"' -r lib session pmscope bpf \
		fuzz |
		sed -E 's/:#include "/ /; s/"$//' |
		while read -r file header; do
			for dir in lib . pmscope; do
				[ ! -e "$dir/$header" ] || break
			done
			dir=$(dirname "${dir#.}/$header")
			echo "$(dirname "$file") ${dir#/}"
		done | sort -u | awk '$1 != $2' >"$OLDPWD/includes"
	awk 'NR == FNR {
			if (/^#/)
				next
			from = $1
			for (i = 2; i <= NF; i++)
				may[from, $i] = 1
			next
		}
		!may[$1 ":", $2] { print "# " $1 " includes " $2 }' \
		layers "$OLDPWD/includes" >"$OLDPWD/bad"
	cat "$OLDPWD/bad"
	[ ! -s "$OLDPWD/bad" ] || fail "includes that tools/layers forbids"
}

ktap_main "$@"
