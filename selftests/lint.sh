#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What can be said about the sources without running them.
. "$(dirname "$0")/ktap.sh"

TOP=$(cd "$(dirname "$0")/.." && pwd)
SDK=$TOP/tools/machine/sdk

# sources [PATTERN...]: files of the project, whether committed yet or not.
sources() {
	git -C "$TOP" ls-files -co --exclude-standard -- "$@" | sort -u |
		while read -r file; do
			[ ! -f "$TOP/$file" ] || echo "$file"
		done
}

# What has passed a test is kept by its content, for all checkouts.
PASSED=${PMSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pmscope}/lint

sums() { (cd "$TOP" && xargs -d '\n' sha256sum --); }

# key TEST WORD...: the test as it is, with what WORD... say of all that it uses
key() {
	{ declare -f "$1" && echo "${*:2}"; } | sha256sum | cut -c 1-32
}

# unchecked WORD... <FILES: those that have not passed the calling test
unchecked() {
	local test sum file
	test=$PASSED/$(key "${FUNCNAME[1]}" "$@")
	sums | while read -r sum file; do
		[ -e "$test-$sum" ] || {
			echo "$test-$sum" >&4
			echo "$file"
		}
	done 4>"$KTAP_DIR/unchecked"
}

# unchanged PATTERN... -- WORD...: has the calling test passed with all these files?
unchanged() {
	local patterns=() test=${FUNCNAME[1]}
	while [ "$1" != -- ]; do
		patterns+=("$1")
		shift
	done
	key "$test" "${@:2}" "$(sources "${patterns[@]}" | sums)" |
		sed "s|^|$PASSED/|" >"$KTAP_DIR/unchecked"
	[ -e "$(cat "$KTAP_DIR/unchecked")" ] && note "has passed with these files"
}

# What `unchecked` or `unchanged` named has.
passed() {
	mkdir -p "$PASSED"
	xargs -r touch -- <"$KTAP_DIR/unchecked"
	find "$PASSED" -type f -mtime +60 -delete
}

need_git() {
	git -C "$TOP" rev-parse >/dev/null 2>&1 || skip "no git checkout"
}

test_each_file_has_its_licence() {
	need_git
	sources ':!LICENSES' ':!*.gitignore' ':!debian/source' >all
	(cd "$TOP" && xargs -d '\n' -a "$OLDPWD/all" \
		grep -nHm 1 SPDX-License-Identifier: --) >first
	awk -F: '$2 <= 5 { print $1 }' first | sort | comm -13 - all >without
	[ ! -s without ] || fail "no SPDX line: $(tr '\n' ' ' <without)"
	awk -F: -v lib='LGPL-2.1-or-later OR BSD-2-Clause' '
		/^tools\/(lib|session)\// && !index($0, lib) { print $1 }' first >other
	[ ! -s other ] || fail "not the library's licence: $(tr '\n' ' ' <other)"
}

