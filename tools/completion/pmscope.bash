# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion for bash. The tool itself knows its commands, options and values.

# Bash makes several words of --sort=pid; the tool takes it as one.
_pmscope() {
	local words=() word join='' kept='' i
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ "${#words[@]}" -gt 0 ] && [[ $join || $word = = ]]; then
			kept=${words[-1]}
			words[-1]+=$word
			[ "$word" != = ] || kept=${words[-1]}
		else
			words+=("$word")
			kept=
		fi
		join=
		[ "$word" != = ] || join=1
	done
	mapfile -t COMPREPLY < <(pmscope complete "${words[@]}" 2>/dev/null |
		cut -f 1)
	COMPREPLY=("${COMPREPLY[@]#"$kept"}")
	[[ ${COMPREPLY[0]-} != *[=/] ]] || compopt -o nospace 2>/dev/null || true
}

complete -o default -F _pmscope pmscope
