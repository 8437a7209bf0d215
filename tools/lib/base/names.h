/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Names of files, modules, PMUs and CPUs in recordings, and build-ids. */
#pragma once

#include "containers.h"
#include "text.h"

/* Names in recordings: of files, the kernel, modules and PMUs. */

/* The kernel's name in recordings. */
#define KERNEL_NAME "[kernel.kallsyms]"

/* Of programs that BPF compiled: memory of no file. */
#define BPF_NAME "[bpf]"

/* A symbol such as "_text" follows it, whose address is the file offset. */
#define KERNEL_NAME_LENGTH (sizeof(KERNEL_NAME) - 1)

static inline bool is_kernel_name(const char *name)
{
	return !strncmp(name, KERNEL_NAME, KERNEL_NAME_LENGTH);
}

/* Is it the kernel itself, not a module? @name: of the mapping, or NULL. */
static inline bool is_kernel_image(bool kernel, const char *name)
{
	return kernel && (!name || is_kernel_name(name));
}

/* Is what is mapped in a process a file? False for "[heap]" or "//anon". */
static inline bool is_file_name(const char *name)
{
	return name[0] == '/' && name[1] != '/';
}

/* May a mapping with this name have code that the program generated? */
static inline bool jit_is_mapping(const char *dso)
{
	static const char *const names[] = {
		"//anon",    "[anon",	       "/memfd:",
		"/dev/zero", "[heap]",	       "anon_inode:",
		"[stack",    "/anon_hugepage", "/SYSV",
	};

	/* Most file paths end here; this runs for each address. */
	if (dso && *dso == '/' && !strchr("/mdaS", dso[1]))
		return false;
	for (size_t i = 0; dso && i < ARRAY_SIZE(names); i++)
		if (!strncmp(dso, names[i], strlen(names[i])))
			return true;
	return !dso;
}

/* Modules are named by a file (.../a-b.ko, .../a_b.ko.xz) or as "[a_b]". */
#define MODULE_NAME_SIZE 64 /* MODULE_NAME_LEN of Linux */

/* Is this kernel mapping a module? False for NULL. */
bool module_is(const char *name);

/* The end of ".ko", which a suffix of compression may follow; or NULL. */
const char *module_file_end(const char *name);

/* Converts either form to "a_b", truncated if too long. */
void module_name_of(const char *name, char module[MODULE_NAME_SIZE]);

/* The name of the snapshot PMU in sysfs and in the events of recordings. */
#define SNAPSHOT_PMU "pmu_snapshot"

/* The lengths of build-ids in recordings. */

#define BUILD_ID_MAX  20
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)

/*
 * Linkers write build-ids of 8, 16 or 20 bytes. Records have room for 20, and
 * most do not contain the true length, so derive it from the zero padding.
 */
static inline uint8_t build_id_size(const uint8_t *id)
{
	static const uint8_t zeros[8];

	if (memcmp(id + 16, zeros, BUILD_ID_MAX - 16) != 0)
		return BUILD_ID_MAX;
	return memcmp(id + 8, zeros, 8) ? 16 : 8;
}

/*
 * Does @recorded (@size bytes) match a file's build-id @id (@length bytes)? A
 * record truncates long build-ids and may pad short ones with zeros.
 */
static inline bool build_id_is(const uint8_t *recorded, size_t size,
			       const uint8_t *id, size_t length)
{
	size_t both = MIN(length, size);

	if (!length || (length > size && size < BUILD_ID_MAX))
		return false;
	while (size > both && !recorded[size - 1])
		size--;
	return size == both && !memcmp(recorded, id, both);
}

/* Writes it in hexadecimal, with a NUL: 2 * @size + 1 bytes. */
static inline void build_id_text(char *hex, const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hex = text_hex(hex, id[i], 2);
	*hex = '\0';
}

/* MIDR_EL1 values of the CPUs whose IMPLEMENTATION DEFINED codes are known. */

/* Implementer [31:24] and part number [15:4], without variant and revision. */
static inline uint32_t midr_model(uint64_t midr)
{
	return midr & 0xff00fff0;
}

/* Clears Variant [23:20] and Revision [3:0], as perf does for CPUID. */
static inline uint64_t midr_cpuid(uint64_t midr)
{
	return midr & 0xff0ffff0;
}

/* The name of the CPU, for instance "Neoverse N2"; NULL when not known. */
const char *midr_name(uint64_t midr);

/* Variant [23:20] and Revision [3:0]: 0x13 is r1p3. */
static inline unsigned int midr_revision(uint64_t midr)
{
	return (midr >> 16 & 0xf0) | (midr & 0xf);
}

#define MIDR_MODEL(implementer, part) \
	((uint32_t)(implementer) << 24 | (uint32_t)(part) << 4)

enum {
#define CPU(id, implementer, part, name, sources) \
	MIDR_##id = MIDR_MODEL(implementer, part),
#include "cpus.def"
#undef CPU
};

/* Finds the file of a kernel module in depmod's modules.dep. */

/* Caches each modules.dep file that was read. Initialize to zeros. */
struct module_index {
	struct strings paths;
	struct named files; /* key: "NUMBER MODULE", the number from @paths */
};

/*
 * Looks up @module ("a_b") in the modules.dep at @path; *@file is NULL if it is
 * not listed. Returns 0 or -errno, but errors of open(2) only at the first
 * call for @path.
 */
int module_index_find(struct module_index *index, const char *path,
		      const char *module, const char **file);
void module_index_fini(struct module_index *index);
