// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of what existed before a recording began. */
#include "bytes.h"
#include "ktap.h"
#include "session/records.h"

#include <pthread.h>

#define TRAILER 32
#define PAGE	sysconf(_SC_PAGESIZE)

static int take(void *context, const struct perf_event_header *record)
{
	bytes_add(context, record, record->size);
	return 0;
}

/* perf_event_open(2): pid, tid, how many, then device and inode of each. */
TEST(namespaces_of_the_recorder)
{
	BYTES b = {};
	const struct synth synth = {
		.trailer = TRAILER, .emit = take, .context = &b};
	struct perf_event_header header;
	uint64_t word[2 + 2 * NR_NAMESPACES];
	uint32_t id[2];
	struct stat st;

	if (stat("/proc/self/ns/pid", &st))
		SKIP("no PID namespaces");
	ASSERT_EQ(synth_namespaces(&synth), 0);
	ASSERT_EQ(b.size, sizeof(header) + sizeof(word) + TRAILER);
	memcpy(&header, b.data, sizeof(header));
	memcpy(word, b.data + sizeof(header), sizeof(word));
	memcpy(id, word, sizeof(id));
	EXPECT_EQ(header.type, PERF_RECORD_NAMESPACES);
	EXPECT_EQ(header.size, b.size);
	EXPECT_EQ(id[0], (uint32_t)getpid());
	EXPECT_EQ(id[1], (uint32_t)getpid());
	EXPECT_EQ(word[1], (uint64_t)NR_NAMESPACES);
	EXPECT_EQ(word[2 + 2 * PID_NS_INDEX], st.st_dev);
	EXPECT_EQ(word[3 + 2 * PID_NS_INDEX], st.st_ino);
	ASSERT_EQ(stat("/proc/self/ns/net", &st), 0);
	EXPECT_EQ(word[3 + 2 * NET_NS_INDEX], st.st_ino);
}

static const struct mmap2_record *find_map(const struct bytes *b,
					   const char *part)
{
	for (size_t at = 0; at < b->size;) {
		const struct mmap2_record *map = (const void *)(b->data + at);

		if (map->header.type == PERF_RECORD_MMAP2 &&
		    strstr(map->name, part))
			return map;
		at += map->header.size;
	}
	return NULL;
}

static void synth_task(struct bytes *b, pid_t task)
{
	const struct synth synth = {
		.trailer = TRAILER, .emit = take, .context = b};
	struct target target = {.task = &task, .nr_tasks = 1};

	ASSERT_EQ(synth_tasks(&synth, &target), 0);
}

/* Maps a copy of this program at @path, which is then another file. */
static void map_replaced(const char *path)
{
	char command[128];
	void *map;
	int fd;

	snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", getpid(),
		 path);
	ASSERT_EQ(system(command), 0);
	fd = open(path, O_RDONLY);
	map = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ASSERT_TRUE(map != MAP_FAILED);
	close(fd);
	ASSERT_EQ(unlink(path), 0);
	ASSERT_EQ(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
}

TEST(build_id_of_a_file_that_was_replaced)
{
	char path[] = "/tmp/pmscope-replaced.XXXXXX";
	struct pmscope_build_id own = {};
	const struct mmap2_record *map;
	BYTES b = {};

	if (geteuid() != 0)
		SKIP("needs root");
	if (!buildid_of_file("/proc/self/exe", &own))
		SKIP("this program has no build-id");
	ASSERT_EQ(close(mkstemp(path)), 0);
	map_replaced(path);
	synth_task(&b, getpid());
	map = find_map(&b, path);
	ASSERT_TRUE(map);
	ASSERT_TRUE(map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	EXPECT_EQ(map->build_id_size, own.size);
	EXPECT_EQ(memcmp(map->build_id, own.id, own.size), 0);
	EXPECT_EQ(map->prot, PROT_READ | PROT_EXEC);
	unlink(path);
}

TEST(newlines_in_the_name_of_a_file)
{
	char path[] = "/tmp/pmscope-new\nline\n.XXXXXX";
	BYTES b = {};

	ASSERT_EQ(close(mkstemp(path)), 0);
	map_replaced(path);
	synth_task(&b, getpid());
	EXPECT_TRUE(find_map(&b, path));
	unlink(path);
}

static void *wait_for_end(void *unused)
{
	pause();
	return unused;
}

/* Returns its number when the first thread has ended. */
static pid_t start_without_leader(void)
{
	char path[64], state[512];
	pthread_t thread;
	pid_t pid = fork();

	if (!pid) {
		pthread_create(&thread, NULL, wait_for_end, NULL);
		pthread_exit(NULL);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < 1000; i++) {
		FILE *file = fopen(path, "r");
		bool ended = file && fgets(state, sizeof(state), file) &&
			     strstr(state, ") Z ");

		if (file)
			fclose(file);
		if (ended)
			break;
		usleep(10000);
	}
	return pid;
}

/* The others still have its mappings. */
TEST(a_process_whose_first_thread_has_ended)
{
	pid_t pid = start_without_leader();
	BYTES b = {};

	synth_task(&b, pid);
	EXPECT_TRUE(find_map(&b, "synth_test"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Another user cuts his program, and writes it anew, as often as he can. */
static void cut_always(const char *path)
{
	static char program[1 << 20];
	int from = open("/proc/self/exe", O_RDONLY);
	ssize_t size = read(from, program, sizeof(program));
	int fd = open(path, O_RDWR);

	for (;;)
		if (pwrite(fd, program, size, 0) != size || ftruncate(fd, 64) ||
		    ftruncate(fd, 0))
			_exit(1);
}

TEST(build_id_of_a_file_that_is_cut)
{
	char path[] = "/tmp/synth-test-XXXXXX";
	struct pmscope_build_id id, own;
	unsigned int found = 0;
	int status = -1;
	pid_t cutter, reader;

	if (!buildid_of_file("/proc/self/exe", &own))
		SKIP("this program has no build-id");
	ASSERT_EQ(close(mkstemp(path)), 0);
	cutter = fork();
	if (!cutter)
		cut_always(path);
	reader = fork();
	if (!reader) {
		for (int i = 0; i < 20000; i++)
			found += buildid_of_file(path, &id) &&
				 id.size == own.size;
		_exit(!found);
	}
	waitpid(reader, &status, 0);
	kill(cutter, SIGKILL);
	waitpid(cutter, NULL, 0);
	unlink(path);
	EXPECT_FALSE(WIFSIGNALED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
}
