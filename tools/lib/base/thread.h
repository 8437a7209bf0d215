/* SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause */
/* Starts threads that do not take the program's signals. */
#ifndef PMSCOPE_BASE_THREAD_H
#define PMSCOPE_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/*
 * Like pthread_create(). The thread blocks the program's signals but not its
 * own faults: a blocked fault kills the program, whatever its handlers.
 * SIGPIPE, from what the thread writes, is also unblocked unless the caller
 * blocks it.
 */
static inline int thread_start(pthread_t *thread, void *(*run)(void *),
			       void *data)
{
	static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
	sigset_t blocked, before;
	int ret;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	if (!sigismember(&before, SIGPIPE))
		sigdelset(&blocked, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	ret = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

#endif /* PMSCOPE_BASE_THREAD_H */
