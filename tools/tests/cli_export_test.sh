#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# export on the command line: what it writes, and where.
. "$(dirname "$0")/cli.sh"

CASES=$TOOLS/../../shared/cases
FORMATS='autofdo bolt firefox folded gcov pprof'

before_each() { three_loads >f; }

# refuses WORDS OPTION...: a usage error of export
refuses() {
	expect_error "^pmscope: export: $1" export "${@:2}" f
}

test_parquet_has_every_dataset() {
	works export --raw --format=parquet -o lake/of/all f
	expect_eq "$(cd lake/of/all && ls)" "$(printf 'dataset=%s\n' counters \
		hosts losses mappings rollup samples)" datasets
	expect_eq "$(find lake -type f | wc -l)" 6 files
	# The same recording replaces its parts.
	works export --raw --format=parquet -o lake/of/all f
	expect_eq "$(find lake -type f | wc -l)" 6 files
}

test_parquet_refuses_what_it_cannot_do() {
	refuses '--format=parquet writes several files' --raw --format=parquet -o -
	refuses '--addresses and --redact are mutually' --raw --format=parquet \
		-o lake --addresses --redact
	for format in $FORMATS; do
		refuses '--redact requires --format=parquet' --raw \
			--format="$format" -o x --redact
	done
	[ ! -e lake ] || fail "a directory was made"
	touch file
	expect_error '^pmscope: file/.*: Not a directory' export --raw --format=parquet -o file f
}

test_labels_are_checked() {
	local word
	for word in zone =a zone=a,b; do
		refuses "--label: '.*' is not KEY=VALUE" --raw --format=parquet \
			-o lake --label="$word"
	done
	refuses "--label: 'zone' is given twice" --raw --format=parquet -o lake \
		--label=zone=a --label=zones=b --label=zone=c
	[ ! -e lake ] || fail "a directory was made"
}

test_parquet_of_some_datasets() {
	works export --raw --format=parquet -o all f
	works export --raw --format=parquet -o some --datasets=rollup,hosts f
	expect_eq "$(ls some)" "$(printf 'dataset=%s\n' hosts rollup)" datasets
	(cd some && find . -type f) | while read -r part; do
		cmp "all/$part" "some/$part" || fail "$part differs"
	done
	refuses "'rollup,' is not a valid LIST for --datasets: samples, rollup" \
		--raw --format=parquet -o none --datasets=rollup, f
	refuses "'roll' is not a valid LIST" \
		--raw --format=parquet -o none --datasets=roll f
	[ ! -e none ] || fail "a directory was made"
}

test_parquet_of_a_host_that_the_recording_does_not_name() {
	works export --raw --format=parquet -o lake --host=a/b f
	expect_eq "$(find lake -name 'host=*' -printf '%f\n' | sort -u)" \
		host=a%2fb directory
	[ -n "${PMSCOPE_CONSUMERS:-}" ] ||
		skip "no reader of Parquet: set PMSCOPE_CONSUMERS"
	node "$TOOLS/tests/export/ask.mjs" "$PMSCOPE_CONSUMERS" \
		"select name from 'lake/dataset=hosts/*/*/*.parquet'" >host
	expect_eq "$(cat host)" a/b host
}

test_parquet_with_losses_that_others_counted() {
	for word in runs runs= =3 runs=x runs=1,,hours=2; do
		refuses "--lost: '.*' is not KIND=NUMBER" --raw \
			--format=parquet -o lake --lost="$word" f
	done
	for word in truncated filtered damage; do
		refuses "--lost: '$word' is counted already" --raw \
			--format=parquet -o lake --lost="$word=1" f
	done
	[ ! -e lake ] || fail "a directory was made"
	works export --raw --format=parquet -o lake --lost=runs=17 --lost=hours=0 f
	[ -n "${PMSCOPE_CONSUMERS:-}" ] ||
		skip "no reader of Parquet: set PMSCOPE_CONSUMERS"
	node "$TOOLS/tests/export/ask.mjs" "$PMSCOPE_CONSUMERS" "
		select kind, number from 'lake/dataset=losses/*/*/*.parquet'
		where kind in ('runs', 'hours', 'damage') order by kind" >rows
	expect_eq "$(cat rows)" "$(printf 'damage\t0\nhours\t0\nruns\t17')" \
		losses
}

