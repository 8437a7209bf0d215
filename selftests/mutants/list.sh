# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Lists of mutants: FIRST FILE, separated by a tab, then each edit behind a tab, an
# extended sed script on one line, each a mutant of its own; @(a|b) stands for two.

wanted() { # NAME PATTERN...
	local name=$1 pattern

	shift
	[ $# -gt 0 ] || return 0
	for pattern; do
		# shellcheck disable=SC2053 # a pattern
		[[ $name != $pattern ]] || return 0
	done
	return 1
}

# One line per mutant whose FIRST matches: FIRST, FILE and EDIT, separated by tabs.
mutants() { # LIST PATTERN...
	local name file edit

	awk 'function each(edit, at, len, one, n, i) {
		at = match(edit, /@[(][^)]*[)]/)
		len = RLENGTH
		if (!at)
			print name "\t" file "\t" edit
		n = at ? split(substr(edit, at + 2, len - 3), one, "|") : 0
		for (i = 1; i <= n; i++)
			each(substr(edit, 1, at - 1) one[i] substr(edit, at + len))
	}
	/^#/ || /^$/ { next }
	/^[^\t]/ { name = $1; file = $2; next }
	{ sub(/^\t/, ""); each($0) }' "$1" |
		while IFS=$'\t' read -r name file edit; do
			! wanted "$name" "${@:2}" ||
				printf '%s\t%s\t%s\n' "$name" "$file" "$edit"
		done
}

# mutate FILE EDIT COPY: keeps the original as COPY; false if nothing changes
mutate() {
	cp "$1" "$3"
	sed -i -E "$2" "$1"
	! cmp -s "$1" "$3"
}

totals() { # ALL LIVE
	echo "# Totals: pass:$(($1 - $2)) fail:$2 xfail:0 xpass:0 skip:0 error:0"
	[ "$2" = 0 ]
}
