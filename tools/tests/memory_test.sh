#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each allocation of the program fails once, and once with all that follow: it
# ends with status 1 and a line that says so, or does without.
. "$(dirname "$0")/../../selftests/ktap.sh"
. "$(dirname "$0")/perfdata.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}

# Allocations by libraries are theirs, except for streams and directories.
# Growing memory always moves, and its old place is poisoned.
short_memory() {
	cat <<-'END'
	#define _GNU_SOURCE
	#include <dirent.h>
	#include <dlfcn.h>
	#include <errno.h>
	#include <link.h>
	#include <malloc.h>
	#include <stdint.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>

	void *__libc_malloc(size_t size);
	void *__libc_calloc(size_t count, size_t size);
	void __libc_free(void *memory);

	static uintptr_t begin, end;
	static long count;

	/* The first is the program itself. */
	static int find_code(struct dl_phdr_info *info, size_t size, void *data)
	{
		const ElfW(Phdr) *p = info->dlpi_phdr;

		for (int i = 0; i < info->dlpi_phnum; i++) {
			if (p[i].p_type != PT_LOAD || !(p[i].p_flags & PF_X))
				continue;
			begin = info->dlpi_addr + p[i].p_vaddr;
			end = begin + p[i].p_memsz;
		}
		return 1;
	}

	static int fails(const void *caller)
	{
		const char *at = getenv("FAIL_AT"), *all = getenv("FAIL_ALL");

		if (!end)
			dl_iterate_phdr(find_code, NULL);
		if (!at || (uintptr_t)caller - begin >= end - begin)
			return 0;
		count++;
		if (count != atol(at) && !(*all && count > atol(at)))
			return 0;
		errno = ENOMEM;
		return 1;
	}

	void *malloc(size_t size)
	{
		return fails(__builtin_return_address(0)) ?
			NULL : __libc_malloc(size);
	}

	void *calloc(size_t nr, size_t size)
	{
		return fails(__builtin_return_address(0)) ?
			NULL : __libc_calloc(nr, size);
	}

	FILE *fdopen(int fd, const char *mode)
	{
		FILE *(*open)(int fd, const char *mode) =
			dlsym(RTLD_NEXT, "fdopen");

		return fails(__builtin_return_address(0)) ?
			NULL : open(fd, mode);
	}

	DIR *fdopendir(int fd)
	{
		DIR *(*open)(int fd) = dlsym(RTLD_NEXT, "fdopendir");

		return fails(__builtin_return_address(0)) ? NULL : open(fd);
	}

	struct dirent *readdir(DIR *dir)
	{
		struct dirent *(*next)(DIR *) = dlsym(RTLD_NEXT, "readdir");

		return fails(__builtin_return_address(0)) ? NULL : next(dir);
	}

	void free(void *memory)
	{
		if (memory)
			memset(memory, 0xdd, malloc_usable_size(memory));
		__libc_free(memory);
	}

	void *realloc(void *memory, size_t size)
	{
		size_t old = memory ? malloc_usable_size(memory) : 0;
		void *moved;

		if (fails(__builtin_return_address(0)))
			return NULL;
		moved = __libc_malloc(size);
		if (!moved)
			return NULL;
		if (memory)
			memcpy(moved, memory, old < size ? old : size);
		free(memory);
		return moved;
	}

	__attribute__((destructor)) static void tell(void)
	{
		FILE *file = fopen("count", "w");

		if (!file)
			return;
		fprintf(file, "%ld\n", count);
		fclose(file);
	}
	END
}

# Loads of 48 cache lines, PC, operation, latency, VA, and timestamp of each.
loads() {
	local i
	for i in {0..47}; do
		printf '\xb0%b\x10\x40\x00\x00\x00\x00\x80\x49\x00\x98\x09\x00' \
			"\\x$(printf %x $((4 * i)))"
		printf '\xb2\x00%b\x00\x00\x00\x00\x00\x00' "\\x$(printf %x "$i")"
		printf '\x71\x01\x00\x00\x00\x00\x00\x00\x00'
	done
}

# recorded NAME FILE_OFFSET: an MMAP2, that it is of Arm SPE, a trace of loads().
recorded() {
	loads >trace
	mapping 7 0x401000 0x1000 "$2" "$1"
	{ number 4 8 && number 10 8 && number 1 8; } >body
	record 70 0
	trace 7
}

# The same as perf record writes it to a pipe,
recording() {
	printf PERFILE2
	number 16 8
	recorded "$@"
}

