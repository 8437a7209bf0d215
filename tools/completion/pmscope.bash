# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion for bash: commands and options are those that the tool's own help
# tells, events those that this machine has.

_pmscope_words() {
	pmscope help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

_pmscope_options() {
	pmscope "$1" --help 2>/dev/null |
		sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p'
}

_pmscope_events() {
	pmscope events 2>/dev/null | sed -n 's/^. 0x[0-9a-f]* *\([a-z0-9_]*\).*/\1/p'
}

# What --sort and -F take, as the tool lists it where a name is none of them.
_pmscope_fields() {
	pmscope "$@" 2>&1 </dev/null |
		sed -n 's/.*; valid \(keys\|fields\): //p' | tr -d ' ' | tr ',' ' '
}

_pmscope_formats() {
	pmscope export --format='?' 2>&1 |
		sed -n 's/.* for --format: //p' | tr -d ','
}

# With commas between, all but the last word is there already.
_pmscope_list() {
	local first=${1%"${1##*,}"}
	mapfile -t COMPREPLY < <(compgen -P "$first" -W "$2" -- "${1##*,}")
}

_pmscope() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local words=''

	# Of --event=NAME bash makes three words.
	[ "$word" != = ] || word=
	[ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
	COMPREPLY=()
	case ${COMP_WORDS[1]}:$before in
	report:-s | report:--sort)
		_pmscope_list "$word" "$(_pmscope_fields report --sort='?')"
		return
		;;
	export:--format)
		mapfile -t COMPREPLY < <(compgen -W "$(_pmscope_formats)" -- "$word")
		return
		;;
	annotate:-s | annotate:--sort)
		mapfile -t COMPREPLY < <(compgen -W "address weight" -- "$word")
		return
		;;
	diff:-s | diff:--sort)
		_pmscope_list "$word" "$(_pmscope_fields diff --sort='?' a b)"
		return
		;;
	script:-F | script:--fields)
		_pmscope_list "$word" "$(_pmscope_fields script -F '?')"
		return
		;;
	esac
	case $before in
	-e | --event | -s | --snapshot)
		_pmscope_list "$word" "$(_pmscope_events)"
		return
		;;
	esac
	if [ "$COMP_CWORD" = 1 ] || [ "$before" = help ]; then
		words=$(_pmscope_words)
	elif [[ $word == -* ]]; then
		words=$(_pmscope_options "${COMP_WORDS[1]}")
	elif [ "${COMP_WORDS[1]}" = driver ]; then
		words='use restore status'
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _pmscope pmscope
