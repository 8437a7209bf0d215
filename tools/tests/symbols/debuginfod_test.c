// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the requests to debuginfod servers, with a library in place of
 * libdebuginfod that logs each request and fails with the error of the test.
 */
#include "command.h"
#include "elf_fixture.h"
#include "ktap.h"
#include "recording_fixture.h"

#include <pmscope/recording.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static bool set_up(void)
{
	return fixture_open() && fixture_write_text("library.c", library) &&
	       fixture_run("cc -w -shared -fPIC -Wl,-soname,libdebuginfod.so.1 "
			   "-o libdebuginfod.so.1 library.c");
}

/* Adds the build-id record of the file @name. */
static void build_id_at(struct bytes *b, const char *name, uint16_t id)
{
	struct bytes body = {};

	put(&body, PMSCOPE_NO_ID, 4);
	put(&body, 0xaa00000000000000 | id, 8);
	put(&body, 0xaa00000000000000 | id, 8);
	put(&body, 0xaa000000, 8);
	bytes_add(&body, name, strlen(name));
	put_zeros(&body, 8 - strlen(name) % 8);
	put_record(b, PMSCOPE_RECORD_BUILD_ID, PERF_RECORD_MISC_USER, &body);
	bytes_fini(&body);
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

/* Returns the number of requests; report's messages go to the file "errors". */
static unsigned int asked(unsigned int ids, int answer)
{
	struct bytes b = {};

	put_files(&b, ids);
	EXPECT_TRUE(fixture_write("perf.data", b.data, b.size));
	bytes_fini(&b);
	EXPECT_TRUE(fixture_run(
		"rm -f asked; touch asked; exec 2>errors; d=$PWD; "
		"LD_LIBRARY_PATH=$d ASKED=$d/asked ANSWER=%d HOME=$d/home "
		"DEBUGINFOD_URLS=x %s report --sort dso,sym -i perf.data >out",
		answer, command_pmscope()));
	return strtoul(fixture_output("wc -l <asked"), NULL, 10);
}

/* One request for the program, and one for its debug file. */
TEST(each_file_is_asked_for_once)
{
	if (!set_up())
		SKIP("no compiler here");
	EXPECT_EQ(asked(10, ENOENT), 2 * 10U);
	EXPECT_STREQ(fixture_output("sort asked | uniq -d"), "");
	fixture_close();
}

TEST(servers_that_know_nothing_are_left_alone)
{
	if (!set_up())
		SKIP("no compiler here");
	EXPECT_EQ(asked(FILES, ENOENT), 256U);
	fixture_close();
}

TEST(servers_that_fail_are_left_alone)
{
	if (!set_up())
		SKIP("no compiler here");
	EXPECT_EQ(asked(FILES, ECONNREFUSED), 3U);
	EXPECT_STREQ(fixture_output("grep -c 'DEBUGINFOD_URLS: Connection "
				    "refused' errors"),
		     "1");
	fixture_close();
}

KTAP_MAIN
