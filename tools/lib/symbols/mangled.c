// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/*
 * libiberty neither bounds its work nor can be asked to end, and names of some
 * dozens of bytes can keep it busy for ever without a letter of text. Names
 * that might are left to a thread, which ends with them or, in time, for them.
 */
#include "mangled.h"
#include "base/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* Of libiberty, whose header not all distributions have in one place. */
typedef void demangle_callback(const char *text, size_t length, void *opaque);
int cplus_demangle_v3_callback(const char *mangled, int options,
			       demangle_callback *callback, void *opaque);
int rust_demangle_callback(const char *mangled, int options,
			   demangle_callback *callback, void *opaque);

#define DMGL_NO_OPTS 0

/* Shorter names of C++ are done in some ms whatever they say. */
#define BRIEF	  128
#define LONG_RUST 512

/* ns of a CPU; names of compilers take us. */
#define PATIENCE  250000000 /* for one name */
#define SLOW	  5000000   /* what those take that are counted together */
#define ALL_SLOW  UINT64_C(2000000000)
#define LOOK_EACH 10000000 /* ns */

struct showing {
	const char *name;
	struct mangled_text *text;
	jmp_buf too_long;
	uint64_t used; /* ns of a CPU */
	bool done;
};

static void show(const char *text, size_t length, void *opaque)
{
	struct showing *showing = opaque;
	struct mangled_text *to = showing->text;

	/* Those who call have nothing but their stack to clean up. */
	if (length > sizeof(to->text) - to->length)
		longjmp(showing->too_long, 1);
	memcpy(to->text + to->length, text, length);
	to->length += length;
}

/* The old names of Rust are of the form of C++ names, with a hash more. */
static void show_name(struct showing *showing)
{
	showing->text->length = 0;
	if (setjmp(showing->too_long))
		return;
	showing->done = rust_demangle_callback(showing->name, DMGL_NO_OPTS,
					       show, showing);
	if (showing->done)
		return;
	showing->text->length = 0;
	showing->done = cplus_demangle_v3_callback(showing->name, DMGL_NO_OPTS,
						   show, showing);
}

static uint64_t used_by(clockid_t clock)
{
	struct timespec used;

	if (clock_gettime(clock, &used))
		return 0;
	return used.tv_sec * UINT64_C(1000000000) + used.tv_nsec;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
void __asan_handle_no_return(void);
#else
static void __asan_handle_no_return(void)
{
}
#endif

/* ASan does not see that the frames of who was cancelled are no more. */
static void forget_frames(void *unused)
{
	(void)unused;
	__asan_handle_no_return();
}

/* They have nothing to clean up, and may be cancelled anywhere. */
static void *show_in_thread(void *showing)
{
	pthread_cleanup_push(forget_frames, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	show_name(showing);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
	pthread_cleanup_pop(0);
	((struct showing *)showing)->used = used_by(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* Whoever ended meanwhile was quick. */
static bool is_late(pthread_t thread)
{
	clockid_t clock;

	return !pthread_getcpuclockid(thread, &clock) &&
	       used_by(clock) > PATIENCE;
}

static bool has_ended(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_EACH;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT;
}

static void wait_for(pthread_t thread, struct showing *showing)
{
	while (!has_ended(thread)) {
		if (!is_late(thread))
			continue;
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		showing->used = PATIENCE;
		return;
	}
}

/* glibc loads what it unwinds a thread with, and aborts where it cannot. */
static bool may_cancel(void)
{
	static atomic_int known; /* -1: it may not */
	void *library;

	if (!known) {
		library = dlopen(LIBGCC_S_SO, RTLD_NOW);
		known = library ? 1 : -1;
	}
	return known > 0;
}

/* False: there is no thread for it. */
static bool show_for_a_while(struct showing *showing, uint64_t *slow)
{
	pthread_t thread;

	if (*slow >= ALL_SLOW)
		return true;
	if (!may_cancel() || thread_start(&thread, show_in_thread, showing))
		return false;
	wait_for(thread, showing);
	if (showing->used > SLOW)
		*slow += showing->used;
	return true;
}

/*
 * In Rust lifetimes that are bound (G, of function types and dyn) are counted
 * out; in C++ packs are looked for in all that a name refers to.
 */
static bool is_suspect(const char *name)
{
	if (name[1] == 'R')
		return strstr(name, "FG") || strstr(name, "DG");
	return strstr(name, "Dp");
}

/* In C++ what a name refers to is walked through again and again. */
static bool may_take_long(const char *name)
{
	if (name[1] == 'R')
		return is_suspect(name) || strlen(name) >= LONG_RUST;
	return strlen(name) >= BRIEF;
}

bool mangled_show(const char *name, struct mangled_text *shown, uint64_t *slow)
{
	struct showing showing = {.name = name, .text = shown};

	if (!may_take_long(name) ||
	    (!show_for_a_while(&showing, slow) && !is_suspect(name)))
		show_name(&showing);
	return showing.done;
}
