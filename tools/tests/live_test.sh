#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record, regs, doctor and driver; and how stat and record end.
# shellcheck disable=SC2016,SC2094 # programs for sh -c; several outputs
# shellcheck source=tools/tests/live.sh
. "$(dirname "$0")/live.sh"

test_record_is_read_back() {
	need_perf_events
	expect_status 5 "$PMSCOPE" record -e '{cpu-clock,page-faults}:Su' -F 5000 \
		-i -o a.data -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exit 5'
	expect_match 'a.data: .* snapshots or samples' err
	expect_status 0 "$PMSCOPE" script --format=jsonl a.data
	expect_match '"comm":"sh"' out
	expect_match '\{"event":"page-faults","value":[0-9]+\}' out
}

# A copy has another date; in a file and in a pipe.
test_record_knows_its_date() {
	need_perf_events
	local date
	date=$(date -u +%F)
	"$PMSCOPE" record -e task-clock -o f -- true 2>err || fail "$(cat err)"
	"$PMSCOPE" record -e task-clock -o - -- true >g 2>err || fail "$(cat err)"
	touch -d 2001-01-01 f g
	expect_status 0 "$PMSCOPE" export --format=parquet -o lake f g
	expect_no_match 'does not tell its date' err
	expect_eq "$(find lake -path "*/date=$date/*.parquet" | wc -l)" 12 parts
	expect_eq "$(find lake -name '*.parquet' | wc -l)" 12 'all parts'
}

test_record_pipe_keeps_the_programs_output_out() {
	need_perf_events
	expect_status 0 "$PMSCOPE" record -e cpu-clock:u -F 5000 -o - -- \
		sh -c 'echo hello; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	expect_match hello err
	mv out a.pipe
	expect_status 0 "$PMSCOPE" script --format=jsonl a.pipe
}

# A program that runs until it is ended, or the file `go` appears; or so long
# that it would be noticed.
ENDLESS='echo $$ >pid.new; mv pid.new pid
	for turn in $(seq 6000); do [ ! -e go ] || exit 5; sleep 0.01; done'

# in_background CMD...: CMD with ENDLESS as its program, which runs already.
in_background() {
	rm -f pid
	"$@" sh -c "$ENDLESS" >out 2>err &
	wait_until "the program runs" test -e pid
}

# Whatever ends the tool ends the program too, and the file is whole. Whoever runs
# the tests may ignore SIGHUP, which is obeyed.
test_record_ends_with_a_signal() {
	need_perf_events
	local signal status
	local tool=(env --default-signal=HUP "$PMSCOPE")
	for signal in INT:130 TERM:143 HUP:129; do
		in_background "${tool[@]}" record -q -e cs:u -o s.data --
		status=0
		kill -"${signal%:*}" $!
		wait $! || status=$?
		expect_eq $status "${signal#*:}" "status after ${signal%:*}"
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
		expect_status 0 "$PMSCOPE" script s.data
	done
	in_background "${tool[@]}" stat -o stat -e cs:u --
	kill -HUP $!
	expect_status 129 wait $!
	expect_match 'cs' stat
}

# ends_soon PID: the tool does; else it is ended here, and the program it waits for.
ends_soon() {
	local turn
	for turn in $(seq 50); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL "$1" "$(cat pid)"
	fail "the tool still runs in turn $turn"
}

# The first asks the program, the second does not.
# The program ends with the recording, whose status is 0, and the file is whole.
test_record_ends_by_itself() {
	need_perf_events
	local limit
	for limit in --duration=0.3 --duration=0.005m --max-size=20K; do
		rm -f pid
		expect_status 0 "$PMSCOPE" record $limit -e cpu-clock:u -F 5000 \
			-o l.data -- sh -c "echo \$\$ >pid; while :; do :; done"
		expect_match "^pmscope: recording ended: .* \(${limit%=*}\)$" err
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
		expect_status 0 "$PMSCOPE" script l.data
	done
	expect_true "$(stat -c %s l.data) >= 20480" "size"
	# A program that ends earlier ends the recording, with its own status.
	expect_status 5 "$PMSCOPE" record --duration=1h --max-size=1G -e cs:u \
		-o l.data -- sh -c 'exit 5'
	expect_no_match 'recording ended' err
}

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
		expect_status 0 "$PMSCOPE" report "$file"
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
	expect_status 1 "$PMSCOPE" record --switch-output=1M -o /dev/null -e cs \
		-- true
	expect_match '/dev/null is not a regular file' err
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
		expect_status 0 "$PMSCOPE" record $option -F 10000 \
			-e '{cpu-clock,page-faults}:Su' -- \
			sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
		all=$(sed -n 's/.* MB, \([0-9]*\) snapshots or samples$/\1/p' err)
		size=$(($(stat -c %s z*) / all))
		file=z
		if [ -e z.zst ]; then
			file=z.zst
			zstd -q -d z.zst -o z
		fi
		expect_eq "$(samples_of z)" "$all" "samples by perf of $option"
		expect_status 0 "$PMSCOPE" report --format=jsonl $file
		expect_eq "$(jq -s '.[0].groups' out)" "$all" \
			"samples by report of $option"
		if [ $plain = 0 ]; then plain=$size; fi
		[ $plain = "$size" ] || expect_true "$size <= $plain / 3" \
			"bytes per sample of $option"
	done
	expect_status 0 "$PMSCOPE" script --format=csv z
	mv out plain
	expect_status 0 "$PMSCOPE" script --format=csv z.zst
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
				expect_status 1 "$PMSCOPE" script --format=csv "$file"
				expect_match ': cut short inside a frame' err
			elif [ ! -s "$file" ] || { [[ $option = *switch* ]] &&
				[ "$file" = left/m ] && has_no_records "$file"; }; then
				continue
			else
				expect_status 0 "$PMSCOPE" script --format=csv "$file"
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
		expect_status 0 "$PMSCOPE" script --format=csv m
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
	expect_status 1 "$PMSCOPE" record -z -o - -e cs -- true
	expect_match '^pmscope: -z cannot be combined with -o -; pipe the rec' err
	[ ! -e none ] || fail "a file is left"
}

test_limits_that_are_none() {
	local arg
	for arg in --duration=0 --duration=1x --duration=-1 --duration=1.5. \
		--duration=5ms --duration= --duration=99999d --max-size=0 \
		--max-size=K --max-size=-1 --max-size=2000G --max-size=4Q; do
		expect_status 1 "$PMSCOPE" record "$arg" -e cs -o none -- true
		expect_match "is not a valid .* for ${arg%=*}: " err
		[ ! -e none ] || fail "a file with $arg"
	done
}

test_a_second_signal_ends_what_does_not_listen() {
	need_perf_events
	local ENDLESS="trap '' INT TERM; $ENDLESS" tool
	for tool in 'stat -o stat' 'record -q -o s.data'; do
		# shellcheck disable=SC2086
		in_background "$PMSCOPE" $tool -e cs:u --
		kill -INT $!
		wait_until "it tells why it waits" grep -q 'another signal' err
		kill -0 "$(cat pid)" || fail "the first signal is enough"
		kill -INT $!
		ends_soon $!
		expect_status 130 wait $!
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
	done
	expect_status 0 "$PMSCOPE" script s.data
	expect_match 'cs' stat
}

# Shells and terminals may send the same one twice: the program has its time.
test_signals_at_once_are_one() {
	need_perf_events
	local ENDLESS="trap 'sleep 0.4; touch tidy; exit' TERM; $ENDLESS"
	in_background "$PMSCOPE" stat -o stat -e cs:u --
	kill -TERM $!
	sleep 0.1
	kill -HUP $!
	ends_soon $!
	expect_status 143 wait $!
	[ -e tidy ] || fail "the program was killed"
}

# A stopped program gets the signal when it continues.
test_a_signal_ends_what_is_stopped() {
	need_perf_events
	in_background "$PMSCOPE" stat -o stat -e cs:u --
	kill -STOP "$(cat pid)"
	kill -TERM $!
	ends_soon $!
	expect_status 143 wait $!
	! kill -0 "$(cat pid)" 2>/dev/null || fail "the program is still there"
}

# An error of the tool ends the program like a signal does.
test_a_signal_after_an_error() {
	need_perf_events
	local ENDLESS="trap '' INT TERM; $ENDLESS"
	in_background "$PMSCOPE" record -F 5000 -e cpu-clock \
		-o >(until [ -e pid ]; do sleep 0.1; done) --
	wait_until "it tells why it waits" grep -q 'another signal' err
	kill -TERM $!
	ends_soon $!
	expect_status 1 wait $!
	! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
}

# SIGUSR2 asks perf for something that was not asked for; nohup is obeyed.
test_record_goes_on_after_other_signals() {
	need_perf_events
	in_background nohup "$PMSCOPE" record -q -e cs:u -o s.data --
	kill -HUP $!
	kill -USR2 $!
	touch go
	expect_status 5 wait $!
}

test_record_into_a_pipe_that_nobody_reads() {
	need_perf_events
	{
		"$PMSCOPE" record -q -F 5000 -e cpu-clock -o - -- \
			sh -c "$ENDLESS" 2>err || echo $? >status
	} | head -c 8 >begin
	expect_eq "$(cat status)" 1 "status"
	expect_match 'pmscope: -: Broken pipe' err
}

# A closed output ends counting, and is no error.
test_intervals_that_nobody_reads() {
	need_perf_events
	local to
	for to in '-o -' '-x,'; do
		rm -f pid
		{
			# shellcheck disable=SC2086
			"$PMSCOPE" stat -I 20 $to -e cs -- sh -c "$ENDLESS" \
				2>&1 || echo $? >status
		} | { head -n 2 >begin && wait_until "it runs" test -e pid; }
		expect_eq "$(cat status)" 141 "status with $to"
		! kill -0 "$(cat pid)" 2>/dev/null || fail "the program runs on"
	done
	{
		"$PMSCOPE" stat -I 20 -o - -e cs -- sh -c "$ENDLESS" 2>err ||
			true
	} | head -n 2 >begin
	expect_eq "$(cat err)" "" "words of error"
}

# The program sets the duration, as in perf.
test_tasks_for_as_long_as_a_program_runs() {
	need_perf_events
	sleep 100 &
	local task=$!
	expect_status 3 "$PMSCOPE" record -q -e cs:u -p $task -o p.data -- \
		sh -c 'exit 3'
	expect_status 4 "$PMSCOPE" stat -o stat -e cs:u -t $task -- sh -c 'exit 4'
	kill $task
}

is_zombie() { grep -q '^State:.*Z' "/proc/$1/status"; }

# Its parent, the last started task, no longer waits for it.
zombie() {
	sh -c '(while ! grep -q sleep /proc/$$/comm; do sleep 0.01; done) &
		echo $! >zombie.new; mv zombie.new zombie; exec sleep 100' &
	wait_until "there is a task" test -e zombie
	wait_until "it has ended" is_zombie "$(cat zombie)"
}

# What a thread may do between the list of /proc and perf_event_open(2).
test_tasks_that_have_ended_are_left_out() {
	need_perf_events
	local gone
	zombie
	gone=$(cat zombie)
	expect_status 1 "$PMSCOPE" record -q -e cs:u -p "$gone" -o p.data -- true
	expect_match "task $gone has ended" err
	expect_status 0 "$PMSCOPE" record -q -e cs:u -p "$gone,$!" -o p.data -- \
		true
	expect_status 0 "$PMSCOPE" record -q -e cs:u --per-thread \
		-p "$gone,$!" -o p.data -- true
	expect_status 1 "$PMSCOPE" stat -e cs:u -p "$gone" -- true
	expect_match "task $gone has ended" err
	expect_status 0 "$PMSCOPE" stat -e '{cs:u},{faults:u,cs:u}' \
		-p "$gone,$!" -x, -o counts -- true
	expect_eq "$(wc -l <counts)" 3 "counts of the task that runs"
	kill $!
}

# Until the last of them has ended, though the task itself has long before.
test_record_goes_on_with_what_the_tasks_begin() {
	need_perf_events
	sh -c 'until [ -e go ]; do sleep 0.01; done
		(until [ -e end ]; do sleep 0.01; done) &' &
	local task=$! record
	"$PMSCOPE" record -q -e cs:u -p $task -o c.data 2>err &
	record=$!
	wait_until "it records" test -s c.data -o -s err
	touch go
	wait $task
	sleep 0.5
	kill -0 $record 2>/dev/null || fail "it has ended with the task"
	touch end
	wait $record || fail "$(cat err)"
}

# Many groups make its /proc entry long.
test_record_names_a_task_of_many_groups() {
	need_perf_events
	setpriv --groups "$(seq -s, 100000 101000)" sh -c "
		echo >ready; while [ -e ready ]; do :; done" 2>err &
	local task=$!
	wait_until "the task runs" test -e ready -o -s err
	[ ! -s err ] || skip "no groups for this user"
	expect_status 0 "$PMSCOPE" record -q -F 2000 -e '{cpu-clock,cs}:Su' \
		-p $task -o g.data -- sh -c "
		ticks() { cut -d ' ' -f 14 /proc/$task/stat; }
		begin=\$(ticks)
		until [ \$((\$(ticks) - begin)) -ge 20 ]; do sleep 0.05; done"
	rm ready
	wait $task
	"$PMSCOPE" script g.data >printed
	expect_match '^sh ' printed
	expect_no_match '^\?' printed
}

# samples_after MS: samples of a program that takes some hundred ms, and its
# names
samples_after() {
	expect_status 0 "$PMSCOPE" record -q -F 5000 -e "{cpu-clock,cs}:Su" -D "$1" \
		-o d.data -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
	"$PMSCOPE" script d.data >printed
	wc -l <printed
}

# Names and mappings are recorded from the start, samples later.
test_record_starts_late() {
	need_perf_events
	expect_eq "$(samples_after 100000)" 0 "samples that come too early"
	grep -q libc d.data || fail "no mappings of the time before"
	expect_true "$(samples_after 1) > 10" "samples"
}

# While the file's beginning, which tells what there is, waits in a pipe, a
# process that is already told of becomes another. The rings have room for what
# else the machine does meanwhile.
test_record_sees_what_begins_while_it_begins() {
	need_system_wide
	local others=() recorder i
	mkfifo go pipe
	cp "$(command -v bash)" other
	bash -c 'read -r _ <go; exec ./other -c "while :; do :; done"' &
	others=($!)
	for i in {1..60}; do
		sleep 60 &
		others+=($!)
	done
	"$PMSCOPE" record -q -a -d -e '{cpu-clock,page-faults}:S' -F 1000 -m 32M \
		-o pipe -- sleep 0.5 &
	recorder=$!
	exec 3<pipe
	for ((i = 0; i < 100; i++)); do
		! grep -qs pipe_write "/proc/$recorder/wchan" || break
		sleep 0.1
	done
	echo >go
	sleep 0.2
	cat <&3 >a.data
	exec 3<&-
	wait "$recorder" || fail "record fails"
	kill "${others[@]}"
	"$PMSCOPE" script --format=csv -F comm,tid a.data >out
	expect_match "^other,${others[0]}$" out
	! grep -q "^bash,${others[0]}$" out || fail "the name of before"
}

# allowed_cpus: those that this process may use, a line each
allowed_cpus() {
	local first last
	taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
		while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done
}

# A task that started on a CPU that is not recorded has a name where it moves
# to.
test_record_knows_tasks_that_come_from_other_cpus() {
	need_system_wide
	local cpus
	mapfile -t cpus < <(allowed_cpus)
	[ ${#cpus[@]} -gt 1 ] || skip "one CPU"
	expect_status 0 "$PMSCOPE" record -q -C "${cpus[0]}" \
		-e '{cpu-clock,page-faults}:Su' -F 5000 -o a.data -- \
		taskset -c "${cpus[1]}" bash -c \
		"taskset -cp ${cpus[0]} \$\$ >/dev/null
		for ((i = 0; i < 100000; i++)); do :; done; echo \$\$ >pid"
	"$PMSCOPE" script --format=csv -F comm,pid a.data >out
	expect_match "^bash,$(cat pid)$" out
}

# BPF programs that appear, and the period of each sample with a frequency.
test_record_asks_for_what_perf_does() {
	need_perf_events
	perf --version >/dev/null 2>&1 || skip "no perf"
	expect_status 0 "$PMSCOPE" record -q -e cs:u -o a.data -- true
	perf evlist -v -i a.data >events 2>err
	expect_match 'dummy:u: .*ksymbol: 1' events
	expect_match 'cs:u: .*sample_type: [A-Z|]*PERIOD' events
}

# record_stopped OPTION... -- [COMMAND...]: the tool is stopped until the
# program, bash, has ended: no record follows what was lost.
record_stopped() {
	local recorder child i
	# shellcheck disable=SC2016
	"$PMSCOPE" record -e page-faults:u -c 1 -m 1 -o a.data "$@" \
		bash -c 'kill -STOP $PPID; printf -v x "%*s" 40000000 ""' 2>err &
	recorder=$!
	for ((i = 0; i < 300; i++)); do
		read -r child </proc/$recorder/task/$recorder/children || :
		! grep -qs '^State:.*zombie' "/proc/${child:-none}/status" || break
		sleep 0.1
	done
	kill -CONT "$recorder"
	wait "$recorder" || fail "record fails"
	expect_match 'warning: [0-9]{4,} records lost' err
}

test_record_tells_what_was_lost_at_the_end() {
	need_perf_events
	record_stopped -i --
	expect_status 0 "$PMSCOPE" script a.data
	expect_match '^pmscope: [0-9]{4,} samples lost' err
}

test_what_was_lost_at_the_end_tells_its_cpu() {
	need_perf_events
	local cpu
	cpu=$(allowed_cpus | tail -n 1)
	record_stopped -- taskset -c "$cpu"
	perf script -D -i a.data 2>err | grep LOST_SAMPLES >lost
	expect_match "^$cpu .*PERF_RECORD_LOST_SAMPLES" lost
}

# The kernel lowers its limit at any time; perf record does so, too. No clock: a slow
# machine does nothing but serve a timer that is as fast.
test_more_samples_a_second_than_the_kernel_allows() {
	need_perf_events
	local max=/proc/sys/kernel/perf_event_max_sample_rate
	max=$(cat $max)
	expect_status 0 "$PMSCOPE" record -q -F $((max + 1)) -e cs:u \
		-o f.data -- true
	expect_match "warning: -F $((max + 1)) .*: sampling $max times a second" err
}

test_sizes_in_pages() {
	need_perf_events
	local size
	for size in 16 '16,32' ',4M' '64K,1M' 3; do
		expect_status 0 "$PMSCOPE" record -q -e cs:u -m $size -o m.data -- true
	done
	for size in '' ',' 0 '16,' x '16,x' 16:; do
		expect_status 1 "$PMSCOPE" record -q -e cs:u -m "$size" -- true
	done
}

test_cpus_that_are_not_there() {
	need_system_wide
	expect_status 0 "$PMSCOPE" stat -o stat -C 0,1022-1023 -e cs -- true
	expect_match "skipping 2 offline CPUs of '0,1022-1023'" err
}

test_record_is_read_by_perf() {
	need_perf_events
	perf --version >/dev/null 2>&1 || skip "no perf"
	expect_status 0 "$PMSCOPE" record -e '{cpu-clock,page-faults}:Su' -F 5000 \
		-i -o a.data -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	perf script -i a.data >script 2>err
	expect_match ' sh +[0-9]+ .* cpu-clock' script
	expect_match ' sh +[0-9]+ .* page-faults' script
	perf report --header-only -i a.data >header 2>err
	expect_match "^# hostname : $(uname -n)" header
	expect_match '^# cmdline : .*record' header
	expect_match '^# group: .*\{cpu-clock,page-faults\}' header
	perf buildid-list -i a.data >ids 2>err
	expect_match '^[0-9a-f]{40} ' ids
}

nodes() {
	perf report -I --header-only -i "$1" 2>err |
		sed -n '/^# memory nodes/,/^#  *[0-9]* \[/p; /cpu list/p'
}

# Every other CPU of some thousands.
test_record_knows_the_cpus_of_large_nodes() {
	need_perf_events
	local file=/sys/devices/system/node/node0/cpulist
	[ -e $file ] || skip "no NUMA nodes here"
	unshare -m true 2>/dev/null || skip "no mounts for this user"
	seq -s, 0 2 2500 >list
	expect_status 0 unshare -m sh -c "mount --bind list $file && exec \
		$PMSCOPE record -q -e cs:u -o a.data -- true"
	grep -qaF "$(cat list)" a.data || fail "the list is not in the file"
}

# perf reads memory nodes and their CPUs like its own.
test_record_knows_the_memory_of_nodes() {
	need_perf_events
	[ -e /sys/devices/system/memory/block_size_bytes ] ||
		skip "the kernel does not tell blocks of memory"
	perf record -q -e cpu-clock:u -o b.data true 2>err ||
		skip "no perf: $(head -n 1 err)"
	expect_status 0 "$PMSCOPE" record -q -e cs:u -o a.data -- true
	nodes b.data >theirs
	[ -s theirs ] || skip "this perf does not tell nodes"
	nodes a.data >ours
	expect_eq "$(cat ours)" "$(cat theirs)" nodes
}

test_record_keeps_an_old_file() {
	need_perf_events
	echo old >a.data
	expect_status 0 "$PMSCOPE" record -q -e cs -o a.data -- true
	expect_eq "$(cat a.data.old)" old "kept file"
	mkdir b.data.old
	echo old >b.data
	expect_status 1 "$PMSCOPE" record -q -e cs -o b.data -- true
	expect_match 'b.data.old is a directory' err
	expect_eq "$(cat b.data)" old "file that cannot be kept"
}

# tell COMMAND: sends it to the recorder, and waits until it is done.
tell() {
	local answer
	echo "$1" >&"$ctl"
	read -r -t 60 answer <&"$ack" || fail "no answer to $1: $(cat err)"
	expect_eq "$answer" ack "the answer to $1"
}

# controlled: records an endless program until it is told to stop.
controlled() {
	mkfifo commands answers
	exec {ctl}<>commands {ack}<>answers
	"$PMSCOPE" record -D -1 --control=fifo:commands,answers -e cpu-clock \
		-c 100000 -o data -- sh -c 'while [ -e commands ]; do :; done' 2>err &
	pid=$!
}

samples() {
	"$PMSCOPE" script -i data 2>&1 |
		grep -oE '[0-9]+ samples of other events' | grep -oE '^[0-9]+'
}
has_samples() { [ "$(samples)" -gt 0 ] 2>/dev/null; }

test_a_controller_starts_and_stops_events() {
	need_perf_events
	local pid ctl ack
	controlled
	tell ping
	tell evlist
	expect_match '^cpu-clock$' err
	tell 'evlist -F'
	expect_match '^cpu-clock: sample_period=100000$' err
	! has_samples || fail "samples of events that are disabled"
	tell enable
	wait_until "samples" has_samples
	tell disable
	tell 'enable cpu-clock'
	tell stop
	wait "$pid" || fail "status $? after stop: $(cat err)"
	has_samples || fail "no samples"
}

test_a_controller_that_sends_anything() {
	need_perf_events
	local pid ctl ack
	controlled
	# As with perf, only the second command is acknowledged.
	echo bogus >&"$ctl"
	tell ping
	expect_match "unknown command 'bogus'; valid commands: enable," err
	tell 'enable nothing'
	expect_match "no event 'nothing' is recorded" err
	head -c 100000 /dev/zero | tr '\0' x >&"$ctl"
	echo >&"$ctl"
	printf 'pi' >&"$ctl"
	tell ng
	expect_match 'a command of more than 511 bytes was ignored' err
	expect_no_match "command 'ng'" err
	tell stop
	wait "$pid" || fail "status $? after stop: $(cat err)"
	! read -r -t 0 <&"$ack" || fail "an answer to what is no command"
	has_samples && fail "samples, and no event was enabled"
	return 0
}

# Descriptors as perf has them; the program must not inherit them.
test_control_by_descriptors() {
	need_perf_events
	printf 'ping\nstop\n' >commands
	exec 8<commands 9>answers
	expect_status 0 "$PMSCOPE" record -q --control=fd:8,9 -e cpu-clock \
		-o data -- sh -c '{ echo open >&9; } 2>/dev/null; sleep 100'
	exec 8<&- 9>&-
	expect_eq "$(cat answers)" "$(printf 'ack\nack')" "answers"
}

# switches_of PID: how often it has waited
switches_of() { awk '/^voluntary/ { print $2 }' "/proc/$1/status"; }
has_waited() { [ "$(switches_of "$1")" -ge "$2" ]; }

# Where there are no more commands, or will never be any, the recorder waits for
# the rings only: it does not ask again and again.
test_control_whose_end_is_there() {
	need_perf_events
	local before
	echo ping >commands
	"$PMSCOPE" record -q --control=fd:8 -e cs:u -o d -- sleep 1000 8<commands &
	wait_until "it waits" has_waited $! 3
	before=$(switches_of $!)
	wait_until "it waits again" has_waited $! $((before + 3))
	kill -INT $!
	expect_status 130 wait $!
}

test_control_that_cannot_be() {
	local option
	for option in x fd: fd:x fd:77 fifo:none fifo:/dev/null fd:0,77; do
		expect_status 1 "$PMSCOPE" record --control="$option" \
			-e cpu-clock -o data -- true
		expect_match '--control' err
	done
	expect_status 1 "$PMSCOPE" record -D -1 -e cpu-clock -o data -- true
	expect_match '--delay=-1 requires --control' err
	expect_status 1 "$PMSCOPE" record --delay=4294967295 -- true
	[ ! -e data ] || fail "a file was begun"
}

test_record_refuses_what_makes_no_sense() {
	local option command
	expect_status 1 "$PMSCOPE" record --no-spe -- true
	expect_status 1 "$PMSCOPE" record -u -k -- true
	expect_status 1 "$PMSCOPE" record --per-thread -a -- true
	expect_status 1 "$PMSCOPE" record -e cs -c 0 -- true
	expect_match "record: '0' is not a valid N for --count" err
	expect_status 1 "$PMSCOPE" record -e cs -F 0 -- true
	expect_status 1 "$PMSCOPE" record --max-loss=101 -- true
	expect_match '--max-loss=101: .* at most 100 percent' err
	expect_status 1 "$PMSCOPE" record --totals --max-loss=5 -- true
	expect_match 'cannot be combined with --max-loss' err
	expect_status 1 "$PMSCOPE" record --aux-size=3M -- true
	expect_match "'3M' is not a valid SIZE .*: a power of two, one page to 1024G$" err
	expect_status 1 "$PMSCOPE" record -m 0 -- true
	expect_match "'0' is not a valid DATA.*: pages, .* one page to 1024G$" err
	expect_status 1 "$PMSCOPE" record -e cs -o /nonexistent/x -- true
	expect_status 1 "$PMSCOPE" record -e cycels -- true
	expect_match "event 'cycels': unknown" err
	for option in --output --cgroup --input; do
		command=$([ $option = --input ] && echo report || echo record)
		expect_status 1 "$PMSCOPE" "$command" $option=
		expect_match "'' is not a valid [A-Z]* for $option$" err
	done
}

# The sanitizers come before what is preloaded, and have memory of their own.
applies() {
	case $1 in
	record_on_older_kernels | memory_does_not_grow_with_mapped_files)
		! grep -q __asan_init "$PMSCOPE"
		;;
	esac
}

# Like Linux 5.11 and older, without build-ids of mappings.
test_record_on_older_kernels() {
	need_perf_events
	cat >older.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <linux/perf_event.h>
	#include <sys/syscall.h>

	long syscall(long nr, struct perf_event_attr *attr, long a, long b,
		     long c, long d)
	{
		long (*next)(long, ...) = dlsym(RTLD_NEXT, "syscall");

		if (nr != SYS_perf_event_open || !attr->build_id)
			return next(nr, attr, a, b, c, d);
		errno = EINVAL;
		return -1;
	}
	END
	cc -shared -fPIC -o older.so older.c 2>err || skip "no compiler"
	LD_PRELOAD=$PWD/older.so expect_status 0 "$PMSCOPE" record -e cs \
		-o data -- sleep 0.01
	expect_status 0 "$PMSCOPE" report -i data
}

test_record_tells_what_it_has_no_memory_for() {
	local size
	export ASAN_OPTIONS=allocator_may_return_null=1
	need_perf_events
	for size in --data-size=512G --mmap-pages=512G; do
		expect_status 1 "$PMSCOPE" record -e cs -o data $size -- true
		expect_match '^pmscope: cannot map 536870912 KiB for records: .*; use a smaller size$' err
	done
}

test_record_of_what_is_no_control_group() {
	need_system_wide
	expect_status 1 "$PMSCOPE" record -e cs -o data -G /sys/kernel -- true
	expect_match 'the directory of --cgroup is not a control group$' err
	expect_status 1 "$PMSCOPE" record -e cs -o data -G /not-there -- true
	expect_match "control group '/not-there': /.*/not-there: No such file" err
}

