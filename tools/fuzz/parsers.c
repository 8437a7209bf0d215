// SPDX-License-Identifier: GPL-2.0-or-later
/* The parsers without a target of their own; the first byte chooses one. */
#include "fuzz.h"

#include "code/code.h"
#include "input/input.h"
#include "record/record.h"
#include "session/records.h"

#include <ftw.h>

static char top[] = "/tmp/pmscope-fuzz-XXXXXX";
static char file[64], directory[64], unpacked[64];

static int remove_one(const char *path, const struct stat *, int, struct FTW *)
{
	return remove(path);
}

static void remove_below(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void remove_top(void)
{
	remove_below(top);
}

static void nothing(const char *)
{
}

static void begin(void)
{
	if (*file)
		return;
	ALWAYS(mkdtemp(top));
	atexit(remove_top);
	snprintf(file, sizeof(file), "%s/file", top);
	snprintf(directory, sizeof(directory), "%s/directory", top);
	snprintf(unpacked, sizeof(unpacked), "%s/unpacked", top);
	message_to(nothing);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ALWAYS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* A string of what is there, up to its first NUL. */
static char *text_of(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	ALWAYS(text);
	return text;
}

/* All that is unpacked lies below the directory, and no file is a link. */
static void one_pack(const uint8_t *data, size_t size)
{
	struct pack pack = {};

	strcpy(pack.dir, unpacked);
	ALWAYS(!mkdir(unpacked, 0700));
	write_file(file, data, size);
	ALWAYS(!pack_unpack(&pack, file));
	ALWAYS(!*pack.recording ||
	       !strncmp(pack.recording, unpacked, strlen(unpacked)));
	remove_below(unpacked);
}

static void open_input(const char *path)
{
	struct pmscope_input *input;

	if (pmscope_input_open(path, &input))
		return;
	if (pmscope_input_size(input))
		ALWAYS(pmscope_input_data(input));
	pmscope_input_free(input);
}

static void one_zstd(const uint8_t *data, size_t size)
{
	write_file(file, data, size);
	open_input(file);
}

/* Three files, as the first bytes divide what follows. */
static void one_directory(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"data", "data.0", "data.1"};
	char path[96];

	ALWAYS(!mkdir(directory, 0700));
	for (size_t i = 0; i < 3; i++) {
		size_t n = size;

		if (i < 2 && size >= 2)
			n = (size_t)data[0] | (size_t)data[1] << 8;
		if (i < 2 && size >= 2)
			data += 2, size -= 2;
		if (n > size)
			n = size;
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		write_file(path, data, n);
		data += n;
		size -= n;
	}
	open_input(directory);
	remove_below(directory);
}

static void one_provenance(const uint8_t *data, size_t size)
{
	const struct load_config config = {
		.input = file, .threads = 1, .quiet = true};
	struct provenance provenance = {};
	struct load load;

	write_file(file, data, size);
	if (load_open(&load, &config))
		return;
	ALWAYS(!provenance_read(&provenance, &load));
	for (size_t i = 0; i < provenance.nr_args; i++)
		ALWAYS(provenance.args[i]);
	provenance_fini(&provenance);
	load_close(&load);
}

static int take_record(void *, const struct perf_event_header *record)
{
	ALWAYS(record->type == PERF_RECORD_MMAP2 && record->size % 8 == 0);
	return 0;
}

static void one_maps(const uint8_t *data, size_t size)
{
	struct named ids = {};
	const struct synth synth = {
		.data_maps = true, .ids = &ids, .emit = take_record};
	char *text = text_of(data, size), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		if (strlen(line) < PATH_MAX + 128)
			ALWAYS(!synth_map(&synth, 1, 1, line));
	named_fini(&ids, free);
	free(text);
}

static void one_filter(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);
	struct filter filter = {};
	int ret = filter_parse(&filter, text);

	ALWAYS(!ret || ret == -EINVAL);
	ALWAYS(filter.nr_terms <= FILTER_TERMS);
	for (size_t i = 0; !ret && i < filter.nr_terms; i++)
		ALWAYS(filter.terms[i].nr_values <= FILTER_VALUES);
	filter_fini(&filter);
	free(text);
}

static void one_control(const uint8_t *data, size_t size)
{
	struct control control = {.fd = memfd_create("control", MFD_CLOEXEC),
				  .ack_fd = -1};
	const char *argument;

	ALWAYS(pwrite(control.fd, data, size, 0) == (ssize_t)size);
	while (control_next(&control, &argument) != CONTROL_NONE)
		ALWAYS(strlen(argument) < CONTROL_LINE);
	ALWAYS(control.at_end);
	close(control.fd);
}

static void one_objdump(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		size_t offset;
		char *insn = objdump_line(line, &offset);

		ALWAYS(!insn || (insn > line && !strstr(insn, "//")));
	}
	free(text);
}

/* seeds.c has their numbers, too. */
static void (*const targets[])(const uint8_t *data, size_t size) = {
	one_pack, one_zstd,   one_directory, one_provenance,
	one_maps, one_filter, one_control,   one_objdump};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	begin();
	if (size)
		targets[*data % ARRAY_SIZE(targets)](data + 1, size - 1);
	return 0;
}
