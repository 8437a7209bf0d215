// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

/* As in elfutils/debuginfod.h, which is not needed to build this. */
typedef void *begin_function(void);
typedef void end_function(void *client);
typedef int find_function(void *client, const unsigned char *build_id,
			  int length, char **path);

static bool is_configured(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

static void begin(struct debuginfod *d)
{
	begin_function *call;

	d->tried = true;
	if (!is_configured())
		return;
	/* What it links keeps memory of its own: it is never unloaded. */
	d->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NODELETE);
	if (!d->library)
		return;
	call = (begin_function *)dlsym(d->library, "debuginfod_begin");
	if (call)
		d->client = call();
}

static char *find(struct debuginfod *d, const char *function,
		  const uint8_t *build_id, size_t size)
{
	find_function *call = (find_function *)dlsym(d->library, function);
	char *path = NULL;
	int fd;

	fd = call ? call(d->client, build_id, size, &path) : -1;
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

char *debuginfod_path(struct debuginfod *d, const uint8_t *build_id,
		      size_t size)
{
	char *path;

	if (!d->tried)
		begin(d);
	if (!d->client || !size)
		return NULL;
	path = find(d, "debuginfod_find_executable", build_id, size);
	return path ? path
		    : find(d, "debuginfod_find_debuginfo", build_id, size);
}

void debuginfod_fini(struct debuginfod *d)
{
	end_function *call;

	if (d->client) {
		call = (end_function *)dlsym(d->library, "debuginfod_end");
		if (call)
			call(d->client);
	}
	if (d->library)
		dlclose(d->library);
}
