#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: guest.sh NAME
#
# The guest's part of selftests/peer/run, with the driver that owns the device:
# stock perf records the same programs and reads the recordings. Results go to
# /mnt/NAME, where the host compares them.
set -eu
cd /tmp
WORKLOAD=/opt/pmscope/selftests/workload
OUT=/mnt/$1
TESTS=/opt/pmscope/selftests

# Places, operations and addresses of all records. Times and latencies depend on
# the kernel's work, which differs.
records() {
	perf report -D -i data 2>/dev/null |
		awk "$(cat $TESTS/hex.awk $TESTS/records.awk)" |
		cut -d ' ' -f 1-3
}

# says NAME CMD...: the output of a perf command, and its status.
says() {
	local name=$1 status=0
	shift
	"$@" >"$OUT/$name" 2>"$OUT/$name.err" || status=$?
	echo "status $status" >>"$OUT/$name"
}

record() {
	perf record -q -o data -m ,1M -c 1024 -e "arm_spe_0/$1/u" -- \
		$WORKLOAD/loop 50000 >info
}

read_samples() {
	says report perf report -i data --stdio
	says report-each perf report -i data --stdio --itrace=i1i --sort comm,dso,sym
	says script perf script -i data -F comm,event,ip,sym,addr
	says script-each perf script -i data --itrace=i1i \
		-F comm,event,ip,sym,addr,weight,data_src
	says annotate perf annotate -i data --stdio --itrace=i1i \
		--objdump=/mnt/objdump -s loop_begin
	says inject perf inject -i data -o injected --itrace=i1i
	says inject-script perf script -i injected -F comm,event,ip,sym
	says inject-report perf report -i injected --stdio
}

# By default both record accesses of 30 cycles and more.
read_memory() {
	says mem-record perf mem record -U --ldlat=1 -c 1024 -o memory -- \
		$WORKLOAD/loop 50000
	says mem-report perf mem report -i memory --stdio
	says c2c-record perf c2c record -u --ldlat=1 -c 1024 -o lines -- \
		$WORKLOAD/loop 50000
	says c2c-report perf c2c report -i lines --stdio
}

mkdir -p "$OUT"
basename "$(readlink /sys/bus/platform/devices/*spe*/driver)" >"$OUT/driver"
for terms in jitter=0 jitter=1; do
	record $terms
	records >"$OUT/$terms"
done
record ts_enable=1,jitter=1
read_samples
read_memory
