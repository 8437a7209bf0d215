# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Before anything is built: can the mirror give what is not in the cache? What it
# cannot is told at once for all recipes, with what can be done.

# The recipes that a target of build, or of make, needs.
preflight_recipes() { # TARGET [SERIES]
	case $1 in
	all) echo sdk qemu rootfs firmware tfa "${KERNELS[@]/#/kernel-}" ;;
	check) preflight_recipes all; echo packaging checkpatch perf consumers ;;
	check-all)
		preflight_recipes check
		echo server firefox "${SOURCE_KERNELS[@]/#/kernel-}"
		;;
	bench) preflight_recipes all; echo perf consumers ;;
	run) echo sdk qemu rootfs "${2:+kernel-$2}" "${@:3}" ;;
	demo) preflight_recipes run 6.12 ;;
	module | initramfs | payload | kernel) echo sdk "${2:+kernel-$2}" ;;
	server) echo sdk kernel-6.12 server ;;
	tool | selftests | unit) echo sdk ;;
	deb) echo sdk packaging ;;
	deps | rpm | prune | qemu-source) ;;
	perf | consumers | checkpatch | firefox) echo "$1" ;;
	*) echo sdk "$1" ;;
	esac
}

# Makes nothing: prints the path, and to descriptor 3 if there is nothing yet.
without_making() ( # FUNCTION [ARG...]
	# shellcheck disable=SC2317 # "$@" calls it
	cached() {
		[ -e "$CACHE/$1" ] || echo "$1" >&3
		echo "$CACHE/$1"
	}
	# shellcheck disable=SC2317 # the same
	consumers_install() { :; }
	"$@"
)

# Prints something if the recipe's result is not in the cache.
not_cached() { # RECIPE
	case $1 in
	kernel-*) without_making kernel_dir "${1#kernel-}" ;;
	sdk | packaging) without_making "$1_root" ;;
	rootfs) without_making rootfs_dir ;;
	server)
		[ ! -e "$(without_making kernel_dir 6.12)/release" ] ||
			without_making server_root 6.12
		;;
	firefox) command -v firefox-esr || echo firefox-esr >&3 ;;
	qemu) qemu_missing >&3 ;;
	*) without_making "$1_path" ;;
	esac 3>&1 >/dev/null
}

# What apt would do, as the recipe would ask for it; prints why it would not.
apt_refuses() { # PACKAGE...
	local out

	! out=$(apt-get -q -y --print-uris --no-install-recommends install "$@" 2>&1) ||
		return 0
	grep -E '^(E|Error): |^ +[0-9]+\. | (Depends|Conflicts|Breaks): ' \
		<<<"$out" | grep -v 'held broken\|any package by' || tail -n 3 <<<"$out"
}

# The index of suites, fetched a moment ago or now, in APT_CONFIG.
preflight_apt() { # NAME ARCHITECTURES SUITE...
	local dir=$CACHE/preflight/$1 name=$1

	shift
	mkdir -p "$dir"
	if [ -n "$(find "$dir/fetched" -mmin -15 2>/dev/null)" ] &&
		[ "$(<"$dir/fetched")" = "$(debian_sources "${@:2}")" ]; then
		export APT_CONFIG=$dir/apt.conf
		return
	fi
	note "asking the mirror for its index of $name"
	rm -f "$dir/fetched"
	private_apt "$dir" "$@"
	cp "$dir/sources.list" "$dir/fetched"
}

# The same for arm64 alone.
arm64_refuses() { # PACKAGE...
	sed -e 's/^\(APT::Architecture \).*/\1"arm64";/' \
		-e 's/^\(APT::Architectures \).*/\1{ "arm64"; };/' \
		"$APT_CONFIG" >"$APT_CONFIG.arm64"
	printf 'Dir::Cache::%spkgcache "%sarm64.bin";\n' '' '' src src >>"$APT_CONFIG.arm64"
	APT_CONFIG=$APT_CONFIG.arm64 apt_refuses "$@"
}

# The host's own packages; the system's apt and its index stay as they are.
host_refuses() { # PACKAGE...
	local dir=$CACHE/preflight/host

	mkdir -p "$dir"/{lists/partial,cache/archives/partial}
	{
		[ -z "${APT_CONFIG:-}" ] || cat "$APT_CONFIG"
		printf 'Dir::State::lists "%s";\nDir::Cache "%s";\n' \
			"$dir/lists" "$dir/cache"
		printf 'Dir::Cache::pkgcache "pkgcache.bin";\n'
		printf 'APT::Sandbox::User "root";\n#clear APT::Update;\n'
	} >"$dir/apt.conf"
	export APT_CONFIG=$dir/apt.conf
	apt_update >&2 || true # some source of the system that is not Debian's
	apt_refuses "$@"
}

kernel_refuses() { # SERIES
	local kind=kernel release

	[[ " ${SOURCE_KERNELS[*]} " != *" $1 "* ]] || kind=source
	case $kind in
	kernel) release=$(kernel_newest "$1" 2>"$APT_CONFIG.log") ;;
	source) release=$(source_package "${1%-*}" 2>"$APT_CONFIG.log") ;;
	esac || {
		echo "no release of Linux ${1%%-*} is complete on the mirror"
		sed 's/^[^:]*: //' "$APT_CONFIG.log"
		return
	}
	note "kernel $1 will be $release"
	cat "$APT_CONFIG.log" >&2
}

# Its headers have to be those of the kernel in the cache.
server_refuses() {
	local release

	release=$(without_making kernel_dir 6.12 3>/dev/null)/release
	# shellcheck disable=SC2046
	set -- $(package_list "$MACHINE/packages/server.list" | tr , ' ')
	[ ! -e "$release" ] || set -- "$@" "linux-headers-$(<"$release")"
	arm64_refuses "$@"
}

