// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The child process that reads ELF files: what it hands over, what its parent
 * makes of a damaged answer, and how it ends.
 */
#include "elf_fixture.h"
#include "command.h"
#include "program.h"

#include "symbols/reader.h"

#include <dlfcn.h>
#include <linux/capability.h>
#include <sys/socket.h>

static const struct pmscope_symbols_options options;
static struct unreadable_files missing;

static const struct program_symbol symbols[] = {
	{"outer", PROGRAM_TEXT, 64, STT_FUNC, STB_GLOBAL, false},
	{"inner", PROGRAM_TEXT + 16, 16, STT_FUNC, STB_LOCAL, false},
	{"alias", PROGRAM_TEXT, 64, STT_FUNC, STB_WEAK, false},
	{"last", PROGRAM_TEXT + 128, 0, STT_FUNC, STB_GLOBAL, false},
};

#define NR_SYMBOLS (ARRAY_SIZE(symbols))

static bool write_program(void)
{
	BYTES b = {};
	bool ret;

	put_program(&b, symbols, NR_SYMBOLS);
	ret = fixture_open() && fixture_write("program", b.data, b.size);
	return ret;
}

static int open_program(void)
{
	return open(fixture_path("program"), O_RDONLY | O_CLOEXEC);
}

static int read_program(struct reader *reader, struct elf_symbols *elf)
{
	const struct reader_source source = {.fd = open_program(),
					     .path = fixture_path("program"),
					     .name = "/usr/bin/program"};
	struct elf_id id;
	int ret = reader_read_symbols(reader, &source, &id, elf);

	close(source.fd);
	return ret;
}

static int read_here(struct elf_symbols *elf)
{
	static const struct elf_wanted any;
	struct elf_id id;

	return elf_read(open_program(), fixture_path("program"),
			&fixture_search, &any, &id, elf);
}

static const char *name_at(const struct elf_symbols *elf, uint64_t at)
{
	uint64_t offset = 0;
	const struct symbol *symbol = elf_find(elf, at, &offset, NULL);

	return symbol ? symbol->name : "";
}

TEST(child_hands_over_what_it_read)
{
	struct reader reader = {.options = &options, .missing = &missing};
	struct elf_symbols here = {}, there = {};

	ASSERT_TRUE(write_program());
	ASSERT_EQ(read_here(&here), 0);
	ASSERT_EQ(elf_place_segments(&here), 0);
	ASSERT_EQ(read_program(&reader, &there), 0);
	EXPECT_EQ(there.table.count, 3U);
	EXPECT_EQ(there.table.aside, 1U);
	EXPECT_EQ(there.nr_segments, here.nr_segments);
	for (uint64_t at = 0; at < PROGRAM_DATA; at++)
		ASSERT_STREQ(name_at(&there, at), name_at(&here, at));
	EXPECT_STREQ(name_at(&there, PROGRAM_TEXT + 15), "outer");
	EXPECT_STREQ(name_at(&there, PROGRAM_TEXT + 16), "inner");
	EXPECT_STREQ(name_at(&there, PROGRAM_TEXT + 32), "outer");
	EXPECT_STREQ(name_at(&there, PROGRAM_TEXT + 64), "");
	EXPECT_TRUE(symbol_table_named(&there.table, "alias"));
	elf_fini(&here);
	elf_fini(&there);
	reader_fini(&reader);
	fixture_close();
}

/* What a child that a file took over could answer. */
static struct damage {
	const char *name;
	size_t symbol; /* whose @value is changed */
	size_t member; /* offset of the value in it */
	uint64_t value;
	int error;
} damages[] = {
	{"name past the end", 1, offsetof(struct symbol, name), 1 << 20,
	 -EBADMSG},
	{"name of an alias past the end", 3, offsetof(struct symbol, name),
	 UINT64_MAX, -EBADMSG},
	{"symbol within itself", 1, offsetof(struct symbol, around), 2,
	 -EBADMSG},
	{"symbol within a later one", 0, offsetof(struct symbol, around),
	 UINT32_MAX, -EBADMSG},
	{"addresses out of order", 2, offsetof(struct symbol, address), 1,
	 -EBADMSG},
	{"pointer to a module", 0, offsetof(struct symbol, module), 1, 0},
};

