// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PLATFORM       "/sys/bus/platform"
#define SPE_COMPATIBLE "arm,statistical-profiling-extension-v1"

static int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* A kernel with everything built in has no such list. */
void load_boot_modules(void)
{
	char *order = read_file("/modules/order", NULL);
	char path[256], *name;

	if (!order)
		return;
	for (name = strtok(order, "\n"); name; name = strtok(NULL, "\n")) {
		snprintf(path, sizeof(path), "/modules/%s", name);
		errno = -load_module(path);
		if (errno && errno != EEXIST)
			die("cannot load %s", path);
	}
	free(order);
}

static bool is_spe_device(const char *device)
{
	char path[512], *compatible;
	bool same;

	snprintf(path, sizeof(path), PLATFORM "/devices/%s/of_node/compatible",
		 device);
	compatible = read_file(path, NULL);
	same = compatible && !strcmp(compatible, SPE_COMPATIBLE);
	free(compatible);
	return same || !strncmp(device, "arm,spe-v1", strlen("arm,spe-v1"));
}

/* What "pmscope driver use" does: nothing binds to our driver by itself. */
static bool give_device(const char *device)
{
	char path[512];

	snprintf(path, sizeof(path), PLATFORM "/devices/%s/driver_override",
		 device);
	return write_file(path, "pmscope", strlen("pmscope")) &&
	       write_file(PLATFORM "/drivers_probe", device, strlen(device));
}

static void give_spe_devices(int err)
{
	DIR *dir = opendir(PLATFORM "/devices");
	struct dirent *entry;

	if (access(PLATFORM "/drivers/pmscope", F_OK))
		return;
	while (dir && (entry = readdir(dir)))
		if (is_spe_device(entry->d_name) && !give_device(entry->d_name))
			dprintf(err, "pmscope did not take %s: %s\n",
				entry->d_name, strerror(errno));
	closedir(dir);
}

/*
 * Load the driver under test.  That it refuses may be what the command wants
 * to see, so tell and go on.
 */
void load_pmscope(int err)
{
	int log = log_open_at_end();
	struct utsname kernel;
	char path[256];
	int ret;

	uname(&kernel);
	snprintf(path, sizeof(path), PAYLOAD "/modules/%s/pmscope.ko",
		 kernel.release);
	ret = load_module(path);
	if (ret) {
		dprintf(err, "cannot load %s: %s\n", path, strerror(-ret));
		log_copy_messages(log, err);
	} else {
		give_spe_devices(err);
	}
	close(log);
}
