// SPDX-License-Identifier: GPL-2.0-or-later
#include "code/code.h"

#include <dlfcn.h>
#include <endian.h>

/* The oldest LLVM that knows SVE2, SME and MTE, and the newest to look for. */
#define OLDEST 14
#define NEWEST 29

/* From this version on, a feature stands for all extensions. */
#define HAS_ALL 16

/* Enough of Armv9 for the versions before. */
#define FEATURES                                                     \
	"+v9.3a,+sve2,+sve2-aes,+sve2-sm4,+sve2-sha3,+sve2-bitperm," \
	"+sme,+sme-f64,+sme-i64,+mte,+f64mm,+f32mm,+i8mm,+bf16,"     \
	"+crypto,+aes,+sha2,+sha3,+sm4,+fp16fml,+rand,+ls64,+brbe,"  \
	"+tme,+hbc,+mops,+spe,+pauth"

/*
 * Declared as in llvm-c/Disassembler.h, which has been stable since LLVM 3, so
 * that the build does not need it.
 */
typedef void init_function(void);
typedef void *create_function(const char *triple, const char *cpu,
			      const char *features, void *context, int tag,
			      void *operand_info, void *symbol_lookup);
typedef size_t print_function(void *disassembler, uint8_t *bytes, uint64_t size,
			      uint64_t pc, char *text, size_t room);
typedef void dispose_function(void *disassembler);
typedef void version_function(unsigned int *major, unsigned int *minor,
			      unsigned int *patch);

struct llvm {
	void *library;
	void *disassembler;
	print_function *print;
	dispose_function *dispose;
	char name[32];
};

/* Never unloaded: its destructors expect to run at the end of the program. */
static void *load(const char *fmt, unsigned int version)
{
	char name[64];

	snprintf(name, sizeof(name), fmt, version);
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

static void *library_find(unsigned int *version)
{
	void *library = NULL;

	for (unsigned int v = NEWEST; v >= OLDEST && !library; v--) {
		library = load("libLLVM.so.%u.1", v);
		if (!library)
			library = load("libLLVM-%u.so.1", v);
		if (!library)
			library = load("libLLVM-%u.so", v);
		*version = v;
	}
	return library;
}

static bool call_init(void *library, const char *name)
{
	init_function *init = (init_function *)dlsym(library, name);

	if (init)
		init();
	return init;
}

/* LLVMGetVersion() is in LLVM 16 and later. */
static void set_name(struct llvm *llvm, unsigned int found)
{
	version_function *version =
		(version_function *)dlsym(llvm->library, "LLVMGetVersion");
	unsigned int major = found, minor = 0, patch = 0;

	if (version) {
		version(&major, &minor, &patch);
		snprintf(llvm->name, sizeof(llvm->name), "LLVM %u.%u.%u", major,
			 minor, patch);
	} else {
		snprintf(llvm->name, sizeof(llvm->name), "LLVM %u", found);
	}
}

static bool create(struct llvm *llvm, unsigned int version)
{
	void *library = llvm->library;
	create_function *begin = (create_function *)dlsym(
		library, "LLVMCreateDisasmCPUFeatures");

	llvm->print = (print_function *)dlsym(library, "LLVMDisasmInstruction");
	llvm->dispose = (dispose_function *)dlsym(library, "LLVMDisasmDispose");
	if (!begin || !llvm->print || !llvm->dispose ||
	    !call_init(library, "LLVMInitializeAArch64TargetInfo") ||
	    !call_init(library, "LLVMInitializeAArch64TargetMC") ||
	    !call_init(library, "LLVMInitializeAArch64Disassembler"))
		return false;
	llvm->disassembler = begin("aarch64-linux-gnu", "",
				   version >= HAS_ALL ? "+all" : FEATURES, NULL,
				   0, NULL, NULL);
	return llvm->disassembler;
}

static volatile sig_atomic_t in_llvm;

/* C++ code ends the program so when it has no memory. */
static void on_abort(int sig)
{
	static const char told[] = "pmscope: not enough memory for LLVM's "
				   "disassembler; raise the limit (ulimit -v), "
				   "or use --objdump=PROGRAM\n";

	if (in_llvm && write(STDERR_FILENO, told, sizeof(told) - 1) > 0)
		_exit(1);
	signal(sig, SIG_DFL);
	raise(sig);
}

static bool open_library(struct llvm *llvm)
{
	unsigned int version = 0;

	llvm->library = library_find(&version);
	if (!llvm->library || !create(llvm, version))
		return false;
	set_name(llvm, version);
	return true;
}

struct llvm *llvm_open(void)
{
	struct llvm *llvm = calloc(1, sizeof(*llvm));
	bool opened;

	if (!llvm)
		return NULL;
	signal(SIGABRT, on_abort);
	in_llvm = 1;
	opened = open_library(llvm);
	in_llvm = 0;
	if (opened)
		return llvm;
	llvm_close(llvm);
	return NULL;
}

void llvm_close(struct llvm *llvm)
{
	if (llvm && llvm->disassembler)
		llvm->dispose(llvm->disassembler);
	free(llvm);
}

const char *llvm_name(const struct llvm *llvm)
{
	return llvm->name;
}

bool llvm_print(struct llvm *llvm, uint32_t word, char *text, size_t size)
{
	uint8_t bytes[sizeof(word)];
	size_t done;

	word = htole32(word);
	memcpy(bytes, &word, sizeof(bytes));
	in_llvm = 1;
	done = llvm->print(llvm->disassembler, bytes, sizeof(bytes), 0, text,
			   size);
	in_llvm = 0;
	return done == sizeof(bytes);
}
