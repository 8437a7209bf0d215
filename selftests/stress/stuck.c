// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One user must not hold up the others.  read(2) of an event holds the mutex of
 * a task's perf context while it writes to memory; if that is a page of a FUSE
 * file, it holds it until the user's own server answers.  Whatever of ours
 * waits for the mutex then, others open events, and PMUs come and go.
 */
#include <dirent.h>
#include <pthread.h>
#include <sys/mount.h>
#include <linux/fuse.h>

#include "ktap.h"
#include "nobody.h"
#include "../snapshot/events.h"

#define MOUNTED	  "/tmp/pmscope-fuse"
#define FILE_NAME MOUNTED "/file"
#define READERS	  300
#define PAGE	  65536
#define FILE_SIZE ((READERS + 1) * PAGE)
/* The time after which something counts as held up */
#define PATIENCE 60

static struct {
	int fd;
	pthread_mutex_t lock;
	bool holds;
	int held;
	uint64_t unique[READERS];
	uint32_t size[READERS];
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void answer(uint64_t unique, int error, const void *data, size_t size)
{
	static char buffer[sizeof(struct fuse_out_header) + PAGE];
	struct fuse_out_header head = {
		.len = sizeof(head) + size,
		.error = -error,
		.unique = unique,
	};
	ssize_t done;

	memcpy(buffer, &head, sizeof(head));
	if (size)
		memcpy(buffer + sizeof(head), data, size);
	done = write(server.fd, buffer, head.len);
	(void)done;
}

static struct fuse_attr attributes(bool folder)
{
	return (struct fuse_attr){
		.ino = folder ? 1 : 2,
		.mode = folder ? S_IFDIR | 0755 : S_IFREG | 0666,
		.nlink = 1,
		.size = folder ? 0 : FILE_SIZE,
		.blksize = 4096,
	};
}

static void answer_read(uint64_t unique, uint32_t size)
{
	static const char zero[PAGE];

	answer(unique, 0, zero, size < PAGE ? size : PAGE);
}

static void read_or_hold(uint64_t unique, uint32_t size)
{
	pthread_mutex_lock(&server.lock);
	if (server.holds && server.held < READERS) {
		server.unique[server.held] = unique;
		server.size[server.held++] = size;
	} else {
		answer_read(unique, size);
	}
	pthread_mutex_unlock(&server.lock);
}

static void serve_one(const struct fuse_in_header *in)
{
	const struct fuse_read_in *read_in = (const void *)(in + 1);
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = 4096,
	};
	struct fuse_attr_out attr = {.attr_valid = 1000};
	struct fuse_entry_out entry = {
		.nodeid = 2,
		.entry_valid = 1000,
		.attr_valid = 1000,
		.attr = attributes(false),
	};
	struct fuse_open_out opened = {0};

	switch (in->opcode) {
	case FUSE_INIT:
		return answer(in->unique, 0, &init, sizeof(init));
	case FUSE_GETATTR:
		attr.attr = attributes(in->nodeid == 1);
		return answer(in->unique, 0, &attr, sizeof(attr));
	case FUSE_LOOKUP:
		return answer(in->unique, 0, &entry, sizeof(entry));
	case FUSE_OPEN:
		return answer(in->unique, 0, &opened, sizeof(opened));
	case FUSE_READ:
		return read_or_hold(in->unique, read_in->size);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		answer(in->unique, ENOSYS, NULL, 0);
	}
}

static void *serve(void *unused)
{
	static char request[1 << 17];

	(void)unused;
	for (;;) {
		ssize_t got = read(server.fd, request, sizeof(request));

		if (got > 0)
			serve_one((struct fuse_in_header *)request);
		else if (errno != EINTR && errno != ENOENT)
			return NULL;
	}
}

static void let_go(void)
{
	pthread_mutex_lock(&server.lock);
	server.holds = false;
	for (int i = 0; i < server.held; i++)
		answer_read(server.unique[i], server.size[i]);
	server.held = 0;
	pthread_mutex_unlock(&server.lock);
}

/* A private mapping of a file whose pages the server gives out, or NULL */
static char *map_served_file(void)
{
	char options[64];
	pthread_t thread;
	char *map;
	int fd;

	if (access("/dev/fuse", R_OK) && system("modprobe -q fuse"))
		return NULL;
	server.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (server.fd < 0)
		return NULL;
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", server.fd);
	mkdir(MOUNTED, 0755);
	if (mount("pmscope", MOUNTED, "fuse.pmscope", MS_NOSUID | MS_NODEV,
		  options))
		return NULL;
	pthread_create(&thread, NULL, serve, NULL);
	pthread_detach(thread);
	fd = open(FILE_NAME, O_RDWR);
	map = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	umount2(MOUNTED, MNT_DETACH);
	return map == MAP_FAILED ? NULL : map;
}

