// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events arm_spe_0 refuses, and with which error: the ABI file says so
 * (Documentation/reference/ABI/testing/sysfs-bus-event_source-devices-arm_spe).
 */
#include "ktap.h"
#include "spe.h"

#include <sys/utsname.h>

#define PA_ENABLE  (1ULL << 1)
#define PCT_ENABLE (1ULL << 2)
#define PERIOD	   4096

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* 0, or the error of opening an event of this task. */
static int try_open(struct perf_event_attr *attr)
{
	int fd = open_event(attr, 0, -1, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

BEFORE_EACH(NEED_SPE());

TEST(plain_event_opens)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	EXPECT_EQ(try_open(&attr), 0);
}

TEST(modes_that_sampling_does_not_have)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	attr.exclude_idle = 1;
	EXPECT_EQ(try_open(&attr), -EOPNOTSUPP);

	attr = spe_attr(0, PERIOD);
	attr.freq = 1;
	attr.sample_freq = 1000;
	EXPECT_EQ(try_open(&attr), -EINVAL);
}

/* perf record -b wants the branches of all of its events. */
TEST(branch_stacks_are_no_matter)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				  PERF_SAMPLE_BRANCH_USER;
	EXPECT_EQ(try_open(&attr), 0);
}

TEST(host_is_what_is_sampled)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	NEED_PMSCOPE();
	attr.exclude_host = 1;
	EXPECT_EQ(try_open(&attr), -EOPNOTSUPP);
	attr = spe_attr(0, PERIOD);
	attr.exclude_guest = 1;
	EXPECT_EQ(try_open(&attr), 0);
}

TEST(bits_without_a_meaning)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	NEED_PMSCOPE();
	attr.config = 1ULL << 3;
	EXPECT_EQ(try_open(&attr), -EINVAL);
	attr.config = 1ULL << 62;
	EXPECT_EQ(try_open(&attr), -EINVAL);
	attr.config = 0;
	attr.config2 = 1 << 12;
	EXPECT_EQ(try_open(&attr), -EINVAL);
}

/* Does sysfs show a field at these bits? */
static bool has_format(const char *name, const char *bits)
{
	char path[128];

	snprintf(path, sizeof(path), SPE_DIR "format/%s", name);
	return !strncmp(file_text(path), bits, strlen(bits));
}

TEST(event_filter_bits_as_in_caps)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);
	unsigned long long mask;

	if (!exists(SPE_DIR "caps/event_filter"))
		SKIP("the driver has no caps/event_filter");
	ASSERT_EQ(sscanf(file_text(SPE_DIR "caps/event_filter"), "%llx", &mask),
		  1);

	for (int bit = 0; bit < 64; bit++) {
		attr.config1 = 1ULL << bit;
		EXPECT_EQ(try_open(&attr), mask >> bit & 1 ? 0 : -EOPNOTSUPP);
	}
	attr.config1 = 0;
	if (!has_format("inv_event_filter", "config3:0-63"))
		return;
	for (int bit = 0; bit < 64; bit++) {
		attr.config3 = 1ULL << bit;
		EXPECT_EQ(try_open(&attr), mask >> bit & 1 ? 0 : -EOPNOTSUPP);
	}
}

/* A field that sysfs does not show cannot be used, whatever the kernel. */
TEST(fields_that_are_not_shown)
{
	static const struct {
		const char *path;
		uint64_t config;
	} field[] = {
		{ SPE_DIR "format/discard", 1ULL << 35 },
		{ SPE_DIR "format/load_filter_mask", 1ULL << 37 },
		{ SPE_DIR "format/simd_filter", 1ULL << 39 },
		{ SPE_DIR "format/float_filter", 1ULL << 41 },
		{ SPE_DIR "format/freeze", PMSCOPE_SPE_FREEZE },
	};
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	NEED_PMSCOPE();
	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		attr.config = field[i].config;
		EXPECT_EQ(try_open(&attr),
			  exists(field[i].path) ? 0 : -EOPNOTSUPP);
	}
}

TEST(cpu_without_profiling)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);

	EXPECT_LT(open_event(&attr, -1, 4095, -1), 0);
}

TEST(task_events_and_cpu_events_exclude_each_other)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);
	int fd;

	fd = open_event(&attr, -1, 0, -1);
	if (fd == -EACCES)
		SKIP("CPU-wide events are not permitted");
	ASSERT_GE(fd, 0);
	EXPECT_EQ(try_open(&attr), -EBUSY);
	close(fd);
	EXPECT_EQ(try_open(&attr), 0);
}

/* Opens @attr as nobody. */
static int open_as_nobody(struct perf_event_attr *attr, bool perfmon)
{
	return -IN_CHILD(become_nobody(perfmon ? KEEP_PERFMON : 0)
				 ? EPERM
				 : -try_open(attr));
}

