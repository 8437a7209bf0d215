# SPDX-License-Identifier: GPL-2.0-or-later
# tally.awk - one line for each test of a KTAP stream, nested one level or not:
#	pass|FAIL|skip STAGE TEST [REASON]
# STAGE is given with -v. A top-level result without tests below it is a test
# itself. Output that ends before its plan does is a failure. Where a comment
# "# took SECONDS s" precedes a result, the file that is given as times gets a line
#	SECONDS<tab>STAGE TEST
function say(word, name, reason) {
	printf "%s %s%s%s\n", word, stage, name == "" ? "" : " " name, \
		reason == "" ? "" : " (" reason ")"
	fflush()
}
# Fields of a result line: ok, name, directive.
function split_result(line) {
	ok = line !~ /^not/
	sub(/^(not )?ok [0-9]+ *(- )?/, "", line)
	directive = ""
	if (match(line, / *# /)) {
		directive = substr(line, RSTART + RLENGTH)
		line = substr(line, 1, RSTART - 1)
	}
	name = line
}
function note_time(where) {
	if (took != "" && times != "")
		printf "%s\t%s %s\n", took, stage, where >times
	took = ""
}
function leaf(where) {
	note_time(where)
	if (!ok)
		say("FAIL", where, directive)
	else if (directive ~ /^SKIP/)
		say("skip", where, substr(directive, 6))
	else {
		say("pass", where, "")
		passes++
	}
	children++
	failures += !ok
}
# The program above ends: did it report all it planned?
function close_subtest() {
	if (planned >= 0 && children < planned) {
		say("FAIL", subtest, children " of " planned " tests reported")
		failures++
	}
	planned = -1
	subtest = ""
}
BEGIN { planned = top_planned = -1 }
/^ *# took [0-9.]+ s$/ { took = $3; next }
/^ +# Subtest: / { sub(/^ +# Subtest: /, ""); subtest = $0; next }
/^ +1\.\.[0-9]+$/ { sub(/^ +1\.\./, ""); planned = $0 + 0; next }
/^ +(not )?ok [0-9]/ {
	sub(/^ +/, "")
	split_result($0)
	leaf(subtest " " name)
	next
}
/^1\.\.[0-9]+$/ { top_planned = substr($0, 4) + 0; next }
/^(not )?ok [0-9]/ {
	split_result($0)
	top++
	result = ok; top_name = name; why = directive
	if (!children) {
		leaf(top_name)
	} else {
		close_subtest()
		note_time(top_name)
		if (!result && !failures)
			say("FAIL", top_name, why)
	}
	children = failures = 0
}
END {
	if (children)
		close_subtest()
	if (top_planned < 0)
		say("FAIL", "", "no test reported")
	else if (top < top_planned)
		say("FAIL", "", top + 0 " of " top_planned " tests reported")
	else if (!passes)
		say("FAIL", "", "no test passed")
}
