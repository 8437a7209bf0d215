// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/shrink.h"
#include "base/text.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static const char *watched;
static const uint8_t *begin;
static size_t length;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

/*
 * Only async-signal-safe functions may be called here. If several threads fail,
 * one prints the message.
 */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	size_t offset = (const uint8_t *)info->si_addr - begin;
	char text[32];

	(void)number;
	(void)context;
	while (atomic_flag_test_and_set(&told))
		pause();
	say("pmscope: ");
	if (offset < length) {
		*text_hex(text, offset, 1) = '\0';
		say(watched);
		say(": was truncated while it was read, before offset 0x");
		say(text);
	} else {
		say("a file with symbols was truncated while it was read");
	}
	say("\n");
	_exit(1);
}

void shrink_watch(const char *name, const struct pmscope_input *input)
{
	const struct sigaction action = {.sa_sigaction = on_bus_error,
					 .sa_flags = SA_SIGINFO};

	watched = name;
	begin = pmscope_input_data(input);
	length = pmscope_input_size(input);
	sigaction(SIGBUS, &action, NULL);
}
