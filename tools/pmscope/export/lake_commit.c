// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All parts of a recording change together. They are written to DIR/.KEY/, and
 * listed in its file `parts` when all are whole and on the disk. Then the older
 * parts of the recording are removed, wherever they are, and the new ones get
 * their names. What a killed export began, the next one into DIR completes, or
 * removes if it has no list. A lock on DIR/.KEY keeps other exports away.
 */
#include "export/lake.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/file.h>

#define LIST	  "parts"
#define ANY_KEY	  ".????????????????"
#define KEY_SIZE  16
#define ATTEMPTS  8 /* while others remove empty directories */
#define PATH_ROOM (2 * PATH_MAX)

/* A directory of new parts and what its list says. */
struct staged {
	const char *lake;
	const char *path;
	char *text;
	char **names; /* below @lake: the i-th is that of @path/i */
	size_t nr;
};

static int make_directories(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		int ret;

		*p = '\0';
		ret = mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
		*p = '/';
		if (ret)
			return ret;
	}
	return 0;
}

static bool names(char path[PATH_ROOM], const char *directory, const char *name)
{
	return snprintf(path, PATH_ROOM, "%s/%s", directory, name) < PATH_ROOM;
}

static bool names_new(char path[PATH_ROOM], const struct staged *s, size_t i)
{
	return snprintf(path, PATH_ROOM, "%s/%zu", s->path, i) < PATH_ROOM;
}

static int fail(const char *path, int ret)
{
	if (ret && ret != -ENOMEM)
		error("%s: %s", path, strerror(-ret));
	return ret;
}

/* A list is whole or not there; its names must not lead out of the lake. */
static bool take_names(struct staged *s)
{
	for (char *at = s->text, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		if (strncmp(at, "dataset=", 8) != 0 || strstr(at, "/../"))
			return false;
		s->names[s->nr++] = at;
	}
	return s->nr;
}

static bool read_list(struct staged *s)
{
	char path[PATH_ROOM];
	struct stat st;
	ssize_t size = -1;
	int fd = names(path, s->path, LIST)
			 ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
			 : -1;

	if (fd >= 0 && !fstat(fd, &st)) {
		s->text = malloc(st.st_size + 1);
		s->names = calloc(st.st_size + 1, sizeof(*s->names));
		if (s->text && s->names)
			size = read(fd, s->text, st.st_size);
	}
	close_open(&fd);
	if (size < 0)
		return false;
	s->text[size] = '\0';
	return take_names(s);
}

static void forget_list(struct staged *s)
{
	free(s->text);
	free(s->names);
}

static void empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* A part that got its name already: its file is no longer among the new. */
static bool is_moved(const struct staged *s, const char *name)
{
	char path[PATH_ROOM];
	struct stat st;

	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->names[i], name))
			return names_new(path, s, i) && lstat(path, &st);
	return false;
}

/* The directories of its host and its date, if nothing else is in them. */
static void remove_empty(char *path)
{
	for (int i = 0; i < 2; i++) {
		*strrchr(path, '/') = '\0';
		if (rmdir(path))
			return;
	}
}

/* So that glob(3) takes it as it is. */
static char *put_escaped(char *to, const char *text)
{
	for (; *text; *to++ = *text++)
		if (strchr("*?[\\", *text))
			*to++ = '\\';
	*to = '\0';
	return to;
}

static int find(const char *lake, const char *rest, glob_t *found)
{
	char pattern[2 * PATH_MAX + NAME_MAX];
	size_t room = sizeof(pattern) - 2 * strlen(lake) - 1;
	char *end;
	int ret;

	*found = (glob_t){};
	if (strlen(lake) >= PATH_MAX || strlen(rest) + 1 >= room)
		return -ENAMETOOLONG;
	end = put_escaped(pattern, lake);
	sprintf(end, "/%s", rest);
	ret = glob(pattern, GLOB_NOSORT, NULL, found);
	return ret == GLOB_NOSPACE ? -ENOMEM : 0;
}

