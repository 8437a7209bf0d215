# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the guest sees at /opt/pmscope: the tool, the module of each kernel that
# was built, the selftests.

ARM64=$BUILD/arm64
PAYLOAD=$BUILD/payload

tool_build() {
	"$MACHINE/sdk" make -s -C "$TOP/tools" -j"$(nproc)" O="$ARM64" \
		CROSS_COMPILE="$CROSS" >&2
	echo "$ARM64/bin/pmscope"
}

selftests_build() {
	"$MACHINE/sdk" make -s -C "$TOP/selftests" -j"$(nproc)" \
		O="$ARM64/selftests" CROSS_COMPILE="$CROSS" >&2
	echo "$ARM64/selftests"
}

# Except scripts, which need compilers and a newer perf.
unit_build() {
	"$MACHINE/sdk" make -s -C "$TOP/tools" -j"$(nproc)" O="$ARM64" \
		CROSS_COMPILE="$CROSS" all tests >&2
	install "$TOP/tools/tests/run" "$ARM64/run"
	echo "$ARM64"
}

# Put a file where a running guest may be reading an older one.
put() { # FILE TARGET
	cmp -s "$1" "$2" && return
	mkdir -p "$(dirname "$2")"
	cp -p "$1" "$2.new"
	mv "$2.new" "$2"
}

put_tree() { # FROM TO
	local file

	mkdir -p "$2"
	find "$2" -type f -printf '%P\n' | while read -r file; do
		[ -e "$1/$file" ] || rm "$2/$file"
	done
	find "$1" -type f ! -name '*.o' ! -name '*.d' -printf '%P\n' |
	while read -r file; do
		put "$1/$file" "$2/$file"
	done
}

payload_module() { # SERIES
	local stamp=$PAYLOAD/.module-$1 kernel module

	is_stale "$stamp" "$TOP/kernel" "$TOP/include" || return 0
	touch "$stamp.new"
	kernel=$(kernel_dir "$1")
	module=$(module_build "$1")
	put "$module" "$PAYLOAD/modules/$(<"$kernel/release")/pmscope.ko"
	mv "$stamp.new" "$stamp"
}

payload_tools() {
	local stamp=$PAYLOAD/.tools tool tests

	is_stale "$stamp" "$TOP/tools/lib" "$TOP/tools/pmscope" \
		"$TOP/tools/session" "$TOP/tools/heap" "$TOP/tools/bpf" "$TOP/tools/sample" \
		"$TOP/tools/Makefile" "$TOP/include" \
		"$TOP/selftests" || return 0
	touch "$stamp.new"
	tool=$(tool_build)
	tests=$(selftests_build)
	put "$tool" "$PAYLOAD/bin/pmscope"
	put "$ARM64/lib/pmscope/libpmscope-heap.so" \
		"$PAYLOAD/lib/pmscope/libpmscope-heap.so"
	put "$TOP/tools/sample/pmscope-sample" "$PAYLOAD/bin/pmscope-sample"
	put_tree "$tests" "$PAYLOAD/selftests"
	mv "$stamp.new" "$stamp"
}

payload_build() { # [SERIES]
	local lock

	mkdir -p "$PAYLOAD"
	exec {lock}>"$BUILD/.lock-payload"
	flock "$lock"
	[ $# -eq 0 ] || payload_module "$1"
	payload_tools
	exec {lock}>&-
	echo "$PAYLOAD"
}
