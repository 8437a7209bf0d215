// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There is no udev to make /dev/virtio-ports, so look the name up. */
static bool port_is_named(const char *port, const char *name)
{
	char path[300], *found;
	bool same;

	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", port);
	found = read_file(path, NULL);
	same = found && !strncmp(found, name, strlen(name)) &&
	       found[strlen(name)] == '\n';
	free(found);
	return same;
}

static int open_port(const char *name)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	char path[300];
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir))) {
		if (!port_is_named(entry->d_name, name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		break;
	}
	if (fd < 0)
		die("cannot open the virtio port %s", name);
	closedir(dir);
	return fd;
}

struct ports open_ports(void)
{
	return (struct ports){
		.out = open_port("pmscope.stdout"),
		.err = open_port("pmscope.stderr"),
	};
}
