#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The files that record writes: several, compressed, on a full disk.
# shellcheck disable=SC2016,SC2094 # programs for sh -c; several outputs
. "$(dirname "$0")/live.sh"

# A program of many short processes and a long one, until the file `go` appears.
FORKING='sh -c "while [ ! -e go ]; do :; done" &
	for turn in $(seq 10000); do [ ! -e go ] || exit 0
	sh -c "i=0; while [ \$i -lt 2000 ]; do i=\$((i + 1)); done"; done'

# has_files N: so many files are complete
has_files() { [ "$(find . -name 'm.2*' | wc -l)" -ge "$1" ]; }

samples_of() {
	perf report -i "$1" --stats 2>/dev/null |
		awk '$2 == "SAMPLE" || $1 == "SAMPLE" { n = n ? n : $3 }
			END { print n + 0 }'
}

# faults_of FILE: what its report counts
faults_of() {
	"$PMSCOPE" report --format=jsonl "$1" |
		jq -s 'map(select(.event == "page-faults").count)[0] // 0'
}

# Each file is whole: perf and report read it alone and know all mappings. All
# of them together have the samples that were drained, and what the kernel counts
# until the end: totals are not of one file.
test_record_in_several_files() {
	need_perf_events
	command -v perf jq >/dev/null || skip "no perf or no jq"
	local file samples=0 faults=0 all unknown
	"$PMSCOPE" record --switch-output=30K -o m -F 5000 \
		-e '{cpu-clock,page-faults}:Su' -- sh -c "$FORKING" 2>said &
	wait_until "there are files" has_files 4
	touch go
	wait $! || fail "$(cat said)"
	[ ! -e m ] || fail "the last file has no name of its own"
	for file in m.2*; do
		works report "$file"
		samples=$((samples + $(samples_of "$file")))
		faults=$((faults + $(faults_of "$file")))
		perf script -i "$file" -F comm,ip,dso >names 2>/dev/null
		# The kernel can sample an address while the program is replaced.
		unknown=$(grep -c '(\[unknown\])' names || :)
		expect_true "$unknown * 10 <= $(wc -l <names)" \
			"samples without a file in $file"
	done
	all=$(sed -n 's/.* MB, \([0-9]*\) snapshots or samples$/\1/p' said)
	expect_eq $samples "$all" "samples in all files"
	all=$("$PMSCOPE" script --format=jsonl "$file" | jq -s 'map(
		select(.type == "total").counts[1].value) | add')
	expect_eq $faults "$all" "page faults in all files"
}

test_files_at_a_signal() {
	need_perf_events
	local first
	in_background "$PMSCOPE" record --switch-output -o m -e cs:u --
	kill -USR2 $!
	wait_until "the first file is complete" has_files 1
	first=$(echo m.2*)
	kill -USR2 $!
	wait_until "the second file is complete" has_files 2
	expect_status 0 perf script -i "$first"
	touch go
	wait $! || expect_eq $? 5 status
	expect_eq "$(find . -name 'm.2*' | wc -l)" 3 files
	expect_match '^pmscope: 3 files up to m.2' err
}

# The kernel ends the recorder: all files but the last are whole, and that is read
# up to its last record.
test_the_newest_files_are_kept() {
	need_perf_events
	local file
	"$PMSCOPE" record --switch-output=0.05s --switch-max-files=3 -o m -F 5000 \
		-e cpu-clock:u -- sh -c "$FORKING" 2>said &
	wait_until "eight files are complete" \
		sh -c '[ "$(grep -c "is complete" said)" -ge 8 ]'
	kill -KILL $!
	wait $! 2>/dev/null || :
	touch go
	expect_true "$(find . -name 'm.2*' | wc -l) <= 4" files
	for file in m.2* $(find . -name m); do
		"$PMSCOPE" script "$file" >out 2>err ||
			expect_match ': (the recording was not finished|nothing was recorded): ' err
	done
	sed -n 's/^pmscope: \(.*\) is complete$/\1/p' said | tail -n 2 >newest
	while read -r file; do
		perf report -i "$file" --stats >out 2>err ||
			fail "perf cannot read $file: $(cat err)"
		expect_no_match 'complete|size field is 0' err
	done <newest
}

