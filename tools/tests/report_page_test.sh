#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope-report(1) tells of all that report prints for programs: each key of
# its JSON lines, each column of its CSV.
. "$(dirname "$0")/cli.sh"

PAGE=$TOOLS/../Documentation/reference/man/pmscope-report.1.rst

# Of a user process, of no process, and with physical addresses; one without an
# address.
trace() {
	three_loads
	store 04
	load 05 | sed 's/\xb2\x00\x90/\xb3\x00\x90/'
	load 06 | sed 's/\xb2.*\x9a\x01\x00//'
}

# SPE's own counts, groups of two PMUs, one of an event without a name; and FILE, a
# trace, the filter of SPE, and a software event. Numbers are as in pmscope/perfdata.h.
recording() {
	cat >write.py <<-'END'
	import struct, sys

	MMAP, COMM, SAMPLE, HEADER_ATTR, AUXTRACE_INFO, AUXTRACE = 1, 3, 9, 64, 70, 71
	EVENT_UPDATE, TIME_CONV, HEADER_FEATURE = 78, 79, 80
	SPE, SNAPSHOT, OTHER, CLOCK = 10, 20, 4, 1  # types of PMUs
	# IDENTIFIER, TID, TIME and CPU, and READ; GROUP and ID of a read, and times
	SAMPLED, READ, GROUP, TIMED = 0x10086, 0x10096, 12, 15

	def quads(*values):
	    return struct.pack('<%dQ' % len(values), *values)

	def words(*values):
	    return struct.pack('<%dI' % len(values), *values)

	def record(kind, *body):
	    body = b''.join(body)
	    sys.stdout.buffer.write(
	        struct.pack('<IHH', kind, 0, 8 + len(body)) + body)

	# A period of 1, context_switch and sample_id_all
	def attr(pmu, config, sampled, read, event):
	    record(HEADER_ATTR, words(pmu, 112),
	           quads(config, 1, sampled, read, 0x4040000, *[0] * 8, event))

	def snapshot(event, config, name):
	    attr(SNAPSHOT, config, READ, GROUP, event)
	    record(EVENT_UPDATE, quads(2, event),
	           b'pmu_snapshot/%s/' % name, bytes(8))

	def feature(number, *body):
	    record(HEADER_FEATURE, quads(number), *body)

	def head(event, time):  # thread 42 on CPU 1
	    return quads(event) + words(42, 42) + quads(time, 1)

	def group(time, *counts):  # the leader first
	    record(SAMPLE, head(counts[0][0], time), quads(len(counts)),
	           *(quads(value, event) for event, value in counts))

	trace = open(sys.argv[1], 'rb').read()
	behind = head(1, 1)[8:] + quads(1)
	sys.stdout.buffer.write(b'PERFILE2' + quads(16))
	attr(SPE, int(sys.argv[2]), SAMPLED, 0, 1)
	record(EVENT_UPDATE, quads(2, 1), b'arm_spe_0//'.ljust(16, b'\0'))
	snapshot(2, 0x4000, b'sample_pop')
	snapshot(3, 0x4001, b'sample_feed')
	snapshot(4, 0x4002, b'sample_filtrate')
	snapshot(5, 0x11, b'cpu_cycles')
	snapshot(6, 0x08, b'inst_retired')
	attr(OTHER, 1, READ, TIMED, 9)
	attr(CLOCK, int(sys.argv[3]), SAMPLED | 1, 0, 10)
	record(AUXTRACE_INFO, words(4, 0, SPE, 0, 1, 0))
	record(TIME_CONV, quads(0, 1, 0))
	feature(22, quads(1, 1 << 48, 1, 3, 1, 1, 1))  # 256 TiB on node 3
	feature(14, words(1, 3), quads(0, 0), words(4), b'0-3\0')  # CPUs 0 to 3
	for number, text in ((3, b'machine'), (4, b'6.12.1'), (5, b'6.1'),
	                     (6, b'aarch64'), (8, b'cpu')):
	    feature(number, words(16), text.ljust(16, b'\0'))
	feature(7, words(4, 4))  # CPUs available and online
	feature(10, quads(4096))
	feature(11, words(2, 8), b'perf\0\0\0\0', words(8), b'record\0\0')
	record(COMM, words(42, 42), b'worker\0\0', behind)
	record(MMAP, words(42, 42), quads(0x400000, 0x10000, 0),
	       b'/bin/worker'.ljust(16, b'\0'), behind)
	for time in 1, 3000, 6000:
	    group(time, (2, 1000), (3, 100), (4, 7), (5, 2 * time), (6, time))
	    record(SAMPLE, quads(10, 0x400100), head(10, time)[8:])
	    # It counted a quarter of the time.
	    record(SAMPLE, head(9, time), quads(1, 4 * time, time, 3 * time, 9))
	record(AUXTRACE, quads(len(trace), 0, 0), words(1, 0xffffffff, 1, 0))
	sys.stdout.buffer.write(trace)
	END
	python3 write.py "$@"
}