# Names in quotes are examples; those of other trees begin with their folders.
test_comments_name_files_that_exist() {
	need_git
	sources >all
	(cd "$TOP" && sources '*.[ch]' ':!tools/machine' |
		xargs grep -nHE '^[[:space:]]*(/?\*|//)') |
		awk 'NR == FNR {
			for (name = $0; name != ""; sub("^[^/]*/?", "", name))
				known[name]
			next
		}
		match($0, /[^[:alnum:]_\/."<-][[:alnum:]_\/-]+\.[ch]([^[:alnum:]]|$)/) {
			name = substr($0, RSTART + 1, RLENGTH - 1)
			sub(/[^[:alnum:]]$/, "", name)
			if (!(name in known) && name !~ /(dwarf|have)\.h$/ &&
			    name !~ /^(include|linux|drivers|arch|kernel|util)\// &&
			    name !~ /^(elfutils|llvm-c)\//)
				print
		}' all - >bad
	[ ! -s bad ] || fail "no such file: $(cat bad)"
}

# Shell files are those with a shell's first line, and what they source.
test_shell_scripts() {
	local scripts sourced
	need_git
	cd "$TOP"
	sources | xargs -d '\n' grep -nHm 1 -E \
		'^#!.*\b(ba)?sh\b|^# shellcheck shell=' -- |
		awk -F: '$2 <= 3 { print $1 }' >"$OLDPWD/scripts"
	[ -s "$OLDPWD/scripts" ] || fail "no script found"
	note "$(wc -l <"$OLDPWD/scripts") scripts"
	sourced=$(xargs grep -l '^# shellcheck shell=' <"$OLDPWD/scripts")
	mapfile -t scripts < <(unchecked "$("$SDK" shellcheck --version)" \
		"$(echo "$sourced" .shellcheckrc | xargs -n 1 | sums)" <"$OLDPWD/scripts")
	[ "${#scripts[@]}" = 0 ] || "$SDK" shellcheck -x "${scripts[@]}"
	passed
}

# The pages of the SDK's own packages are not installed.
test_man_pages() {
	need_git
	make -s -C "$TOP/tools" DESTDIR="$PWD" MANDIR=/man \
		install-manuals install-manuals-lib
	find man/man[138] man/man7/lib* -type f | sed "s,^,$PWD/," >pages
	cd "$TOP"
	xargs "$SDK" mandoc -Tlint -W style <"$OLDPWD/pages" |
		grep -v 'STYLE: referenced manual not found\|line longer than' \
			>"$OLDPWD/bad" || true
	[ ! -s "$OLDPWD/bad" ] || fail "$(head -n 5 "$OLDPWD/bad")"
}

# Tests by name, as run_kselftest.sh takes them: COLLECTION, COLLECTION:PROGRAM,
# COLLECTION:PROGRAM:TEST
known_tests() {
	(cd "$TOP/selftests" && grep -HoE '^(((GROUP_)?TEST|CASE|ROW[A-Z0-9_]*)\([^),]*|test_[^()]*\(\))' \
		./*/*.c ./*/*.sh) |
		sed -E 's,^\./,,; s/(\.c)?:(((GROUP_)?TEST|CASE|ROW[A-Z0-9_]*)\()?(test_)?/:/; s/[()]*$//; s,/,:,' |
		awk -F : '{ print $1; print $1 ":" $2; print }' | sort -u
}

# A stage that asks for a test, or leaves one out, that does not exist would pass.
test_stages_name_tests_that_exist() {
	local all
	known_tests >known
	for all in '' --all; do
		"$TOP/selftests/run-all" $all --list >stages
		cut -d ' ' -f 1 stages | sort | uniq -d >twice
		[ ! -s twice ] || fail "two stages have one name: $(cat twice)"
		note "$(wc -l <stages) stages${all:+ of check-all}"
		sed 's,\\,,g' stages | tr ' ' '\n' | awk '
			option ~ /^-[ctx]$/ && before != "sh" { print }
			{ before = option; option = $0 }' |
			sort -u >named
		comm -23 named known >unknown
		[ ! -s unknown ] || fail "unknown: $(paste -sd ' ' unknown)"
		[ "$(wc -l <named)" -gt 50 ] || fail "found few names"
	done
}

# Words that are right here: mandoc macros, ELF sections, options of test(1), typos
# that a test makes, ...
SPELLING=fo,nd,ot,tge,sme,aranges,te,laod,frist,reprot

test_spelling() {
	need_git
	cd "$TOP"
	sources ':!LICENSES' ':!*.patch' |
		unchecked "$("$SDK" codespell --version)" "$SPELLING" |
		xargs -r "$SDK" codespell -q 3 -L "$SPELLING"
	passed
}

# Debian's kernel has what the tests ask for: as a module or built in.
test_config_fragments() {
	local config fragment
	config=$("$TOP/tools/machine/build" kernel 6.12)/headers/kdir/.config
	for fragment in "$TOP"/selftests/*/config; do
		expect_match '^CONFIG_[A-Z0-9_]+=[ym]$' "$fragment"
		sed -n 's/^\(CONFIG_.*\)=.*/\1/p' "$fragment" |
			while read -r name; do
				grep -q "^$name=[ym]$" "$config" ||
					fail "$fragment: 6.12 lacks $name"
			done
	done
}

# The module, with all the warnings Kbuild knows and sparse.
test_module_has_no_warning() {
	local tree=$TOP/build/check/module kdir
	kdir=$("$TOP/tools/machine/build" kernel 6.12)/headers/kdir
	! unchanged 'kernel/*' 'include/*' -- "$kdir" "$("$SDK" sparse --version \
		2>&1)" "$("$SDK" aarch64-linux-gnu-gcc --version)" || return 0
	rm -rf "$tree" # objects of an earlier run would hide their warnings
	mkdir -p "$tree"
	cp -a "$TOP/kernel" "$TOP/include" "$tree/"
	"$SDK" make -C "$tree/kernel" ARCH=arm64 KDIR="$kdir" \
		CROSS_COMPILE=aarch64-linux-gnu- W=1 C=2 >out 2>&1 || {
		cat out
		fail "the module does not build"
	}
	expect_no_match '(warning|error):' out
	passed
}

# kernel_calls DIR: a line for each symbol that an object of the module takes from
# another: caller, callee, symbol.
kernel_calls() {
	sed -n 's/^pmscope-y [:+]= //p' "$TOP/kernel/Kbuild" >objects
	(cd "$1" && xargs "$SDK" aarch64-linux-gnu-nm -gA) <objects |
		sed 's|\.o:| |' | awk '
		$(NF - 1) == "U" { uses[$1 " " $NF] = 1; next }
		{ home[$NF] = $1 }
		END {
			for (use in uses) {
				split(use, word, " ")
				if (word[2] in home)
					print word[1], home[word[2]], word[2]
			}
		}' | sort
}

# forbidden RULES CALLS: what RULES do not allow, or allow upwards.
forbidden() {
	awk '
	# A line applies to a file, or to its whole folder.
	function line_of(file) {
		if (!(file in at))
			sub("/.*", "", file)
		return file
	}
	/^#/ || !NF { next }
	NR == FNR {
		sub(/:$/, "", $1)
		at[$1] = FNR
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
		next
	}
	!checked++ {
		for (pair in may) {
			split(pair, word, SUBSEP)
			if (!(at[word[2]] > at[word[1]]))
				print "rule: " word[1] " is not above " word[2]
		}
	}
	{
		caller = line_of($1)
		callee = line_of($2)
		if (caller != callee && !may[caller, callee])
			print $1 " calls " $3 "() of " $2
	}' "$@"
}

test_kernel_calls_go_down() {
	local module
	module=$("$TOP/tools/machine/build" module 6.12)
	kernel_calls "$(dirname "$module")" >calls
	[ "$(wc -l <calls)" -gt 50 ] || fail "found $(wc -l <calls) calls"
	forbidden "$TOP/kernel/layers" calls >bad
	cat bad
	[ ! -s bad ] || fail "$(wc -l <bad) calls that kernel/layers forbids"
	note "$(wc -l <calls) calls"
}

test_a_forbidden_call_of_the_kernel_is_found() {
	echo "snapshot/event snapshot/pmu snap_add" >calls
	forbidden "$TOP/kernel/layers" calls >bad
	expect_eq "$(cat bad)" "snapshot/event calls snap_add() of snapshot/pmu" \
		"an upward call"
	printf 'low: high\nhigh: low\n' >rules
	forbidden rules calls >bad
	expect_match '^rule: high is not above low$' bad
}

# tsort fails where headers include each other in a circle.
test_kernel_headers_are_no_circle() {
	need_git
	cd "$TOP/kernel"
	sources 'kernel/*.h' ':!kernel/tests' | sed 's|^kernel/||' |
		xargs grep -o '^#include "[^"]*"' -- |
		sed 's/:#include "/ /; s/"$//' >"$OLDPWD/includes"
	[ -s "$OLDPWD/includes" ] || fail "no include found"
	tsort "$OLDPWD/includes" >/dev/null
}

# What is not static, or shown in a header, has its meaning, context and result
# described.
test_kernel_functions_are_described() {
	local kdir doc module name
	need_git
	kdir=$("$TOP/tools/machine/build" kernel 6.12)/headers/kdir
	doc=$kdir/scripts/kernel-doc
	[ -e "$doc" ] || skip "no kernel-doc"
	sources 'kernel/*.[ch]' ':!kernel/tests' | sed "s|^|$TOP/|" >files
	xargs "$SDK" perl "$doc" -none -Wall -Werror <files
	module=$("$TOP/tools/machine/build" module 6.12)
	sed -n 's/^pmscope-y [:+]= //p' "$TOP/kernel/Kbuild" >objects
	(cd "$(dirname "$module")" && xargs "$SDK" aarch64-linux-gnu-nm) \
		<objects | awk '$2 == "T" { print $3 }' |
		grep -Ev '^((init|cleanup)_module|pmscope_guard_vectors)$' >names
	[ -s names ] || fail "no function found"
	while read -r name; do
		xargs grep -qE "^ \* $name\(\) - " <files || echo "$name()"
	done <names >bare
	cat bare
	[ ! -s bare ] || fail "$(wc -l <bare) functions without kernel-doc"
}

# Modules have 8 KiB of it in common (PERCPU_MODULE_RESERVE).
test_module_leaves_per_cpu_memory_to_others() {
	local module
	module=$("$TOP/tools/machine/build" module 6.12)
	"$SDK" aarch64-linux-gnu-size -A "$module" |
		awk '$1 == ".data..percpu" { print $2 }' >bytes
	note "$(cat bytes) bytes"
	expect_true "$(cat bytes) <= 2048" "a quarter at most"
}

# A case for each register number names the number twice. checkpatch writes its
# cache where it runs.
test_kernel_style() {
	local checkpatch
	need_git
	checkpatch=$("$TOP/tools/machine/build" checkpatch)
	sources 'kernel/*.[ch]' 'include/*.h' | unchecked "$(sha256sum <"$checkpatch")" |
		sed "s|^|$TOP/|" |
		xargs -r "$SDK" perl "$checkpatch" --no-tree --strict --terse \
			--show-types \
			--ignore CONSTANT_COMPARISON,MACRO_ARG_REUSE -f
	passed
}

# Vendors take changes from later kernels: kernel/compat/probe.c asks the headers.
test_module_does_not_ask_for_versions() {
	need_git
	cd "$TOP"
	! sources 'kernel/*.[ch]' | xargs grep -n LINUX_VERSION_CODE -- ||
		fail "a probe can tell"
	! sources 'kernel/*.[ch]' ':!kernel/compat*' |
		xargs grep -n PMSCOPE_HAVE_ -- || fail "outside compat.h"
}

# Other versions would break other lines. QEMU's style is another.
test_user_code_style() {
	need_git
	clang-format --version 2>/dev/null | grep -q 'version 14\.' ||
		skip "no clang-format 14 here"
	cd "$TOP"
	sources 'tools/*.[ch]' ':!tools/machine/qemu' |
		unchecked "$(sha256sum .clang-format)" |
		xargs -r clang-format --dry-run --Werror
	passed
}

test_user_code_is_for_clang_too() {
	command -v clang >/dev/null || skip "no clang here"
	make -s -C "$TOP/tools" O="$TOP/build/clang" SAN= CC=clang CFLAGS=-O0 objects
}

# make bench builds them, and make check does not run it.
test_programs_of_the_bench_compile() {
	gcc -fsyntax-only -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror \
		-I"$TOP/tools/lib/include" -I"$TOP/tools/lib" -I"$TOP/tools/tests/fixtures" \
		"$TOP"/selftests/bench/{cost,decode,generate}.c
}

test_conformance_tables_name_what_exists() {
	"$TOP/selftests/conformance/check-table"
}

# A name ends before a full stop; one with <...> or * stands for many.
test_documentation_paths_exist() {
	need_git
	cd "$TOP"
	sources ':!selftests/lint.sh' | xargs grep -ohE \
		'Documentation/[A-Za-z0-9_./*-]*[A-Za-z0-9_/*]' -- | sort -u |
		grep -v -e '^Documentation/arch/' -e jitdump- |
		while read -r path; do
			compgen -G "$path" >/dev/null || echo "$path"
		done >"$OLDPWD/missing"
	[ ! -s "$OLDPWD/missing" ] ||
		fail "no such file: $(tr '\n' ' ' <"$OLDPWD/missing")"
}

# A checkout shows nothing of the machine it was written on.
test_no_path_of_a_home_directory() {
	need_git
	cd "$TOP"
	! sources | xargs grep -nE '/(home|Users)/[a-z]' -- ||
		fail "someone's home directory"
}

ktap_main "$@"
