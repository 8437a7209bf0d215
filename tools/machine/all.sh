# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Everything that build, run and sdk share.

set -euo pipefail
shopt -s inherit_errexit

all_dir=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/machine/lib.sh
. "$all_dir/lib.sh"
# shellcheck source=tools/machine/apt.sh
. "$all_dir/apt.sh"
for all_step in "$all_dir"/steps/*.sh; do
	# shellcheck source=/dev/null
	. "$all_step"
done