# refuses REGEX COMMAND...: before anything is measured
refuses() {
	expect_status 1 "$PMSCOPE" "${@:2}"
	expect_match "$1" err
	expect_eq "$(wc -l <err)" 1 "lines of error"
}

# Refuse options that would have no effect.
test_options_that_would_have_no_effect() {
	local option
	for option in --loads --stores --branches --min-latency=5 \
		--event-filter=2 --source=dram --filter=op=load --no-jitter \
		--physical --totals --max-loss=5; do
		refuses "${option%%=*} .*(--no-spe|requires SPE)" record "$option" --no-spe \
			-s cs -- true
	done
	for option in --loads --stores --branches --min-latency=5 \
		--event-filter=2 --source=dram --filter=op=load --no-jitter \
		--physical; do
		refuses "${option%%=*} .* -e" record "$option" -e cs -- true
	done
	for option in --max-loss=5 --totals; do
		refuses "${option%%=*} requires SPE" record $option -e cs -- true
	done
	refuses '-c applies to' record -c 5 --no-spe -s cs -- true
	refuses '-c and -F are mutually' record -F 500 -c 3 -e cs -- true
	refuses '--per-thread' record --per-thread -G / -e cs -- true
	refuses '-j and -x are mutually' trace -j -x, main -- true
	refuses '--module' driver --module=x.ko status
}

