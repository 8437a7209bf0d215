#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each fuzz target on its corpus and on changes of it: the same ones each time,
# a bounded number. PMSCOPE_SEED chooses others, PMSCOPE_RUNS how many. With
# PMSCOPE_FUZZ=1 clang's libFuzzer goes over the corpus, too.
. "$(dirname "$0")/../../selftests/ktap.sh"

TOOLS=$(cd "$(dirname "$0")/.." && pwd)
PMSCOPE=${PMSCOPE:-$TOOLS/../build/bin/pmscope}
OUT=$(cd "$(dirname "$PMSCOPE")/.." && pwd)
SEED=${PMSCOPE_SEED:-20261121}

# The sanitizers take more memory than the limit.
applies() {
	if [ "$(basename "$OUT")" = san ]; then
		[ "$1" != all_within_64_MiB ]
	else
		[ "$1" = all_within_64_MiB ]
	fi
}

# changes TARGET RUNS
changes() {
	note "PMSCOPE_SEED=$SEED"
	"$OUT/fuzz/$1" -seed="$SEED" -runs="${PMSCOPE_RUNS:-$2}" \
		"$OUT/fuzz/corpus/$1" >out 2>&1 || {
		grep -m 3 -E 'ERROR|error|#[0-9] ' out
		fail "$1 with seed $SEED"
	}
}

test_packets() { changes packets 2000; }
test_dwarf() { changes dwarf 3000; }
test_parsers() { changes parsers 3000; }
test_recording() { changes recording 6000; }
test_registers() { changes registers 10000; }
test_snapshots() { changes snapshots 10000; }
test_symbols() { changes symbols 3000; }

# Cut at every byte, every field a lie, in 64 MiB.
test_all_within_64_MiB() {
	local target
	for target in recording snapshots symbols; do
		"$OUT/fuzz/$target" -every=2500 "$OUT/fuzz/corpus/$target" \
			>out 2>&1 || fail "$target: status $?"
	done
}

has_libfuzzer() {
	command -v clang >/dev/null || return
	echo '#include "fuzz.h"
	int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
	{ return !d || n > 1 << 30; }' >one.c
	clang -fsanitize=fuzzer,address -I"$TOOLS/fuzz" -o one one.c 2>/dev/null
}

# It takes minutes to build: only if time does not matter.
if [ -n "${PMSCOPE_FUZZ:-}" ] && [ "$(basename "$OUT")" = san ]; then
	# As OSS-Fuzz builds them
	test_libfuzzer() {
		local dir=$OUT/libfuzzer target
		has_libfuzzer || skip "no clang with libFuzzer"
		mkdir -p "$dir/src" "$dir/out"
		ln -sfn "$TOOLS/.." "$dir/src/pmscope"
		env -u MAKEFLAGS -u MAKELEVEL SRC="$dir/src" WORK="$dir" \
			OUT="$dir/out" CC=clang LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
			CFLAGS="-O1 -g -fsanitize=address,fuzzer-no-link" \
			"$TOOLS/fuzz/oss-fuzz/build.sh" >out 2>&1 ||
			fail "$(tail -n 3 out)"
		for target in dwarf packets parsers recording registers snapshots symbols; do
			mkdir -p "new-$target"
			expect_no_match 'libdw|libelf' <(ldd "$dir/out/$target")
			"$dir/out/$target" -seed="$((SEED % 2147483647))" \
				-runs="${PMSCOPE_RUNS:-3000}" -rss_limit_mb=1024 \
				-max_len=8192 "new-$target" "$dir/pmscope/fuzz/corpus/$target" \
				>out 2>&1 || {
				grep -m 3 -E 'ERROR|SUMMARY|#[0-9] ' out
				fail "$target with seed $SEED"
			}
		done
	}
fi

ktap_main "$@"
