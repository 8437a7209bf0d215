// SPDX-License-Identifier: GPL-2.0-or-later
#include "workshop.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct missing missing;
const struct debug_search workshop_search = {.missing = &missing};

static char dir[32];

bool workshop_open(void)
{
	strcpy(dir, "/tmp/pmscope-files-XXXXXX");
	return mkdtemp(dir) && workshop_run("mkdir -p root/usr/bin home");
}

void workshop_close(void)
{
	workshop_run("rm -r %s", dir);
}

const char *workshop_path(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s%s%s", dir, name ? "/" : "",
		 name ? name : "");
	return path;
}

bool workshop_write(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(workshop_path(name), "w");
	bool done = file && fwrite(data, 1, size, file) == size;

	return file && !fclose(file) && done;
}

bool workshop_write_text(const char *name, const char *text)
{
	return workshop_write(name, text, strlen(text));
}

static void command_of(char *command, size_t size, const char *fmt,
		       va_list args)
{
	int n = snprintf(command, size, "cd %s && exec 2>/dev/null; ", dir);

	vsnprintf(command + n, size - n, fmt, args);
}

bool workshop_run(const char *fmt, ...)
{
	char command[1024];
	va_list args;

	va_start(args, fmt);
	command_of(command, sizeof(command), fmt, args);
	va_end(args);
	return !system(command);
}

const char *workshop_output(const char *fmt, ...)
{
	static char line[256];
	char command[1024];
	va_list args;
	FILE *pipe;

	va_start(args, fmt);
	command_of(command, sizeof(command), fmt, args);
	va_end(args);
	pipe = popen(command, "r");
	if (!pipe || !fgets(line, sizeof(line), pipe))
		*line = '\0';
	if (pipe)
		pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

uint64_t workshop_address(const char *program, const char *function)
{
	return strtoull(workshop_output("nm %s | sed -n 's/ [Tt] %s$//p'",
					program, function),
			NULL, 16);
}

bool workshop_build(const char *options, const char *build_id)
{
	return workshop_run(
		"cc -O2 -fPIE -pie -Wl,--build-id=%s -Wl,-z,separate-code "
		"%s -c program.c -o program.o && "
		"cc -pie -Wl,--build-id=%s -Wl,-z,separate-code "
		"-o program program.o",
		build_id, options, build_id);
}

bool workshop_strip(void)
{
	return workshop_run(
		"objcopy --only-keep-debug program d.dbg && "
		"objcopy --strip-all --add-gnu-debuglink=d.dbg program "
		"root/usr/bin/program");
}

bool workshop_assemble(const char *source)
{
	return workshop_write_text("sharing.s", source) &&
	       workshop_run("cc -shared -nostdlib -o sharing sharing.s");
}

struct pmscope_place workshop_place(const char *function)
{
	return (struct pmscope_place){
		.dso = "/usr/bin/program",
		.pid = 10,
		.file_offset = workshop_address("program", function) + 1,
	};
}

const char *workshop_build_id(const char *program, struct pmscope_place *place)
{
	static uint8_t id[20];
	const char *hex = workshop_output(
		"readelf -n %s | sed -n 's/.*Build ID: //p'", program);

	for (place->build_id_size = 0;
	     place->build_id_size < 20 && hex[2 * place->build_id_size];
	     place->build_id_size++)
		sscanf(hex + 2 * place->build_id_size, "%2hhx",
		       &id[place->build_id_size]);
	place->build_id = id;
	return hex;
}

struct pmscope_symbols *workshop_symbols_below(const char *name)
{
	struct pmscope_symbols_options options = {.size = sizeof(options)};
	static char root[128]; /* it stays with the symbols */

	strcpy(root, workshop_path(name));
	options.symfs = root;
	return pmscope_symbols_new(&options);
}

struct pmscope_symbols *workshop_symbols(void)
{
	return workshop_symbols_below("root");
}

pid_t workshop_container(pid_t *starter)
{
	int ends[2];
	pid_t pid = -1;

	*starter = pipe(ends) ? -1 : fork();
	if (*starter < 0)
		return -1;
	if (!*starter) {
		int spaces = CLONE_NEWPID | (geteuid() ? CLONE_NEWUSER : 0);

		pid = unshare(spaces) || chroot(workshop_path("root")) ? -1
								       : fork();
		if (!pid) {
			close(ends[1]);
			alarm(60); /* should nobody end it */
			pause();
		}
		if (write(ends[1], &pid, sizeof(pid)) == sizeof(pid))
			waitpid(pid, NULL, 0);
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &pid, sizeof(pid)) != sizeof(pid))
		pid = -1;
	close(ends[0]);
	return pid;
}

unsigned int workshop_read_lines(struct lines *lines, unsigned int nr)
{
	uint64_t address = workshop_address("sharing", "f");
	unsigned int found = 0;

	lines_open(lines, workshop_path("sharing"), &workshop_search);
	for (unsigned int i = 0; i < nr; i++) {
		struct pmscope_line line;

		found += !lines_find(lines, address + 16 * i, &line);
	}
	return found;
}
