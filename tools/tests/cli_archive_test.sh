#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# archive on the command line: a pack has all that report and annotate need, and
# a pack from anybody writes nothing outside of its own directory.
. "$(dirname "$0")/cli.sh"
. "$(dirname "$0")/perfdata.sh"

# Another user's files must not help.
export HOME=$PWD/nobody
unset DEBUGINFOD_URLS

# until_it CONDITION...
until_it() {
	local i
	for ((i = 0; i < 600; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	fail "waited for: $*"
}

# ran ADDRESS STATE: one record of a load there; STATE is the top byte.
ran() {
	printf '\xb0'
	number "$1" 7
	printf '%b\x49\x00\x98\x09\x00\x71\x01\0\0\0\0\0\0\0' "$2"
}

# A stripped program below "root", its names and lines in a debug file.
make_program() {
	local id
	command -v cc >/dev/null || skip "no compiler"
	source_of_program '' >program.c
	cc -g -O1 -Wl,--build-id=sha1 -o program program.c
	id=$(readelf -n program | sed -n 's/.*Build ID: //p')
	ID=${id:0:2}/${id:2}
	mkdir -p root/usr/bin "root/usr/lib/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug program "root/usr/lib/debug/.build-id/$ID.debug"
	objcopy --strip-all program root/usr/bin/program
}

# Code of the program, of a JIT compiler, and of the kernel.
make_recording() {
	local at i
	at=$(nm program | sed -n 's/ T function//p')
	for i in {0..40}; do
		ran $((0x401000 + 4 * i)) '\x80'
	done >trace
	ran 0x501010 '\x80' >>trace
	ran $((0xff800080000040 & 0xffffffffffffff)) '\xa0' >>trace
	{
		printf PERFILE2
		number 16 8
		mapping 7 0x401000 0x1000 "0x$at" /usr/bin/program
		mapping 7 0x501000 0x1000 0 //anon
		mapping 7 0x601000 0x1000 0 /usr/lib/lost.so
		{ number 4 8 && number 10 8 && number 1 8; } >body
		record 70 0
		trace 7
	} >f
	mkdir -p root/tmp
	echo '501000 100 generated' >root/tmp/perf-7.map
	{
		echo 'ffff800080000000 T _text'
		echo 'ffff800080000040 T in_kernel'
	} >f.kallsyms
}

make_pack() {
	make_program
	make_recording
	works archive --symfs=root f
	expect_eq "$(cat err)" '' 'warnings'
	mkdir elsewhere && mv f.tar.zst elsewhere/pack
}

# same ARGUMENT...: prints the same of the pack as of the recording with its
# files.
same() {
	"$PMSCOPE" "$@" --symfs=root -i f >there || fail "$*: status $?"
	(cd elsewhere && "$PMSCOPE" "$@" -i pack) >here || fail "$*: status $?"
	sed -i 's|elsewhere/pack|f|; s|^# pack|# f|' here
	cmp here there || fail "$*"
}

test_a_pack_reads_like_the_recording_with_its_files() {
	make_pack
	same report --format=csv --sort=sym,dso,line,frames
	expect_match '^function,/usr/bin/program,program.c:5,within < function,' here
	expect_match '^generated,' here
	expect_match '^in_kernel,' here
	same report --format=csv --sort=sym,symoff,pc
	same script --format=jsonl
	same annotate --format=csv function
	expect_eq "$(grep -c . here)" "$(grep -c . there)" 'instructions'
	same export --format=folded -o -
	rm -r root
	"$PMSCOPE" report --format=csv -i elsewhere/pack >out
	expect_match '^function,' out
}

# Below ~/.debug, other tools find the files by build-id.
test_a_pack_has_the_layout_of_perfs_cache() {
	command -v zstd >/dev/null || skip "no zstd"
	make_pack
	mkdir cache
	tar -x --zstd -C cache -f elsewhere/pack
	cmp cache/perf.data f
	cmp "cache/.build-id/$ID/elf" root/usr/bin/program
	cmp "cache/.build-id/$ID/debug" "root/usr/lib/debug/.build-id/$ID.debug"
	"$PMSCOPE" archive -o again -i elsewhere/pack
	mkdir second
	tar -x --zstd -C second -f again
	diff -r cache second || fail "a pack of a pack differs"
}

# $PWD/secret is root's; nobody's links to it are among what the samples need.
test_nothing_is_packed_through_links_of_others() {
	[ "$(id -u)" = 0 ] || skip 'it takes another user'
	make_program
	make_recording
	{
		mapping 7 0x701000 0x1000 0 /srv/jit-7.dump
		trace 7
	} >>f
	chmod 755 .
	mkdir -m 1777 root/srv
	(umask 077 && echo '501000 100 secret_name' >secret)
	mv root/usr/bin/program theirs
	ln -s "$PWD/theirs" root/usr/bin/program
	ln -s "$PWD/secret" root/srv/jit-7.dump
	chown -h 65534 root/usr/bin/program root/srv/jit-7.dump root/tmp/perf-7.map
	works report --symfs=root --format=csv f
	expect_match "root/tmp/perf-7.map: it, or a link to it, is another user's; --force takes it" err
	! grep -q '^generated' out || fail "another user's names"
	umask 0
	works archive --symfs=root f
	expect_eq "$(stat -c %a f.tar.zst)" 600 'mode of the pack'
	for name in tmp/perf-7.map usr/bin/program; do
		expect_match "not in the archive: root/$name: it, or a link to it, is another user's; --force" err
	done
	expect_match 'not in the archive: root//*srv/jit-7.dump: ' err
	! zstd -dc f.tar.zst | grep -q secret_name || fail 'it has the secret'
	! zstd -dc f.tar.zst | tar -t | grep -q 'program.*elf$' || fail 'it has the program'
	# The user can vouch for them, but not for what a link is.
	expect_output '^generated,' report -f --symfs=root --format=csv f
	works archive -f --symfs=root f
	! zstd -dc f.tar.zst | grep -q secret_name || fail 'it has the secret'
	expect_output '^generated,' report --format=csv f.tar.zst
	# A map with more names may be any file of root.
	rm root/tmp/perf-7.map
	ln secret root/tmp/perf-7.map
	works archive --symfs=root f
	! zstd -dc f.tar.zst | grep -q secret_name || fail 'it has the secret'
	# What is beside a recording.
	ln -s root f.symfs
	ln -s secret f.kallsyms -f
	chown -h 65534 f.symfs f.kallsyms
	works archive f
	expect_match "f.symfs: it, or a link to it, is another user's" err
	expect_match "f.kallsyms: it, or a link to it, is another user's" err
	# The links and pipes of others in a directory such as /tmp.
	mkdir -m 1777 t
	ln -s "$PWD/theirs" t/pack
	chown -h 65534 t/pack
	expect_error "t/pack: another user's link or pipe is there" archive --symfs=root -o t/pack f
}

has_open() { [ -n "$(find "/proc/$1/fd" -lname "$2")" ]; }

# The pipe is opened when all has been read, and before it is packed.
test_what_is_swapped_after_reading_is_not_packed() {
	make_program
	make_recording
	mkfifo pipe
	"$PMSCOPE" archive --symfs=root -o pipe f 2>err &
	until_it has_open $! "$PWD/pipe"
	echo 'int main(void) { return 7; }' >other.c
	cc -Wl,--build-id=sha1 -o other other.c
	mv other root/usr/bin/program
	cat pipe >pack
	wait $! || fail "$(cat err)"
	expect_match 'not in the archive: root/usr/bin/program: it is not the file that was read' err
}

test_missing_files_are_named() {
	make_program
	make_recording
	rm -r root f.kallsyms
	mkdir root
	works archive --symfs=root f
	expect_match 'not in the archive: /usr/bin/program: no such file' err
	expect_match 'not in the archive: root/tmp/perf-7.map: no such file' err
	expect_match 'not in the archive: \[kernel.kallsyms\]: no symbols' err
	! grep -q lost err || fail 'a file without samples is named'
	works report -i f.tar.zst
}

test_archive_refuses_what_it_cannot_do() {
	three_loads >f
	expect_error 'archive: --raw cannot be packed' archive --raw f
	expect_error 'not a perf.data' archive f
	[ ! -e f.tar.zst ] || fail 'a pack was made'
	expect_error 'name the pack of standard input' archive - </dev/null
	expect_status 1 "$PMSCOPE" archive -o /nowhere/pack f
}

# Of a recorder that was killed, for example: what can be read is in the pack, too.
test_a_damaged_recording_is_packed() {
	make_program
	make_recording
	head -c -40 f >half
	expect_status 1 "$PMSCOPE" report --symfs=root half
	expect_match ' function ' out
	mv out there
	expect_error '^pmscope: half: offset 0x[0-9a-f]+: ' archive --symfs=root -o pack half
	expect_status 1 "$PMSCOPE" report pack
	expect_eq "$(sed 's/^# pack/# half/' out)" "$(cat there)" "report of the pack"
	# Nothing can be read.
	printf '\0' | dd of=f bs=1 seek=1 conv=notrunc status=none
	expect_status 1 "$PMSCOPE" archive -o none f
	[ ! -e none ] || fail 'a pack of nothing'
}

# hostile WHAT: a pack with the recording f and this. A block is 512 bytes.
hostile() {
	python3 - "$1" <<-'END'
	import io, sys, tarfile
	what = sys.argv[1]
	tar = tarfile.open("pack", "w", format=tarfile.PAX_FORMAT)
	def add(name, data=b"evil", **more):
	    member = tarfile.TarInfo(name)
	    member.size = len(data)
	    for key, value in more.items():
	        setattr(member, key, value)
	    tar.addfile(member, io.BytesIO(data))
	add("perf.data", open("f", "rb").read())
	root = "pmscope/root/"
	if what == "up":
	    add("../../escaped")
	    add(root + "../../../escaped")
	    add(root + "a/../../../../escaped")
	    add("../../escaped/0123abcd/elf")
	elif what == "absolute":
	    add("/tmp/pmscope-escaped")
	    add("/tmp/pmscope-escaped/0123abcd/elf")
	elif what == "link":
	    add(root + "d", b"", type=tarfile.SYMTYPE, linkname="../../..")
	    add(root + "d/escaped")
	    add(root + "h", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd")
	    add(root + "h")
	    add("kallsyms", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")
	elif what == "device":
	    add(root + "null", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=3)
	    add(root + "fifo", b"", type=tarfile.FIFOTYPE)
	    add("pmscope/kallsyms", b"", type=tarfile.FIFOTYPE)
	elif what == "long":
	    add(root + "x" * 300)
	    add(root + "y/" * 3000 + "z")
	elif what == "twice":
	    add(root + "a")
	    add(root + "a/b")
	    add(root + "a")
	    add("perf.data", b"PERFILE2")
	elif what == "members":
	    tar.fileobj.write(tarfile.TarInfo("unknown").tobuf() * 70000)
	elif what == "sizes":
	    add(root + "big", b"", pax_headers={"size": "99999999999999999999"})
	tar.close()
	END
}

is_clean() {
	[ -z "$(ls tmp)" ] || fail "$1: left: $(ls tmp)"
	[ -z "$(find . -name 'escaped*')" ] || fail "$1: it escaped"
	[ ! -e /tmp/pmscope-escaped ] || fail "$1: it escaped"
}

test_hostile_packs_write_nothing_outside() {
	local what status
	command -v python3 >/dev/null || skip "no python3"
	make_program
	make_recording
	mkdir tmp
	export TMPDIR=$PWD/tmp
	for what in up absolute link device long twice members sizes; do
		hostile "$what"
		status=0
		"$PMSCOPE" report -i pack --format=csv >out 2>err || status=$?
		case $status:$what in
		1:* | 0:link | 0:device) ;;
		*) fail "$what: status $status: $(cat err)" ;;
		esac
		expect_match '^sym,' out
		is_clean "$what"
	done
	hostile up
	expect_status 1 "$PMSCOPE" report -i pack
	expect_match "pack: offset 0x[0-9a-f]+ of the unpacked archive: a file named '../../escaped' is skipped" err
}

# Many megabytes of zeros, in a few kilobytes.
test_a_bomb_is_not_unpacked() {
	command -v zstd >/dev/null || skip "no zstd"
	make_program
	make_recording
	mkdir -p tmp pmscope/root
	cp f perf.data
	truncate -s 96M pmscope/root/zeros
	tar -c --zstd -f pack perf.data pmscope/root/zeros
	rm pmscope/root/zeros
	export TMPDIR=$PWD/tmp
	(ulimit -f 65536 && "$PMSCOPE" report -i pack --format=csv) >out 2>err &&
		fail 'it was unpacked'
	expect_match 'far larger than its file' err
	expect_match '^sym,' out
	is_clean bomb
}

# A program's .data may be 200 MB of zeros: more than a pack of others may hold.
test_a_pack_of_zeros_can_be_read() {
	make_program
	head -c 200M /dev/zero >zeros
	objcopy --add-section .zeros=zeros root/usr/bin/program
	rm zeros
	make_recording
	works archive --symfs=root f
	mkdir elsewhere && mv f.tar.zst elsewhere/pack
	[ "$(stat -c %s elsewhere/pack)" -lt 8000000 ] || fail 'a large pack'
	same report --sort=sym,symoff --format=csv
	expect_eq "$(cat err)" '' 'warnings'
	! command -v zstd >/dev/null || zstd -qt elsewhere/pack --format=zstd
	tar -t --zstd -f elsewhere/pack >/dev/null || fail 'tar cannot read it'
}

# A map that is cut would give the addresses behind the cut to its last name.
test_half_a_file_is_not_used() {
	make_program
	make_recording
	mkdir -p tmp pmscope/root/tmp
	export TMPDIR=$PWD/tmp
	cp f perf.data
	{
		echo '501000 100 half'
		head -c 5000 /dev/zero | tr '\0' '#'
	} >pmscope/root/tmp/perf-7.map
	tar -c -b 1 -f whole perf.data pmscope/root/tmp/perf-7.map
	for cut in 2000 4000; do
		head -c -$cut whole >pack
		expect_error 'of the unpacked archive: cut short' report -i pack --sort=sym --format=csv
		expect_no_match 'half' out
	done
	expect_output 'half' report -i whole --sort=sym --format=csv
}

# Cut at each of some places: what is before it is read.
test_a_pack_that_is_cut() {
	local size at
	make_pack
	mkdir tmp
	export TMPDIR=$PWD/tmp
	size=$(stat -c %s elsewhere/pack)
	for at in 1 3 4 20 100 400 $((size / 2)) $((size - 1)); do
		head -c "$at" elsewhere/pack >pack
		expect_error '^pmscope: pack: ' report -i pack
		is_clean "$at"
	done
	expect_match 'of the unpacked archive: cut short' err
}

is_unpacked() { [ -n "$(ls tmp/*/kcore tmp/*/root 2>/dev/null)" ]; }
is_gone() { [ -z "$(ls tmp)" ]; }

# Its directory goes even if the program is killed, here while it waits for a
# writer of the file with the kernel's symbols.
test_a_killed_reader_leaves_nothing() {
	make_pack
	mkdir tmp
	mkfifo pipe
	TMPDIR=$PWD/tmp "$PMSCOPE" script --kallsyms=pipe -i elsewhere/pack \
		>out 2>err &
	until_it is_unpacked
	kill -9 $!
	wait $! 2>/dev/null || :
	until_it is_gone
}

ktap_main "$@"
