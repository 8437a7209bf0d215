# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Debian packages of this checkout, in build/deb/. They depend on the sources alone:
# paths, dates and compilers are the same everywhere.

# shellcheck disable=SC2034 # for build
DEB=$BUILD/deb

# When the sources were last changed: in a checkout, by its newest commit.
deb_date() {
	printf '%s\n' "${SOURCE_DATE_EPOCH:-$(
		git -C "$TOP" log -1 --format=%ct 2>/dev/null ||
		find "$TOP/tools" "$TOP/kernel" -type f -printf '%Ts\n' |
			sort -n | tail -n 1)}"
}

# source_copy DIR: what packages are built from
source_copy() {
	rm -rf "$1"
	mkdir -p "$1"
	tar -C "$TOP" -c --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' \
		CHANGELOG.md Documentation LICENSES Makefile README.md debian \
		dkms.conf include kernel tools | tar -C "$1" -x --no-same-owner
}

# deb_source DIR DATE VERSION: a copy of the sources, all files of the same date. With
# a VERSION it is that of the packages, in place of that of dkms.conf.
deb_source() {
	source_copy "$1"
	[ -z "$3" ] ||
		sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$3\"/" \
			"$1/dkms.conf"
	"$1/tools/packages/changelog" "$2" >"$1/debian/changelog"
	chmod -R u=rwX,go=rX "$1"
	find "$1" -depth -exec touch -h -d "@$2" {} +
}

# packaging CMD [ARG...]: runs CMD in the root for packages
packaging() {
	local root

	root=$(packaging_root)
	(enter_root "$root" "$@")
}

# deb_packages DIR ARCH KIND: builds DIR/pmscope; KIND is binary, any or all
deb_packages() {
	# shellcheck disable=SC2016 # the other shell expands these
	packaging sh -euc '
		cd "$1/pmscope"
		dpkg-checkbuilddeps -I -a "$2"
		umask 022
		exec dpkg-buildpackage --build="$3" --host-arch="$2" \
			--no-check-builddeps --no-sign --jobs="$(nproc)"' \
		sh "$@" >&2
}

# deb_build DIR VERSION ARCH...: packages for each ARCH, and those for all of them; if
# ARCH is "all", only these
deb_build() {
	local dir=$1 version=$2 kind=binary date arch

	shift 2
	date=$(deb_date)
	rm -rf "$dir"
	for arch; do
		[ "$arch" != all ] || kind=all
		deb_source "$dir/pmscope" "$date" "$version"
		deb_packages "$dir" "${arch/#all/arm64}" "$kind"
		kind=any
	done
	rm -rf "$dir/pmscope"
	find "$dir" -name '*.deb' | sort
}

# For arm64, and the tool for hosts of this machine's architecture
deb_architectures() {
	printf '%s\n' arm64 "$HOST_ARCH" | sort -u
}

source_version() {
	sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$TOP/dkms.conf"
}

# rpm_spec DIR: the spec file with its version
rpm_spec() {
	sed "s/^Version:.*/Version:	$(source_version)/" \
		"$TOP/tools/packages/pmscope.spec" >"$1/pmscope.spec"
}

# rpm_sources DIR: a %_topdir, for rpmbuild -ba --define "_topdir DIR"
rpm_sources() {
	local name

	name=pmscope-$(source_version)
	rm -rf "$1"
	mkdir -p "$1"/{SOURCES,SPECS}
	source_copy "$1/$name"
	tar -C "$1" -czf "$1/SOURCES/$name.tar.gz" "$name"
	rm -rf "${1:?}/$name"
	rpm_spec "$1/SPECS"
	printf '%s\n' "$1"/S*/*
}
