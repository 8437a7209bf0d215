/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* The child process that reads files for its parent. */
#pragma once

#include "elf.h"
#include "files.h"

/* Demangles C++ and Rust names. */
struct reader;

/*
 * Mangled names can refer back to their own parts, so that 200 bytes can expand
 * to megabytes. A name that would be longer than this stays mangled.
 */
#define DEMANGLED_MAX 16384

/* A zeroed struct is empty. */
struct demangled {
	/* reader_demangle() in the parent; NULL in the child, which is asked */
	ssize_t (*ask)(struct reader *reader, const char *name, char *text);
	struct reader *reader;
	struct map number_of_name; /* by the address of the mangled name */
	struct strings names;
};

/*
 * Demangles @name without its parameters, as perf does: "space::function". The
 * cache is keyed by the pointer @name, so the string must stay where it is.
 * Returns @name itself if it is not mangled or if memory is short (sets
 * @missing->memory). Equal demangled names have the same pointer, which is
 * valid until demangled_fini().
 */
const char *demangle(struct demangled *demangled,
		     struct unreadable_files *missing, const char *name);
void demangled_fini(struct demangled *demangled);

/*
 * Demangles @name into @text with libiberty, which limits neither its time nor
 * its stack. Returns the length of @text, which is not terminated; 0 if @name
 * is not a mangled name or the result is too long.
 */
size_t demangle_here(const char *name, char text[DEMANGLED_MAX]);

/*
 * Untrusted files are read, and names demangled, in a child process with limits
 * on its CPU time and memory. libelf, libdw and libiberty limit neither, and a
 * few bytes can keep them busy for ever.
 *
 * One child serves all files of a recording. It is forked when the first file
 * is needed, and again after a file made it exceed its limits; that file is not
 * read again. The child is a fork rather than a separate program, so that the
 * library works without an installed helper. In a multithreaded program only
 * the calling thread continues in the child. That is safe: glibc keeps malloc()
 * usable, and the child takes no other lock.
 *
 * Parent and child exchange packets on a socket: one request, one answer. The
 * parent opens the file and passes the descriptor; the child opens debug files
 * by the same rules (see base/io.h). The parent trusts no length in an
 * answer, and no string to be terminated.
 */

/* In seconds. A sleeping child uses no CPU time, so that limit is not met. */
#define READER_WAIT 300

struct reader_packet;

/* Without a child while zeroed, except for the first two members and @wait. */
struct reader {
	const struct pmscope_symbols_options *options;
	struct unreadable_files *missing; /* also lists the child's files */
	pid_t pid;			  /* 0: no child */
	int socket;
	uid_t user;	       /* effective user when it was forked */
	unsigned int children; /* number of children forked so far */
	unsigned int nr_files; /* files that this child has open */
	unsigned int slow;     /* names that took too long, so far */
	unsigned int wait;     /* longest wait in seconds; 0: READER_WAIT */
	struct named codes;    /* error of code by path; NULL: none yet */
	struct reader_packet *packet;
};

/* A file to read DWARF of. Zeroed at first, except for path and name. */
struct reader_file {
	const char *path;
	const char *name; /* path on the recorded machine */
	unsigned int child;
	uint32_t number; /* its number in that child */
	int error;	 /* < 0: do not ask again */
};

/* A file to read symbols from, which is open as @fd. */
struct reader_source {
	int fd;
	const char *path;
	const char *name;	 /* path on the recorded machine */
	const uint8_t *build_id; /* another build is refused; see elf.h */
	size_t build_id_size;	 /* 0: any */
};

/*
 * Reads the symbols of @source, unpacked if necessary, into @elf, which must be
 * zeroed except for its kind and @is_module. Sets @id if it is known. Returns
 * 0; -ENOENT if it is not an ELF file or not the wanted one; -ENOMEM; or
 * another -errno if it cannot be read. After an error @elf is empty.
 */
int reader_read_symbols(struct reader *reader,
			const struct reader_source *source, struct elf_id *id,
			struct elf_symbols *elf);

/* What to read: up to @size bytes; @code is filled in. */
struct code_request {
	void *bytes;
	size_t size;
	struct pmscope_code *code;
};

/*
 * Reads the code at @address from the file that is open as @fd. @section is the
 * number of the section that has the code, and @address counts from its start;
 * 0: the headers tell, and @address is a link address. Sets the size and the
 * machine. Returns 0; -ENODATA if the file has no bytes for it, as a debug
 * file; -ENOEXEC if it is not a 64-bit little-endian ELF file; or the error of
 * read(2).
 */
int code_read(int fd, uint32_t section, uint64_t address,
	      const struct code_request *request);

/*
 * Reads code from the file at @path, which @open opens; @open returns a
 * descriptor or -errno. @section, @address and the result are as above. @path
 * must stay valid as long as the symbols do.
 */
int reader_read_code(struct reader *reader, const char *path,
		     int (*open)(const char *path), uint32_t section,
		     uint64_t address, const struct code_request *request);

