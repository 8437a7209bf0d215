#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The library as a stranger meets it: installed, found by pkg-config, linked
# either way, with a manual for each function.
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
OUT=$(cd "$(dirname "$PMSCOPE")/.." && pwd)

# A program cannot have a library with the sanitizers under it.
applies() { [ "$(basename "$OUT")" != san ]; }

# make_lib DIR: installs it there.
make_lib() {
	command -v pkg-config >/dev/null || skip "no pkg-config"
	command -v cc >/dev/null || skip "no C compiler"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$TOOLS" O="$OUT" DESTDIR="$1" PREFIX=/opt/p \
		LIBDIR=/opt/p/lib/here install-lib >install.log 2>&1 ||
		fail "$(tail -n 3 install.log)"
}

# install_lib: once for all tests, copied to ./root, where pkg-config looks.
install_lib() {
	[ -d "$KTAP_DIR/lib" ] || make_lib "$KTAP_DIR/lib"
	cp -a "$KTAP_DIR/lib" root
	LIBS=$PWD/root/opt/p/lib/here
	export PKG_CONFIG_PATH=$LIBS/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/root
}

# Two loads of 7 and 9 cycles, a store, each with its END.
make_trace() {
	printf '\x49\x00\x98\x07\x00\x01\x49\x00\x98\x09\x00\x01' >trace
	printf '\x49\x01\x98\x50\x00\x01' >>trace
}

EXPECTED='2 loads of 3 records, mean 8 cycles; 0 damaged'

# build EXAMPLE shared|static: into ./EXAMPLE
build() {
	local flags
	if [ "$2" = shared ]; then
		flags=$(pkg-config --cflags --libs pmscope)
	else
		rm -f "$LIBS"/libpmscope.so*
		# The shared ones of the library's own dependencies.
		flags="$(pkg-config --cflags pmscope) $LIBS/libpmscope.a"
		flags="$flags -ldw -lelf -lzstd -llzma -lz -liberty -lm -pthread"
	fi
	# shellcheck disable=SC2086
	cc -std=c99 -Wall -Wextra -Wpedantic -Werror -o "$1" \
		"$TOOLS/examples/$1.c" $flags
}

test_program_with_the_shared_library() {
	install_lib
	make_trace
	build latency shared
	LD_LIBRARY_PATH=$LIBS ./latency trace >out
	expect_eq "$(cat out)" "$EXPECTED"
	readelf -d latency >dynamic
	expect_match 'NEEDED.*libpmscope\.so\.0\]' dynamic
	readelf -V latency >versions
	expect_match 'LIBPMSCOPE_0\.1' versions
}

test_program_with_the_static_library() {
	install_lib
	make_trace
	build latency static
	./latency trace >out
	expect_eq "$(cat out)" "$EXPECTED"
	pkg-config --static --libs pmscope >flags
	expect_match '-lpmscope.*-lm.*-ldw' flags
}

# Of the manual; its ten functions are those of report.
test_program_of_the_manual() {
	local case=$TOOLS/../../shared/cases/p.data
	install_lib
	sed -n '/^   #include/,/^``tools/s/^   //p' \
		"$TOOLS/../Documentation/reference/man/libpmscope.7.rst" >hottest.c
	# shellcheck disable=SC2046
	cc -std=c99 -Wall -Wextra -Werror -o hottest hottest.c \
		$(pkg-config --cflags --libs pmscope)
	echo 'no recording' >text
	LD_LIBRARY_PATH=$LIBS ./hottest text >out && fail "text is no recording"
	[ -e "$case" ] || skip "no ../shared/cases"
	mkdir -p root/opt/app
	cp "${case%/*}/elf/p" root/opt/app/
	LD_LIBRARY_PATH=$LIBS ./hottest "$case" root >out
	"$PMSCOPE" report --format=csv --sort=sym --weight=samples \
		--symfs=root -i "$case" >rows
	awk -F, 'NR > 1 && NR < 12 { print $2 " " $1 }' rows >expected
	expect_eq "$(cat out)" "$(cat expected)" "ten functions"
}

