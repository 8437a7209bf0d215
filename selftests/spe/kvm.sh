#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A task that runs a KVM guest is profiled: the host's part is, the guest's is
# not, and recording goes on behind it.
. "$(dirname "$0")/records.sh"

test_a_guest_is_not_sampled() {
	need root spe
	[ -w /dev/kvm ] || skip "no /dev/kvm that may be used here"
	perf record -q -B -o data -c 1024 -e "$SPE/ts_enable=1/" -- \
		"$WORKLOAD/guest" 300 3000 >info
	decode data
	need_records 300
	none "$(inside pc pc)" "an instruction of the guest is sampled"
}

ktap_main "$@"
