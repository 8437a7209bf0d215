// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the requests to debuginfod servers, with a library in place of
 * libdebuginfod that logs each request and fails with the error of the test.
 */
#include "command.h"
#include "symbols_scenario.h"

#define FILES 3000

static const char library[] =
	"#include <stdio.h>\n#include <stdlib.h>\n"
	"void *debuginfod_begin(void) { return stderr; }\n"
	"void debuginfod_end(void *client) { (void)client; }\n"
	"static int asked(const char *kind, const unsigned char *id)\n"
	"{\n"
	"	FILE *file = fopen(getenv(\"ASKED\"), \"a\");\n"
	"	fprintf(file, \"%s %02x%02x\\n\", kind, id[0], id[1]);\n"
	"	fclose(file);\n"
	"	return -atoi(getenv(\"ANSWER\"));\n"
	"}\n"
	"int debuginfod_find_executable(void *client, const unsigned char "
	"*id,\n"
	"			       int size, char **path)\n"
	"{ return asked(\"executable\", id); }\n"
	"int debuginfod_find_debuginfo(void *client, const unsigned char *id,\n"
	"			      int size, char **path)\n"
	"{ return asked(\"debuginfo\", id); }\n";

static void build_id_at(struct bytes *b, const char *name, uint16_t id)
{
	BYTES body = {};

	put(&body, PMSCOPE_NO_ID, 4);
	put(&body, 0xaa00000000000000 | id, 8);
	put(&body, 0xaa00000000000000 | id, 8);
	put(&body, 0xaa000000, 8);
	bytes_add(&body, name, strlen(name));
	put_zeros(&body, 8 - strlen(name) % 8);
	put_record(b, PMSCOPE_RECORD_BUILD_ID, PERF_RECORD_MISC_USER, &body);
}

/* Loads from FILES files that share @ids build-ids. */
static void put_files(struct bytes *b, unsigned int ids)
{
	char name[32];

	begin(b);
	for (unsigned int i = 0; i < FILES; i++) {
		uint64_t start = 0x10000 * (i + UINT64_C(1));

		snprintf(name, sizeof(name), "/nowhere/%u", i);
		build_id_at(b, name, i % ids);
		map_at(b, start, name, 2, 10);
		load_at(b, 0, 10, start + 0x100, 10 + i);
	}
	perfdata_end(b);
}

/* Requests go to the file "asked", report's messages to the file "errors". */
STEP_OF(ask)
{
	put_files(&sc->b, step->v[0]);
	EXPECT_TRUE(fixture_write("perf.data", sc->b.data, sc->b.size));
	EXPECT_TRUE(fixture_run(
		"rm -f asked; touch asked; exec 2>errors; "
		"LD_LIBRARY_PATH=$D ASKED=$D/asked ANSWER=%d HOME=$D/home "
		"DEBUGINFOD_URLS=x %s report --sort dso,sym -i perf.data >out",
		(int)step->v[1], command_pmscope()));
}
#define ASK(ids, answer)                                \
	RAW, WRITE("library.c", library),               \
		NEED("cc -w -shared -fPIC "             \
		     "-Wl,-soname,libdebuginfod.so.1 "  \
		     "-o libdebuginfod.so.1 library.c", \
		     "no compiler here"),               \
		CALL(ask, ids, answer)
#define ASKED(times) RUN("test $(wc -l <asked) = " #times)

/* One request for the program, and one for its debug file. */
SCENARIO(each_file_is_asked_for_once, ASK(10, ENOENT), ASKED(20),
	 RUN("sort asked | uniq -d >twice && test ! -s twice"));

SCENARIO(servers_that_know_nothing_are_left_alone, ASK(FILES, ENOENT),
	 ASKED(256));

SCENARIO(servers_that_fail_are_left_alone, ASK(FILES, ECONNREFUSED), ASKED(3),
	 RUN("test 1 = $(grep -c 'DEBUGINFOD_URLS: Connection refused' "
	     "errors)"));