/* A task that reads its own event into @page when it gets SIGUSR1 */
static pid_t fork_reader(char *page)
{
	struct perf_event_attr attr = event_attr(PERF_TYPE_RAW, INST_RETIRED);
	sigset_t set;
	pid_t pid;
	int fd, got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open_event(&attr, 0, -1, -1);
	sigwait(&set, &got);
	_exit(fd < 0 || read(fd, page, sizeof(uint64_t)) < 0);
}

static int open_snapshot(pid_t pid)
{
	struct perf_event_attr attr = snapshot_attr(INST_RETIRED);

	attr.read_format = 0;
	return open_event(&attr, pid, -1, -1);
}

static bool comes_true(bool (*what)(void *), void *data)
{
	for (int i = 0; i < PATIENCE * 100; i++) {
		if (what(data))
			return true;
		usleep(10000);
	}
	return false;
}

static bool all_held(void *count)
{
	bool all;

	pthread_mutex_lock(&server.lock);
	all = server.held >= *(int *)count;
	pthread_mutex_unlock(&server.lock);
	return all;
}

static bool has_ended(void *pid)
{
	int status;

	if (waitpid(*(pid_t *)pid, &status, WNOHANG) <= 0)
		return false;
	*(pid_t *)pid = WIFEXITED(status) ? -WEXITSTATUS(status) : -255;
	return true;
}

/* The exit status of a task that runs @call as @uid; -1: it is held up. */
static int status_of(int (*call)(void), uid_t uid)
{
	pid_t pid = fork();

	if (!pid) {
		if (uid && (setgid(uid) || setuid(uid)))
			_exit(254);
		_exit(call());
	}
	return comes_true(has_ended, &pid) ? -pid : -1;
}

/* 0 or an errno */
static int open_own(void)
{
	struct perf_event_attr attr = user_attr(INST_RETIRED);
	int fd = open_event(&attr, 0, -1, -1);

	return fd < 0 ? -fd : 0;
}

#define SPE_DRIVER "arm_spe_pmu"

/* Unloads the kernel's own SPE PMU: perf waits for all readers. */
static int replace_pmu(void)
{
	if (access("/sys/module/" SPE_DRIVER, R_OK))
		return 0;
	return syscall(__NR_delete_module, SPE_DRIVER, O_NONBLOCK) ||
	       system("modprobe -q " SPE_DRIVER);
}

static int unload(void)
{
	return syscall(__NR_delete_module, "pmscope", O_NONBLOCK) ? 0 : 1;
}

/* Nobody is held up while readers are. */
static void check_others(void)
{
	time_t begin;

	EXPECT_EQ(status_of(open_own, 0), 0);
	EXPECT_EQ(status_of(open_own, 1000), 0);
	begin = time(NULL);
	EXPECT_EQ(status_of(replace_pmu, 0), 0);
	ktap_note("%ld s to replace a PMU", (long)(time(NULL) - begin));
	EXPECT_EQ(status_of(open_own, 1000), 0);
}

/* Closes an event of @pid that nobody else has, while @pid is held. */
static pid_t fork_closer(pid_t pid, char *ready)
{
	pid_t closer = fork();
	int fd;

	if (closer)
		return closer;
	fd = open_snapshot(pid);
	*ready = fd < 0 ? 'n' : 'y';
	while (*(volatile char *)ready != 'c')
		usleep(1000);
	close(fd);
	_exit(0);
}

static bool is_ready(void *ready)
{
	return *(volatile char *)ready;
}

static void *open_it(void *pid)
{
	int fd = open_snapshot(*(pid_t *)pid);

	*(int *)pid = fd;
	return NULL;
}

static pid_t readers[READERS];

static bool start_readers(char *map, int count)
{
	pthread_mutex_lock(&server.lock);
	server.holds = true;
	pthread_mutex_unlock(&server.lock);
	for (int i = 0; i < count; i++) {
		readers[i] = fork_reader(map + i * PAGE);
		if (readers[i] < 0)
			return false;
	}
	return true;
}

static void wake_readers(int count)
{
	for (int i = 0; i < count; i++)
		kill(readers[i], SIGUSR1);
}

static void end_readers(int count)
{
	let_go();
	for (int i = 0; i < count; i++)
		if (readers[i] > 0)
			waitpid(readers[i], NULL, 0);
}

#define NEED_FUSE(map)                                 \
	do {                                           \
		NEED_SNAPSHOT();                       \
		(map) = map_served_file();             \
		if (!(map))                            \
			SKIP("no FUSE in the kernel"); \
	} while (0)