# The packages that npm would get, and their dependencies.
consumers_refuse() {
	local packages dir=$CACHE/preflight/npm

	command -v npm >/dev/null || return 0
	mkdir -p "$dir"
	mapfile -t packages < <(consumers_packages)
	npm install --dry-run --prefix "$dir" --no-audit --no-fund \
		--ignore-scripts "${packages[@]}" 2>&1 >/dev/null |
		grep -i 'err' | head -n 5 || true
}

qemu_refuses() {
	local version

	[ -z "$(qemu_tarball)" ] || return 0
	version=$(apt-cache show "qemu-system-arm:$HOST_ARCH" 2>/dev/null |
		sed -n 's/^Version: \(.*:\)\?//p' | sort -V | tail -n 1)
	[[ $version == "$QEMU_SERIES".* ]] ||
		echo "the mirror has QEMU ${version:-of no version}," \
			"the model is for $QEMU_SERIES"
}

# Without patch, which is one of the host's packages, that has to wait for it.
hooks_refuse() {
	local out

	command -v patch >/dev/null || return 0
	out=$( (qemu_source) 2>&1 >/dev/null) || grep -v '(log: ' <<<"$out"
}

recipe_refuses() { # RECIPE
	# shellcheck disable=SC2046 # one word each
	case $1 in
	kernel-*) kernel_refuses "${1#kernel-}" ;;
	sdk) apt_refuses $(sdk_packages | tr , ' ') ;;
	packaging)
		apt_refuses $(sdk_packages | tr , ' ') $(package_list \
			"$MACHINE/packages/packaging.list" | tr , ' ')
		;;
	rootfs)
		arm64_refuses $(package_list "$MACHINE/packages/guest.list" |
			tr , ' ')
		;;
	server) server_refuses ;;
	firmware) apt_refuses qemu-efi-aarch64 ;;
	tfa) apt_refuses arm-trusted-firmware-tools ;;
	checkpatch) apt_refuses linux-source-6.12 ;;
	perf) package_known linux-perf || echo "the mirror has no linux-perf" ;;
	qemu) qemu_refuses ;;
	esac
}

block() { # TITLE LINES
	[ -z "$2" ] || printf '%s:\n%s\n' "$1" "$2" | sed '2,$s/^/    /'
}

host_packages() { # RECIPE...
	missing_packages
	case " $* " in
	*" consumers "*)
		command -v npm >/dev/null || printf '%s\n' nodejs npm
		command -v chromium >/dev/null || echo chromium
		;;&
	*" firefox "*) command -v firefox-esr >/dev/null || echo firefox-esr ;;
	esac
}

# Those of an index; if there is none, that is the answer for all of them.
index_refuses() ( # NAME ARCHITECTURES SUITES RECIPE...
	name=$1 architectures=$2 suites=$3
	shift 3
	[ $# -gt 0 ] || return 0
	mkdir -p "$CACHE/preflight"
	log=$CACHE/preflight/$name.log
	# shellcheck disable=SC2086 # one word each
	in_own_shell preflight_apt "$name" "$architectures" $suites >"$log" 2>&1 || {
		block "${*/kernel-/kernel }" "no index of $suites
$(grep -E '^(E|Error): |set DEBIAN' "$log" || tail -n 3 "$log")"
		return
	}
	export APT_CONFIG=$CACHE/preflight/$name/apt.conf
	for recipe; do
		block "${recipe/-/ }" "$(recipe_refuses "$recipe")"
	done
)

# One block for each recipe that cannot be had.
refusals() { # RECIPE...
	local recipe bookworm=() trixie=() backports=() host=() told

	for recipe; do
		case $recipe in
		kernel-6.1 | kernel-6.1-*) bookworm+=("$recipe") ;;
		kernel-7.* | perf) backports+=("$recipe") ;;
		consumers | firefox) ;;
		*) trixie+=("$recipe") ;;
		esac
	done
	told=$(index_refuses trixie "$HOST_ARCH,arm64" \
		'trixie trixie-updates trixie-security' "${trixie[@]}")
	printf '%s' "${told:+$told
}"
	[[ " $* " != *" qemu "* || $told == *qemu* ]] ||
		block qemu "$(hooks_refuse)"
	index_refuses backports "$HOST_ARCH,arm64" trixie-backports \
		"${backports[@]}"
	index_refuses bookworm "$HOST_ARCH,arm64" \
		'bookworm bookworm-security' "${bookworm[@]}"
	mapfile -t host < <(host_packages "$@")
	[ ${#host[@]} = 0 ] || block "this machine's packages" "$(host_refuses "${host[@]}")"
	[[ " $* " != *" consumers "* ]] || block consumers "$(consumers_refuse)"
}

# Before anything is built or installed
preflight() { # TARGET [SERIES]
	local recipe missing=() told

	open_cache
	for recipe in $(preflight_recipes "$@"); do
		[ -z "$(not_cached "$recipe")" ] || missing+=("$recipe")
	done
	[ ${#missing[@]} -gt 0 ] || [ -n "$(missing_packages)" ] || return 0
	told=$(refusals "${missing[@]}")
	[ -z "$told" ] || die "what follows cannot be had now, so nothing was built:
$told
What can be done:
  - If the mirror is being updated, try again in an hour.
  - DEBIAN_MIRROR and DEBIAN_SECURITY_MIRROR name another mirror, or an older state
    of it; tools/machine/README.md tells of both.
  - A package that Debian has renamed: change it in $MACHINE/packages.
  - What was made before is taken from PMSCOPE_CACHE ($CACHE): copy it from a
    machine that has it."
}
