# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2016
# live.sh - what measures, as far as any machine with perf events goes: software
# events, exit statuses, messages.

. "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

need_perf_events() {
	"$PMSCOPE" stat -o /dev/null -e cs -- true 2>/dev/null ||
		skip "no perf events for this user"
}

need_system_wide() {
	"$PMSCOPE" stat -o /dev/null -a -e cs -- true 2>/dev/null ||
		skip "no events of whole CPUs for this user"
}

# A program that runs until it is ended, or the file `go` appears; or so long
# that it would be noticed.
ENDLESS='echo $$ >pid.new; mv pid.new pid
	for turn in $(seq 6000); do [ ! -e go ] || exit 5; sleep 0.01; done'

# in_background CMD...: CMD with ENDLESS as its program, which runs already.
in_background() {
	rm -f pid
	"$@" sh -c "$ENDLESS" >out 2>err &
	wait_until "the program runs" test -e pid
}
