# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Debian packages of other suites and architectures, from the mirror that the
# system uses, through an apt configuration of our own: the system's is only read.

# "none" is for a mirror that nobody signs.
KEYRING=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

# Print the first configured repository whose index has this label and release.
# Before the first "apt-get update" origin and label are unknown (empty).
configured_repository() { # LABEL RELEASE-PATTERN
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format \
		'$(LABEL)|$(RELEASE)|$(COMPONENT)|$(CREATED_BY)|$(REPO_URI)' |
	awk -F'|' -v label="$1" -v release="$2" '
		$4 != "Packages" || $3 != "main" || $2 !~ release { next }
		$1 == label { print $5; found = 1; exit }
		$1 == "" && !unknown { unknown = $5 }
		END { if (!found && unknown) print unknown }'
}

debian_mirror() {
	local uri=${DEBIAN_MIRROR:-}

	[ -n "$uri" ] || uri=$(configured_repository Debian \
		'^(bookworm|trixie|stable|oldstable)(-updates)?$')
	[ -n "$uri" ] ||
		die "the system's apt names no Debian mirror (apt-get" \
			"indextargets); set DEBIAN_MIRROR to the URI of one"
	printf '%s\n' "${uri%/}"
}

# Security suites have their own path on a mirror. If the system names none, use
# the usual sibling of the main path if it answers. Building without security
# updates must be requested.
security_mirror() { # SUITE
	local uri main

	uri=${DEBIAN_SECURITY_MIRROR:-}
	[ -n "$uri" ] || [ -n "${DEBIAN_MIRROR:-}" ] ||
		uri=$(configured_repository Debian-Security '-security$')
	if [ -z "$uri" ]; then
		main=$(debian_mirror)
		uri=$main-security
		suite_exists "$uri" "$1" ||
			die "no security suites: $uri has no $1; set" \
				"DEBIAN_SECURITY_MIRROR to the URL of a mirror" \
				"that has it, or to \"none\" to go on without" \
				"security updates"
	fi
	printf '%s\n' "${uri%/}"
}

suite_exists() { # URI SUITE
	local file status=0

	file=$(mktemp)
	/usr/lib/apt/apt-helper download-file "$1/dists/$2/InRelease" "$file" \
		>&2 || status=1
	rm -f "$file"
	return $status
}

# Lines for a sources.list with the given suites.
debian_sources() { # SUITE...
	local suite uri option=signed-by=$KEYRING

	[ "$KEYRING" != none ] || option=trusted=yes
	for suite; do
		case $suite in
		*-security) uri=$(security_mirror "$suite") || return ;;
		*) uri=$(debian_mirror) || return ;;
		esac
		if [ "$uri" = none ]; then
			note "DEBIAN_SECURITY_MIRROR is none: going on without $suite"
		else
			printf 'deb [%s] %s %s main\n' "$option" "$uri" "$suite"
		fi
	done
}

# Proxy and other ways to reach the mirror, as the system's apt has them.
apt_transport_options() {
	apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|ForceIPv)' |
		grep -v '""' || true
}

# Create a separate apt configuration in DIR and point APT_CONFIG at it.
private_apt() { # DIR ARCHITECTURES SUITE...
	local dir=$1 architectures=$2

	shift 2
	mkdir -p "$dir"/{lists/partial,cache/archives/partial}
	: >"$dir/status"
	debian_sources "$@" >"$dir/sources.list"
	# What the preflight has fetched is only asked for again.
	cp -ln "$CACHE"/preflight/*/lists/*_* "$dir/lists/" 2>/dev/null || true
	{
		apt_transport_options
		printf 'APT::Architecture "%s";\n' "${architectures%%,*}"
		printf 'APT::Architectures { "%s"; };\n' \
			"${architectures//,/\"; \"}"
		printf 'APT::Sandbox::User "root";\n'
		printf 'Acquire::Languages "none";\n'
		printf 'Acquire::Retries "3";\n'
		printf 'Dir::Etc::sourcelist "%s";\n' "$dir/sources.list"
		printf 'Dir::Etc::sourceparts "/dev/null";\n'
		printf 'Dir::Etc::preferences "/dev/null";\n'
		printf 'Dir::Etc::preferencesparts "/dev/null";\n'
		printf 'Dir::State::status "%s";\n' "$dir/status"
		printf 'Dir::State::lists "%s";\n' "$dir/lists"
		printf 'Dir::Cache "%s";\n' "$dir/cache"
		# Read after this file, they would win: images of containers
		# turn the cache off that all questions take.
		printf 'Dir::Etc::main "/dev/null";\n'
		printf 'Dir::Etc::parts "/dev/null";\n'
		printf 'APT::Update::Error-Mode "any";\n'
	} >"$dir/apt.conf"
	export APT_CONFIG=$dir/apt.conf
	apt_update
}

# While a mirror is being updated its files do not agree for a moment.
apt_update() {
	local out status=0

	out=$(apt-get -q update 2>&1) || status=$?
	printf '%s\n' "$out"
	[ $status != 0 ] || return 0
	grep -qiE 'hash sum|unexpected size|sync in progress' <<<"$out" ||
		return $status
	sleep 3
	apt-get -q update 2>&1
}

# Packages named in a list file, one a line, comments allowed; "," between.
package_list() { # FILE [SUFFIX]
	sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' \
		-e "s/\$/${2:-}/" "$1" | paste -sd,
}
