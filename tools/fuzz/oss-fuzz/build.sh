#!/bin/bash -eu
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzz targets and their corpora for OSS-Fuzz, whose variables it takes: CC,
# CFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT. The machines that run the targets
# have no libdw, so the libraries are linked in.
build=$WORK/pmscope
make -s -C "$SRC/pmscope/tools" -j"$(nproc)" O="$build" CC="$CC" \
	CFLAGS="$CFLAGS" LDFLAGS="$CFLAGS" WERROR=0 STATIC=1 \
	FUZZ=1 FUZZ_ENGINE="$LIB_FUZZING_ENGINE" fuzz
for corpus in "$build"/fuzz/corpus/*/; do
	target=$(basename "$corpus")
	cp "$build/fuzz/$target" "$OUT/"
	python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "$corpus"*
done
