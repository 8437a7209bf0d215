// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "files.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __aarch64__
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#endif

/* Not in older headers; the numbers are those of all architectures. */
#define CREATE_RULESET 444
#define RESTRICT_SELF  446

#define ROWS_MAX 128
#define WRITES	 (O_ACCMODE | O_CREAT | O_TRUNC)

/* A child that asks servers: what a library for that does not call. */
static const int never[] = {
	SYS_execve, SYS_execveat,	  SYS_ptrace,
	SYS_kill,   SYS_process_vm_readv, SYS_process_vm_writev,
};

/* Any other child: all that it calls. Names that arm64 never had are last. */
static const int needed[] = {
	SYS_read,	  SYS_readv,	     SYS_pread64,
	SYS_write,	  SYS_writev,	     SYS_pwrite64,
	SYS_recvmsg,	  SYS_sendmsg,	     SYS_sendto,
	SYS_close,	  SYS_lseek,	     SYS_dup,
	SYS_memfd_create, SYS_ftruncate,     SYS_fallocate,
	SYS_fstat,	  SYS_newfstatat,    SYS_fstatfs,
	SYS_statfs,	  SYS_faccessat,     SYS_readlinkat,
	SYS_getdents64,	  SYS_getcwd,	     SYS_munmap,
	SYS_mremap,	  SYS_madvise,	     SYS_brk,
	SYS_futex,	  SYS_sched_yield,   SYS_sched_getaffinity,
	SYS_getrandom,	  SYS_clock_gettime, SYS_gettimeofday,
	SYS_setitimer,	  SYS_getitimer,     SYS_getrlimit,
	SYS_setrlimit,	  SYS_getpid,	     SYS_gettid,
	SYS_getuid,	  SYS_geteuid,	     SYS_sysinfo,
	SYS_uname,	  SYS_rt_sigaction,  SYS_rt_sigprocmask,
	SYS_rt_sigreturn, SYS_sigaltstack,   SYS_restart_syscall,
	SYS_exit,	  SYS_exit_group,
#ifdef SYS_statx
	SYS_statx,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_open
	SYS_stat,	  SYS_lstat,	     SYS_access,
	SYS_readlink,	  SYS_time,
#endif
};

/* What else, only if of its argument @arg the bits @mask equal @value. */
static const struct call {
	int number;
	unsigned int arg;
	uint32_t mask;
	uint32_t value;
} limited[] = {
	{SYS_openat, 2, WRITES, 0},
	{SYS_fcntl, 1, ~0U, F_DUPFD},
	{SYS_fcntl, 1, ~0U, F_DUPFD_CLOEXEC},
	{SYS_fcntl, 1, ~0U, F_GETFD},
	{SYS_fcntl, 1, ~0U, F_GETFL},
	{SYS_mmap, 2, PROT_EXEC, 0},
	{SYS_mprotect, 2, PROT_EXEC, 0},
	{SYS_prlimit64, 0, ~0U, 0},
#ifdef SYS_open
	{SYS_open, 1, WRITES, 0},
#endif
};

static struct sock_filter *put(struct sock_filter *to, uint16_t code,
			       uint32_t k, uint8_t jf)
{
	*to = (struct sock_filter){.code = code, .k = k, .jf = jf};
	return to + 1;
}

static struct sock_filter *put_load(struct sock_filter *to, size_t offset)
{
	return put(to, BPF_LD | BPF_W | BPF_ABS, offset, 0);
}

static struct sock_filter *put_calls(struct sock_filter *to, const int *calls,
				     size_t nr, uint32_t then)
{
	for (size_t i = 0; i < nr; i++) {
		to = put(to, BPF_JMP | BPF_JEQ | BPF_K, calls[i], 1);
		to = put(to, BPF_RET | BPF_K, then, 0);
	}
	return to;
}

static struct sock_filter *put_limited(struct sock_filter *to,
				       const struct call *call)
{
	to = put(to, BPF_JMP | BPF_JEQ | BPF_K, call->number, 5);
	/* Little-endian: the low half comes first. */
	to = put_load(to, offsetof(struct seccomp_data, args) +
				  call->arg * sizeof(uint64_t));
	to = put(to, BPF_ALU | BPF_AND | BPF_K, call->mask, 0);
	to = put(to, BPF_JMP | BPF_JEQ | BPF_K, call->value, 1);
	to = put(to, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
	return put_load(to, offsetof(struct seccomp_data, nr));
}

/* The C library has another way for a call that it is told does not exist. */
static void filter_calls(bool servers)
{
#ifdef THIS_ARCH
	const uint32_t refused = SECCOMP_RET_ERRNO | ENOSYS;
	const struct call abort_here = {SYS_tgkill, 0, ~0U, getpid()};
	struct sock_filter filter[6 * ROWS_MAX], *to = filter;
	struct sock_fprog program = {.filter = filter};

	_Static_assert(ARRAY_SIZE(needed) + ARRAY_SIZE(limited) < ROWS_MAX - 1,
		       "");
	to = put_load(to, offsetof(struct seccomp_data, arch));
	to = put(to, BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 0);
	to[-1].jt = 1;
	to = put(to, BPF_RET | BPF_K, refused, 0);
	to = put_load(to, offsetof(struct seccomp_data, nr));
	if (servers) {
		to = put_calls(to, never, ARRAY_SIZE(never), refused);
	} else {
		to = put_calls(to, needed, ARRAY_SIZE(needed),
			       SECCOMP_RET_ALLOW);
		for (size_t i = 0; i < ARRAY_SIZE(limited); i++)
			to = put_limited(to, &limited[i]);
		to = put_limited(to, &abort_here);
	}
	to = put(to, BPF_RET | BPF_K, servers ? SECCOMP_RET_ALLOW : refused, 0);
	program.len = to - filter;
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
	(void)servers;
#endif
}

/*
 * Landlock: no rule allows any of this. Bits of <linux/landlock.h> by version
 * of the interface; bits 2 and 3 are reading.
 */
static void refuse_writing(void)
{
	static const uint16_t writes[] = {0x1ff3, 0x3ff3, 0x7ff3, 0x7ff3,
					  0xfff3};
	struct {
		uint64_t files;
		uint64_t network;
		uint64_t scopes;
	} rules = {};
	long version = syscall(CREATE_RULESET, NULL, 0, 1);
	int fd;

	if (version < 1)
		return;
	rules.files = writes[version < 5 ? version - 1 : 4];
	rules.network = version < 4 ? 0 : 3; /* bind, connect */
	rules.scopes = version < 6 ? 0 : 3;  /* abstract sockets, signals */
	fd = syscall(CREATE_RULESET, &rules, sizeof(rules), 0);
	if (fd < 0)
		return;
	syscall(RESTRICT_SELF, fd, 0);
	close(fd);
}

/* Files of any user are readable to those who could read them before. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {};

	if (syscall(SYS_capget, &header, sets))
		return;
	sets[0].effective &= 1U << CAP_DAC_READ_SEARCH;
	sets[1].effective = 0;
	for (size_t i = 0; i < 2; i++) {
		sets[i].permitted = sets[i].effective;
		sets[i].inheritable = 0;
	}
	syscall(SYS_capset, &header, sets);
}

void sandbox_enter(bool servers)
{
	drop_capabilities();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return;
	if (!servers)
		refuse_writing();
	filter_calls(servers);
}
