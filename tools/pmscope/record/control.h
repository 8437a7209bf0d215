/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --control, as in perf: another program sends commands, a line each, and gets
 * "ack" when each is done.
 */
#pragma once

#include "session/event.h"

enum control_command {
	CONTROL_NONE, /* no whole line is there */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,
	CONTROL_EVLIST,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
};

/* Longest command, with its end of line. */
#define CONTROL_LINE 512

/**
 * struct control - the descriptors, and what was read so far
 * @fd: commands come from here; -1: none
 * @ack_fd: answers go there; -1: nowhere
 * @owned: they were opened here
 * @at_end: reading found no more; a FIFO may get another writer
 * @skips: the rest of a line that is too long is ignored
 */
struct control {
	int fd;
	int ack_fd;
	bool owned;
	bool at_end;
	bool skips;
	size_t nr;
	char line[CONTROL_LINE];
};

/*
 * Opens "fd:CTL[,ACK]" or "fifo:CTL[,ACK]"; NULL: none. Returns 0, or -errno
 * after error().
 */
int control_open(struct control *control, const char *text);

/* The next command; @argument, which stays until the next call, is what follows
 * its name, or "". */
enum control_command control_next(struct control *control,
				  const char **argument);

void control_acknowledge(const struct control *control);

/* evlist: the events on stderr, as perf; @options: "-v", "-g" or "-F" */
void control_print_events(const struct event_list *events, const char *options);

void control_close(struct control *control);