# Of the manual, up to the import; DuckDB's library reads the stream in its place.
test_python_of_the_manual() {
	local case=$TOOLS/../../shared/cases/p.data
	local duckdb=${PMSCOPE_CONSUMERS:-}/@duckdb/node-bindings-linux-x64/libduckdb.so
	command -v python3 >/dev/null || skip "no python3"
	install_lib
	sed -n '/^   import ctypes/,/^   import pyarrow/{/pyarrow/d;s/^   //p}' \
		"$TOOLS/../Documentation/reference/man/libpmscope.7.rst" >frame.py
	echo 'no recording' >perf.data
	! LD_LIBRARY_PATH=$LIBS python3 frame.py 2>message ||
		fail "text is no recording"
	expect_eq "$(cat message)" "perf.data: no recording"
	[ -e "$case" ] || skip "no ../shared/cases"
	[ -e "$duckdb" ] || skip "no DuckDB: set PMSCOPE_CONSUMERS"
	cp "$case" perf.data
	cat >>frame.py <<-EOF
		sql, base, to = ctypes.CDLL("$duckdb"), ctypes.c_void_p(), ctypes.c_void_p()
		sql.duckdb_open(None, ctypes.byref(base))
		sql.duckdb_connect(base, ctypes.byref(to))
		sql.duckdb_arrow_scan(to, b"samples", stream)
		# Of all columns: it takes streams that leave out what a query does not need.
		sql.duckdb_query(to, b"create table whole as select * from samples", None)
		sql.duckdb_query(to, b"copy (select op, count(*), sum(lat_total) from whole"
		                 b" group by op order by op) to '/dev/stdout'", None)
	EOF
	LD_LIBRARY_PATH=$LIBS python3 frame.py >sums
	"$PMSCOPE" script --format=csv -F op,lat_total -i perf.data | awk -F, '
		NR > 1 { n[$1]++; sum[$1] += $2 }
		END { for (op in n) print op "," n[op] "," sum[op] }' |
		sort >expected
	expect_eq "$(sed 1d sums)" "$(cat expected)" "sums by operation"
}

test_library_that_was_moved() {
	install_lib
	unset PKG_CONFIG_SYSROOT_DIR
	pkg-config --define-variable=prefix=/moved --cflags --libs pmscope >flags
	expect_match '^-I/moved/include -L/moved/lib/here ' flags
}

# Written by a program that has the installed headers only, and read by all.
test_recording_of_a_program() {
	local perf=${PMSCOPE_PERF:-perf}
	install_lib
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x65\xe8\x03\x00\x00' >trace
	printf '\x49\x00\x98\x07\x00\x71\x09\x00\x00\x00\x00\x00\x00\x00' >>trace
	build wrap shared
	LD_LIBRARY_PATH=$LIBS ./wrap trace perf.data
	LD_LIBRARY_PATH=$LIBS ./wrap trace - | cat >perf.pipe
	"$PMSCOPE" script --format=csv -F comm,tid,cpu,time,pc \
		-i perf.data >ours
	expect_eq "$(tail -n 1 ours)" 'traced,1000,0,9,0x401000'
	"$PMSCOPE" script --format=csv -F comm,tid,cpu,time,pc \
		-i perf.pipe >piped
	expect_eq "$(cat piped)" "$(cat ours)"
	build wrap static
	./wrap trace again.data
	expect_eq "$(cksum <again.data)" "$(cksum <perf.data)"
	command -v "$perf" >/dev/null || skip "no perf"
	"$perf" script --itrace=i1i --ns -F comm,tid,cpu,time,ip -i perf.data \
		>theirs 2>stderr || fail "$(tail -n 1 stderr)"
	# perf 6.1 reads this form from a pipe only.
	"$perf" script --itrace=i1i --ns -F comm,tid,cpu,time,ip -i - \
		< <(cat perf.pipe) >theirs.pipe 2>stderr ||
		fail "$(tail -n 1 stderr)"
	expect_match 'traced +1000 +\[000\] +0\.000000009: +401000' theirs
	expect_match 'traced +1000 +\[000\] +0\.000000009: +401000' theirs.pipe
}

test_what_cannot_be_built_here_is_reported() {
	command -v cc >/dev/null || skip "no C compiler"
	"$TOOLS/libraries" cc 2>none || fail "$(cat none)"
	expect_eq "$(cat none)" ''
	mkdir headers
	touch headers/stdio.h headers/gelf.h
	! "$TOOLS/libraries" cc -nostdinc -Iheaders 2>two ||
		fail "nothing lacks"
	expect_match 'missing: libdw, libzstd, liblzma, zlib$' two
	expect_match 'apt install .*libdw-dev' two
	! "$TOOLS/libraries" no-such-cc 2>compiler || fail "no-such-cc is there"
	expect_match 'missing: the compiler no-such-cc$' compiler
}

