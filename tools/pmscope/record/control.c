// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char *const names[] = {
	[CONTROL_ENABLE] = "enable",	 [CONTROL_DISABLE] = "disable",
	[CONTROL_SNAPSHOT] = "snapshot", [CONTROL_EVLIST] = "evlist",
	[CONTROL_PING] = "ping",	 [CONTROL_STOP] = "stop",
};

/* The program that is recorded must not hold them open. */
static int descriptor_open(const char *text)
{
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	if (end == text || *end || errno || fd < 0 || fd > INT32_MAX)
		return -EINVAL;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) ||
	    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK))
		return -errno;
	return fd;
}

/* Also for writing, so that it has no end when a controller goes. */
static int fifo_open(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	return -ENOTSUP;
}

static int open_one(bool fifo, const char *text)
{
	int fd = fifo ? fifo_open(text) : descriptor_open(text);

	if (fd == -ENOTSUP)
		error("--control: %s is not a FIFO; create one with mkfifo",
		      text);
	else if (fd == -EINVAL && !fifo)
		error("--control: '%s' is not the number of a descriptor",
		      text);
	else if (fd < 0)
		error("--control: %s%s: %s", fifo ? "" : "descriptor ", text,
		      strerror(-fd));
	return fd;
}

static int open_both(struct control *control, char *text)
{
	bool fifo = !strncmp(text, "fifo:", 5);
	char *ack;

	if (!fifo && strncmp(text, "fd:", 3) != 0) {
		error("--control=%s: must be fd:CTL[,ACK] or fifo:CTL[,ACK]",
		      text);
		return -EINVAL;
	}
	text += fifo ? 5 : 3;
	ack = strchr(text, ',');
	if (ack)
		*ack++ = '\0';
	control->owned = fifo;
	control->fd = open_one(fifo, text);
	if (control->fd < 0)
		return control->fd;
	if (ack)
		control->ack_fd = open_one(fifo, ack);
	return ack && control->ack_fd < 0 ? control->ack_fd : 0;
}

int control_open(struct control *control, const char *text)
{
	FREED char *copy = NULL;

	*control = (struct control){.fd = -1, .ack_fd = -1};
	if (!text)
		return 0;
	copy = strdup(text);
	return copy ? open_both(control, copy) : no_memory();
}

void control_close(struct control *control)
{
	if (!control->owned)
		return;
	close_open(&control->fd);
	close_open(&control->ack_fd);
}

/* Returns false if no whole line is there. A byte at a time: others may read
 * what follows. */
static bool read_line(struct control *control)
{
	ssize_t n;
	char c;

	while ((n = read(control->fd, &c, 1)) == 1) {
		if (c == '\n' || !c) {
			bool skipped = control->skips;

			control->line[control->nr] = '\0';
			control->nr = 0;
			control->skips = false;
			if (!skipped)
				return true;
			warning("--control: a command of more than %d bytes "
				"was ignored",
				CONTROL_LINE - 1);
			continue;
		}
		control->skips |= control->nr == CONTROL_LINE - 1;
		if (!control->skips)
			control->line[control->nr++] = c;
	}
	control->at_end = !n;
	return false;
}

enum control_command control_next(struct control *control,
				  const char **argument)
{
	char *line = control->line, *rest;

	*argument = "";
	if (control->fd < 0 || !read_line(control))
		return CONTROL_NONE;
	rest = line + strcspn(line, " \t");
	if (*rest) {
		*rest++ = '\0';
		*argument = rest + strspn(rest, " \t");
	}
	for (int i = CONTROL_ENABLE; i < CONTROL_UNKNOWN; i++)
		if (!strcmp(line, names[i]))
			return i;
	warning("--control: unknown command '%s'; valid commands: enable, "
		"disable, snapshot, evlist, ping, stop",
		line);
	return CONTROL_UNKNOWN;
}

void control_acknowledge(const struct control *control)
{
	static const char ack[] = "ack\n";

	if (control->ack_fd >= 0 &&
	    write(control->ack_fd, ack, sizeof(ack) - 1) !=
		    (ssize_t)sizeof(ack) - 1)
		warning("--control: cannot acknowledge a command: %s",
			strerror(errno));
}

static void print_event(const struct listed_event *event, bool frequency)
{
	const struct perf_event_attr *attr = &event->attr.attr;

	fputs(event->name, stderr);
	if (frequency && attr->freq)
		fprintf(stderr, ": sample_freq=%" PRIu64,
			(uint64_t)attr->sample_freq);
	else if (frequency)
		fprintf(stderr, ": sample_period=%" PRIu64,
			(uint64_t)attr->sample_period);
}

static bool joins(const struct event_list *events, size_t i)
{
	return i && i < events->nr &&
	       events->event[i].group == events->event[i - 1].group;
}

/* With -g, the events of a group are one line, in braces. */
void control_print_events(const struct event_list *events, const char *options)
{
	bool groups = !strcmp(options, "-g");
	bool frequency = !strcmp(options, "-F") || !strcmp(options, "-v");

	for (size_t i = 0; i < events->nr; i++) {
		bool first = !joins(events, i), last = !joins(events, i + 1);

		if (groups && first && !last)
			fputc('{', stderr);
		print_event(&events->event[i], frequency);
		if (groups && !first && last)
			fputc('}', stderr);
		fputc(groups && !last ? ',' : '\n', stderr);
	}
}
