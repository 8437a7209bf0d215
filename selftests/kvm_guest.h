/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm_guest.h - the smallest KVM guest: one CPU, one page, a loop of two
 * instructions, then a store to an address without memory.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kvm.h>

#define GUEST_CODE 0x10000
#define GUEST_END  0x10010
#define GUEST_EXIT 0x20000

struct guest {
	int kvm, vm, cpu;
	void *code;
	size_t page;
	struct kvm_run *run;
	size_t run_size;
};

static inline bool guest_possible(void)
{
	return !access("/dev/kvm", R_OK | W_OK);
}

static inline bool guest_set(const struct guest *guest, size_t offset,
			     uint64_t value)
{
	struct kvm_one_reg reg = {
		.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
		      (offset / sizeof(uint32_t)),
		.addr = (uintptr_t)&value,
	};

	return !ioctl(guest->cpu, KVM_SET_ONE_REG, &reg);
}

static inline bool guest_load(struct guest *guest)
{
	static const uint32_t code[] = {
		0xf1000400, /* subs x0, x0, #1 */
		0x54ffffe1, /* b.ne to it */
		0xf900003f, /* str xzr, [x1] */
		0x17fffffd, /* b to the first */
	};
	struct kvm_userspace_memory_region memory = {
		.guest_phys_addr = GUEST_CODE,
		.memory_size = guest->page,
	};

	guest->code = mmap(NULL, guest->page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guest->code == MAP_FAILED)
		return false;
	memcpy(guest->code, code, sizeof(code));
	__builtin___clear_cache(guest->code,
				(char *)guest->code + sizeof(code));
	memory.userspace_addr = (uintptr_t)guest->code;
	return !ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &memory);
}

static inline bool guest_add_cpu(struct guest *guest)
{
	struct kvm_vcpu_init init;

	guest->cpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
	if (guest->cpu < 0 ||
	    ioctl(guest->vm, KVM_ARM_PREFERRED_TARGET, &init) ||
	    ioctl(guest->cpu, KVM_ARM_VCPU_INIT, &init))
		return false;
	guest->run_size = ioctl(guest->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	guest->run = mmap(NULL, guest->run_size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, guest->cpu, 0);
	return guest->run != MAP_FAILED &&
	       guest_set(guest, offsetof(struct kvm_regs, regs.regs[1]),
			 GUEST_EXIT) &&
	       guest_set(guest, offsetof(struct kvm_regs, regs.pc), GUEST_CODE);
}

static inline bool guest_open(struct guest *guest)
{
	guest->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (guest->kvm < 0)
		return false;
	guest->vm = ioctl(guest->kvm, KVM_CREATE_VM, 0);
	guest->page = getpagesize();
	return guest->vm >= 0 && guest_load(guest) && guest_add_cpu(guest);
}

static inline void guest_close(struct guest *guest)
{
	munmap(guest->run, guest->run_size);
	munmap(guest->code, guest->page);
	close(guest->cpu);
	close(guest->vm);
	close(guest->kvm);
}

/*
 * Runs the loop for that many turns: two instructions each, and up to two more.
 * The next run continues after the store.
 */
static inline bool guest_run(struct guest *guest, uint64_t turns)
{
	return guest_set(guest, offsetof(struct kvm_regs, regs.regs[0]),
			 turns) &&
	       !ioctl(guest->cpu, KVM_RUN, 0) &&
	       guest->run->exit_reason == KVM_EXIT_MMIO &&
	       guest->run->mmio.phys_addr == GUEST_EXIT;
}