# and to a file, without events.
recording_file() {
	recorded "$@" >records
	printf PERFILE2
	number 104 8
	number 144 8
	head -c 16 /dev/zero
	number 104 8
	number "$(stat -c %s records)" 8
	head -c 48 /dev/zero
	cat records
}

# content FILE: sets text, without starting a process
content() { IFS= read -r -d '' text <"$1" || true; }

# runs AT ALL ARGUMENT...
runs() {
	local at=$1 all=$2 status=0 text
	shift 2
	FAIL_AT=$at FAIL_ALL=$all LD_PRELOAD=$PWD/short.so \
		"$PMSCOPE" "$@" >out 2>err || status=$?
	case $status in
	0)
		content out
		[ "$text" = "$WHOLE" ] || fail "$*: $at: something is missing"
		content err
		[ "$text" = "$SAID" ] || fail "$*: $at: something is not told"
		;;
	1)
		content err
		[[ $text =~ (out of|Cannot allocate)' memory'($'\n'|';') ]] ||
			fail "$*: $at: $text"
		[[ $text != *'standard output'* ]] || fail "$at: $text"
		;;
	*) fail "$*: $at: status $status" ;;
	esac
}

# The sanitizers have a malloc() and addresses of their own.
applies() { ! grep -q __asan_init "$PMSCOPE"; }

each_fails() { # ARGUMENT...
	local at all total text WHOLE SAID
	short_memory >short.c
	cc -O1 -fPIC -shared -o short.so short.c 2>err ||
		skip "no compiler, or another libc: $(head -n 1 err)"
	"$PMSCOPE" "$@" >whole 2>said
	content whole
	WHOLE=$text
	content said
	SAID=$text
	runs 0 '' "$@"
	total=$(cat count)
	[ "$total" -gt 8 ] || fail "$total allocations"
	for ((at = 1; at <= total; at++)); do
		for all in '' 1; do
			runs "$at" "$all" "$@"
		done
	done
}

# Use as many threads as memory allows.
test_threads_under_a_limit_of_addresses() {
	loads >f
	for _ in {1..13}; do
		cat f f >g && mv g f
	done
	"$PMSCOPE" script --raw --threads=1 --format=csv f >whole
	(ulimit -v 150000 &&
		exec "$PMSCOPE" script --raw --threads=8 --format=csv f) >out ||
		fail "status $?"
	cmp out whole
}

each_fails_raw() { # COMMAND ARGUMENT...
	loads >f
	each_fails "$1" --raw "${@:2}" f
}

# Missing names are an error even if rows without them can be printed.
each_fails_named() { # COMMAND ARGUMENT...
	# The function has a name of C++.
	source_of_program 'int function(int n) __asm__("_ZN5space8functionEi");' \
		>program.c
	cc -g -O1 -o program program.c 2>err || skip "no compiler"
	recording "$PWD/program" \
		"0x$(nm program | sed -n 's/ T _ZN5space8functionEi//p')" >f
	each_fails "$1" --symfs=/ --threads=1 "${@:2}" f
	expect_match 'space::function' whole
}

test_rows() { each_fails_raw script --threads=1 --format=csv; }
test_packets() { each_fails_raw script --packets; }
test_symbols() { each_fails_raw report --threads=1; }
test_cache_lines() { each_fails_raw report --threads=1 --cachelines; }
test_names() { each_fails_named script; }
test_lines() {
	each_fails_named report --sort=sym,line,frames,symbol_daddr
	expect_match 'program.c:6.*within < function' whole
}
test_cache_lines_with_source_lines() {
	each_fails_named report --cachelines --format=jsonl
	expect_match '"sym":"space::function","line":"program.c:6"' whole
}
test_generated_code() {
	mkdir -p root/tmp
	echo '401000 1000 generated' >root/tmp/perf-7.map
	recording //anon 0 >f
	each_fails report --symfs=root --threads=1 f
	expect_match generated whole
}
test_names_that_cannot_be_read() {
	mkdir program
	recording "$PWD/program" 0 >f
	each_fails report --symfs=/ --threads=1 f
	expect_match 'program: Is a directory' said
}
test_directory() {
	mkdir f
	recording_file //anon 0 >f/data
	{ number 7 4 && number 7 4 && printf 'named\0\0\0'; } >body
	record 3 0 >f/data.0
	each_fails script --threads=1 f
	expect_match named whole
}

ktap_main "$@"
