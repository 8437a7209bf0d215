# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# perfdata.sh - records of perf.data, and a program for them to name.

# number VALUE BYTES
number() {
	local i
	for ((i = 0; i < $2; i++)); do
		printf '%b' "\\x$(printf %x $(($1 >> 8 * i & 255)))"
	done
}

# record TYPE MISC: with the file "body".
record() {
	number "$1" 4
	number "$2" 2
	number $((8 + $(stat -c %s body))) 2
	cat body
}

# mapping PID ADDRESS SIZE FILE_OFFSET NAME: an MMAP2.
mapping() {
	{
		number "$1" 4
		number "$1" 4
		number "$2" 8
		number "$3" 8
		number "$4" 8
		head -c 32 /dev/zero
		printf %s "$5"
		head -c $((8 - ${#5} % 8)) /dev/zero
	} >body
	record 10 2
}

# trace PID: an AUXTRACE of the file "trace".
trace() {
	{
		number "$(stat -c %s trace)" 8
		head -c 16 /dev/zero
		number 0 4
		number "$1" 4
		number -1 4
		number 0 4
	} >body
	record 71 0
	cat trace
}

# source_of_program LINE: a function with another one inlined, which is most of
# its code; before them LINE, if it is not empty.
source_of_program() {
	echo 'volatile int sink;'
	[ -z "$1" ] || echo "$1"
	cat <<-'END'
	static inline __attribute__((always_inline)) void within(int n)
	{
	#define FOUR(x) x; x; x; x
		FOUR(FOUR(FOUR(sink = n)));
	}
	int function(int n)
	{
		within(n);
		return n;
	}
	int main(void)
	{
		return function(0);
	}
	END
}
