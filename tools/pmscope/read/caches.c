// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/caches.h"

#include <sys/mman.h>

struct code_numbers *code_numbers_new(void)
{
	struct code_numbers *numbers =
		mmap(NULL, sizeof(*numbers), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return numbers == MAP_FAILED ? NULL : numbers;
}

void code_numbers_free(struct code_numbers *numbers)
{
	if (numbers)
		munmap(numbers, sizeof(*numbers));
}

size_t code_piece_get(struct code_numbers *numbers, size_t at, uint64_t space,
		      uint64_t piece)
{
	struct code_piece *code;

	at ^= CODE_PIECES / 2;
	code = &numbers->pieces[at];
	if (code->space == space && code->piece == piece)
		return at;
	at ^= numbers->other_way;
	code = &numbers->pieces[at];
	numbers->other_way ^= CODE_PIECES / 2;
	if (code->space)
		memset(numbers->numbers[at], 0, sizeof(numbers->numbers[at]));
	*code = (struct code_piece){.space = space, .piece = piece};
	return at;
}