/* Before 6.12 a module cannot ask for less than CAP_PERFMON. */
static bool asks_for_capability(void)
{
	int major = 0, minor = 0;
	struct utsname uts;

	uname(&uts);
	sscanf(uts.release, "%d.%d", &major, &minor);
	return major < 6 || (major == 6 && minor < 12);
}

/* perf core's answer for a user's own events: Debian has a level 3. */
static int user_event(bool perfmon)
{
	struct perf_event_attr attr =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return open_as_nobody(&attr, perfmon);
}

/* The kernel's samples, physical addresses and times, the counters of others */
TEST(what_is_privileged_at_each_level)
{
	struct perf_event_attr user = spe_attr(0, PERIOD), kernel = user;
	struct perf_event_attr pa = spe_attr(PA_ENABLE, PERIOD);
	struct perf_event_attr pct = spe_attr(PCT_ENABLE, PERIOD);
	struct perf_event_attr freeze = spe_attr(PMSCOPE_SPE_FREEZE, PERIOD);
	bool freezes = exists(SPE_DIR "format/freeze");

	PARANOID_IS(-1);
	kernel.exclude_kernel = 0;
	for (int level = -1; level <= 3; level++) {
		int refused = level > 1 ? -EACCES : 0;
		int physical = asks_for_capability() ? -EACCES : refused;

		set_paranoid(level);
		EXPECT_EQ(open_as_nobody(&user, false), user_event(false));
		EXPECT_EQ(open_as_nobody(&kernel, false), refused);
		EXPECT_EQ(open_as_nobody(&pa, false), physical);
		EXPECT_EQ(open_as_nobody(&pct, false), physical);
		if (freezes) {
			EXPECT_EQ(open_as_nobody(&freeze, false), -EACCES);
			EXPECT_EQ(open_as_nobody(&freeze, true),
				  user_event(true));
		}
		EXPECT_EQ(open_as_nobody(&user, true), user_event(true));
		EXPECT_EQ(open_as_nobody(&kernel, true), user_event(true));
		EXPECT_EQ(open_as_nobody(&pa, true), user_event(true));
		EXPECT_EQ(open_as_nobody(&pct, true), user_event(true));
		EXPECT_EQ(try_open(&pa), 0);
	}
}

/* The ring buffer's header page alone, or with an AUX area of @pages. */
static int map_aux(int fd, unsigned int pages, int prot)
{
	long page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *head;
	void *aux;
	int ret = 0;

	head = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return -errno;
	head->aux_offset = 2 * page;
	head->aux_size = pages * page;
	aux = mmap(NULL, pages * page, prot, MAP_SHARED, fd, 2 * page);
	if (aux == MAP_FAILED)
		ret = -errno;
	else
		munmap(aux, pages * page);
	munmap(head, 2 * page);
	return ret;
}

TEST(aux_area_has_two_pages_at_least)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);
	int fd;

	fd = open_event(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(map_aux(fd, 1, PROT_READ | PROT_WRITE), -ENOMEM);
	EXPECT_EQ(map_aux(fd, 1, PROT_READ), -ENOMEM);
	EXPECT_EQ(map_aux(fd, 2, PROT_READ | PROT_WRITE), 0);
	EXPECT_EQ(map_aux(fd, 2, PROT_READ), 0);
}

/* An event without an AUX area cannot run; it is counted, and that is all. */
TEST(no_aux_area)
{
	struct perf_event_attr attr = spe_attr(0, PERIOD);
	long before;
	int fd;

	before = spe_total("truncated");
	fd = open_event(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	if (exists(SPE_DIR "stats"))
		EXPECT_GT(spe_total("truncated"), before);
}

static uint64_t random_word(void)
{
	uint64_t word = ((uint64_t)random() << 42) ^
			((uint64_t)random() << 21) ^ random();

	/* Few bits: otherwise nothing is ever accepted. */
	switch (random() % 3) {
	case 0:
		return 0;
	case 1:
		return 1ULL << (word % 64);
	default:
		return word;
	}
}

TEST(random_attributes_meet_documented_errors_only)
{
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		struct perf_event_attr attr = spe_attr(0, PERIOD);
		int ret;

		attr.config = random_word();
		attr.config1 = random_word();
		attr.config2 = random_word();
		attr.sample_period = random_word();
		attr.exclude_user = random();
		attr.exclude_kernel = random();
		attr.exclude_idle = !(random() % 8);
		attr.exclude_host = !(random() % 8);
		attr.pinned = random();
		attr.exclusive = random();
		attr.inherit = random();
		attr.disabled = random();

		ret = try_open(&attr);
		if (ret && ret != -EINVAL && ret != -EOPNOTSUPP &&
		    ret != -EACCES)
			EXPECT_EQ(ret, 0);
	}
}