test_files_that_cannot_be_switched() {
	local arg
	for arg in --switch-output=0s --switch-output=5 --switch-output=5x \
		--switch-output= --switch-output=K --switch-output=signals; do
		expect_status 1 "$PMSCOPE" record "$arg" -e cs -o none -- true
		expect_match 'is not a valid WHEN for --switch-output: signal, ' err
	done
	expect_status 1 "$PMSCOPE" record --switch-output=1M -o - -e cs -- true
	expect_match '^pmscope: --switch-output cannot be combined with -o -$' err
	expect_error '/dev/null is not a regular file' \
		record --switch-output=1M -o /dev/null -e cs -- true
	expect_status 1 "$PMSCOPE" record --switch-max-files=3 -e cs -o none -- true
	expect_match '^pmscope: --switch-max-files requires --switch-output$' err
	expect_status 1 "$PMSCOPE" record --switch-output --switch-max-files=0 \
		-e cs -o none -- true
	[ ! -e none ] || fail "a file is left"
}

# Stock perf reads compressed records, and what zstd unpacks of a compressed file.
test_record_compresses() {
	need_perf_events
	command -v perf jq zstd >/dev/null || skip "no perf, jq or zstd"
	local option plain=0 size all file
	for option in -oz '-z -oz' '-z9 -oz' '-oz.zst' '--compression-level=3 -oz.zst'; do
		rm -f z z.zst
		# shellcheck disable=SC2086
		works record $option -F 10000 -e '{cpu-clock,page-faults}:Su' -- sh \
			-c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
		all=$(sed -n 's/.* MB, \([0-9]*\) snapshots or samples$/\1/p' err)
		size=$(($(stat -c %s z*) / all))
		file=z
		if [ -e z.zst ]; then
			file=z.zst
			zstd -q -d z.zst -o z
		fi
		expect_eq "$(samples_of z)" "$all" "samples by perf of $option"
		works report --format=jsonl $file
		expect_eq "$(jq -s '.[0].groups' out)" "$all" \
			"samples by report of $option"
		if [ $plain = 0 ]; then plain=$size; fi
		[ $plain = "$size" ] || expect_true "$size <= $plain / 3" \
			"bytes per sample of $option"
	done
	works script --format=csv z
	mv out plain
	works script --format=csv z.zst
	cmp out plain
	"$PMSCOPE" script --format=csv - <z.zst >out
	cmp out plain
}

# Also of a recorder that was killed, all that it wrote is read.
test_compression_of_a_killed_recorder() {
	need_perf_events
	local file
	for file in k k.zst; do
		rm -f go
		"$PMSCOPE" record -q -z -o $file -F 5000 \
			-e '{cpu-clock,page-faults}:Su' -- sh -c "$FORKING" &
		wait_until "there is data" \
			sh -c "[ \$(stat -c %s $file 2>/dev/null || echo 0) -ge 20000 ]"
		kill -KILL $!
		wait $! 2>/dev/null || :
		touch go
		expect_status 1 "$PMSCOPE" script --format=csv $file
		expect_match ': (the recording was not finished|cut short inside a frame)' err
		expect_true "$(wc -l <out) > 100" "samples of $file"
		mv out plain
		expect_status 1 "$PMSCOPE" archive -o pack $file
		expect_status 1 "$PMSCOPE" script --format=csv pack
		cmp out plain
	done
}

