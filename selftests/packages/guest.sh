#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ./server runs in a guest. /mnt has the packages in deb/, a repository with their
# next version in next/, and the commands of the documentation: install, use,
# repository, upgraded and remove. What the guest sees it keeps in /mnt/out.
set -euxo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
export PATH=/usr/sbin:/usr/bin:/sbin:/bin # without the tool of the checkout
OUT=/mnt/out

# state NAME: all files, and what dpkg and DKMS know
state() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o \
		-path /tmp -o -path /mnt -o -path /opt -o -path /root \) \
		-prune -o -print | sort >"$OUT/$1.files"
	dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' \
		>"$OUT/$1.packages"
	dkms status >"$OUT/$1.dkms"
	modinfo pmscope >"$OUT/$1.module" 2>&1 || true
	lsmod >"$OUT/$1.loaded"
	hash -r
	{ command -v pmscope && pmscope --version; } >"$OUT/$1.tool" || true
}

# commands NAME: those of the documentation
commands() {
	bash -euxo pipefail "/mnt/$1"
}

# use NAME: the commands that record and report
use() {
	commands use >"$OUT/$1.shown"
	cp perf.data "$OUT/$1.data"
}

cd /root
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/99test
mkdir -p build /srv
cp -r /mnt/deb build/
cp -r /mnt/next /srv/pmscope
chmod -R a+rX /root /srv # apt reads as another user
cat >work.pl <<-'END'
	for (1 .. 300000) { $n += $_ * $_ }
END
modprobe arm_spe_pmu # as udev does on a server
dpkg --configure -a  # the image has packages whose triggers never ran
state before
time commands install >"$OUT/doctor"
state one
use one
time commands repository
commands upgraded
state two
use two
commands remove
rm /etc/apt/sources.list.d/pmscope.list
state after
