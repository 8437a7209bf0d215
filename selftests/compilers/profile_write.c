// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the counters of clang -fprofile-generate to descriptor 3, as
 * llvm-profdata merge takes them, for programs without the compiler's runtime
 * library (raw format 10 of LLVM 19).
 */
typedef unsigned long word;

#define NR_write 64

extern const char __start___llvm_prf_data[], __stop___llvm_prf_data[];
extern const char __start___llvm_prf_cnts[], __stop___llvm_prf_cnts[];
extern const char __start___llvm_prf_names[], __stop___llvm_prf_names[];
extern const word __llvm_profile_raw_version;

/* The compiler's code refers to it, so that the runtime library is linked. */
int __llvm_profile_runtime;

void profile_write(void);

static void put(const void *data, word size)
{
	register long x8 __asm__("x8") = NR_write;
	register long x0 __asm__("x0") = 3;
	register const void *x1 __asm__("x1") = data;
	register word x2 __asm__("x2") = size;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x1), "r"(x2), "r"(x8)
			 : "memory");
}

#define SIZE(part) \
	((word)(__stop___llvm_prf_##part - __start___llvm_prf_##part))

#define DATA_SIZE 64 /* of one function's record */

void profile_write(void)
{
	static const char zeros[8];
	word names = SIZE(names);
	const word header[] = {
		0xff6c70726f667281, /* \xff l p r o f r \x81 */
		__llvm_profile_raw_version,
		0, /* build-ids */
		SIZE(data) / DATA_SIZE,
		0, /* padding */
		SIZE(cnts) / sizeof(word),
		0,
		0, /* bitmaps */
		0,
		names,
		(word)__start___llvm_prf_cnts - (word)__start___llvm_prf_data,
		0,
		(word)__start___llvm_prf_names,
		0, /* tables of virtual functions */
		0,
		2, /* kinds of values */
	};

	put(header, sizeof(header));
	put(__start___llvm_prf_data, SIZE(data));
	put(__start___llvm_prf_cnts, SIZE(cnts));
	put(__start___llvm_prf_names, names);
	put(zeros, -names & 7);
}