/* Functions and lines of ranges of addresses, one behind the other. */
struct reader_frames {
	const struct reader_frame *frames; /* see below */
	size_t nr;			   /* at least 1 */
	const char *texts;
};

/*
 * Reads those of the link addresses from @address up to @limit bytes after it,
 * or of a shorter range. @frames stays valid until the next call. Returns 0;
 * -ENOENT if there are none or the file cannot be read (added to
 * @reader->missing); or -ENOMEM.
 */
int reader_find_frames(struct reader *reader, struct reader_file *file,
		       uint64_t address, uint64_t limit,
		       struct reader_frames *frames);

/* What the address of a variable is. */
enum reader_kind {
	READER_OF_VARIABLES, /* a link address */
	READER_OF_THREADS,   /* of each thread: bytes from TPIDR_EL0 */
	READER_OF_BLOCKS,    /* a call, of what it allocates */
	READER_OF_PASSED, /* the same, in a function that only passes it on */
	READER_KINDS
};

/* A variable; its parts are described below. */
struct reader_layout {
	uint64_t start;
	uint64_t size;
	size_t nr; /* 0: not known */
	const char *texts;
	size_t size_of_texts;
	struct reader_part *part;
};

/* Returns a new layout in one piece of memory; NULL: no memory. */
struct reader_layout *reader_find_layout(struct reader *reader,
					 struct reader_file *file,
					 uint64_t address,
					 enum reader_kind kind);

/* Demangles @name in the child. Returns as demangle_here(), or -ENOMEM. */
ssize_t reader_demangle(struct reader *reader, const char *name,
			char text[DEMANGLED_MAX]);

void reader_fini(struct reader *reader);

/* Protocol between the child process of reader.h and its parent. */

/* An answer is about so many bytes of code at most. */
#define READER_AHEAD 4096

/* Exit status of the child after a sanitizer report. */
#define READER_SANITIZER 86

/* In the number of a request for symbols, which is their kind else. */
#define READER_MODULE 0x100

enum reader_task {
	READER_FRAMES, /* functions and lines at addresses; -ENOENT: no DWARF */
	READER_LAYOUT, /* the parts of a variable; the same */
	READER_SYMBOLS, /* all symbols, as an image in a file (see elf.h) */
	READER_CODE,	/* machine code */
	READER_NAME,	/* demangle a name */
	READER_UNREAD,	/* before an answer: an unreadable file */
	READER_FOUND,	/* before an answer: a file of debug information */
	READER_BUSY,	/* before an answer: a download goes on */
	READER_END,	/* instead of one: why the child ends */
};

/*
 * A function at a range of addresses; texts are offsets in part 1, plus 1. The
 * first one of a range has its size, and how many there are. If there are none,
 * it still has the line.
 */
struct reader_frame {
	uint64_t size; /* 0: not the first */
	uint32_t nr;
	uint32_t name;
	uint32_t linkage;
	uint32_t file;
	uint32_t line;
	uint32_t discriminator;
	uint32_t start;
};

/*
 * A variable, or a member of the part before it; texts likewise.
 * Those that it consists of are @below: the parts behind it, as many.
 */
struct reader_part {
	uint32_t offset; /* from the start of what it is a member of */
	uint32_t size;
	uint32_t stride; /* bytes of an element; 0: no array */
	uint32_t name;	 /* with brackets, if it is an array */
	uint32_t below;
};

/*
 * A request or an answer. Only the used bytes of @parts are sent: part 0, then
 * part 1. They are two strings with their NUL, or an array of struct
 * reader_frame or reader_part and its strings. Part 0 may also be code.
 */
struct reader_packet {
	uint32_t task;
	int32_t ret; /* 0 or -errno */
	/* The file's number; kind of symbols; section of code, and machine. */
	uint32_t number;
	uint32_t size[2]; /* of each part; 0: absent */
	uint64_t address; /* or the time limit in ns */
	uint64_t limit;	  /* bytes after it; size of code; a kind */
	struct elf_id id; /* symbols: the build-id, wanted or found */
	struct elf_image image;
	char parts[65536];
};

#define READER_HEADER offsetof(struct reader_packet, parts)

/* Sends @packet and, unless it is -1, @fd. Returns false on error. */
bool reader_send(int socket, struct reader_packet *packet, int fd);

/*
 * Stores @text as a part; store part 0 first. Returns false if it does not fit.
 */
bool reader_put(struct reader_packet *packet, unsigned int part,
		const char *text);

/* Returns a part as a string, or NULL if it is absent or not terminated. */
const char *reader_text(const struct reader_packet *packet, unsigned int part);

/*
 * Receives a packet, and a file descriptor in @fd (-1: none), which the caller
 * closes. Returns false at the end of the connection or for a malformed packet.
 */
bool reader_receive(int socket, struct reader_packet *packet, int *fd);

/* Serves requests from @socket until the parent closes its end. */
_Noreturn void reader_serve(int socket,
			    const struct pmscope_symbols_options *options);
