# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What modules are built against: Debian's headers packages, made to work from
# any directory and with BTF.

# The trees name /usr/src and /usr/lib; what they mean is beside them.
headers_relocate() { # HEADERS RELEASE
	local kdir=$1/usr/src/linux-headers-$2

	# shellcheck disable=SC2016 # make expands these
	sed -i -e '1i here := $(dir $(realpath $(lastword $(MAKEFILE_LIST))))..' \
		-e 's|^KBUILD_OUTPUT=/usr/src|KBUILD_OUTPUT := $(here)|' \
		-e 's|^include /usr/src|include $(here)|' "$kdir/Makefile"
	ln -s "usr/src/linux-headers-$2" "$1/kdir"
}

# Headers of 6.1 have neither the kernel's BTF nor the tool that marks it in a
# module; without both its kfuncs are not known to BPF programs.
headers_add_btf() { # HEADERS IMAGE
	local kdir=$1/kdir tool=tools/bpf/resolve_btfids/resolve_btfids donor

	[ ! -e "$kdir/vmlinux" ] || return 0
	"$MACHINE/steps/carve-btf" "$2" >"$kdir/vmlinux"
	donor=$(kernel_dir 6.12)
	install -D "$donor/headers/kdir/$tool" "$kdir/$tool"
}
