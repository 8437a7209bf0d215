// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/annotate.h"
#include "base/io.h"

/* Larger files are not source; nor are more lines than that. */
#define MAX_SIZE  (16U << 20)
#define MAX_LINES (1U << 20)
/* Open files take memory: after this many no more are read. */
#define MAX_FILES 256

/* Empty if it could not be read. */
struct source_file {
	char *text;
	size_t size;
	uint32_t *starts;
	size_t nr;
};

static int open_below(const char *root, const char *file, struct stat *st)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s", root, file) >=
	    (int)sizeof(path))
		return -1;
	return regular_open(path, 0, st);
}

/* A relative path would be relative to a directory of another machine. */
static int open_source(const char *symfs, const char *file, struct stat *st)
{
	int fd = -1;

	if (*file != '/')
		return -1;
	if (symfs)
		fd = open_below(symfs, file, st);
	return fd < 0 ? open_below("", file, st) : fd;
}

static void lines_find(struct source_file *f)
{
	size_t nr = 1;

	for (size_t i = 0; i < f->size; i++)
		nr += f->text[i] == '\n';
	if (nr > MAX_LINES)
		return;
	f->starts = calloc(nr, sizeof(*f->starts));
	if (!f->starts)
		return;
	f->nr = 1;
	for (size_t i = 0; i < f->size && f->nr < nr; i++)
		if (f->text[i] == '\n')
			f->starts[f->nr++] = i + 1;
}

static void file_read(struct source_file *f, const char *symfs,
		      const char *file)
{
	struct stat st;
	int fd = open_source(symfs, file, &st);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in) {
		close_open(&fd);
		return;
	}
	if (st.st_size > 0 && st.st_size <= MAX_SIZE)
		f->text = malloc(st.st_size);
	if (f->text) {
		f->size = fread(f->text, 1, st.st_size, in);
		lines_find(f);
	}
	fclose(in);
}

static struct source_file *file_get(struct source_files *source,
				    const char *file)
{
	struct source_file *f;
	bool is_new;
	void **item;

	if (source->files.names.count >= MAX_FILES)
		return NULL;
	item = named_item(&source->files, file, &is_new);
	if (!item || !is_new)
		return item ? *item : NULL;
	*item = f = calloc(1, sizeof(*f));
	if (f)
		file_read(f, source->symfs, file);
	return f;
}

const char *source_line(struct source_files *source, const char *file,
			unsigned int line, size_t *length)
{
	const struct source_file *f = file_get(source, file);
	const char *start, *end;

	if (!f || !line || line > f->nr)
		return NULL;
	start = f->text + f->starts[line - 1];
	end = memchr(start, '\n', f->text + f->size - start);
	*length = (end ? end : f->text + f->size) - start;
	return start;
}

static void file_free(void *item)
{
	struct source_file *f = item;

	if (f) {
		free(f->text);
		free(f->starts);
	}
	free(f);
}

void source_fini(struct source_files *source)
{
	named_fini(&source->files, file_free);
}
