// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

/* Files of one moment get later numbers; so many may be taken already. */
#define TRIES 1000

#define CENTISECOND_US 10000

const char *const switch_rule[] = {
	"signal, a size with B, K, M or G, or a time with s, m, h or d", NULL};

/* As in perf, a unit tells sizes and times apart. */
int option_switch(const struct option_row *row, const char *arg, void *field)
{
	struct record_switch_rule *rule = field;
	size_t length = arg ? strlen(arg) : 0;

	*rule = (struct record_switch_rule){.on = true};
	rule->on_signal = !arg || !strcmp(arg, "signal");
	if (rule->on_signal)
		return 0;
	if (!length)
		return -EINVAL;
	if (strchr("BKMGbkMG", arg[length - 1]))
		return option_max_size(row, arg, &rule->size);
	if (strchr("smhd", arg[length - 1]))
		return option_duration(row, arg, &rule->ns);
	return -EINVAL;
}

bool record_switch_due(const struct record_switch_rule *rule, uint64_t size,
		       uint64_t ns)
{
	return (rule->size && size >= rule->size) ||
	       (rule->ns && ns >= rule->ns);
}

int record_files_check(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		error("--switch-output cannot be combined with -o -");
	else if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		error("%s is not a regular file, which --switch-output renames",
		      path);
	else if (strlen(path) + sizeof(".2026112813344812") > PATH_MAX)
		error("%s: the name is too long for --switch-output", path);
	else
		return 0;
	return -EINVAL;
}

/* PATH.TIMESTAMP as perf has it: to a hundredth of a second, local time. */
static char *name_at(const char *path, const struct timeval *time)
{
	char text[16], *name;
	struct tm local;

	localtime_r(&time->tv_sec, &local);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
	return asprintf(&name, "%s.%s%02u", path, text,
			(unsigned int)time->tv_usec / CENTISECOND_US) < 0
		       ? NULL
		       : name;
}

/* A file of the name is never replaced: the clock may have been set back. */
static int move_to(const char *path, const char *name)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* The filesystem cannot do both in one step. */
	if (!lstat(name, &st))
		return -EEXIST;
	return rename(path, name) ? -errno : 0;
}

static int move(const char *path, char **name)
{
	static const struct timeval step = {0, CENTISECOND_US};
	struct timeval now;
	int ret = -EEXIST;

	gettimeofday(&now, NULL);
	for (int i = 0; i < TRIES && ret == -EEXIST; i++) {
		*name = name_at(path, &now);
		if (!*name)
			return -ENOMEM;
		ret = move_to(path, *name);
		if (ret)
			free(*name);
		timeradd(&now, &step, &now);
	}
	return ret;
}

/* Room for twice as many names, up to the maximum. */
static int reserve(struct record_files *files)
{
	size_t room = files->room ? 2 * files->room : 16;
	char **names;

	if (files->nr < files->room || files->room == files->max)
		return 0;
	room = MIN(room, files->max);
	names = realloc(files->name, room * sizeof(*names));
	if (!names)
		return -ENOMEM;
	memset(names + files->room, 0, (room - files->room) * sizeof(*names));
	files->name = names;
	files->room = room;
	return 0;
}

/* It takes the place of the oldest. */
static void keep(struct record_files *files, char *name)
{
	char **place = &files->name[files->nr % files->room];

	if (*place) {
		if (unlink(*place) && errno != ENOENT)
			warning("cannot remove %s: %s", *place,
				strerror(errno));
		free(*place);
	}
	*place = name;
}

int record_files_move(struct record_files *files)
{
	char *name;
	int ret = files->max ? reserve(files) : 0;

	if (!ret)
		ret = move(files->path, &name);
	if (ret) {
		error("cannot rename %s to %s.TIMESTAMP: %s", files->path,
		      files->path, strerror(-ret));
		return ret;
	}
	if (!files->max)
		free(files->last);
	else
		keep(files, name);
	files->nr++;
	files->last = name;
	return 0;
}

void record_files_free(struct record_files *files)
{
	if (!files->max)
		free(files->last);
	for (size_t i = 0; i < files->room; i++)
		free(files->name[i]);
	free(files->name);
}
