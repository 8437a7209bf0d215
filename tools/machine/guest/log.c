// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

enum {
	SYSLOG_ACTION_READ_ALL = 3,
	SYSLOG_ACTION_SIZE_BUFFER = 10,
};

/* A reader of the kernel log that starts after its last line. */
int log_open_at_end(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log >= 0)
		lseek(log, 0, SEEK_END);
	return log;
}

/*
 * Copy the text of the lines that came since.  A record is
 * "priority,sequence,time,flags;text\n key=value...\n".
 */
void log_copy_messages(int log, int fd)
{
	char record[8192], *text, *end;
	ssize_t n;

	while ((n = read(log, record, sizeof(record) - 1)) > 0) {
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text)
			continue;
		end = strchr(++text, '\n');
		write_all(fd, text, end ? end + 1 - text : record + n - text);
	}
}

/* The whole log with its time stamps, as dmesg prints it. */
void log_save(const char *path)
{
	int size = klogctl(SYSLOG_ACTION_SIZE_BUFFER, NULL, 0);
	char *text = size > 0 ? malloc(size) : NULL;
	int n = text ? klogctl(SYSLOG_ACTION_READ_ALL, text, size) : -1;

	if (n < 0 || !write_file(path, text, n))
		die("cannot save the kernel log as %s", path);
	free(text);
}