static size_t member_size(size_t member)
{
	return member == offsetof(struct symbol, around) ? 4 : 8;
}

/* An image of the program in a file. */
static int save_program(struct elf_image *image)
{
	struct elf_symbols elf = {};
	int fd;

	EXPECT_EQ(read_here(&elf), 0);
	fd = elf_save(&elf, image);
	elf_fini(&elf);
	return fd;
}

TEST(parent_does_not_trust_symbols)
{
	struct elf_image image;
	size_t before;

	ASSERT_TRUE(write_program());
	before = memory_in_use();
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		const struct damage *d = &damages[i];
		struct elf_symbols elf = {};
		int fd = save_program(&image);

		ktap_note("%s", d->name);
		pwrite(fd, &d->value, member_size(d->member),
		       d->symbol * sizeof(struct symbol) + d->member);
		EXPECT_EQ(elf_load(fd, &image, &elf), d->error);
		for (uint64_t at = 0; at < PROGRAM_DATA; at++)
			EXPECT_TRUE(name_at(&elf, at) != NULL);
		elf_fini(&elf);
		close(fd);
	}
	EXPECT_LE(memory_in_use(), before + 4096);
	fixture_close();
}

TEST(parent_does_not_trust_sizes)
{
	struct elf_image image, whole;
	int fd;

	ASSERT_TRUE(write_program());
	fd = save_program(&whole);
	ASSERT_EQ(sizeof(whole) % 8, 0U);
	for (size_t i = 0; i < sizeof(whole) / 8; i++)
		for (unsigned int shift = 0; shift < 64; shift++) {
			struct elf_symbols elf = {};
			uint64_t *size = (uint64_t *)&image + i;
			int ret;

			image = whole;
			*size += UINT64_C(1) << shift;
			ret = elf_load(fd, &image, &elf);
			EXPECT_TRUE(ret == -EBADMSG || ret == -EFBIG ||
				    ret == -ENOMEM);
			EXPECT_FALSE(elf.table.symbols);
		}
	image = whole;
	image.names--;
	EXPECT_EQ(elf_load(fd, &image, &(struct elf_symbols){}), -EBADMSG);
	close(fd);
	fixture_close();
}

TEST(file_without_symbols)
{
	struct elf_symbols none = {}, elf = {};
	struct elf_image image;
	int fd = elf_save(&none, &image);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(elf_load(fd, &image, &elf), 0);
	EXPECT_STREQ(name_at(&elf, PROGRAM_TEXT), "");
	elf_fini(&elf);
	close(fd);
}

/* Sends @signal to a child that has answered; the next answer is @error. */
static void expect_error_after(int signal, int error)
{
	struct reader reader = {
		.options = &options, .missing = &missing, .wait = 1};
	struct elf_symbols elf = {};

	ktap_note("%s", strsignal(signal));
	ASSERT_EQ(read_program(&reader, &elf), 0);
	elf_fini(&elf);
	ASSERT_EQ(kill(reader.pid, signal), 0);
	EXPECT_EQ(read_program(&reader, &elf), error);
	EXPECT_EQ(reader.pid, 0);
	/* A new child reads it. */
	EXPECT_EQ(read_program(&reader, &elf), 0);
	EXPECT_EQ(reader.children, 2U);
	EXPECT_STREQ(name_at(&elf, PROGRAM_TEXT), "outer");
	elf_fini(&elf);
	reader_fini(&reader);
}

/* With ASan, a fault is a bug to report. */
PLAIN_TEST(child_that_stops_or_dies)
{
	alarm(KTAP_HANGS);
	ASSERT_TRUE(write_program());
	expect_error_after(SIGSTOP, -ETIME);
	expect_error_after(SIGKILL, -EBADMSG);
	expect_error_after(SIGSEGV, -EBADMSG);
	fixture_close();
}

#define CODE_AT	  0x1000
#define CODE_SIZE 200000

