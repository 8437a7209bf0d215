#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmscope-sample without a CPU that could be sampled: its settings, what killed runs
# leave, the bound on the disk, the unit files. selftests/sampler has the rest.
. "$(dirname "$0")/cli.sh"

SAMPLE=$TOOLS/sample

# The script is tested, not the tool that it calls.
applies() { [ "$(basename "$(dirname "$(dirname "$PMSCOPE")")")" != san ]; }

# settings NAME=VALUE...: in ./conf; a bare trace stands for a recording.
settings() { printf '%s\n' "export=--raw --label=zone=a" min_free=0 "$@" >conf; }

# programs: pmscope, and a `record` whose recording is a trace, longer each time
programs() {
	mkdir -p bin
	cat >bin/pmscope <<-END
		#!/bin/sh
		if [ \$1 = record ]; then
			while [ \$1 != -o ]; do shift; done
			cat "$PWD/load" >>"$PWD/trace"
			exec cp "$PWD/trace" \$2
		fi
		echo "\$@" >>"$PWD/exports"
		exec "$PMSCOPE" "\$@"
	END
	chmod +x bin/pmscope
	load 01 >"$PWD/load"
	settings
}

sample() { PATH=$PWD/bin:$PATH "$SAMPLE/pmscope-sample" -c conf -d state; }

