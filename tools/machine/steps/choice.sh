# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Which of Debian's packages a recipe takes, from the indexes of the apt world that
# APT_CONFIG names.  The archive moves: headers appear days before their image, and
# backports replace a series by the next.

kernel_suites() { # SERIES
	case $1 in
	6.1) echo bookworm bookworm-security ;;
	6.12*) echo trixie trixie-security ;;
	*) echo trixie-backports ;;
	esac
}

# A name that others only depend on has no record, and no error either; for one that
# is unknown apt can show packages whose names contain it.
package_known() { # PACKAGE:ARCH
	[[ $(apt-cache show "$1" 2>/dev/null) =~ (^|$'\n')"Package: ${1%%:*}"$'\n' ]]
}

# Newest release of a series that has all its packages.
kernel_newest() { # SERIES
	local version="${1%-*}" flavour=arm64 release

	case $1 in
	*-16k) flavour=arm64-16k ;;
	*-rt) flavour=rt-arm64 ;;
	esac
	case $1 in
	6.1) version='6\.1\.0-[0-9]+' ;;
	*) version="${version//./\\.}"'\.[0-9]+\+deb13(\.[0-9]+)?' ;;
	esac
	kernel_complete "$version-$flavour" && return
	# Backports keep moving: any newer kernel serves where 7.3 is gone.
	case $1 in
	7.*)
		release=$(kernel_complete \
			'([7-9]|[1-9][0-9])\.[0-9.]+\+deb13(\.[0-9]+)?-arm64') || return
		note "Linux $1 is gone from the mirror: $release takes its place"
		echo "$release"
		;;
	*) return 1 ;;
	esac
}

kernel_releases() { # PATTERN
	apt-cache pkgnames linux-headers- |
		grep -xE "linux-headers-$1" |
		sed 's/^linux-headers-//' | sort -rV
}

kernel_complete() { # PATTERN
	local release package lacks

	for release in $(kernel_releases "$1" || true); do
		lacks=
		for package in $(kernel_header_packages "$release") \
			$(kernel_image_packages "$release"); do
			package_known "$package" || lacks+=" $package"
		done
		if [ -z "$lacks" ]; then
			echo "$release"
			return
		fi
		note "Linux $release is left out: the mirror lacks$lacks"
	done
	return 1
}

# From 6.19 on linux-image is empty and its parts are packages of their own.
kernel_image_packages() { # RELEASE
	local binary

	for binary in linux-binary linux-binary-unsigned; do
		if package_known "$binary-$1:arm64"; then
			printf '%s:arm64\n' "linux-base-$1" "$binary-$1" \
				"linux-modules-$1"
			return
		fi
	done
	echo "linux-image-$1:arm64"
}

kernel_header_packages() { # RELEASE
	local abi=${1%-arm64*} common=common kbuild

	[ "$abi" = "${abi%-rt}" ] || common="common-rt"
	abi=${abi%-rt}

	for kbuild in "$abi" "${abi%.0-*}"; do
		package_known "linux-kbuild-$kbuild:$HOST_ARCH" && break
	done
	echo "linux-headers-$1:arm64" "linux-headers-$abi-$common" \
		"linux-kbuild-$kbuild:$HOST_ARCH"
}

# The source of a series, or of a newer one where 7.3 is gone.
source_package() { # SERIES
	local package=linux-source-$1

	if ! package_known "$package" && [ "${1%%.*}" -ge 7 ]; then
		package=$(apt-cache pkgnames linux-source- |
			grep -xE 'linux-source-([7-9]|[1-9][0-9])\.[0-9]+' |
			sort -V | tail -n 1 || true)
		[ -z "$package" ] ||
			note "the source of Linux $1 is gone from the mirror:" \
				"$package takes its place"
	fi
	{ [ -n "$package" ] && package_known "$package"; } ||
		die "the mirror has no source of Linux $1"
	echo "$package"
}
