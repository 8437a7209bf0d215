// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: TARGET [-runs=N] [-seed=N] [-every=SIZE] DIR|FILE...
 *
 * Stands in for libFuzzer where only a C compiler is at hand: gives the target
 * each file, then N random changes of them, the same ones for the same seed.
 * Of files up to SIZE bytes, with -every, also each part that is cut off at a
 * byte, and each field that lies, in little memory.
 */
#include "fuzz.h"
#include "bytes.h"

#include <dirent.h>

#define MAX_FILES 4096
#define MAX_SIZE  65536
#define LIMIT	  (64UL << 20)

struct file {
	uint8_t *data;
	size_t size;
};

static struct file files[MAX_FILES];
static size_t nr_files;

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_file(const char *path)
{
	FILE *in = fopen(path, "rb");
	struct file *file = &files[nr_files];

	if (!in || nr_files == MAX_FILES) {
		perror(path);
		exit(2);
	}
	file->data = malloc(MAX_SIZE);
	ALWAYS(file->data);
	file->size = fread(file->data, 1, MAX_SIZE, in);
	nr_files++;
	fclose(in);
}

static void read_path(const char *path)
{
	struct dirent **names;
	char name[4096];
	int nr = scandir(path, &names, NULL, by_name);

	if (nr < 0) {
		read_file(path);
		return;
	}
	for (int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, names[i]->d_name);
		if (*names[i]->d_name != '.')
			read_file(name);
		free(names[i]);
	}
	free(names);
}

/* In memory of its size exactly: the sanitizers see each byte behind it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	ALWAYS(copy);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

#define NR_LIES 15

/* Lengths, counts and offsets that are wrong in a way that hurts. */
static uint64_t lie(unsigned int n, size_t size)
{
	const uint64_t lies[NR_LIES] = {
		0,	    1,		8,	   0x7f,       0xff,
		0x7fff,	    0xffff,	size,	   size - 1,   0x7fffffff,
		0xffffffff, 1ULL << 40, INT64_MAX, UINT64_MAX, size + 1,
	};

	return lies[n];
}

static size_t change(uint8_t *data, size_t size, uint64_t *state)
{
	static const uint8_t widths[] = {1, 2, 4, 8};
	size_t at = random_below(state, size), n;
	uint64_t value = lie(random_below(state, NR_LIES), size);

	switch (random_below(state, 6)) {
	case 0:
		data[at] ^= 1 << random_below(state, 8);
		break;
	case 1:
		data[at] = random_next(state) >> 56;
		break;
	case 2: /* a field, where fields usually are */
		n = widths[random_below(state, 4)];
		at &= ~(n - 1);
		if (at + n <= size)
			memcpy(data + at, &value, n);
		break;
	case 3:
		return at + 1;
	case 4: /* a part moved onto another */
		n = random_below(state, size - at) + 1;
		memmove(data + at, data + random_below(state, size - n + 1), n);
		break;
	case 5: /* a part left out */
		n = random_below(state, size - at);
		memmove(data + at, data + at + n, size - at - n);
		return size - n;
	}
	return size;
}

static void run_changed(uint64_t *state)
{
	const struct file *file = &files[random_below(state, nr_files)];
	static uint8_t data[MAX_SIZE];
	size_t size = file->size;

	memcpy(data, file->data, size);
	for (unsigned int n = 1 + random_below(state, 4); n && size; n--)
		size = change(data, size, state);
	run(data, size);
}

static void run_lies(const struct file *file, size_t at, size_t width)
{
	uint8_t *data = malloc(file->size);

	ALWAYS(data);
	for (unsigned int n = 0; n < NR_LIES; n++) {
		uint64_t value = lie(n, file->size);

		memcpy(data, file->data, file->size);
		memcpy(data + at, &value, width);
		LLVMFuzzerTestOneInput(data, file->size);
	}
	free(data);
}

static void run_every(const struct file *file)
{
	for (size_t size = 0; size < file->size; size++)
		run(file->data, size);
	for (size_t width = 2; width <= 8; width *= 2)
		for (size_t at = 0; at + width <= file->size; at += width)
			run_lies(file, at, width);
}

/* What a file promises is not allocated before it is seen to be there. */
static void limit_memory(void)
{
	struct rlimit limit = {LIMIT, LIMIT};

	/* ASan reserves terabytes. */
	ALWAYS(SANITIZED || !setrlimit(RLIMIT_AS, &limit));
}

int main(int argc, char **argv)
{
	uint64_t runs = 0, state = 1;
	size_t every = 0;

	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "-runs=", 6))
			runs = strtoull(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "-seed=", 6))
			state = strtoull(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "-every=", 7))
			every = strtoull(argv[i] + 7, NULL, 0);
		else
			read_path(argv[i]);
	}
	for (size_t i = 0; i < nr_files; i++)
		run(files[i].data, files[i].size);
	if (every)
		limit_memory();
	for (size_t i = 0; i < nr_files; i++)
		if (files[i].size <= every)
			run_every(&files[i]);
	while (nr_files && state && runs--)
		run_changed(&state);
	for (size_t i = 0; i < nr_files; i++)
		free(files[i].data);
	return 0;
}
