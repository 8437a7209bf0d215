# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The kernel's checkpatch.pl with its word lists: only in the source package.

checkpatch_make() { # DIR
	local dir=$1 source

	private_apt "$dir/apt" "$HOST_ARCH" trixie trixie-security
	fetch_and_extract "$dir/source" linux-source-6.12
	unset APT_CONFIG
	source=$(echo "$dir"/source/usr/src/linux-source-6.12.tar.*)
	tar -C "$dir" -xf "$source" --strip-components=2 --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch'
	rm -rf "$dir"/{apt,source}
}

checkpatch_path() {
	local hash dir

	hash=$(recipe_hash "$MACHINE/steps/checkpatch.sh")
	dir=$(cached "checkpatch-$hash" 600 checkpatch_make)
	echo "$dir/checkpatch.pl"
}
