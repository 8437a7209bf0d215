#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels that load signed modules only: the tool tells why, and what to do. Neither
# lockdown nor module.sig_enforce can be undone before the next boot: only with
# PMSCOPE_LOCK=1.
. "$(dirname "$0")/../pmscope.sh"

LOCKDOWN=/sys/kernel/security/lockdown
ENFORCE=/sys/module/module/parameters/sig_enforce
ADVICE="signed with a trusted key: enrol the key .*mokutil --import"

before_each() {
	[ -n "${PMSCOPE_LOCK:-}" ] ||
		skip "no module could be loaded afterwards: set PMSCOPE_LOCK=1"
	need_command pmscope
	spe_device >/dev/null || skip "no SPE device here"
	unload_module
}

# refused WHY: by finit_module(2), and by modprobe
refused() {
	expect_status 1 pmscope driver use
	expect_match "$1.* modules that are $ADVICE" err
	mkdir -p elsewhere
	cp "$(command -v pmscope)" elsewhere/
	expect_status 1 elsewhere/pmscope driver use
	expect_match "modprobe pmscope failed: $1.* modules that are $ADVICE" err
}

test_lockdown_is_explained() {
	[ -e $LOCKDOWN ] || mount -t securityfs none /sys/kernel/security
	[ -w $LOCKDOWN ] || skip "the kernel has no lockdown"
	echo integrity >$LOCKDOWN
	refused 'the kernel is locked down'
	pmscope doctor >findings || true
	expect_match "secure-boot .*kernel lockdown is 'integrity'$" findings
	expect_match "$ADVICE" findings
}

test_enforced_signatures_are_explained() {
	[ -w $ENFORCE ] || skip "the kernel checks no signatures"
	echo 1 >$ENFORCE
	refused 'the kernel loads only'
	pmscope doctor >findings || true
	expect_match 'secure-boot .*module\.sig_enforce is on$' findings
}

ktap_main "$@"