test_parquet_as_the_manual_asks() {
	local sql
	[ -n "${PMSCOPE_CONSUMERS:-}" ] ||
		skip "no reader of Parquet: set PMSCOPE_CONSUMERS"
	works export --raw --format=parquet -o lake f
	sql=$(sed -n 's/^ *duckdb -c "\(.*\)"$/\1/p' \
		"$TOOLS/../Documentation/reference/man/pmscope-export.1.rst")
	[ -n "$sql" ] || fail "the manual has no query"
	node "$TOOLS/tests/export/ask.mjs" "$PMSCOPE_CONSUMERS" "$sql" >rows
	expect_eq "$(cat rows)" "$(printf '\t27')" rows
}

# Each has its own parts; one that cannot be read keeps no other back.
test_parquet_of_several_recordings() {
	load 05 >g
	works export --raw --format=parquet -o lake f g
	expect_eq "$(find lake -type f | wc -l)" 12 files
	works export --raw --format=parquet -o one g
	(cd one && find . -type f) | while read -r part; do
		cmp "lake/$part" "one/$part" || fail "$part differs"
	done
	expect_error '^pmscope: missing: No such file' \
		export --raw --format=parquet -o two missing g f
	expect_eq "$(cd two && find . -type f | sort)" \
		"$(cd lake && find . -type f | sort)" parts
}

test_other_formats_take_one_recording() {
	local format
	for format in $FORMATS; do
		expect_error "--format=$format takes one recording.* 'g'" \
			export --raw --format="$format" -o x f g
		[ ! -e x ] || fail "a file was written"
	done
}

