/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#define UART_DATA (*(volatile u32 *)0x09000000)

#define SEMIHOSTING_GET_CMDLINE	 0x15
#define SEMIHOSTING_EXIT	 0x18
#define APPLICATION_EXIT	 0x20026

void put_char(char c)
{
	UART_DATA = c;
}

static u64 semihosting(u64 operation, void *block)
{
	register u64 x0 asm("x0") = operation;
	register void *x1 asm("x1") = block;

	asm volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return x0;
}

const char *command_line(void)
{
	static char buffer[256];
	u64 block[2] = { (u64)buffer, sizeof(buffer) };

	if (!buffer[0] && semihosting(SEMIHOSTING_GET_CMDLINE, block))
		return "";
	return buffer;
}

void power_off(unsigned status)
{
	u64 block[2] = { APPLICATION_EXIT, status };

	semihosting(SEMIHOSTING_EXIT, block);
	for (;;)
		;
}
