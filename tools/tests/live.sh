# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# live.sh - what measures, as far as any machine with perf events goes: software
# events, exit statuses, messages.

# shellcheck source=selftests/ktap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}

need_perf_events() {
	"$PMSCOPE" stat -o /dev/null -e cs -- true 2>/dev/null ||
		skip "no perf events for this user"
}

need_system_wide() {
	"$PMSCOPE" stat -o /dev/null -a -e cs -- true 2>/dev/null ||
		skip "no events of whole CPUs for this user"
}