static int remove_old(const struct staged *s, const char *host)
{
	const char *key = s->path + strlen(s->path) - KEY_SIZE;
	char rest[NAME_MAX + 64];
	glob_t found;
	int ret;

	if (snprintf(rest, sizeof(rest),
		     "dataset=*/date=*/host=%s/%s-*.parquet", host,
		     key) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	ret = find(s->lake, rest, &found);
	for (size_t i = 0; i < found.gl_pathc && !ret; i++) {
		char *path = found.gl_pathv[i];

		if (is_moved(s, path + strlen(s->lake) + 1))
			continue;
		if (unlink(path) && errno != ENOENT)
			ret = fail(path, -errno);
		else
			remove_empty(path);
	}
	globfree(&found);
	return ret;
}

static int move_new(const struct staged *s, size_t i)
{
	char from[PATH_ROOM], to[PATH_ROOM];
	struct stat st;
	int ret = 0;

	if (!names_new(from, s, i) || !names(to, s->lake, s->names[i]))
		return -ENAMETOOLONG;
	for (int try = 0; try < ATTEMPTS; try++) {
		if (lstat(from, &st))
			return errno == ENOENT ? 0 : -errno;
		ret = make_directories(to);
		if (!ret && rename(from, to))
			ret = -errno;
		if (ret != -ENOENT)
			break;
	}
	return fail(to, ret);
}

/* Completes what @path has a list for; else removes it. Its lock is held. */
static int settle(const char *lake, const char *path, const char *host)
{
	struct staged s = {.lake = lake, .path = path};
	int ret = 0;

	if (read_list(&s)) {
		ret = remove_old(&s, host);
		for (size_t i = 0; i < s.nr && !ret; i++)
			ret = move_new(&s, i);
	}
	if (!ret)
		empty(path);
	forget_list(&s);
	return ret;
}

/* Also after it waited, the directory must still be the one at @path. */
static int lock(const char *path, int how)
{
	struct stat st, there;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	/* Some file systems of a network have no locks. */
	if ((TEMP_FAILURE_RETRY(flock(fd, how)) && errno == EWOULDBLOCK) ||
	    fstat(fd, &st) || stat(path, &there) || st.st_ino != there.st_ino) {
		close(fd);
		return -EAGAIN;
	}
	return fd;
}

/* What exports of any recordings left that were killed. */
static int recover(const char *lake)
{
	glob_t found;
	int ret = find(lake, ANY_KEY, &found);

	for (size_t i = 0; i < found.gl_pathc && !ret; i++) {
		const char *path = found.gl_pathv[i];
		int fd = lock(path, LOCK_EX | LOCK_NB);

		if (fd < 0)
			continue;
		ret = settle(lake, path, "*");
		rmdir(path);
		close(fd);
	}
	globfree(&found);
	return ret;
}

int lake_stage(struct lake *lake)
{
	int ret = recover(lake->directory);

	if (ret)
		return ret;
	if (asprintf(&lake->staging, "%s/.%s", lake->directory, lake->key) <
	    0) {
		lake->staging = NULL;
		return -ENOMEM;
	}
	do {
		char path[PATH_ROOM];

		if (!names(path, lake->staging, ""))
			return fail(lake->staging, -ENAMETOOLONG);
		ret = make_directories(path);
		lake->lock = ret ?: lock(lake->staging, LOCK_EX);
	} while (!ret && (lake->lock == -EAGAIN || lake->lock == -ENOENT));
	if (lake->lock < 0)
		return fail(lake->staging, lake->lock);
	/* Another that this one waited for may have been killed. */
	return settle(lake->directory, lake->staging, "*");
}

char *lake_stage_part(struct lake *lake, const struct lake_part *part)
{
	char name[PATH_MAX], *path;

	if (snprintf(name, sizeof(name),
		     "dataset=%s/date=%s/host=%s/%s-%u.parquet\n",
		     part->dataset, lake->date, lake->host, lake->key,
		     part->number) >= PATH_MAX)
		return NULL;
	blob_bytes(&lake->list, name, strlen(name));
	if (lake->list.failed ||
	    asprintf(&path, "%s/%zu", lake->staging, lake->staged) < 0)
		return NULL;
	lake->staged++;
	return path;
}

static int sync_file(const char *path)
{
	CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

static int write_list(const struct lake *lake)
{
	char path[PATH_ROOM], new[PATH_ROOM];
	FILE *out;
	int ret = 0;

	if (!names(path, lake->staging, LIST) ||
	    !names(new, lake->staging, LIST ".new"))
		return -ENAMETOOLONG;
	out = fopen(new, "we");
	if (!out)
		return -errno;
	if (fwrite(lake->list.data, 1, lake->list.size, out) !=
		    lake->list.size ||
	    fflush(out) || fsync(fileno(out)))
		ret = -errno;
	if (fclose(out) && !ret)
		ret = -errno;
	return ret ?: rename(new, path) ? -errno : 0;
}

int lake_commit(struct lake *lake)
{
	const struct staged s = {.path = lake->staging};
	bool named = lake->provenance.host != lake->config->host;
	char path[PATH_ROOM];
	int ret = 0;

	for (size_t i = 0; i < lake->staged && !ret; i++)
		ret = names_new(path, &s, i) ? sync_file(path) : -ENAMETOOLONG;
	ret = ret ?: write_list(lake);
	if (ret)
		return fail(lake->staging, ret);
	return settle(lake->directory, lake->staging, named ? lake->host : "*");
}

void lake_unstage(struct lake *lake)
{
	struct staged s = {.path = lake->staging};

	/* With a list it is for the next export. */
	if (lake->staging && lake->lock >= 0 && !read_list(&s)) {
		empty(lake->staging);
		rmdir(lake->staging);
	}
	forget_list(&s);
	close_open(&lake->lock);
	blob_fini(&lake->list);
	free(lake->staging);
}
