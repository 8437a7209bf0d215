// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NEWROOT "/newroot"

static void do_mount(const char *what, const char *where, const char *type,
		     unsigned long flags, const char *data)
{
	mkdir(where, 0755);
	if (mount(what, where, type, flags, data))
		die("cannot mount %s (%s) on %s", what, type, where);
}

/* Kernels have different options; tools notice what is missing. */
static void try_mount(const char *type, const char *where)
{
	mkdir(where, 0755);
	mount(type, where, type, 0, NULL);
}

static bool find_disk(const char *serial, char *dev, size_t size)
{
	return find_device("/sys/block", "serial", serial, dev, size);
}

static void mount_disk(const char *dev, const char *where)
{
	do_mount(dev, where, "erofs", MS_RDONLY, NULL);
}

/* The images stay read-only; what the command writes goes to memory. */
static void mount_layers(void)
{
	const char *lower = "/root-image";
	char dev[300], options[128];

	if (!find_disk("root", dev, sizeof(dev))) {
		errno = ENODEV;
		die("no disk named root (is virtio-blk built in?)");
	}
	mount_disk(dev, "/root-image");
	if (find_disk("modules", dev, sizeof(dev))) {
		mount_disk(dev, "/modules-image");
		lower = "/modules-image:/root-image";
	}
	do_mount("tmpfs", "/layer", "tmpfs", 0, "size=75%");
	mkdir("/layer/upper", 0755);
	mkdir("/layer/work", 0755);
	snprintf(options, sizeof(options),
		 "lowerdir=%s,upperdir=/layer/upper,workdir=/layer/work",
		 lower);
	do_mount("overlay", NEWROOT, "overlay", 0, options);
}

static void mount_host_dir(const char *tag, const char *where,
			   unsigned long flags, const char *cache)
{
	char options[128];

	snprintf(options, sizeof(options),
		 "trans=virtio,version=9p2000.L,msize=262144,cache=%s", cache);
	do_mount(tag, where, "9p", flags, options);
}

/*
 * perf_event is a controller of every group without a word, but only of those
 * made after the first word about any controller. The kernel may have none.
 */
static void mount_cgroups(void)
{
	const char *control = "/sys/fs/cgroup/cgroup.subtree_control";

	try_mount("cgroup2", "/sys/fs/cgroup");
	if (!write_file(control, "+pids", 5))
		write_file(control, "+cpuset", 7);
}

static void mount_kernel_views(void)
{
	do_mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=0666");
	do_mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
	try_mount("debugfs", "/sys/kernel/debug");
	try_mount("tracefs", "/sys/kernel/tracing");
	try_mount("bpf", "/sys/fs/bpf");
	mount_cgroups();
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

/* The command runs as root, so a kernel without sysctl will do. */
static void set_sysctl(const char *name, const char *value)
{
	char path[128];

	if (access("/proc/sys/kernel", F_OK))
		return;
	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if (!write_file(path, value, strlen(value)))
		die("cannot set %s", path);
}

static void move_to_root(void)
{
	static const char *const views[] = {"/dev", "/proc", "/sys"};
	char where[32];
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		snprintf(where, sizeof(where), NEWROOT "%s", views[i]);
		if (mount(views[i], where, NULL, MS_MOVE, NULL))
			die("cannot move %s", views[i]);
	}
	if (chdir(NEWROOT) || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/root"))
		die("cannot enter the root file system");
}

void enter_root(void)
{
	do_mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	do_mount("proc", "/proc", "proc", 0, NULL);
	do_mount("sysfs", "/sys", "sysfs", 0, NULL);
	load_boot_modules();
	mount_layers();
	move_to_root();

	do_mount("tmpfs", "/run", "tmpfs", 0, "mode=0755");
	mount_host_dir("control", CONTROL, 0, "none");
	mount_host_dir("payload", PAYLOAD, MS_RDONLY, "loose");
	if (has_flag("PMSCOPE_SHARE"))
		mount_host_dir("share", SHARE, 0, "mmap");
	mount_kernel_views();
	sethostname("pmscope", strlen("pmscope"));
	set_sysctl("perf_event_paranoid", "-1");
	set_sysctl("kptr_restrict", "0");
}
