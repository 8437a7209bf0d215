// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "top/top.h"
#include "session/recorder.h"

#define DATA_SIZE    ((size_t)512 << 10)
#define AUX_SIZE     ((size_t)4 << 20)
#define AUX_SIZE_MIN ((size_t)64 << 10)

/* As in record: rings of tasks that have ended wake nobody. */
#define DRAIN_MS 200

/* One interval under way. */
struct taking {
	struct interval *interval;
	struct event_list events;
	struct target target;
	struct recorder *recorder;
	struct pollfd *fds;
	int fd;
	char path[INTERVAL_PATH];
	uint64_t begin;
};

/* Reduces the AUX size until the kernel allows it. */
static int open_recorder(void *arg, struct pmscope_error *err)
{
	struct taking *t = arg;
	struct recorder_rules rules = {
		.data_size = DATA_SIZE,
		.aux_size = AUX_SIZE,
		.inherit = !t->target.system_wide &&
			   !t->interval->measure.no_inherit,
		.switches = true,
	};
	int ret;

	for (;; rules.aux_size /= 2) {
		ret = recorder_open(&t->recorder, &t->events, &t->target,
				    &rules, err);
		if ((ret != -EPERM && ret != -ENOMEM) ||
		    rules.aux_size <= AUX_SIZE_MIN)
			return ret;
	}
}

/* In memory, without a name. */
static int open_memory(struct taking *t)
{
	t->fd = memfd_create("pmscope-top", MFD_CLOEXEC);
	if (t->fd < 0) {
		int ret = -errno;

		error("top: cannot reserve memory: %s", strerror(errno));
		return ret;
	}
	snprintf(t->path, sizeof(t->path), "/dev/fd/%d", t->fd);
	return 0;
}

static int begin(struct taking *t)
{
	char *const argv[] = {(char *)"pmscope", (char *)"top", NULL};
	const struct event_rules rules = {};
	struct pmscope_error err = {};
	int ret;

	ret = measure_target(&t->interval->measure, false, &t->target);
	if (!ret)
		ret = told(events_parse(&t->events, t->interval->event, &rules,
					&err),
			   &err);
	if (!ret)
		ret = open_memory(t);
	if (!ret)
		ret = measure_open(&t->events, open_recorder, t, NULL);
	if (!ret)
		ret = told(recorder_track(t->recorder, &err), &err);
	if (!ret)
		ret = recorder_start_file(t->recorder, t->path, argv, &err);
	if (ret < 0)
		return told(ret, &err);
	t->begin = clock_ns();
	return told(recorder_enable(t->recorder, &err), &err);
}

static int wait_ms(uint64_t end)
{
	uint64_t now = clock_ns();

	if (now >= end)
		return 0;
	return end - now < DRAIN_MS * UINT64_C(1000000)
		       ? (int)((end - now) / 1000000) + 1
		       : DRAIN_MS;
}

/* Returns enum interval_end or -errno. */
static int wait_until(struct taking *t, uint64_t end,
		      bool (*key)(void *context), void *context)
{
	size_t nr = recorder_nr_fds(t->recorder);
	struct pollfd *own = t->fds + nr;
	struct pmscope_error err = {};
	int ret;

	recorder_fill_fds(t->recorder, t->fds);
	own[0] =
		(struct pollfd){.fd = t->interval->signal_fd, .events = POLLIN};
	own[1] = (struct pollfd){.fd = t->interval->keys ? STDIN_FILENO : -1,
				 .events = POLLIN};
	for (;;) {
		ret = measure_poll(t->fds, nr + 2, wait_ms(end))
			      ?: told(recorder_drain(t->recorder, &err), &err);
		if (ret)
			return ret;
		recorder_drop_ended(t->fds, nr);
		if (own[0].revents ||
		    (!t->target.system_wide && recorder_has_ended(t->recorder)))
			return INTERVAL_SIGNAL;
		if (t->interval->keys && !key(context))
			return INTERVAL_KEY;
		if (own[1].revents & (POLLHUP | POLLERR))
			return INTERVAL_SIGNAL;
		if (clock_ns() >= end)
			return INTERVAL_TIME;
	}
}

static int record_until(struct taking *t, uint64_t ns,
			bool (*key)(void *context), void *context)
{
	struct pmscope_error err = {};
	int why, ret;

	t->fds = calloc(recorder_nr_fds(t->recorder) + 2, sizeof(*t->fds));
	if (!t->fds)
		return no_memory();
	why = wait_until(t, t->begin + ns, key, context);
	if (why < 0)
		return why;
	ret = told(recorder_disable(t->recorder, &err), &err);
	t->interval->ns = clock_ns() - t->begin;
	if (!ret)
		ret = told(recorder_finish(t->recorder, &err), &err);
	return ret ?: why;
}

/* The new interval replaces the one before. */
static void keep(struct interval *interval, struct taking *t)
{
	interval_fini(interval);
	interval->fd = t->fd;
	memcpy(interval->path, t->path, sizeof(t->path));
	t->fd = -1;
}

int interval_record(struct interval *interval, uint64_t ns,
		    bool (*key)(void *context), void *context)
{
	struct taking t = {.interval = interval, .fd = -1};
	int ret = begin(&t) ?: record_until(&t, ns, key, context);

	if (ret >= 0)
		keep(interval, &t);
	recorder_free(t.recorder);
	events_free(&t.events);
	target_free(&t.target);
	free(t.fds);
	close_open(&t.fd);
	return ret;
}

void interval_fini(struct interval *interval)
{
	close_open(&interval->fd);
	interval->fd = -1;
	interval->path[0] = '\0';
}