# Samples in the whole records of FILE, which may end anywhere.
whole_samples() {
	cat >walk.py <<-'END'
	import ctypes, struct, sys

	zstd = ctypes.CDLL('libzstd.so.1')
	zstd.ZSTD_createDStream.restype = ctypes.c_void_p
	zstd.ZSTD_decompressStream.restype = ctypes.c_size_t

	class Buffer(ctypes.Structure):
	    _fields_ = [('data', ctypes.c_void_p), ('size', ctypes.c_size_t),
	                ('pos', ctypes.c_size_t)]

	# Of a frame that does not end, zstd(1) leaves the last bytes out.
	def unpacked(data):
	    stream = ctypes.c_void_p(zstd.ZSTD_createDStream())
	    packed = Buffer(ctypes.cast(data, ctypes.c_void_p), len(data), 0)
	    room, plain = ctypes.create_string_buffer(1 << 17), b''
	    while True:
	        out = Buffer(ctypes.addressof(room), len(room), 0)
	        left = zstd.ZSTD_decompressStream(
	            stream, ctypes.byref(out), ctypes.byref(packed))
	        plain += room.raw[:out.pos]
	        if left >> 63 or packed.pos == len(data) and out.pos < len(room):
	            return plain

	def walk(data):
	    samples, packed, at = 0, b'', 0
	    while at + 8 <= len(data):
	        kind, _, size = struct.unpack_from('<IHH', data, at)
	        if size < 8 or at + size > len(data):
	            break
	        samples += kind == 9
	        if kind == 81:
	            packed += data[at + 8:at + size]
	        at += size
	    return samples + (walk(unpacked(packed)) if packed else 0)

	data = open(sys.argv[1], 'rb').read()
	if data[:8] != b'PERFILE2':
	    data = unpacked(data)
	at, size = struct.unpack_from('<QQ', data, 40)
	print(walk(data[at:at + size if size else len(data)]))
	END
	python3 walk.py "$1"
}

# on_full_disk KIB ARGUMENT...: records on a disk of so many KiB until that is full;
# what is on it is in left/ then.
on_full_disk() {
	unshare -m true 2>/dev/null || skip "no mounts for this user"
	rm -rf full left
	mkdir full left
	# shellcheck disable=SC2016 # for the other shell
	expect_status 1 unshare -m sh -c '
		mount -t tmpfs -o size=$1k none full && cd full || exit 99
		shift
		"$@" -- sh -c "while :; do :; done"
		status=$?
		cp -a . ../left
		exit $status' sh "$1" "$PMSCOPE" record -F 2000 --data-size=64K \
		-e '{cpu-clock,page-faults}:Su' "${@:2}"
}

# whole FILE OPTION: what is in it is read; perf does so, too, unless it is packed.
whole() {
	local samples
	samples=$(whole_samples "$1")
	expect_eq "$(grep -c '^group,' out || :)" "$samples" "samples of $1, $2"
	note "$2: $samples samples in ${1#left/}"
	[[ $1 != *.zst ]] || return 0
	expect_status 0 perf report -i "$1" --stats
	expect_no_match 'size field is 0' err
	expect_eq "$(samples_of "$1")" "$samples" "samples by perf, $2"
	expect_match '^# hostname : ' <(perf report -i "$1" --header-only)
}

# A header, and features if there was room for them, but nothing else
has_no_records() {
	[ "$(stat -c %s "$1")" -lt 4096 ] && [[ $("$PMSCOPE" script "$1" 2>&1) = \
		*@('nothing was recorded'|'its size is 0')* ]]
}

# The error names the file, and all whole records are read: by perf, too. The file
# that was completed while there was no room for the next one is whole; the next one
# may have no room for a single record.
test_a_disk_that_is_full() {
	need_perf_events
	command -v perf python3 >/dev/null || skip "no perf or no python3"
	local option file
	for option in '128 -o m' '48 -z -o m' '48 -o m.zst' \
		'256 --switch-output=40K -o m'; do
		# shellcheck disable=SC2086
		on_full_disk $option
		expect_match "^pmscope: ${option#*-o }: No space left on device; .*--max-size" err
		mv err said
		for file in left/m*; do
			if [[ $file = *.zst ]]; then
				expect_error ': cut short inside a frame' script --format=csv "$file"
			elif [ ! -s "$file" ] || { [[ $option = *switch* ]] &&
				[ "$file" = left/m ] && has_no_records "$file"; }; then
				continue
			else
				works script --format=csv "$file"
			fi
			whole "$file" "$option"
		done
	done
	expect_true "$(grep -c 'is complete' said) >= 1" "files that are whole"
}

