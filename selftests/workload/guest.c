// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guest RUNS TURNS - runs a loop of two instructions in a KVM guest.
 *
 * Prints where in the guest's own memory the loop is.
 */
#include "../kvm_guest.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct guest guest;

	if (argc != 3) {
		fprintf(stderr, "usage: guest RUNS TURNS\n");
		return 1;
	}
	if (!guest_open(&guest)) {
		perror("guest: KVM gives no guest");
		return 1;
	}
	printf("guest pc=%#x-%#x\n", GUEST_CODE, GUEST_END);
	fflush(stdout);
	for (long runs = atol(argv[1]); runs > 0; runs--)
		if (!guest_run(&guest, strtoull(argv[2], NULL, 0))) {
			perror("guest: it does not run");
			return 1;
		}
	guest_close(&guest);
	return 0;
}