/* While it is held, an event of the reader is closed, and one opened. */
TEST(a_stuck_release_holds_up_nobody)
{
	int one = 1, opened;
	pthread_t opener;
	char *map, *ready;
	pid_t closer;

	PARANOID_IS(2);
	NEED_FUSE(map);
	ready = mmap(NULL, 1, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(ready != MAP_FAILED);
	ASSERT_TRUE(start_readers(map, 1));
	closer = fork_closer(readers[0], ready);
	EXPECT_TRUE(comes_true(is_ready, ready));
	EXPECT_EQ(*ready, 'y');
	wake_readers(1);
	EXPECT_TRUE(comes_true(all_held, &one));
	*ready = 'c';
	check_others();
	EXPECT_EQ(status_of(unload, 0), 0);
	opened = readers[0];
	pthread_create(&opener, NULL, open_it, &opened);
	check_others();
	pthread_join(opener, NULL);
	EXPECT_EQ(opened, -EAGAIN);
	EXPECT_TRUE(all_held(&one));
	end_readers(1);
	EXPECT_TRUE(comes_true(has_ended, &closer));
}

static bool file_of_task_has(const char *task, const char *name,
			     const char *wanted)
{
	char path[300], line[128];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/%s", task, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, wanted);
	fclose(file);
	return found;
}

/* A thread of the kernel's own has no executable. */
static bool is_our_thread(const char *task)
{
	char path[300], to;

	snprintf(path, sizeof(path), "/proc/%s/exe", task);
	return file_of_task_has(task, "stack", "snap_backing") &&
	       readlink(path, &to, 1) < 0 && errno == ENOENT;
}

/* Kernel threads that wait in someone's stead */
static int our_threads(void)
{
	DIR *tasks = opendir("/proc");
	struct dirent *task;
	int count = 0;

	if (!tasks)
		return -1;
	while ((task = readdir(tasks)))
		count += is_our_thread(task->d_name);
	closedir(tasks);
	return count;
}

/* More than there are workers.  Those who open wait at their own cost. */
TEST(many_stuck_opens_hold_up_nobody)
{
	static pthread_t openers[READERS];
	static int opened[READERS];
	int count = READERS;
	char *map;

	PARANOID_IS(2);
	NEED_FUSE(map);
	ASSERT_TRUE(start_readers(map, READERS));
	wake_readers(READERS);
	EXPECT_TRUE(comes_true(all_held, &count));
	for (int i = 0; i < READERS; i++) {
		opened[i] = readers[i];
		pthread_create(&openers[i], NULL, open_it, &opened[i]);
	}
	EXPECT_EQ(our_threads(), 0);
	for (int i = 0; i < READERS; i++) {
		pthread_join(openers[i], NULL);
		EXPECT_EQ(opened[i], -EAGAIN);
	}
	check_others();
	EXPECT_TRUE(all_held(&count));
	end_readers(READERS);
	check_others();
}

#define TASKS	6
#define EVENTS	18 /* of these tasks */
#define WORKERS 4  /* MAX_WORKERS_OF_USER */

static void *close_it(void *fd)
{
	close(*(int *)fd);
	return NULL;
}

static bool own_open_ends_with(void *error)
{
	return open_own() == *(int *)error;
}

/*
 * Closing takes a worker each where the counters are in another context than
 * the events (before 6.2); else it is the caller who waits.
 */
TEST(a_user_has_few_workers_that_hang)
{
	int count = TASKS, limit = EMFILE, none = 0, threads;
	static pthread_t closers[EVENTS];
	static int fds[EVENTS];
	char *map;

	PARANOID_IS(2);
	NEED_FUSE(map);
	ASSERT_TRUE(start_readers(map, TASKS));
	for (int i = 0; i < EVENTS; i++) {
		fds[i] = open_snapshot(readers[i % TASKS]);
		EXPECT_GE(fds[i], 0);
	}
	wake_readers(TASKS);
	EXPECT_TRUE(comes_true(all_held, &count));
	for (int i = 0; i < EVENTS; i++)
		pthread_create(&closers[i], NULL, close_it, &fds[i]);
	sleep(2);
	threads = our_threads();
	printf("# %d threads hang\n", threads);
	EXPECT_LE(threads, WORKERS);
	if (threads)
		EXPECT_TRUE(comes_true(own_open_ends_with, &limit));
	EXPECT_EQ(status_of(open_own, 1000), 0);
	end_readers(TASKS);
	for (int i = 0; i < EVENTS; i++)
		pthread_join(closers[i], NULL);
	EXPECT_TRUE(comes_true(own_open_ends_with, &none));
	EXPECT_EQ(our_threads(), 0);
}