# A limit of the shell is as a full disk.
test_a_limit_of_file_sizes() {
	need_perf_events
	command -v perf python3 >/dev/null || skip "no perf or no python3"
	local option
	for option in '' -z; do
		# shellcheck disable=SC2016
		expect_status 1 sh -c 'ulimit -f 64; exec "$@"' sh \
			"$PMSCOPE" record -F 5000 $option -o m \
			-e '{cpu-clock,page-faults}:Su' -- \
			sh -c 'while :; do :; done'
		expect_match '^pmscope: m: File too large; ' err
		works script --format=csv m
		whole m "ulimit $option"
	done
}

# A program that maps new files, not faster than the recorder reads the records (when
# it answers twice, it has), and waits for files that have the number of those.
mapping() {
	cat <<-'END'
	import mmap, os, time

	top = os.getcwd()
	commands, answers = (os.open(n, os.O_RDWR) for n in ('commands', 'answers'))
	for i in range(10):
	    os.mkdir('d' * 200)
	    os.chdir('d' * 200)
	for i in range(4000):
	    name = os.getcwd() + '/file%06d' % i
	    os.link(top + '/elf', name)
	    file = os.open(name, os.O_RDONLY)
	    mmap.mmap(file, 4096, mmap.MAP_PRIVATE,
	              mmap.PROT_READ | mmap.PROT_EXEC).close()
	    os.close(file)
	    for turn in range(2 if i % 400 == 399 else 0):
	        os.write(commands, b'ping\n')
	        os.read(answers, 4)
	    if i + 1 in (1200, 4000):
	        open('%s/has%d' % (top, i + 1), 'w').close()
	        while not os.path.exists('%s/go%d' % (top, i + 1)):
	            time.sleep(.01)
	END
}

# resident PID N: kB without the rings, when N files are mapped and the recorder has read that
resident() {
	wait_until "$2 files are mapped" test -e "has$2"
	awk '/^RssAnon/ { print $2 }' "/proc/$1/status"
	touch "go$2"
}

# With the names of 2800 files more, which are 2000 bytes each, memory is the same;
# each has its build-id in the file.
test_memory_does_not_grow_with_mapped_files() {
	need_perf_events
	command -v python3 >/dev/null || skip "no python3"
	local before after
	cp "$(type -P true)" elf
	mapping >maps.py
	mkfifo commands answers
	"$PMSCOPE" record --data-size=2M --control=fifo:commands,answers \
		-o many -e cs:u -- python3 maps.py 2>said &
	before=$(resident $! 1200)
	after=$(resident $! 4000)
	wait $! || fail "$(cat said)"
	note "memory: $before kB, then $after kB"
	expect_true "$after < $before + 3500" "$before kB, then $after kB"
	cat >count.py <<-'END'
	import re

	name = re.compile(rb'/file(\d{6})\0')
	data, found, at = open('many', 'rb').read(), set(), 0
	ids = b'C\0\0\0\2\x80'  # PERF_RECORD_HEADER_BUILD_ID of a user's file
	while (at := data.find(ids, at)) >= 0:
	    size = int.from_bytes(data[at + 6:at + 8], 'little')
	    found.update(name.findall(data[at:at + size]))
	    at += 8
	print(len(found))
	END
	expect_eq "$(python3 count.py)" 4000 "files with build-ids; $(cat said)"
	expect_status 0 perf report -i many --stats
}

test_compression_that_is_refused() {
	local arg
	for arg in -z0 -z23 -zz --compression-level=; do
		expect_status 1 "$PMSCOPE" record $arg -e cs -o none -- true
		expect_match 'is not a valid LEVEL for --compression-level: 1 to 22' err
	done
	expect_error '^pmscope: -z cannot be combined with -o -; pipe the rec' record -z -o - -e cs -- true
	[ ! -e none ] || fail "a file is left"
}

# The sanitizers have memory of their own.
applies() {
	[ "$1" != memory_does_not_grow_with_mapped_files ] ||
		! grep -q __asan_init "$PMSCOPE"
}

ktap_main "$@"
