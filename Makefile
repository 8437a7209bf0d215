# SPDX-License-Identifier: GPL-2.0-or-later
# Dispatches; compiles nothing itself.  `make help` lists the targets.

BUILD	:= tools/machine/build
ARCH	:= $(shell uname -m)
DESTDIR	?=
PREFIX	?= /usr/local
VERSION	:= $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

.PHONY: all tool module machine deps demo check check-all bench install uninstall \
	install-module-source dkms deb rpm clean help
# The packages that are installed first include what the tool is built with.
.NOTPARALLEL:

all: tool
ifeq ($(ARCH),aarch64)
all: module
endif

tool: ## the command-line tool and libpmscope for this host (build/bin/pmscope)
	$(MAKE) -C tools -j$(shell nproc) O=$(CURDIR)/build

module: ## pmscope.ko for the running kernel (arm64)
	$(MAKE) -C kernel

deps: ## the Debian packages that all of this takes
	$(BUILD) deps

machine: ## the emulated Arm machine, its kernels and root file system
	$(BUILD) all

# What the mirror cannot give is told before anything is built.
preflight-%:
	$(BUILD) preflight $*

# One kernel and what it takes: the rest of the machine is for the tests.
demo: preflight-demo deps tool ## profile a real program on the emulated machine, with a report
	tools/machine/demo

check: preflight-check machine tool ## every test that CI runs
	selftests/run-all

check-all: preflight-check-all machine tool ## check, plus every kernel of the matrix, the debug kernels, the mutants
	selftests/run-all --all

bench: preflight-bench machine tool ## measures beside the peers, as ratios (takes valgrind)
	selftests/bench/run

install: ## the tool, its library, man pages and completion (DESTDIR, PREFIX)
	$(MAKE) -C tools O=$(CURDIR)/build DESTDIR='$(DESTDIR)' PREFIX=$(PREFIX) install

uninstall: ## the same taken away
	$(MAKE) -C tools O=$(CURDIR)/build DESTDIR='$(DESTDIR)' PREFIX=$(PREFIX) uninstall

# Only what the module is built from, whatever else is in the checkout.
SOURCE	:= /usr/src/pmscope-$(VERSION)
install-module-source: ## the module's source, where DKMS looks for it (DESTDIR)
	rm -rf '$(DESTDIR)$(SOURCE)'
	find kernel include -type f ! -path 'kernel/tests/*' ! -name '*.mod.c' \
		! -name have.h \( -name '*.[chS]' -o -name '*.def' -o \
		-name Kbuild -o -name Makefile \) | LC_ALL=C sort | \
		while read -r file; do \
			install -D -m 644 "$$file" '$(DESTDIR)$(SOURCE)'/"$$file"; \
		done
	install -m 644 dkms.conf '$(DESTDIR)$(SOURCE)'/

dkms: ## the module, through DKMS, for this kernel and those to come
	[ -z "$$(dkms status pmscope/$(VERSION))" ] || \
		dkms remove pmscope/$(VERSION) --all
	$(MAKE) install-module-source DESTDIR=
	dkms add pmscope/$(VERSION)
	dkms install pmscope/$(VERSION)

deb: ## Debian packages for arm64 and this host, in build/deb
	$(BUILD) deb

rpm: ## sources and spec file for rpmbuild, in build/rpm
	$(BUILD) rpm

clean: ## what was built in this checkout (not the cache)
	rm -rf build
ifeq ($(ARCH),aarch64)
	! ls kernel/*.o >/dev/null 2>&1 || $(MAKE) -C kernel clean
endif

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16
