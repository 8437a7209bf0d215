// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "session/cpu_watch.h"

#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>

/* The kernel's own multicast group; udev's is 2. */
#define UEVENT_GROUP 1
#define OFFLINE_CPU  "offline@/devices/system/cpu/cpu"

/* Accepts only "offline@": other uevents would fill the socket. */
static int filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f66666c, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x696e6540, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = {ARRAY_SIZE(code), code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
			  sizeof(program));
}

int cpu_watch_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK,
					    .nl_groups = UEVENT_GROUP};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int code;

	if (fd < 0)
		return -errno;
	if (!filter(fd) &&
	    !bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	code = errno;
	close(fd);
	return -code;
}

int cpu_watch_parse(const char *uevent)
{
	const size_t len = strlen(OFFLINE_CPU);
	unsigned long cpu;
	char *end;

	if (strncmp(uevent, OFFLINE_CPU, len) != 0)
		return -1;
	cpu = strtoul(uevent + len, &end, 10);
	return end == uevent + len || *end || cpu >= PMSCOPE_CPU_MAX ? -1
								     : (int)cpu;
}

void cpu_watch_read(int fd, bool gone[PMSCOPE_CPU_MAX])
{
	char text[2048];
	ssize_t n;

	/* An error is reported once, for example a full socket buffer. */
	while ((n = read(fd, text, sizeof(text) - 1)) > 0 ||
	       (n < 0 && errno == ENOBUFS)) {
		int cpu;

		text[n < 0 ? 0 : n] = '\0';
		cpu = cpu_watch_parse(text);
		if (cpu >= 0)
			gone[cpu] = true;
	}
}