# All keys of --sort according to --help, in lists of an accepted length.
sort_lists() {
	"$PMSCOPE" report --help |
		sed -n 's/.*valid keys: //p' | tr ',' '\n' |
		xargs -n 8 | tr ' ' ','
}

# JSON lines of all views.
printed() {
	local view keys
	for view in --histogram --timeline --cachelines --header; do
		"$PMSCOPE" report --format=jsonl --midr=0x410fd0c0 $view full
	done
	"$PMSCOPE" report --format=jsonl loads
	"$PMSCOPE" report --format=jsonl --weight=time full
	"$PMSCOPE" report --format=jsonl --weight=time --sort=cpu gaps
	for keys in $(sort_lists); do
		"$PMSCOPE" report --format=jsonl --sort="$keys" full
		"$PMSCOPE" report --format=jsonl --sort="$keys" --raw bare
	done
}

# "TYPE KEY" for each key of JSON lines, "TYPE OBJECT.KEY" for a nested one;
# names of events are not keys.
flat() {
	awk '{
		rest = $0
		type = depth = 0
		while (match(rest, /^("([^"\\]|\\.)*"|[][{},:]|[^][{},:"]+)/)) {
			token = substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
			text = substr(token, 2, length(token) - 2)
			if (token == "{")
				path[++depth] = key
			else if (token == "}")
				key = path[depth--]
			else if (token ~ /^"/ && rest ~ /^:/) {
				key = text
				if (depth < 2)
					print type ? type : "any", key
				else if (path[2] != "events" && path[2] != "counts")
					print type, path[2] "." key
			} else if (token ~ /^"/ && key == "type" && !type)
				type = text
		}
	}' | sort -u
}

# The same for the man page: items, and emphasised words in them.
page_keys() {
	# shellcheck disable=SC2016 # backquotes of reStructuredText
	awk '
		/^(JSON lines|CSV)$/ { on = /JSON/; type = "any" }
		!on { next }
		/^$/ {
			if (items)
				within = ""
			items = ""
		}
		/^``/ {
			items = ""
			n = split($0, word, /``/)
			for (i = 2; i <= n; i += 2)
				if (word[i] ~ /^[a-z_0-9]+$/) {
					print type, within word[i]
					items = items " " word[i]
				}
			next
		}
		items == " type" && /"/ { split($0, word, "\""); type = word[2] }
		{
			count = split($0, word, "*")
			for (i = 2; i <= count; i += 2) {
				if (word[i] !~ /^[a-z_0-9]+$/)
					continue
				if (!items)
					within = word[i] "."
				n = split(items, item, " ")
				for (j = 1; j <= n; j++)
					print type, item[j] "." word[i]
			}
		}' <(sed 's/^\* \(``[^:]*``\): /\1\n  /' "$PAGE") |
		sed 's/^[a-z]* type$/any type/' | sort -u
}

recordings() {
	command -v python3 >/dev/null || skip "no python3"
	trace >bare
	recording bare 0 0 >full
	recording bare 0 2 >gaps # page faults, not a clock
	recording bare $((1 << 33)) 0 >loads # load_filter
}

test_recordings_are_whole() {
	recordings
	expect_output '6 SPE samples, 3 snapshots, 3 other groups of counters$' report full
	expect_match '^# Of 1000 operations one in 10.0 was sampled; 1 records' out
	expect_match '^# 0.500 instructions per cycle$' out
}

test_each_key_of_json_lines_is_reported() {
	recordings
	printed | flat >keys_of_tool
	sort_lists | tr ',' '\n' | sort >keys
	{ sed 's/^/row /' keys && page_keys; } | sort -u >told
	expect_eq "$(comm -23 keys_of_tool told | tr '\n' ';')" '' \
		"keys that the page lacks"
	note "$(wc -l <keys_of_tool) keys"
	# An emphasised word in an item need not be a key. A layout takes DWARF.
	grep -E '^[a-z]+ ([a-z_0-9]+|lost\..*)$' told |
		grep -vx 'line layout' >items
	expect_eq "$(comm -13 keys_of_tool items | tr '\n' ';')" '' \
		"keys of the page that nobody prints"
}

# columns VIEW: the columns in the man page, "samples,share,...".
columns() {
	sed -n '/^CSV$/,$p' "$PAGE" | tr '\n' ' ' | grep -o "A $1 has [^.]*\." |
		grep -o '\*[a-z_0-9]*\*' | tr -d '*' | paste -sd,
}

# header OPTION...
header() {
	"$PMSCOPE" report --format=csv "$@" full 2>/dev/null | head -n 1
}

test_each_column_of_csv_is_reported() {
	local keys
	recordings
	for keys in $(sort_lists); do
		expect_eq "$(header --histogram --sort="$keys")" \
			"$keys,$(columns row | sed 's/,clock_samples.*//')" "rows by $keys"
	done
	expect_eq "$(header --histogram --weight=time)" \
		"sym,dso,$(columns row | sed 's/,time_ns.*//')" "rows by time"
	expect_eq "$(header --cachelines)" "$(columns line)" lines
	expect_eq "$(header --timeline | sed 's/,pmu_snapshot.*//')" \
		"$(columns slice)" slices
}

ktap_main "$@"
