// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * single_step FILE CMD [ARG]... - runs a program one instruction at a time.
 *
 * Prints how many instructions it executed and how many branches it took, and
 * writes to FILE where it went: a line "B FROM TO COUNT 0" for each branch
 * taken and "F FROM TO COUNT" for each other pair of instructions, as perf2bolt
 * -pa takes them. Addresses are those of the program's file, which begins with
 * address 0.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 65536

static struct edge {
	uint64_t from, to, count;
} edges[SLOTS];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct edge *edge_of(uint64_t from, uint64_t to)
{
	uint64_t at = (from * 31 + to) / 4;

	for (;; at++) {
		struct edge *edge = &edges[at % SLOTS];

		if (!edge->count || (edge->from == from && edge->to == to)) {
			edge->from = from;
			edge->to = to;
			return edge;
		}
	}
}

/* The address of the mapping with the program's first bytes. */
static uint64_t base_of(pid_t pid)
{
	unsigned long start, offset;
	char path[64];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	if (!maps || fscanf(maps, "%lx-%*x %*s %lx", &start, &offset) != 2 ||
	    offset)
		die(path);
	fclose(maps);
	return start;
}

static uint64_t pc_of(pid_t pid)
{
	struct user_regs_struct regs;
	struct iovec iov = {&regs, sizeof(regs)};

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov))
		die("PTRACE_GETREGSET");
	return regs.pc;
}

/* Waits for the next instruction; false at the end of the program. */
static bool stopped(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status))
		exit(WEXITSTATUS(status));
	return WIFSTOPPED(status);
}

static void run(pid_t pid, uint64_t *executed, uint64_t *taken)
{
	uint64_t base = base_of(pid), from = pc_of(pid) - base;

	for (;;) {
		uint64_t to;

		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0))
			die("PTRACE_SINGLESTEP");
		++*executed;
		if (!stopped(pid))
			return;
		to = pc_of(pid) - base;
		*taken += to != from + 4;
		edge_of(from, to)->count++;
		from = to;
	}
}

static void write_edges(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		die(path);
	for (size_t i = 0; i < SLOTS; i++) {
		const struct edge *edge = &edges[i];
		bool next = edge->to == edge->from + 4;

		if (edge->count)
			fprintf(out, "%c %lx %lx %lu%s\n", next ? 'F' : 'B',
				edge->from, edge->to, edge->count,
				next ? "" : " 0");
	}
	if (fclose(out))
		die(path);
}

int main(int argc, char **argv)
{
	uint64_t executed = 0, taken = 0;
	pid_t pid;

	if (argc < 3)
		return 1;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || !stopped(pid))
		die(argv[2]);
	run(pid, &executed, &taken);
	write_edges(argv[1]);
	printf("%lu instructions, %lu taken branches\n", executed, taken);
	return 0;
}
