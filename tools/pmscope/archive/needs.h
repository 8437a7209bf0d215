/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that the samples of a recording need for their names and code. */
#pragma once

#include "base/names.h"
#include "read/load.h"

/* A program, library or module */
struct need {
	const char *name; /* of the recording, as long as that is */
	const char *path; /* as seen here; NULL: none, or in memory */
	dev_t device;
	ino_t inode;		  /* of the file that was read, on @device */
	uint8_t id[BUILD_ID_MAX]; /* as recorded; @id_size 0: there is none */
	size_t id_size;
};

/* A process with generated code; @jitdump as in struct pmscope_place. */
struct generated {
	uint32_t pid;
	const char *jitdump;
};

/* Code of the kernel that is only in kcore. */
struct kernel_code {
	uint64_t address;
	uint8_t *bytes;
	size_t size;
};

struct seen;

/* All of them; starts as zeros */
struct needs {
	const struct load *load;
	struct need *files;
	size_t nr_files;
	size_t max_files;
	struct map file_of_name;
	KEYED(struct generated, generated, nr_generated, generated_of_process);
	bool kernel;			 /* some sample is in the kernel */
	uint8_t kernel_id[BUILD_ID_MAX]; /* its build-id */
	size_t kernel_id_size;
	struct kernel_code *code;
	size_t nr_code;
	size_t max_code;
	struct map code_of_address;
	uint64_t code_bytes; /* of all @code; @code_full: more than fits */
	bool code_full;
	unsigned int machine; /* of the code, as in ELF */
	struct seen *seen;
};

/* Reads the whole recording, as far as that goes. Returns 0 or -ENOMEM. */
int needs_find(struct needs *needs, struct load *load);
void needs_fini(struct needs *needs);

/*
 * Writes a pack of the recording, and of the files that it needs, to @out.
 * Warns of each file that is missing. Returns 0 or -errno.
 */
int packing_write(FILE *out, const struct needs *needs,
		  const struct load_config *config);
