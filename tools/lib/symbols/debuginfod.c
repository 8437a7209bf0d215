// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "files.h"
#include "base/names.h"

#include <dlfcn.h>

#define LIBRARY "libdebuginfod.so.1"
#define URLS	"DEBUGINFOD_URLS"

/* A recording may contain any number of build-ids. */
#define MAX_UNKNOWN 256
#define MAX_FAILED  3

/* Declared as in elfutils/debuginfod.h, so that the build does not need it. */
typedef void *begin_function(void);
typedef void end_function(void *client);
typedef int find_function(void *client, const unsigned char *build_id,
			  int length, char **path);

typedef void progress_function(void *client, debuginfod_progress *progress);

bool debuginfod_is_configured(void)
{
	const char *urls = getenv(URLS);

	return urls && *urls;
}

static void begin(struct debuginfod *d)
{
	progress_function *set_progress;
	begin_function *call;

	d->tried = true;
	if (!debuginfod_is_configured())
		return;
	/* Its dependencies would leak memory, so never unload it. */
	d->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NODELETE);
	if (!d->library)
		return;
	call = (begin_function *)dlsym(d->library, "debuginfod_begin");
	if (call)
		d->client = call();
	set_progress = (progress_function *)dlsym(d->library,
						  "debuginfod_set_progressfn");
	if (d->client && d->progress && set_progress)
		set_progress(d->client, d->progress);
}

/* Asks within limits: an unreachable server waits for its timeout each time. */
static void ask(struct debuginfod *d, struct unreadable_files *missing,
		enum debuginfod_kind kind, const uint8_t *build_id, size_t size,
		char **path)
{
	static const char *const functions[] = {
		[DEBUGINFOD_EXECUTABLE] = "debuginfod_find_executable",
		[DEBUGINFOD_DEBUGINFO] = "debuginfod_find_debuginfo",
	};
	find_function *call =
		(find_function *)dlsym(d->library, functions[kind]);
	int ret = -ENOENT;

	if (d->unknown >= MAX_UNKNOWN || d->failed >= MAX_FAILED)
		return;
	if (call)
		ret = call(d->client, build_id, size, path);
	if (ret >= 0)
		close(ret);
	d->unknown += ret == -ENOENT;
	d->failed += ret < 0 && ret != -ENOENT;
	if (d->failed == MAX_FAILED)
		unreadable_add(missing, URLS, ret);
}

const char *debuginfod_path(struct debuginfod *d,
			    struct unreadable_files *missing,
			    enum debuginfod_kind kind, const uint8_t *build_id,
			    size_t size)
{
	char key[2 * BUILD_ID_MAX + 4], *end = text_unsigned(key, kind);
	bool is_new;
	void **path;

	if (!d->tried)
		begin(d);
	if (!d->client || !size || size > BUILD_ID_MAX)
		return NULL;
	build_id_text(end, build_id, size);
	path = named_item(&d->answers, key, &is_new);
	missing->memory |= !path;
	if (path && is_new)
		ask(d, missing, kind, build_id, size, (char **)path);
	return path ? *path : NULL;
}

void debuginfod_fini(struct debuginfod *d)
{
	end_function *call;

	named_fini(&d->answers, free);
	if (d->client) {
		call = (end_function *)dlsym(d->library, "debuginfod_end");
		if (call)
			call(d->client);
	}
	if (d->library)
		dlclose(d->library);
}

bool build_id_path(char path[PATH_MAX], const char *root, const char *below,
		   const struct pmscope_place *place, const char *suffix)
{
	char hex[BUILD_ID_TEXT];

	if (!root || place->build_id_size < 2 ||
	    place->build_id_size > BUILD_ID_MAX)
		return false;
	build_id_text(hex, place->build_id, place->build_id_size);
	return snprintf(path, PATH_MAX, "%s%s/.build-id/%.2s/%s%s", root, below,
			hex, hex + 2, suffix) < PATH_MAX;
}
