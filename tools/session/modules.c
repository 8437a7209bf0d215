// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "session/modules.h"
#include "session/system.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

extern char **environ;

bool module_loaded(const char *name)
{
	char text[32];

	/* Modules that are built in have no initstate. */
	return sysfs_read(text, sizeof(text), "/sys/module/%s/initstate",
			  name) >= 0;
}

static bool built_in(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/bus/platform/drivers/%s", name);
	return !access(path, F_OK) && !module_loaded(name);
}

bool module_lockdown(char *mode, size_t size)
{
	char text[128], *open_at, *close_at;

	if (sysfs_read(text, sizeof(text), "/sys/kernel/security/lockdown") < 0)
		return false;
	open_at = strchr(text, '[');
	close_at = open_at ? strchr(open_at, ']') : NULL;
	if (!close_at)
		return false;
	*close_at = '\0';
	snprintf(mode, size, "%s", open_at + 1);
	return strcmp(mode, "none");
}

bool module_signature_enforced(void)
{
	char text[8];

	return sysfs_read(text, sizeof(text),
			  "/sys/module/module/parameters/"
			  "sig_enforce") > 0 &&
	       *text == 'Y';
}

static const char *why_not_loaded(int code)
{
	char mode[32];

	switch (code) {
	case EPERM:
		return module_lockdown(mode, sizeof(mode))
			       ? "the kernel is locked down and loads only "
				 "modules that are " MODULE_TRUST
			       : "not permitted: this needs root";
	case EKEYREJECTED:
	case ENOKEY:
		return "the kernel loads only modules that are " MODULE_TRUST;
	case ENOEXEC:
		return "it was built for another kernel";
	case ENODEV:
		return "this machine lacks a feature that the module needs; "
		       "see the kernel log ('dmesg')";
	}
	return strerror(code);
}

/* modprobe prints its error number as text only. */
static int guess_code(void)
{
	char mode[32];

	if (module_signature_enforced())
		return EKEYREJECTED;
	return geteuid() || module_lockdown(mode, sizeof(mode)) ? EPERM : 0;
}

static int load_file(const char *file, struct pmscope_error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), code;

	if (fd < 0)
		return pmscope_fail(err, errno, "%s: %s", file,
				    strerror(errno));
	code = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	if (!code || code == EEXIST)
		return 0;
	return pmscope_fail(err, code, "%s: %s", file, why_not_loaded(code));
}

static int modprobe(const char *name)
{
	char *argv[] = {(char *)"modprobe", (char *)"--", (char *)name, NULL};
	int status = 0;
	pid_t pid;

	if (posix_spawnp(&pid, "modprobe", NULL, NULL, argv, environ))
		return -ENOENT;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status ? -ENOENT : 0;
}

/* PREFIX/bin/pmscope may come with PREFIX/modules/<release>/NAME.ko. */
static bool beside_tool(const char *name, char *path, size_t size)
{
	char tool[PATH_MAX], *slash;
	struct utsname uts;
	ssize_t len;

	len = readlink("/proc/self/exe", tool, sizeof(tool) - 1);
	if (len < 0 || uname(&uts))
		return false;
	tool[len] = '\0';
	slash = strrchr(tool, '/');
	*slash = '\0';
	return snprintf(path, size, "%s/../modules/%s/%s.ko", tool, uts.release,
			name) < (int)size &&
	       !access(path, R_OK);
}

int module_load(const char *name, const char *file, struct pmscope_error *err)
{
	char path[PATH_MAX];
	int code;

	if (file)
		return load_file(file, err);
	if (beside_tool(name, path, sizeof(path)))
		return load_file(path, err);
	if (!modprobe(name))
		return 0;
	code = guess_code();
	return pmscope_fail(err, ENOENT, "modprobe %s failed%s%s", name,
			    code ? ": " : "", code ? why_not_loaded(code) : "");
}

int module_unload(const char *name)
{
	if (built_in(name))
		return -ENOENT;
	if (!syscall(SYS_delete_module, name, O_NONBLOCK) || errno == ENOENT)
		return 0;
	return errno == EAGAIN || errno == EWOULDBLOCK ? -EBUSY : -errno;
}
