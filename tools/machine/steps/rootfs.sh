# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The guest's root file system: Debian trixie for arm64, unpacked only.  No
# arm64 program runs on the host, so what the packages' scripts would have set
# up, and the guest needs, is done here.

rootfs_unpack() { # TREE SOURCES
	need_command mmdebstrap mmdebstrap
	apt_transport_options >"$1.apt.conf"
	mmdebstrap --mode=root --variant=extract --architectures=arm64 \
		--skip=check/qemu,check/empty --aptopt="$1.apt.conf" \
		--aptopt='Apt::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="$(package_list "$MACHINE/packages/guest.list")" \
		trixie "$1" - <<<"$2"
}

rootfs_configure() { # TREE
	local tree=$1

	cp "$tree/usr/share/base-passwd/passwd.master" "$tree/etc/passwd"
	cp "$tree/usr/share/base-passwd/group.master" "$tree/etc/group"
	ln -sf mawk "$tree/usr/bin/awk"
	ln -sf which.debianutils "$tree/usr/bin/which"
	echo pmscope >"$tree/etc/hostname"
	echo 127.0.0.1 localhost pmscope >"$tree/etc/hosts"
	mkdir -p "$tree"/{opt/pmscope,mnt,proc,sys,dev,run,tmp,root}
	chmod 1777 "$tree/tmp"
	rm -rf "$tree"/var/{lib/apt,cache,lib/dpkg/info}/*
}

rootfs_make() { # DIR
	local dir=$1 sources

	sources=$(debian_sources trixie trixie-updates trixie-security)
	rootfs_unpack "$dir/tree" "$sources"
	rootfs_configure "$dir/tree"
	"$MACHINE/sdk" mkfs.erofs --quiet -T0 "$dir/root.erofs" "$dir/tree"
	rm -rf "$dir/tree" "$dir"/*.conf
}

rootfs_dir() {
	local hash

	need_root
	hash=$(recipe_hash "$MACHINE/packages/guest.list" \
		"$MACHINE/steps/rootfs.sh")
	cached "rootfs-$hash" 1500 rootfs_make
}