test_names_and_links() {
	install_lib
	(cd "$LIBS" && ls) >files
	expect_match '^libpmscope\.so\.[0-9]+\.[0-9]+\.[0-9]+$' files
	[ -e root/opt/p/include/linux/pmscope.h ] || fail "no linux/pmscope.h"
	[ -e "$LIBS/libpmscope.so" ] || fail "no libpmscope.so"
	expect_eq "$(readlink "$LIBS/libpmscope.so")" libpmscope.so.0
	expect_eq "$(pkg-config --modversion pmscope)" \
		"$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$TOOLS/../dkms.conf")"
}

# run_make TARGET: with a name that a shell would split.
run_make() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$TOOLS" O="$OUT" \
		DESTDIR="$PWD/a root" PREFIX=/opt/p "$1" >install.log 2>&1 ||
		fail "$(tail -n 3 install.log)"
}

test_what_was_installed_is_taken_away() {
	command -v cc >/dev/null || skip "no C compiler"
	mkdir -p 'a root/opt/p/bin'
	echo mine >'a root/opt/p/bin/mine'
	run_make install
	expect_match '^pmscope ' <("a root/opt/p/bin/pmscope" --version)
	[ -e 'a root/opt/p/share/man/man3/pmscope_decode.3' ] || fail "no manual"
	run_make uninstall
	expect_eq "$(find 'a root' ! -type d)" 'a root/opt/p/bin/mine'
	[ ! -e 'a root/opt/p/include/pmscope' ] || fail "a directory is left"
	[ ! -e 'a root/etc/pmscope' ] || fail "the settings' directory is left"
}

# As Debian treats its configuration files.
test_edited_settings_are_kept() {
	local settings='a root/etc/pmscope/sample.conf'
	command -v cc >/dev/null || skip "no C compiler"
	run_make install
	echo seconds=7 >"$settings"
	run_make install
	expect_eq "$(cat "$settings")" seconds=7 "installed again"
	run_make uninstall
	expect_eq "$(find 'a root' ! -type d)" "$settings" "what is left"
	expect_eq "$(cat "$settings")" seconds=7 "what is left of it"
	expect_match '^kept, because it was edited: .*a root/etc/' install.log
}

test_everybody_reads_what_is_installed() {
	umask 077
	make_lib "$PWD/root"
	find root ! -type l ! -perm -044 >hidden
	[ ! -s hidden ] || fail "$(tr '\n' ' ' <hidden)"
}

# The archive must not take names from the program that links it.
test_archive_shows_public_names_only() {
	command -v nm >/dev/null || skip "no nm"
	[ -e "$OUT/lib/libpmscope.a" ] || skip "no archive"
	nm --defined-only "$OUT/lib/libpmscope.a" |
		awk '$2 ~ /^[TDBR]$/ && $3 !~ /^pmscope_/ { print $3 }' >others
	[ ! -s others ] || fail "$(tr '\n' ' ' <others)"
}

# `make CFLAGS=-O3` changes how the code is compiled, not what it is.
test_flags_of_the_caller_are_added() {
	local flag
	env -u MAKEFLAGS -u MAKELEVEL make -n -C "$TOOLS" O="$PWD/none" \
		CFLAGS=-Og CPPFLAGS=-DTHEIRS lib >commands
	grep -e ' -c -o ' commands >compile
	for flag in -Og -DTHEIRS -D_GNU_SOURCE -std=gnu11 -fPIC \
		-fvisibility=hidden -fno-strict-aliasing; do
		! grep -v -e " $flag " compile || fail "without $flag"
	done
}

test_each_function_has_a_manual() {
	local name
	install_lib
	sed -n 's/^\t\(pmscope_[a-z_0-9]*\);$/\1/p' "$TOOLS/lib/libpmscope.map" \
		>names
	[ -s names ] || fail "no names in the map"
	while read -r name; do
		grep -qE "^\.F[no] $name( |$)" root/opt/p/share/man/man3/*.3 ||
			echo "$name"
	done <names >without
	[ ! -s without ] || fail "no manual: $(tr '\n' ' ' <without)"
}

# `man NAME` finds it, without an index of all manuals.
test_each_function_has_a_manual_of_its_name() {
	local name
	install_lib
	cat root/opt/p/include/pmscope/*.h |
		grep -o '\bpmscope_[a-z_0-9]*(' | tr -d '(' | sort -u >names
	[ -s names ] || fail "no names in the headers"
	while read -r name; do
		grep -q "^\.F[no] $name\b" "root/opt/p/share/man/man3/$name.3" \
			2>/dev/null || echo "$name"
	done <names >without
	[ ! -s without ] || fail "no manual: $(tr '\n' ' ' <without)"
}

ktap_main "$@"
