// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files of distributions: dwz moves what several of them have in common,
 * such as the names of inlined functions, into a shared file, which they name
 * in .gnu_debugaltlink.
 */
#include "symbols_scenario.h"

/* dwz shares only names that are long enough. */
#define INNER "inner_function_with_a_name_that_is_worth_sharing"
#define OUTER "outer_function_with_a_name_that_is_worth_sharing"

static const char shared[] =
	"volatile int sink;\n"
	"struct deep { int a, b, c; struct { int x, y; } d; };\n"
	"static inline __attribute__((always_inline))\n"
	"int " INNER "(struct deep *d, int x)\n"
	"{ return d->a * x + d->d.y * sink; }\n";
static const char source[] =
	"#include \"shared.h\"\n"
	"__attribute__((noinline)) int " OUTER "(struct deep *d, int x)\n"
	"{ return " INNER "(d, x) ^ " INNER "(d, x + 3); }\n"
	"int main(int argc, char **argv)\n"
	"{ struct deep d = {argc, NAME};\n"
	"return " OUTER "(&d, argc) + !argv; }\n";

/*
 * Makes "program.debug" and "other.debug", which share "shared.debug" and have
 * @link as its path.
 */
#define SHARED(link)                                                       \
	WRITE("shared.h", shared), WRITE("program.c", source),             \
		NEED("build() { cc -O2 -g -fPIE -pie "                     \
		     "-Wl,--build-id=sha1 -Wl,-z,separate-code -DNAME=$2 " \
		     "-o $1 program.c && "                                 \
		     "objcopy --only-keep-debug $1 $1.debug; }; "          \
		     "build program 0 && build other 1 && "                \
		     "dwz -m shared.debug -M " link " program.debug "      \
		     "other.debug && objcopy --strip-all program "         \
		     "root/usr/bin/program && readelf -S program.debug | " \
		     "grep gnu_debugaltlink",                              \
		     "no compiler here, no objcopy, or no dwz")

/* Installs the debug file under its build-id. */
#define KEPT(link) SHARED(link), RUN("keep program.debug")
#define BESIDE	   "$(dirname root/usr/lib/debug/.build-id/*/*.debug)/"
#define DWZ	   "root/usr/lib/debug/.dwz/shared.debug"

STEP_OF(expect_frames)
{
	struct pmscope_line line = {};

	alarm(KTAP_HANGS); /* unless it waits for a pipe */
	sc->place = fixture_place(OUTER);
	for (int i = 0; i < 64 && !line.frames; i++, sc->place.file_offset++)
		pmscope_symbols_line(symbols_of(sc), &sc->place, 0, &line);
	EXPECT_STREQ(line.frames, step->text);
}
#define KNOWN	CALL_SAY(expect_frames, INNER " < " OUTER, 0)
#define UNKNOWN CALL_SAY(expect_frames, "? < ?", 0)

/* Debian uses an absolute path. */
SCENARIO(names_that_debug_files_share_below_another_root,
	 KEPT("/usr/lib/debug/.dwz/shared.debug"), RUN("put shared.debug " DWZ),
	 KNOWN);

/* Fedora uses a path relative to the debug file, not to a symlink to it. */
SCENARIO(names_that_debug_files_share_beside_them,
	 SHARED("../../.dwz/shared.debug"),
	 RUN("to=root/usr/lib/debug && put shared.debug " DWZ " && "
	     "put program.debug $to/usr/bin/program.debug && "
	     "keep program.debug && "
	     "ln -sf ../../usr/bin/program.debug $to/.build-id/*/*"),
	 KNOWN);

SCENARIO(names_that_debug_files_share_by_their_build_id,
	 KEPT("/no/such/shared.debug"), RUN("keep shared.debug"), KNOWN);

/* A directory has the name of the shared file. */
SCENARIO(names_that_debug_files_share_in_what_cannot_be_read,
	 KEPT("/usr/lib/debug/.dwz/shared.debug"), RUN("mkdir -p " DWZ),
	 IN(OUTER), LINE(0, ANY, ANY_LINE, ANY), UNREAD("*/" DWZ, EISDIR));

SCENARIO(names_that_other_debug_files_share,
	 KEPT("/usr/lib/debug/.dwz/shared.debug"),
	 RUN("put program.debug " DWZ), UNKNOWN);

/* The pipe has no writer. */
SCENARIO(names_that_debug_files_share_in_a_pipe, KEPT("pipe"),
	 RUN("mkfifo " BESIDE "pipe"), UNKNOWN);

/* The file with the right build-id has no debug information. */
SCENARIO(names_that_are_in_none_of_two_files, KEPT("pipe"),
	 RUN("mkfifo " BESIDE "pipe && "
	     "objcopy --only-section .note.gnu.build-id shared.debug && "
	     "keep shared.debug"),
	 UNKNOWN);

/* After an update, the file of that name has another build-id. */
SCENARIO(names_that_other_builds_share, KEPT("another"),
	 RUN("objcopy --remove-section .note.gnu.build-id "
	     "shared.debug " BESIDE "another"),
	 UNKNOWN, RUN("objcopy shared.debug " BESIDE "another"), KNOWN);

/* dwz does not make shared files that share. */
SCENARIO(names_that_shared_files_share, KEPT("next"),
	 RUN("printf 'pipe\\0012345678' >link && "
	     "objcopy --add-section .gnu_debugaltlink=link "
	     "shared.debug " BESIDE "next"),
	 UNKNOWN);

TEST(names_that_debug_files_share_on_a_server)
{
	PLAY(KEPT("/no/such/shared.debug"), SERVER, RUN("serve program.debug"),
	     UNKNOWN, RUN("rm -rf cache && serve shared.debug"), KNOWN);
	unsetenv("DEBUGINFOD_URLS");
}

/* The build-id is right, so the file may be on this machine. */
SCENARIO(names_that_debug_files_share_on_this_machine, KEPT("$D/shared.debug"),
	 KNOWN);

/* Adds zeros to the copy beside the debug file. */
#define ZEROS(size, format)                                                 \
	RUN("head -c " size " /dev/zero >bomb && "                          \
	    "objcopy --add-section .debug_macro=bomb "                      \
	    "--set-section-flags .debug_macro=debug shared.debug whole "    \
	    "&& objcopy --compress-debug-sections=" format " whole " BESIDE \
	    "packed")

SCENARIO(names_that_would_fill_the_memory, KEPT("packed"),
	 ZEROS("80M", "zlib-gabi"), UNKNOWN, ZEROS("10M", "zlib-gabi"), KNOWN,
	 ZEROS("80M", "zstd"), UNKNOWN, ZEROS("10M", "zstd"), KNOWN);
