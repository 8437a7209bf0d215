// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout TURNS - a program with a bad layout, for compilers that take a
 * profile.
 *
 * It reads a text of tokens again and again. What happens most is tested last,
 * or is what compilers think unlikely without a profile: that a number is 0 or
 * negative. The function that is called most is too large to be inlined then.
 */
#include "program.h"

#define TEXT_SIZE 256

static word counts[8];
static signed char text[TEXT_SIZE];

/*
 * Most are letters, which are negative; some are digits, from 1 to 10, and
 * blanks, 0. Few are anything else.
 */
static never_inline void make(void)
{
	word state = 88172645463325252UL;

	for (int i = 0; i < TEXT_SIZE; i++) {
		word kind = random_next(&state) % 1000;

		text[i] = kind < 900   ? -1 - (int)(kind % 26)
			  : kind < 960 ? 1 + kind % 10
			  : kind < 996 ? 0
				       : 20 + kind % 32;
	}
}

/* Cold, and of some size. */
static never_inline word control(word sum, int c)
{
	switch (c & 7) {
	case 0:
		return sum ^ 0x55;
	case 1:
		return sum * 3;
	case 2:
		return sum >> 3;
	case 3:
		return sum - c;
	case 4:
		return ~sum;
	default:
		return sum + errors;
	}
}

/* What happens most, a letter, is tested last. */
static word step(word sum, int c, int mode)
{
	if (mode == 3) {
		sum += control(sum, c);
		counts[7]++;
	} else if (mode == 2) {
		sum ^= control(sum + 1, c) << 2;
		counts[6]++;
	} else if (mode == 1) {
		sum -= control(sum + 2, c) >> 2;
		counts[5]++;
	}
	if (c > 10) {
		sum = control(sum, c);
		counts[0]++;
	} else if (c > 0) {
		sum = sum * 10 + c;
		if (errors)
			sum = control(sum, 5);
		counts[2]++;
	} else if (c) {
		if (c != -17) {
			if (errors == 0)
				sum += (word)-c * 31;
			else
				sum = control(sum, 6);
			counts[3]++;
		} else {
			sum = control(sum, c) ^ (sum << 7);
			counts[4]++;
		}
	} else {
		sum = (sum << 1 | sum >> 63) + 1;
		if (errors)
			sum = control(sum, 4);
		counts[1]++;
	}
	return sum;
}

static never_inline word turn(word sum)
{
	for (int i = 0; i < TEXT_SIZE; i++)
		sum = step(sum, text[i], errors);
	for (int i = 0; i < TEXT_SIZE; i += 128)
		sum = step(sum, text[i], 1);
	return sum;
}
