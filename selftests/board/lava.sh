#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: lava.sh KTAP
# Tells LAVA each result in KTAP. Where there is no LAVA, prints what it would tell.
set -u
tell=lava-test-case
command -v $tell >/dev/null || tell="echo $tell"
awk -v stage=board -f "$(dirname "$0")/../tally.awk" "$1" |
	while read -r word _ name test _; do
		case $test in
		'('* | '') ;;
		*) name=$name.$test ;;
		esac
		case $word in
		pass | skip) ;;
		*) word=fail ;;
		esac
		$tell "$(echo "$name" | tr ':' '.')" --result "$word"
	done
