// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <stdio.h>

int main(void)
{
	struct ports ports;
	char text[16];
	int len;

	enter_root();
	ports = open_ports();
	if (has_flag("PMSCOPE_MODULE"))
		load_pmscope(ports.err);
	len = snprintf(text, sizeof(text), "%d\n", run_command(&ports));
	log_save(CONTROL "/dmesg");
	if (!write_file(CONTROL "/status", text, len))
		die("cannot write the exit status");
	power_off();
}
