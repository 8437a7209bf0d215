# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A Debian trixie server for arm64 on which packages can be installed, with DKMS, gcc
# and the headers of its kernel, as a root file system for `run --root`. No arm64
# program runs on the host, so packages are unpacked here and written down as
# installed, without their scripts.

# server_record INFO PREFIX DEB: what dpkg knows of an installed package
server_record() {
	local info=$1 prefix=$2 deb=$3 control=$1/tmp-control file

	dpkg-deb -e "$deb" "$control"
	for file in "$control"/*; do
		case ${file##*/} in
		control) ;;
		*) cp -p "$file" "$info/$prefix.${file##*/}" ;;
		esac
	done
	sed '/^Package:/a Status: install ok installed' "$control/control"
	echo
	rm -r "$control"
	dpkg-deb --fsys-tarfile "$deb" | tar -t |
		sed -e 's/^\.//' -e 's,\(.\)/$,\1,' -e 's,^/$,/.,' \
			>"$info/$prefix.list"
}

# Kernels are not part of it: run gives the machine its own.
server_unpack() { # TREE DEB...
	local tree=$1 info=$1/var/lib/dpkg/info deb prefix

	shift
	mkdir -p "$info"
	echo 1 >"$info/format" # names of files have the architecture
	for deb; do
		prefix=$(dpkg-deb -f "$deb" Package)
		[ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] ||
			prefix+=:$(dpkg-deb -f "$deb" Architecture)
		server_record "$info" "$prefix" "$deb" \
			>>"$tree/var/lib/dpkg/status"
		[[ $prefix != linux-image-* ]] || continue
		dpkg-deb --fsys-tarfile "$deb" |
			tar -C "$tree" -x --keep-directory-symlink \
				--exclude='./usr/share/doc/*' \
				--exclude='./usr/share/man/*' \
				--exclude='./usr/share/locale/*'
	done
}

server_configure() { # TREE
	local tree=$1

	cp "$tree/usr/share/base-passwd/passwd.master" "$tree/etc/passwd"
	cp "$tree/usr/share/base-passwd/group.master" "$tree/etc/group"
	ln -sf mawk "$tree/usr/bin/awk"
	ln -sf gcc "$tree/usr/bin/cc"
	ln -sf which.debianutils "$tree/usr/bin/which"
	echo server >"$tree/etc/hostname"
	mkdir -p "$tree"/{opt/pmscope,mnt,proc,sys,dev,run,tmp,root,etc/apt}
	mkdir -p "$tree"/var/{lib/apt/lists/partial,cache/apt/archives/partial}
	mkdir -p "$tree"/var/{lib/dpkg/updates,log/apt}
	chmod 1777 "$tree/tmp"
}

server_make() { # DIR RELEASE
	local dir=$1 archives=$1/apt/cache/archives packages

	packages=$(package_list "$MACHINE/packages/server.list" | tr , ' ')
	private_apt "$dir/apt" arm64 trixie trixie-updates trixie-security
	# shellcheck disable=SC2086 # one word each
	apt-get -q -y --no-install-recommends --download-only install \
		$packages "linux-headers-$2" ||
		die "the mirror has no headers of $2; if it has newer ones," \
			"remove kernel-6.12-* from $CACHE"
	unset APT_CONFIG
	server_unpack "$dir/tree" "$archives"/base-files_*.deb
	rm "$archives"/base-files_*.deb
	server_unpack "$dir/tree" "$archives"/*.deb
	server_configure "$dir/tree"
	"$MACHINE/sdk" mkfs.erofs --quiet -T0 "$dir/root.erofs" "$dir/tree"
	rm -rf "$dir/apt" "$dir/tree"
}

# Prints the image of the root file system for the kernel of a series.
server_root() { # SERIES
	local hash release

	need_root
	release=$(<"$(kernel_dir "$1")/release")
	hash=$(recipe_hash "$MACHINE/packages/server.list" \
		"$MACHINE/steps/server.sh" "$release")
	echo "$(cached "server-$hash" 2000 server_make "$release")/root.erofs"
}
