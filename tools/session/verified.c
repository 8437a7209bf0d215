// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "event.h"
#include "pmu.h"
#include "system.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#define OF_ROOT "/var/lib/pmscope/verified"

/* This user's file, whose folder may not be there; allocated */
static char *own_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool has_cache = cache && *cache == '/';
	char *path;

	if (!geteuid())
		return strdup(OF_ROOT);
	if (asprintf(&path, "%s%s/pmscope/verified",
		     has_cache ? cache : home ?: "",
		     has_cache ? "" : "/.cache") < 0)
		return NULL;
	return path;
}

void verified_add(FILE *lines, uint64_t midr, unsigned int number,
		  const char *name, const char *words)
{
	struct utsname uts = {};

	uname(&uts);
	fprintf(lines, "%s 0x%" PRIx64 " 0x%x %s %s\n", uts.release, midr,
		number, name, words);
}

int verified_save(const char *lines, struct pmscope_error *err)
{
	char *path = own_path(), *made = NULL;
	FILE *file = NULL;
	int fd, ret = 0;

	if (!path || asprintf(&made, "%s.XXXXXX", path) < 0) {
		free(path);
		return pmscope_fail_nomem(err);
	}
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	fd = mkstemp(made);
	if (fd >= 0)
		file = fdopen(fd, "w");
	if (!file || fputs(lines, file) < 0 || fchmod(fd, 0644) ||
	    fflush(file) || rename(made, path))
		ret = pmscope_fail(err, errno, "%s: %s", path, strerror(errno));
	if (ret && fd >= 0)
		unlink(made);
	if (file)
		fclose(file);
	free(path);
	free(made);
	return ret;
}

static FILE *open_saved(void)
{
	char *path = own_path();
	FILE *file = path ? fopen(path, "re") : NULL;

	free(path);
	return file ?: fopen(OF_ROOT, "re");
}

bool verified_find(const struct listed_event *event, char *text, size_t size)
{
	int cpu = event->cpus.nr ? event->cpus.cpu[0] : 0;
	uint64_t midr = sysfs_midr(PMSCOPE_CPUS, cpu), of;
	char line[256], kernel[80], name[48];
	struct utsname uts = {};
	unsigned int number;
	bool found = false;
	FILE *file;
	int words;

	if (!event->pmu || !pmu_has_arm_events(event->pmu))
		return false;
	file = open_saved();
	uname(&uts);
	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = sscanf(line, "%79s 0x%" SCNx64 " 0x%x %47[a-z0-9_] %n",
			       kernel, &of, &number, name, &words) == 4 &&
			!strcmp(kernel, uts.release) && of == midr &&
			number == (event->attr.attr.config & 0xffff);
		if (found)
			snprintf(text, size, "%s %s", name, line + words);
	}
	if (file)
		fclose(file);
	return found;
}