test_record_without_spe_says_so() {
	ls /sys/bus/event_source/devices/arm_spe_0 >/dev/null 2>&1 &&
		skip "this machine has SPE"
	expect_status 1 "$PMSCOPE" record -- true
	expect_match 'no SPE PMU' err
}

test_doctor_on_any_machine() {
	status=0
	"$PMSCOPE" doctor >out || status=$?
	expect_true "$status == 0 || $status == 1" "status $status"
	expect_match '^(ok|info) +machine +' out
	expect_match '^snapshots: (not )?usable' out
	"$PMSCOPE" doctor -j >out || true
	expect_match '^\{"snapshots":(true|false),"spe":(true|false)\}$' out
}

test_regs_decodes_a_saved_dump() {
	printf 'cpu1 PMSSCR_EL1 0x100000000\ncpu2 PMBSR_EL1 0x90020005\n' >dump
	expect_status 0 "$PMSCOPE" regs -i dump
	expect_match '^cpu1 +PMSSCR_EL1 .*NC=1 \(not captured\)' out
	expect_match 'PMBSR_EL1 .*EC=0x24 \(stage 1 abort\).*S=1' out
	expect_status 0 "$PMSCOPE" regs -j -C 2 -i dump
	expect_eq "$(wc -l <out)" 1 lines
	expect_match '"fields":\{"MSS2":"0x0","EC":"0x24"' out
	expect_status 1 "$PMSCOPE" regs -C 3,9 -i dump
	expect_match "no registers of CPUs '3,9'" err
	echo rubbish >>dump
	expect_status 1 "$PMSCOPE" regs -i dump
	expect_match '^pmscope: dump: line 3' err
}

test_regs_of_what_is_no_dump() {
	expect_status 1 "$PMSCOPE" regs -i .
	expect_eq "$(cat err)" 'pmscope: .: Is a directory' error
	expect_status 1 "$PMSCOPE" regs -i /dev/null
	expect_eq "$(cat err)" 'pmscope: /dev/null: no registers found' \
		error
	seq 100 >numbers
	expect_status 1 "$PMSCOPE" regs -i numbers
	expect_eq "$(wc -l <err)" 9 'lines of error'
	expect_match 'numbers: 92 more lines are not valid either$' err
}

test_driver_without_a_device() {
	grep -qs arm,statistical-profiling-extension-v1 \
		/sys/bus/platform/devices/*/of_node/compatible &&
		skip "this machine has an SPE device"
	ls -d /sys/bus/platform/devices/arm,spe-v1* >/dev/null 2>&1 &&
		skip "this machine has an SPE device"
	expect_status 3 "$PMSCOPE" driver use
	expect_status 1 "$PMSCOPE" driver
	expect_status 1 "$PMSCOPE" driver restart
	expect_match 'give one action: use, restore or status' err
	expect_status 3 "$PMSCOPE" driver --device nope status
	expect_match nope err
}

ktap_main "$@"
