#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The folders call each other and include each other as ../layers says.
# shellcheck source=selftests/ktap.sh
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
OBJ=$(dirname "$PMSCOPE")/../obj

# One line per symbol: FOLDER, D (defines) or U (uses), SYMBOL. Objects without
# source are ignored.
symbols() {
	(cd "$TOOLS" && find lib session pmscope -name '*.c') |
		sed 's/c$/o/' >objects
	(cd "$OBJ" && xargs nm -gA) <objects |
		sed -E 's|^(.*)/[^/]*\.o:|\1 |' |
		awk '{ print $1, $(NF - 1) == "U" ? "U" : "D", $NF }'
}

public() {
	grep -oE '\bpmscope_\w+;' "$TOOLS/lib/libpmscope.map" | tr -d ';'
}

# calls SYMBOLS: FOLDER FOLDER.FUNCTION of each call into another folder.
calls() {
	awk '$2 == "D" { home[$3] = $1; next }
	$3 in home && home[$3] != $1 { print $1, home[$3] "." $3 }' \
		<(sort -k 2,2 "$1") | sort -u
}

# forbidden CALLS RULES: the calls that no rule allows.
forbidden() {
	awk -v rules="$2" -v names="$(public)" '
	BEGIN {
		for (n = split(names, name, "\n"); n; n--)
			shown[name[n]] = 1
		while ((getline line <rules) > 0) {
			if (line ~ /^#/ || split(line, word, " ") < 1)
				continue
			sub(/:$/, "", word[1])
			for (n = split(line, word, " "); n > 1; n--)
				may[word[1], word[n]] = 1
		}
	}
	{
		split($2, callee, ".")
		folder = $1
		if (may[folder ":", callee[1]] || may[folder ":", $2] ||
		    (may[folder ":", "lib"] && callee[1] ~ /^lib\// &&
		     shown[callee[2]]))
			next
		print folder " calls " callee[2] "() of " callee[1]
	}' "$1"
}

test_folders_call_what_they_may() {
	command -v nm >/dev/null || skip "no nm"
	symbols >named
	calls named >called
	[ "$(wc -l <called)" -gt 100 ] || fail "found $(wc -l <called) calls"
	forbidden called "$TOOLS/layers" >bad
	sed 's/^/# /' bad
	[ ! -s bad ] || fail "$(wc -l <bad) calls that tools/layers forbids"
}

test_no_circle() {
	awk '!/^#/ { sub(/:/, "")
		for (i = 2; i <= NF; i++) {
			sub(/\..*/, "", $i)
			if ($i != "lib")
				print $1, $i
		}
	}' "$TOOLS/layers" >arrows
	tsort arrows >order || fail "folders call each other in a circle"
}

test_a_forbidden_call_is_found() {
	echo "lib/base lib/symbols.pmscope_symbols_new" >called
	forbidden called "$TOOLS/layers" >bad
	expect_eq "$(cat bad)" \
		"lib/base calls pmscope_symbols_new() of lib/symbols" "what is said"
}

# A private header is for its folder and those that may call it.
test_folders_include_what_they_may() {
	local file header
	cd "$TOOLS" || exit
	grep -oE '^#include "[a-z]+/[a-z_0-9]+\.h"' -r lib session pmscope |
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
			for (i = 2; i <= NF; i++) {
				sub(/\..*/, "", $i)
				may[from, $i] = 1
			}
			next
		}
		!may[$1 ":", $2] { print "# " $1 " includes " $2 }' \
		layers "$OLDPWD/includes" >"$OLDPWD/bad"
	cat "$OLDPWD/bad"
	[ ! -s "$OLDPWD/bad" ] || fail "includes that tools/layers forbids"
}

ktap_main "$@"
