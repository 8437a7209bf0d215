#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope doctor --verify. PMSCOPE_WRONG has what is wrong on this machine, as
# "NAME=VERDICT" in the order of output; a silent counter is "NAME=silent".
. "$(dirname "$0")/../pmscope.sh"

WRONG=${PMSCOPE_WRONG-}

before_each() {
	need_command pmscope jq
	[ "$(uname -m)" = aarch64 ] || skip "not arm64"
	[ -n "${PMSCOPE_WRONG+set}" ] ||
		skip "what is right is known on the emulated machine"
}

# They are named, and nothing else is; stat names them, too.
test_each_wrong_counter_and_no_other() {
	local status=0
	pmscope doctor --verify --format=jsonl >out || status=$?
	jq -r 'select(.type == "counter") |
		if .overflow == false then "\(.event)=silent" else empty end,
		if .verdict == "exact" or .verdict == "undecided" or
			(.verdict == "within" and (.event | test("^SPE ")))
		then empty else "\(.event)=\(.verdict)" end' out |
		tr ' ' - >wrong
	expect_eq "$(paste -sd ' ' wrong)" "$WRONG" "what is wrong"
	expect_eq $status "$([ -n "$WRONG" ] && echo 1 || echo 0)" status
	# Not by luck: it was looked at.
	expect_true "$(jq -s 'map(select(.verdict == "exact")) | length' out) > 20" \
		"exact counters"
	expect_eq "$(jq -s 'map(select(.event == "l1d_cache" and
		.counted == .expected)) | length' out)" 1 "l1d_cache"
	[ -n "$WRONG" ] || return 0
	# Only that: l1d_cache counts rightly.
	pmscope stat -e l1d_cache,l1d_cache_refill -- true 2>err
	expect_match 'l1d_cache_refill is dead on this machine' err
	expect_no_match 'l1d_cache is' err
}

# A user who may not count the kernel, and one who may count nothing
test_users_with_less_access() {
	need_root
	local paranoid=/proc/sys/kernel/perf_event_paranoid old
	[ -z "$WRONG" ] || skip "tested where all is right"
	old=$(cat $paranoid)
	# shellcheck disable=SC2064
	trap "echo $old >$paranoid" EXIT
	chmod 711 . ..
	export XDG_CACHE_HOME=/tmp
	echo 2 >$paranoid
	as_nobody pmscope doctor --verify --format=jsonl >out
	expect_eq "$(jq -r 'select(.event == "inst_retired") | .verdict' out)" \
		exact "inst_retired"
	expect_eq "$(jq -r 'select(.event == "exc_taken") | .verdict' out)" \
		undecided "exc_taken"
	echo 3 >$paranoid
	as_nobody pmscope doctor --verify >out || true
	expect_match '^This user may not count the kernel' out
	expect_match '^inst_retired +0x8 not allowed' out
}

ktap_main "$@"