/* A file with one segment, whose bytes are numbered. */
static bool write_code(const char *name)
{
	Elf64_Ehdr header = program_header(ET_EXEC, 1, 0, 0, 0);
	const Elf64_Phdr code = {.p_type = PT_LOAD,
				 .p_offset = CODE_AT,
				 .p_vaddr = 16 * CODE_AT,
				 .p_filesz = CODE_SIZE};
	BYTES b = {};
	bool ret;

	header.e_shentsize = 0;
	bytes_add(&b, &header, sizeof(header));
	bytes_add(&b, &code, sizeof(code));
	put_zeros(&b, CODE_AT - b.size);
	for (uint32_t i = 0; i < CODE_SIZE / 4; i++)
		put(&b, i, 4);
	ret = fixture_write(name, b.data, b.size);
	return ret;
}

static int open_path(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* An answer has room for 65536 bytes. */
TEST(code_in_several_pieces)
{
	static uint32_t bytes[CODE_SIZE / 4 + 100];
	struct reader reader = {.options = &options, .missing = &missing};
	struct pmscope_code code = {};
	const struct code_request request = {bytes, sizeof(bytes), &code};

	ASSERT_TRUE(fixture_open() && write_code("code"));
	EXPECT_EQ(reader_read_code(&reader, fixture_path("code"), open_path, 0,
				   16 * CODE_AT + 4, &request),
		  0);
	EXPECT_EQ(code.size, CODE_SIZE - 4U);
	EXPECT_EQ(code.machine, (unsigned int)EM_AARCH64);
	for (uint32_t i = 0; i < CODE_SIZE / 4 - 1; i++)
		ASSERT_EQ(bytes[i], i + 1);
	EXPECT_EQ(bytes[CODE_SIZE / 4 - 1], 0U);
	reader_fini(&reader);
	fixture_close();
}

static int read_code(struct reader *reader, const char *path)
{
	uint8_t bytes[16];
	struct pmscope_code code = {};
	const struct code_request request = {bytes, sizeof(bytes), &code};

	return reader_read_code(reader, path, open_path, 0, 16 * CODE_AT,
				&request);
}

/* The file is not asked for again. */
TEST(code_on_which_the_child_stops)
{
	struct unreadable_files unread = {};
	struct reader reader = {
		.options = &options, .missing = &unread, .wait = 1};
	char *path, *other;

	alarm(KTAP_HANGS);
	ASSERT_TRUE(fixture_open() && write_code("code") &&
		    write_code("other"));
	path = strdup(fixture_path("code"));
	other = strdup(fixture_path("other"));
	ASSERT_EQ(read_code(&reader, path), 0);
	ASSERT_EQ(kill(reader.pid, SIGSTOP), 0);
	EXPECT_EQ(read_code(&reader, path), -ETIME);
	EXPECT_EQ(read_code(&reader, path), -ETIME);
	EXPECT_EQ(reader.pid, 0);
	EXPECT_EQ(unread.files.count, 1U);
	EXPECT_EQ(read_code(&reader, other), 0);
	reader_fini(&reader);
	unreadable_fini(&unread);
	free(path);
	free(other);
	fixture_close();
}

/* A libdebuginfod whose downloads take 3 seconds and then fail. */
static const char library[] =
	"#include <errno.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
	"static int (*progress)(void *client, long a, long b);\n"
	"void *debuginfod_begin(void) { return &progress; }\n"
	"void debuginfod_end(void *client) { (void)client; }\n"
	"void debuginfod_set_progressfn(void *client, void *call)\n"
	"{ progress = getenv(\"SILENT\") ? NULL : call; }\n"
	"int debuginfod_find_debuginfo(void *client, const unsigned char *id,\n"
	"			      int size, char **path)\n"
	"{\n"
	"	for (int i = 0; i < 30; i++, usleep(100000))\n"
	"		if (progress && progress(client, i, 30))\n"
	"			return -EINTR;\n"
	"	return -ENOENT;\n"
	"}\n";

static bool build_library(void)
{
	return fixture_open() && fixture_write_text("library.c", library) &&
	       fixture_write_text("program.c", "int f(void) { return 1; }\n") &&
	       fixture_run("cc -w -shared -fPIC -Wl,-soname,libdebuginfod.so.1 "
			   "-o libdebuginfod.so.1 library.c") &&
	       fixture_run("cc -shared -fPIC -nostdlib -Wl,--build-id -s "
			   "-o program program.c");
}

static int read_from_server(unsigned int *children)
{
	struct reader reader = {
		.options = &options, .missing = &missing, .wait = 2};
	struct elf_symbols elf = {};
	int ret = read_program(&reader, &elf);

	*children = reader.children;
	elf_fini(&elf);
	reader_fini(&reader);
	return ret;
}

/* The child reports progress, so that the wait begins again. */
TEST(server_that_is_slow)
{
	unsigned int children;
	void *loaded;

	alarm(KTAP_HANGS);
	if (!build_library())
		SKIP("no compiler here");
	/* dlopen() takes a library of this name that is loaded already. */
	loaded = dlopen(fixture_path("libdebuginfod.so.1"), RTLD_NOW);
	ASSERT_TRUE(loaded);
	setenv("DEBUGINFOD_URLS", "x", 1);
	EXPECT_EQ(read_from_server(&children), 0);
	EXPECT_EQ(children, 1U);
	setenv("SILENT", "1", 1);
	EXPECT_EQ(read_from_server(&children), -ETIME);
	unsetenv("SILENT");
	unsetenv("DEBUGINFOD_URLS");
	dlclose(loaded);
	fixture_close();
}

/* The value of a line of /proc/PID/status, which is hexadecimal. */
static uint64_t status_of(pid_t pid, const char *name)
{
	char path[64], line[256];
	uint64_t value = UINT64_MAX;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name) + 1, NULL, 16);
	if (file)
		fclose(file);
	return value;
}

