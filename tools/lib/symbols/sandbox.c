// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
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

/* A system call; with @mask only if its argument @arg then equals @value. */
struct call {
	int number;
	unsigned int arg;
	uint32_t mask;
	uint32_t value;
};

#define ROWS_MAX 128
#define WRITES	 (O_ACCMODE | O_CREAT | O_TRUNC)

/* A child that asks servers: what a library for that does not call. */
static const struct call never[] = {
	{.number = SYS_execve},		  {.number = SYS_execveat},
	{.number = SYS_ptrace},		  {.number = SYS_kill},
	{.number = SYS_process_vm_readv}, {.number = SYS_process_vm_writev},
};

/* Any other child: all that it calls. */
static const struct call needed[] = {
	{.number = SYS_read},
	{.number = SYS_readv},
	{.number = SYS_pread64},
	{.number = SYS_write},
	{.number = SYS_writev},
	{.number = SYS_pwrite64},
	{.number = SYS_recvmsg},
	{.number = SYS_sendmsg},
	{.number = SYS_sendto},
	{.number = SYS_openat, .arg = 2, .mask = WRITES},
	{.number = SYS_close},
	{.number = SYS_lseek},
	{.number = SYS_dup},
	{.number = SYS_fcntl, .arg = 1, .mask = ~0U, .value = F_DUPFD},
	{.number = SYS_fcntl, .arg = 1, .mask = ~0U, .value = F_DUPFD_CLOEXEC},
	{.number = SYS_fcntl, .arg = 1, .mask = ~0U, .value = F_GETFD},
	{.number = SYS_fcntl, .arg = 1, .mask = ~0U, .value = F_GETFL},
	{.number = SYS_memfd_create},
	{.number = SYS_ftruncate}, /* of these */
	{.number = SYS_fallocate},
	{.number = SYS_fstat},
	{.number = SYS_newfstatat},
	{.number = SYS_fstatfs},
	{.number = SYS_statfs},
	{.number = SYS_faccessat},
	{.number = SYS_readlinkat},
	{.number = SYS_getdents64},
	{.number = SYS_getcwd},
	{.number = SYS_mmap, .arg = 2, .mask = PROT_EXEC},
	{.number = SYS_mprotect, .arg = 2, .mask = PROT_EXEC},
	{.number = SYS_munmap},
	{.number = SYS_mremap},
	{.number = SYS_madvise},
	{.number = SYS_brk},
	{.number = SYS_futex},
	{.number = SYS_sched_yield},
	{.number = SYS_sched_getaffinity},
	{.number = SYS_getrandom},
	{.number = SYS_clock_gettime},
	{.number = SYS_gettimeofday},
	{.number = SYS_setitimer},
	{.number = SYS_getitimer},
	{.number = SYS_prlimit64, .arg = 0, .mask = ~0U},
	{.number = SYS_getrlimit},
	{.number = SYS_setrlimit},
	{.number = SYS_getpid},
	{.number = SYS_gettid},
	{.number = SYS_getuid},
	{.number = SYS_geteuid},
	{.number = SYS_sysinfo},
	{.number = SYS_uname},
	{.number = SYS_rt_sigaction},
	{.number = SYS_rt_sigprocmask},
	{.number = SYS_rt_sigreturn},
	{.number = SYS_sigaltstack},
	{.number = SYS_restart_syscall},
	{.number = SYS_exit},
	{.number = SYS_exit_group},
#ifdef SYS_statx
	{.number = SYS_statx},
#endif
#ifdef SYS_faccessat2
	{.number = SYS_faccessat2},
#endif
#ifdef SYS_open /* the names that arm64 never had */
	{.number = SYS_open, .arg = 1, .mask = WRITES},
	{.number = SYS_stat},
	{.number = SYS_lstat},
	{.number = SYS_access},
	{.number = SYS_readlink},
	{.number = SYS_time},
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

static struct sock_filter *put_call(struct sock_filter *to,
				    const struct call *call, uint32_t then)
{
	bool argument = call->mask;

	to = put(to, BPF_JMP | BPF_JEQ | BPF_K, call->number, argument ? 5 : 1);
	if (argument) {
		/* Little-endian: the low half comes first. */
		to = put_load(to, offsetof(struct seccomp_data, args) +
					  call->arg * sizeof(uint64_t));
		to = put(to, BPF_ALU | BPF_AND | BPF_K, call->mask, 0);
		to = put(to, BPF_JMP | BPF_JEQ | BPF_K, call->value, 1);
	}
	to = put(to, BPF_RET | BPF_K, then, 0);
	return argument ? put_load(to, offsetof(struct seccomp_data, nr)) : to;
}

/* The C library has another way for a call that it is told does not exist. */
static void filter_calls(bool servers)
{
#ifdef THIS_ARCH
	const uint32_t refused = SECCOMP_RET_ERRNO | ENOSYS;
	struct sock_filter filter[6 * ROWS_MAX], *to = filter;
	size_t nr = servers ? sizeof(never) / sizeof(*never)
			    : sizeof(needed) / sizeof(*needed);
	const struct call *calls = servers ? never : needed;
	const struct call abort_here = {SYS_tgkill, 0, ~0U, getpid()};
	struct sock_fprog program = {.filter = filter};

	_Static_assert(sizeof(needed) / sizeof(*needed) + 2 <= ROWS_MAX, "");
	to = put_load(to, offsetof(struct seccomp_data, arch));
	to = put(to, BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 0);
	to[-1].jt = 1;
	to = put(to, BPF_RET | BPF_K, refused, 0);
	to = put_load(to, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < nr; i++)
		to = put_call(to, &calls[i],
			      servers ? refused : SECCOMP_RET_ALLOW);
	if (!servers)
		to = put_call(to, &abort_here, SECCOMP_RET_ALLOW);
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