# In ./state every part is listed once and every run accounted for
accounted() {
	local run before=0 lost
	(cd state/lake && find . -type f) | sort >found
	(cd state/runs && cat ./*) | sort >listed
	cmp found listed || fail "$(diff found listed)"
	for run in $(find state/runs -type f -printf '%f\n' | sort -n); do
		expect_eq "$(wc -l <"state/runs/$run")" 5 "parts of run $run"
		lost=$(sed -n "s,.* work/$run/lake .* --lost=runs=\([0-9]*\) .*,\1,p" \
			exports | tail -n 1)
		expect_eq "$lost" $((run - before - 1)) "lost before run $run"
		before=$run
	done
	[ ! -d state/work ] || expect_eq "$(ls state/work)" '' "work"
}

test_a_run_leaves_its_parts() {
	programs
	expect_status 0 sample
	cp err log
	accounted
	expect_match '^pmscope-sample: run 1: 5 parts; runs lost before: 0$' err
	expect_eq "$(ls state)" "$(printf 'lake\nlock\nnumber\nruns\nwork')" files
	# A trace does not name the host, nor does the recording of a killed run.
	expect_eq "$(find state/lake -name 'host=*' -printf '%f\n' | sort -u)" \
		"host=$(uname -n)" host
}

# Another user's directory: his lists, and links instead of files
test_what_others_could_change_is_refused() {
	programs
	expect_status 0 sample
	echo secret >victim
	printf '%s\n' ./dataset=a/date=b/host=c/../../../../../victim.parquet \
		../../victim >state/runs/1
	cp victim victim.parquet
	touch state/runs/2
	settings max_size=257M
	truncate -s 0 state/filler && fallocate -l 2M state/filler
	expect_status 0 sample
	[ -e victim ] || fail "a file was removed"
	[ -e victim.parquet ] || fail "a file like a part was removed"
	[ ! -e state/runs/1 ] || fail "the list was not read"
	ln -s "$PWD/victim" state/lake/x
	expect_status 1 sample
	expect_match 'state/./lake/x is a link' err
	rm state/lake/x
	chmod o+w state/runs
	expect_status 1 sample
	expect_match 'state/./runs is a link, of another user, or another can' err
	chmod o-w state/runs
	[ "$(id -u)" = 0 ] || skip "not root"
	chown 65534 state
	expect_status 1 sample
	expect_match 'another user can change .*/state; use a directory' err
	chown 0 state
	mkdir his
	mv state his
	chown 65534 his
	ln -s his/state state
	expect_status 1 sample
	expect_match 'another user can change .*/his; use a directory' err
	expect_eq "$(cat victim)" secret 'a file of root'
}

test_bad_settings_are_named() {
	local setting
	programs
	for setting in seconds=0 seconds=x seconds=1.2.3 samples_every=-1 \
		seconds= seconds=-1 samples_every= samples_every=08 \
		samples_every=9999999999999 max_size=1T max_size=K max_size=1KM \
		max_size=010M max_size=9999999999999G max_recording=1.5G \
		min_free= min_free=-1 record='"-a"' "export='--symbols'"; do
		settings "$setting"
		expect_status 1 sample
		expect_match "^pmscope-sample: conf:3: '.*' is not valid for ${setting%%=*}; use (a|options) " err
	done
	settings secs=1
	expect_status 1 sample
	expect_match "^pmscope-sample: conf:3: unknown setting 'secs'; valid settings: seconds, " err
	settings nonsense
	expect_status 1 sample
	expect_match "^pmscope-sample: conf:3: 'nonsense' is not NAME=VALUE$" err
	settings max_size=1M max_recording=1M
	expect_status 1 sample
	expect_match 'max_size must be larger than max_recording' err
	expect_status 1 "$SAMPLE/pmscope-sample" -c nowhere -d state
	expect_match '^pmscope-sample: cannot read nowhere$' err
	[ ! -e state ] || fail "a run began"
}

# The settings that are commented out are the defaults.
test_the_example_is_valid() {
	local name value
	programs
	sed 's/^#\([a-z_]*=\)/\1/' "$SAMPLE/sample.conf" >conf
	echo export=--raw >>conf
	expect_status 0 sample
	sed -n "s/^#\([a-z_]*\)=\(.*\)/\1 \2/p" "$SAMPLE/sample.conf" >defaults
	expect_eq "$(wc -l <defaults)" 7 settings
	while read -r name value; do
		sed "s/'//g" "$SAMPLE/pmscope-sample" >script
		grep -qx -- "$name=$value" script || fail "$name is not '$value'"
		# The manual has the same default.
		sed -n "/^\* \`\`$name\`\`:/,/^\(\*\|\$\)/p" \
			"$TOOLS/../Documentation/reference/man/pmscope-sample.8.rst" |
			sed '1!{/^\*/d}' |
			tr -s ' \n' ' ' |
			grep -qE -- "default: (\`\`)?$value(\`\`|[ ),.])" ||
			fail "the manual does not have $name=$value"
	done <defaults
}

# killer COMMAND WHEN N: bin/COMMAND kills the script before or after its N-th use
killer() {
	cat >"bin/$1" <<-END
		#!/bin/bash
		echo >>"$PWD/uses"
		last=\$([ \$(wc -l <"$PWD/uses") = $3 ] && echo yes)
		[ -z "\$last" ] || [ $2 = after ] || { kill -9 \$PPID; exit 1; }
		PATH=\${PATH#*:} $1 "\$@"
		status=\$?
		[ -z "\$last" ] || { echo >"$PWD/killed"; kill -9 \$PPID; }
		exit \$status
	END
	chmod +x "bin/$1"
}

# killed_at COMMAND WHEN: at each use; then a run completes what is left.
killed_at() {
	local use status
	for use in $(seq 40); do
		rm -rf state uses log exports
		killer "$1" "$2" "$use"
		status=0
		sample 2>>log || status=$?
		rm "bin/$1"
		sample 2>>log || fail "$1, use $use: $(tail -n 2 log)"
		accounted
		[ "$status" != 0 ] || break
	done
	note "$1 $2: $use uses"
	expect_true "$use > $3" "uses of $1"
	expect_eq "$status" 0 "the last use of $1"
}

test_killed_before_and_after_each_change_nothing_is_lost() {
	programs
	killed_at mv before 6
	killed_at mv after 6
	killed_at rm after 2
}

# A recording that kills its export is tried once more, and then counted as lost.
test_a_recording_that_cannot_be_exported_is_lost() {
	local turn
	programs
	sed -i "s,^exec \"/,[ -e '$PWD/good' ] || { kill -9 \\\$PPID; exit; }\n&," bin/pmscope
	for turn in 1 2 3; do
		expect_status 137 sample
	done
	expect_eq "$(ls state/work)" 3 "what is left"
	touch good
	sample 2>log
	accounted
	expect_eq "$(ls state/runs)" "$(printf '3\n4')" runs
}

test_the_oldest_runs_go_first() {
	local turn
	programs
	settings max_size=200K max_recording=64K
	for turn in $(seq 8); do
		sample 2>>log
		expect_true "$(du -sk state | cut -f 1) <= 200" "KiB after $turn runs"
	done
	find state/runs -type f -printf '%f\n' | sort -n >kept
	note "$(du -sk state | cut -f 1) KiB, runs $(tr '\n' ' ' <kept)"
	expect_eq "$(cat kept)" "$(seq 8 | tail -n "$(wc -l <kept)")" "runs"
	expect_true "$(wc -l <kept) < 8" "runs that are kept"
	(cd state/lake && find . -type f) | sort >found
	(cd state/runs && cat ./*) | sort >listed
	cmp found listed || fail "$(diff found listed)"
}

test_a_disk_that_is_nearly_full_is_left_alone() {
	programs
	sample 2>log
	settings min_free=999999999G
	expect_status 1 sample
	expect_match '^pmscope-sample: run 2 is lost: only [0-9]* KiB are free in state$' err
	settings
	sample 2>>log
	accounted
	expect_match 'run 3: 5 parts; runs lost before: 1$' log
}

test_a_damaged_number_is_found_again() {
	programs
	sample 2>log
	sample 2>>log
	: >state/number
	sample 2>>log
	accounted
	expect_eq "$(ls state/runs)" "$(printf '1\n2\n3')" runs
}

# unit_files: as they are installed, below ./etc
unit_files() {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
	mkdir -p units
	cp "$SAMPLE/pmscope-sample.timer" units/
	sed "s,@SBINDIR@,$SAMPLE," "$SAMPLE/pmscope-sample.service" \
		>units/pmscope-sample.service
}

test_unit_files_are_valid() {
	unit_files
	systemd-analyze verify --man=no ./units/* 2>told ||
		fail "$(cat told)"
	expect_eq "$(grep -F pmscope-sample told || true)" '' "warnings"
}

# As the manual page says
test_exposure_of_the_service() {
	unit_files
	systemd-analyze security --offline=yes ./units/pmscope-sample.service \
		>told || fail "$(tail -n 3 told)"
	note "$(tail -n 1 told)"
	expect_match 'Overall exposure level for pmscope-sample.service: ([01]\.[0-9]|2\.0) OK' told
}

ktap_main "$@"
