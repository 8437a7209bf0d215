// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <fcntl.h>

static int open_port(const char *name)
{
	char path[300];
	int fd = -1;

	if (find_device("/sys/class/virtio-ports", "name", name, path,
			sizeof(path)))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die("cannot open the virtio port %s", name);
	return fd;
}

struct ports open_ports(void)
{
	return (struct ports){
		.out = open_port("pmscope.stdout"),
		.err = open_port("pmscope.stderr"),
	};
}