TEST(child_has_few_rights)
{
	struct reader reader = {.options = &options, .missing = &missing};
	uint64_t rights = UINT64_C(1) << CAP_DAC_READ_SEARCH;
	struct elf_symbols elf = {};

	ASSERT_TRUE(write_program());
	EXPECT_EQ(read_program(&reader, &elf), 0);
	EXPECT_EQ(status_of(reader.pid, "NoNewPrivs:"), UINT64_C(1));
	EXPECT_EQ(status_of(reader.pid, "Seccomp:"), UINT64_C(2));
	EXPECT_EQ(status_of(reader.pid, "CapPrm:") & ~rights, UINT64_C(0));
	EXPECT_EQ(status_of(reader.pid, "CapEff:") & ~rights, UINT64_C(0));
	EXPECT_EQ(status_of(reader.pid, "CapInh:"), UINT64_C(0));
	elf_fini(&elf);
	reader_fini(&reader);
	fixture_close();
}

/* What code in a malformed file would try; a bit for each that succeeds. */
static int escape(const char *path, pid_t parent)
{
	char *const nothing[] = {NULL};
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int got = 0;

	sandbox_enter(false);
	got |= open(path, O_WRONLY) >= 0;
	got |= (open(path, O_RDONLY | O_TRUNC) >= 0) << 1;
	got |= (openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600) >= 0) << 2;
	got |= !unlink(path) << 3;
	got |= !chmod(path, 0777) << 4;
	got |= (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) << 5;
	got |= !kill(parent, 0) << 6;
	got |= (page != MAP_FAILED &&
		!mprotect(page, 4096, PROT_READ | PROT_EXEC))
	       << 7;
	got |= (fork() >= 0) << 8;
	got |= !truncate(path, 0) << 9;
	got |= !symlink("x", "/tmp/pmscope-escape") << 10;
	execve("/bin/true", nothing, nothing);
	if (open(path, O_RDONLY) < 0) /* that is its task */
		got |= 1 << 11;
	return got;
}

/* The sanitizers have handlers of their own. */
PLAIN_TEST(child_cannot_write_or_run_programs)
{
	int got = -1, ends[2], parent = getpid();
	pid_t pid;

	ASSERT_TRUE(write_program());
	ASSERT_EQ(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		got = escape(fixture_path("program"), parent);
		_exit(write(ends[1], &got, sizeof(got)) != sizeof(got));
	}
	close(ends[1]);
	EXPECT_EQ(read(ends[0], &got, sizeof(got)), (ssize_t)sizeof(got));
	close(ends[0]);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(got, 0);
	fixture_close();
}
