# SPDX-License-Identifier: GPL-2.0-or-later
# records.awk - SPE packets, as `perf report -D` and `pmscope script --packets`
# print them, to a line a record:
#	pc op va pa tgt total issue xlat ts context source events...
# with "-" for what a record does not have. Addresses are 16 hexadecimal digits,
# the data source two, or four where it has more, the rest is decimal. Needs hex.awk.
function clear() {
	pc = op = va = pa = tgt = total = issue = xlat = "-"
	ts = context = source = events = "-"
	any = 0
}
function flush_record() {
	if (any)
		print pc, op, va, pa, tgt, total, issue, xlat, ts, context, \
			source, events
	clear()
}
function address(hex) {
	hex = substr(hex, 3)
	return substr("0000000000000000", length(hex) + 1) hex
}
# The text after the bytes of a packet with SIZE bytes of payload.
function text(size,    i, words) {
	words = $(4 + size)
	for (i = 5 + size; i <= NF; i++)
		words = words "_" $i
	return words
}
BEGIN { clear() }
# The dumps of other records have offsets of four digits.
$1 != "." || length($2) != 9 || $2 !~ /^[0-9a-f]+:$/ { next }
$3 == "00" { next }
{ any = 1 }
$3 == "b0" { pc = address($13); next }
$3 == "b1" { tgt = address($13); next }
$3 == "b2" { va = address($13); next }
$3 == "b3" { pa = address($13); next }
$3 == "98" { total = $7; next }
$3 == "99" { issue = $7; next }
$3 == "9a" { xlat = $7; next }
$3 == "71" { ts = $13; flush_record(); next }
$3 == "01" { flush_record(); next }
$3 ~ /^4[89a]$/ { op = text(1); next }
$3 ~ /^[4567]2$/ { events = text(2 ^ (substr($3, 1, 1) - 4)); next }
$3 == "43" { source = $4; next }
$3 == "53" { source = ($5 == "00" ? "" : $5) $4; next }
$3 ~ /^6[45]$/ { context = number(substr($9, 3)) }