test_parquet_has_no_part_that_is_not_whole() {
	local told
	told=$(
		ulimit -f 0
		trap '' XFSZ
		"$PMSCOPE" export --raw --format=parquet -o lake f 2>&1
	) && fail "nothing could be written, and nobody says so"
	[[ $told == *lake/*': File too large'* ]] || fail "it said: $told"
	expect_eq "$(find lake -type f)" '' files
}

# parts LAKE: names of the parts, without dataset
parts() { find "$1" -type f -printf '%P\n' | cut -d/ -f2- | sort | uniq -c; }

# The key is the recording: copies have other dates, and older exports more parts.
test_parquet_replaces_all_parts_of_a_recording() {
	local lake='la*[k]e' old
	load 05 >other
	touch -d 2026-01-02 f other
	works export --raw --format=parquet -o "$lake" f other
	expect_match 'warning: f: the recording does not tell its date; its parts get that of its file: 2026-01-02' err
	parts "$lake" >before
	for old in "$lake"/*/*/*/*; do
		cp "$old" "${old%-0.parquet}-1.parquet"
	done
	works export --raw --format=parquet -o "$lake" f other
	parts "$lake" >after
	cmp before after || fail "$(diff before after)"
	cp f copy
	touch -d 2026-01-05 copy
	works export --raw --format=parquet -o "$lake" --host=b \
		--datasets=hosts,rollup copy
	expect_eq "$(parts "$lake" | grep -c 2026-01-02)" 1 'other recordings'
	expect_eq "$(parts "$lake" | grep 2026-01-05 | sed 's,/[^/]*$,,')" \
		'      2 date=2026-01-05/host=b' 'the copy'
	"$PMSCOPE" export --raw --format=parquet -o "$lake" - <f 2>/dev/null
	expect_eq "$(find "$lake" -type f | wc -l)" 12 files
	expect_eq "$(find "$lake" -name '.[0-9a-f]*')" '' 'what is left'
}

test_parquet_date_of_the_recording() {
	[ -e "$CASES/clock-data.data" ] || skip "no cases"
	for f in clock-data two-cpus; do
		cp "$CASES/$f.data" $f
		touch -d 2001-01-01 $f
		works archive -o $f.tar.zst $f
		works export --format=parquet -o lake -i $f
		works export --format=parquet -o lake -i $f.tar.zst
	done
	parts lake >dates
	expect_eq "$(wc -l <dates)" 2 'recordings'
	# It names a host of its own.
	works export --format=parquet -o named --host=mine -i two-cpus
	expect_eq "$(find named -name 'host=*' -printf '%f\n' | sort -u)" \
		host=mine host
	expect_eq "$(grep -c date=2026-07-01 dates)" 1 'date of CLOCK_DATA'
}

# Both loops ran 200 times, and one sample stands for 1024 operations.
test_autofdo_of_branches_alone() {
	[ -e "$CASES/branches-only.data" ] || skip "no cases"
	mkdir -p root/opt/app
	cp "$CASES/elf/p" root/opt/app/p
	works export --format=autofdo --symfs=root -o - -i "$CASES/branches-only.data"
	expect_eq "$(grep -v '^#' out)" "$(printf '%s\n' \
		hidden_step:6553600:0 ' 0: 204800 walk:204800' \
		walk:6553600:204800 ' 0: 204800')" "lines of both loops"
}

test_compilers_of_filtered_recordings() {
	[ -e "$CASES/min-latency.data" ] || skip "no cases"
	for format in autofdo bolt; do
		works export --format=$format -o f -i "$CASES/min-latency.data"
		expect_match 'only loads and stores of 30 cycles or more were taken' err
		works export --format=$format -o f -i "$CASES/branches-only.data"
		expect_no_match 'were taken' err
	done
}

# The kernel's code is one function after the other, of which each sample is known.
test_profiles_of_the_kernel() {
	local kernel=(-k "$CASES/elf/vmlinux" -i "$CASES/kernel-dwarf.data")
	[ -e "$CASES/kernel-dwarf.data" ] || skip "no cases"
	for format in autofdo bolt; do
		expect_error 'no samples of a program or a library; --binary=' \
			export --format=$format -o f "${kernel[@]}"
		works export --format=$format -o $format \
			--binary='[kernel.kallsyms]' "${kernel[@]}"
	done
	expect_match '^k_step:[0-9]+:10240$' autofdo
	expect_match '^k_walk:[0-9]+:6144$' autofdo
	works script --format=csv -F pc,event --filter='event=RETIRED' "${kernel[@]}"
	expect_eq "$(awk '$1 == "F" { n += $4 } $1 == "B" { n += $4 }
		END { print n }' bolt)" "$(($(wc -l <out) - 1))" "samples"
	# As the linker placed it
	expect_eq "$(awk '$1 == "F" { print $2; exit }' bolt)" \
		"$(nm "$CASES/elf/vmlinux" | awk '/ k_step$/ { print $1 }')" \
		"address of k_step"
}

# Killed before each of its steps: old and new parts are never both there, and the
# next export, of any recording, completes what began.
test_parquet_of_a_killed_export() {
	local step=0 status=137 hosts
	load 05 >other
	cat >library.c <<-END
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <signal.h>
	#include <stdlib.h>
	static void step(void)
	{
		static int steps;
		if (++steps == atoi(getenv("STEP")))
			raise(SIGKILL);
	}
	int rename(const char *from, const char *to)
	{
		step();
		return ((int (*)(const char *, const char *))dlsym(
			RTLD_NEXT, "rename"))(from, to);
	}
	int renameat(int a, const char *from, int b, const char *to)
	{
		step();
		return ((int (*)(int, const char *, int, const char *))dlsym(
			RTLD_NEXT, "renameat"))(a, from, b, to);
	}
	int unlink(const char *path)
	{
		step();
		return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
	}
	END
	cc -shared -fPIC -o library.so library.c -ldl 2>err || skip "no compiler"
	while [ $status = 137 ]; do
		step=$((step + 1))
		rm -rf lake
		"$PMSCOPE" export --raw --format=parquet -o lake --host=old f
		status=0
		STEP=$step LD_PRELOAD="$PWD/library.so" "$PMSCOPE" export --raw \
			--format=parquet -o lake --host=new f || status=$?
		hosts=$(find lake -name '*.parquet' |
			sed 's,.*host=\([a-z]*\)/.*,\1,' | sort -u)
		[ "$(wc -w <<<"$hosts")" -le 1 ] || fail "step $step: $hosts"
		"$PMSCOPE" export --raw --format=parquet -o lake --host=new other
		expect_eq "$(find lake -name '*.parquet' | wc -l)" 12 "parts of step $step"
		expect_eq "$(find lake -name '.[0-9a-f]*')" '' "left of step $step"
	done 2>/dev/null
	expect_eq "$status" 0 'the last step'
	note "$step steps"
	expect_true "$step > 18" 'steps'
}

test_parquet_of_exports_at_once() {
	local i
	for i in 1 2 3 4 5 6; do
		cp f f$i
		touch -d 2026-01-0$i f$i
		{
			"$PMSCOPE" export --raw --format=parquet -o lake f$i
			echo "status $?"
		} >done$i 2>&1 &
	done
	wait
	expect_eq "$(grep -lx 'status 0' done? | wc -l)" 6 'exports without an error'
	expect_eq "$(find lake -type f | wc -l)" 6 files
	expect_eq "$(parts lake | wc -l)" 1 dates
}

# As with any other program that writes them.
test_output_through_a_link_and_its_mode() {
	local command mode
	for command in 'export --format=folded' 'export --format=bolt' report; do
		rm -f x target
		ln -s target x
		for mode in 640 600; do
			(
				umask 027
				# shellcheck disable=SC2086 # two words
				"$PMSCOPE" $command --raw -o x f 2>err
			)
			[ -L x ] || fail "the link was replaced by $command"
			expect_eq "$(stat -c %a target)" $mode "mode with $command"
			expect_eq "$(grep -c old target)" 0 "old lines with $command"
			echo old >target
			# The mode of an old file stays.
			chmod 600 target
		done
		rm -f x.provenance.json
		expect_eq "$(ls)" "$(printf 'err\nf\ntarget\nx')" files
	done
}

as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# In a directory where everybody may make files, as /tmp, nobody chooses what
# root writes to, or reads it.
test_output_where_another_user_has_put_something() {
	local command
	[ "$(id -u)" = 0 ] || skip 'it takes another user'
	mkdir t
	chmod 1777 t
	chmod 755 .
	echo precious >victim
	as_nobody ln -s "$PWD/victim" t/link
	as_nobody ln -s "$PWD/new" t/to-nothing
	ln -s link t/mine
	as_nobody mkfifo t/pipe
	for command in 'export --format=folded' 'export --format=bolt' report \
		'diff f'; do
		for name in link to-nothing mine pipe; do
			# shellcheck disable=SC2086 # words
			expect_status 1 timeout 300 "$PMSCOPE" $command --raw \
				-o t/$name f
			expect_match "^pmscope: t/$name: another user's link or pipe is there" err
		done
		as_nobody sh -c 'rm -f t/file; umask 0; echo old >t/file'
		# shellcheck disable=SC2086 # words
		"$PMSCOPE" $command --raw -o t/file f >out 2>err ||
			fail "$command: $(cat err)"
		expect_eq "$(stat -c '%a %u' t/file)" '644 0' "file of $command"
		rm t/file
	done
	expect_eq "$(cat victim)" precious 'the file behind the link'
	[ ! -e new ] || fail 'a file was made through the link'
}

# A branch from 0x401000, EL0, to $1: its events are $2, with or without RETIRED,
# NOT-TAKEN, MISPRED.
branch() {
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80'
	printf '\xb1\x00%b\x40\x00\x00\x00\x00\x80' "\\x$1"
	printf '\x4a\x01\x42%b\x71\x01\x00\x00\x00\x00\x00\x00\x00' "\\x$2"
}

test_options_are_checked() {
	refuses '--format is required' --raw -o x
	refuses '-o FILE is required' --raw --format=folded
	refuses '--binary requires --format=bolt, autofdo or gcov' --raw --format=folded -o x \
		--binary=f
	expect_error 'nothing' export --raw --format=nothing -o x f
	[ ! -e x ] || fail "a file was written"
}

test_formats_are_completed() {
	ln -s "$PMSCOPE" pmscope
	PATH=$PWD:$PATH bash -c ". '$TOOLS/completion/pmscope.bash'
		COMP_WORDS=(pmscope export --format p) COMP_CWORD=3
		_pmscope
		echo \"\${COMPREPLY[*]}\"" >out
	expect_eq "$(cat out)" 'parquet pprof' 'formats with p'
}

test_a_file_appears_whole_or_not_at_all() {
	local format
	mkdir directory
	for format in $FORMATS; do
		expect_error '^pmscope: nowhere/x: No such file' \
			export --raw --format="$format" -o nowhere/x f
		expect_error '^pmscope: directory: Is a directory' \
			export --raw --format="$format" -o directory f
		expect_status 1 "$PMSCOPE" export --raw --format="$format" \
			-o x missing
		expect_eq "$(ls)" "$(printf 'directory\nerr\nf\nout')" "files"
	done
}

# Not before the end: a file of that name stays as it is until then.
test_a_full_disk_leaves_the_old_file() {
	local format told
	echo old >x
	for format in autofdo firefox folded gcov pprof; do
		told=$(
			ulimit -f 0
			trap '' XFSZ
			"$PMSCOPE" export --raw --format="$format" -o x f 2>&1
		) && fail "$format could not be written, and nobody says so"
		[[ $told == *'x: File too large'* ]] ||
			fail "$format: it said: $told"
		expect_eq "$(cat x)" old "the old file, with $format"
		expect_eq "$(ls)" "$(printf 'f\nx')" "files with $format"
	done
	[ -e /dev/full ] || return 0
	for format in autofdo firefox folded gcov pprof; do
		expect_error '^pmscope: /dev/full: No space left' \
			export --raw --format="$format" -o /dev/full f
	done
	# Raw traces have no branches of a file.
	[ -e "$CASES/branches.data" ] || return 0
	expect_error '^pmscope: /dev/full: No space left' \
		export --format=bolt -o /dev/full "$CASES/branches.data"
}

# Both files or none: neither is whole without the other.
test_no_file_without_where_it_comes_from() {
	local told
	mkdir x.provenance.json
	echo old >x
	for format in bolt folded; do
		expect_error '^pmscope: x.provenance.json: Is a directory' export --raw --format=$format -o x f
		expect_eq "$(cat x)" old 'the old file'
	done
	# The stacks fit, what is beside them does not.
	told=$(
		ulimit -f 0
		trap '' XFSZ
		"$PMSCOPE" export --raw --format=folded --filter=lat=77 -o y f \
			2>&1
	) && fail "y.provenance.json could not be written, and nobody says so"
	expect_eq "$told" 'pmscope: y.provenance.json: File too large' message
	expect_eq "$(ls)" "$(printf 'err\nf\nout\nx\nx.provenance.json')" files
}

test_output_to_open_descriptors() {
	echo first >x
	{
		"$PMSCOPE" export --raw --format=folded -o /dev/stdout f
		"$PMSCOPE" export --raw --format=folded -o /dev/fd/4 f 4>&1
		"$PMSCOPE" export --raw --format=folded -o /proc/self/fd/4 f 4>&1
	} >>x
	expect_eq "$(grep -c '^\[unknown\];' x)$(head -n 1 x)" 3first lines
	expect_eq "$("$PMSCOPE" export --raw --format=folded -o /dev/stdout f |
		wc -l)" 1 'lines through a pipe'
	mkfifo pipe
	"$PMSCOPE" export --raw --format=folded -o pipe f &
	expect_eq "$(cat pipe)" '[unknown];[unknown];[unknown] 3' 'a named pipe'
	wait $!
	[ -p pipe ] || fail "the pipe was replaced"
	expect_error '^pmscope: /dev/fd/99: Bad file descriptor' export --raw --format=folded -o /dev/fd/99 f
	expect_eq "$(ls)" "$(printf 'err\nf\nout\npipe\nx')" files
}

test_output_through_links_to_nothing() {
	mkdir there
	ln -s new there/second
	ln -s there/second x
	works export --raw --format=folded -o x f
	expect_eq "$(readlink x there/second)" "$(printf 'there/second\nnew')" links
	expect_eq "$(cat there/new)" '[unknown];[unknown];[unknown] 3' 'file'
	ln -s two one
	ln -s one two
	expect_error '^pmscope: one: Too many levels of symbolic links' export --raw --format=folded -o one f
}

test_output_under_any_name() {
	local name
	name=$(printf 'a\nb\377\033[31m')
	works export --raw --format=folded -o "$name" f
	expect_eq "$(cat "$name")" '[unknown];[unknown];[unknown] 3' 'file'
	expect_eq "$(find . -type f -printf '.' | wc -c)" 5 'files'
	works export --raw --format=parquet -o "$name-d" f
	expect_eq "$(find "$name-d" -name '*.parquet' -printf '.' | wc -c)" 6 parts
}

# The sanitizers come before what is preloaded.
applies() {
	[ "$1" != a_signal_leaves_no_temporary_file ] ||
		! grep -q __asan_init "$PMSCOPE"
}

# A signal comes when the file has its temporary name; without O_TMPFILE, as on
# NFS, it has one from the beginning.
test_a_signal_leaves_no_temporary_file() {
	local nameless signal
	cat >library.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <fcntl.h>
	#include <signal.h>
	#include <stdlib.h>

	int openat(int dir, const char *path, int flags, ...)
	{
		int (*next)(int, const char *, int, ...) =
			dlsym(RTLD_NEXT, "openat");

		if ((flags & O_TMPFILE) != O_TMPFILE || !getenv("NAMED"))
			return next(dir, path, flags, 0600);
		errno = EOPNOTSUPP;
		return -1;
	}

	int renameat(int in, const char *from, int dir, const char *to)
	{
		raise(atoi(getenv("SIGNAL")));
		return -1;
	}
	END
	cc -shared -fPIC -o library.so library.c 2>err || skip "no compiler"
	for signal in 1 2 15; do
		for nameless in NAMED=1 SHELL=/bin/sh; do
			expect_status $((128 + signal)) \
				env --default-signal SIGNAL=$signal \
				"$nameless" LD_PRELOAD="$PWD/library.so" \
				"$PMSCOPE" export --raw --format=folded -o x f
			expect_eq "$(echo x*)" 'x*' 'files'
			expect_status $((128 + signal)) \
				env --default-signal SIGNAL=$signal \
				"$nameless" LD_PRELOAD="$PWD/library.so" \
				"$PMSCOPE" export --raw --format=parquet -o lake f
			expect_eq "$(find lake -type f)" '' 'files'
		done
	done
}

test_where_it_comes_from_is_beside_it() {
	works export --raw --format=folded -o x --filter=lat=9 f
	expect_match '"type":"provenance","format":"folded"' x.provenance.json
	expect_match '"filter":"lat=9".*"samples":3,"lost":' x.provenance.json
	works export --raw --format=folded -o - f
	expect_eq "$(cat out)" '[unknown];[unknown];[unknown] 3' 'standard output'
}

# 3 of 5 are taken, 1 of those mispredicted. Raw traces have no files.
test_branches_of_no_file_are_no_profile() {
	{ branch 11 02 && branch 11 82 && branch 12 02; } >f
	works export --raw --format=bolt -o - f
	expect_eq "$(cat out)" '' 'branches'
	expect_error "^pmscope: f has no samples of 'prog'" \
		export --raw --format=bolt -o x --binary=prog f
	[ ! -e x ] || fail "a file was written"
}

# Four are taken, one of them mispredicted; paths lead to them.
test_branches_of_a_case() {
	[ -e "$CASES/branches.data" ] || skip "no $CASES here"
	works export --format=bolt -o x "$CASES/branches.data"
	expect_match 'cannot read /opt/llvm/bin/clang' err
	expect_eq "$(cat x)" 'B 310fc 31068 1 0
B a2df4 792d0 1 1
B a5c5c 37b24 1 0
B a5c60 37b28 1 0
F 310bc 310fc 1
F a2db4 a2df4 1
F a5c1c a5c5c 1
F a5c20 a5c60 1
f 792d0 792d0 1' 'branches'
}

ktap_main "$@"
