// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packet lines against those of the perf on this host, on streams of
 * random packets and random bytes. PMSCOPE_SEED repeats a failed run.
 */
#include "bytes.h"
#include "ktap.h"
#include "random.h"

#include <pmscope/packet.h>

#include <stdlib.h>
#include <unistd.h>

#define TYPE_ARM_SPE  4
#define LINE_MAX_SIZE 512

/*
 * Since when perf has the words pmscope prints, for what changed after 6.1:
 * names of operations, events above bit 18 and the numbers of the rest, PBT.
 */
#define NEW_WORDS_SINCE 619

static int perf_version(void)
{
	FILE *pipe = popen("perf version 2>/dev/null", "r");
	int major = 0, minor = 0;

	if (!pipe)
		return 0;
	if (fscanf(pipe, "perf version %d.%d", &major, &minor) != 2)
		major = 0;
	pclose(pipe);
	return 100 * major + minor;
}

static uint64_t seed(void)
{
	const char *given = getenv("PMSCOPE_SEED");
	uint64_t value = given ? strtoull(given, NULL, 0) : 20240607;

	ktap_note("PMSCOPE_SEED=%llu", (unsigned long long)value);
	return value;
}

/* Operations whose words are the same since 6.1. */
static uint8_t old_operation(uint64_t *state, unsigned int *class)
{
	static const uint8_t atomics[] = {0x06, 0x0a, 0x12, 0x16};

	*class = 1 + random_below(state, 2);
	if (*class == PMSCOPE_OPERATION_BRANCH)
		return random_below(state, 4);
	if (random_below(state, 2))
		return atomics[random_below(state, 4)] | random_below(state, 2);
	return (random_below(state, 2) ? 0x04 : 0x00) | random_below(state, 2);
}

/* For a class 0 payload of no subclass perf's text is that of before. */
static bool perf_has_words(unsigned int class, uint8_t value)
{
	return class != PMSCOPE_OPERATION_OTHER || !(value & 0xf8) ||
	       (value & 0x09) == 0x08;
}

static void put_random_operation(struct bytes *b, uint64_t *state, bool words)
{
	unsigned int class = random_below(state, 4);
	uint8_t value = random_next(state) >> 56;

	if (!words)
		value = old_operation(state, &class);
	else if (!perf_has_words(class, value))
		value &= 0x07;
	put_packet(b, PMSCOPE_PACKET_OPERATION, class, 1, value);
}

static void put_random_packet(struct bytes *b, uint64_t *state, bool words)
{
	uint64_t value = random_next(state);

	switch (random_below(state, 9)) {
	case 0:
		put_zeros(b, random_below(state, 40));
		break;
	case 1:
		put(b, 1, 1); /* END */
		break;
	case 2:
		put_timestamp(b, value);
		break;
	case 3:
		put_packet(b, PMSCOPE_PACKET_EVENTS, 0,
			   1 << random_below(state, words ? 4 : 3),
			   words ? value : value & 0xfff);
		break;
	case 4:
		put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0,
			   1 << random_below(state, 4), value);
		break;
	case 5:
		put_packet(b, PMSCOPE_PACKET_CONTEXT, random_below(state, 4), 4,
			   value);
		break;
	case 6:
		put_random_operation(b, state, words);
		break;
	case 7:
		put_packet(b, PMSCOPE_PACKET_ADDRESS,
			   random_below(state, words ? 32 : 4), 8, value);
		break;
	case 8:
		put_packet(b, PMSCOPE_PACKET_COUNTER, random_below(state, 32),
			   2, value);
		break;
	}
}

static FILE *perf_dump(const struct bytes *file)
{
	char command[4096], path[] = "/tmp/pmscope-oracle-XXXXXX";
	int fd = mkstemp(path);
	FILE *pipe;

	if (fd < 0)
		return NULL;
	if (write(fd, file->data, file->size) != (ssize_t)file->size) {
		close(fd);
		unlink(path);
		return NULL;
	}
	close(fd);
	snprintf(command, sizeof(command),
		 "perf --no-pager report -D -i %s 2>/dev/null; rm -f %s", path,
		 path);
	pipe = popen(command, "r");
	return pipe;
}

/* Offsets of packets have eight digits, those of records in hex four. */
static bool is_packet_line(const char *line)
{
	return !strncmp(line, ".  ", 3) && strcspn(line, ":") >= 11;
}

/* The next packet line of perf; false at the end. */
static bool next_line(FILE *pipe, char *line)
{
	while (fgets(line, LINE_MAX_SIZE, pipe))
		if (is_packet_line(line))
			return true;
	return false;
}

static void compare(const struct bytes *trace)
{
	char ours[PMSCOPE_PACKET_LINE_MAX + 1], theirs[LINE_MAX_SIZE];
	struct bytes file = {};
	size_t at = 0, length;
	FILE *pipe;

	perfdata_begin(&file);
	put_auxtrace_info(&file, TYPE_ARM_SPE);
	put_auxtrace(&file, 0, 0, -1, trace);
	perfdata_end(&file);
	pipe = perf_dump(&file);
	bytes_fini(&file);
	ASSERT_TRUE(pipe);
	while (at < trace->size) {
		int ret =
			pmscope_packet_line(trace->data + at, trace->size - at,
					    at, 0, ours, &length);

		ours[length] = '\0';
		at += ret > 0 ? ret : 1;
		if (!next_line(pipe, theirs))
			strcpy(theirs, "(end)");
		if (strcmp(ours, theirs)) {
			EXPECT_STREQ(ours, theirs);
			break;
		}
	}
	EXPECT_FALSE(next_line(pipe, theirs));
	pclose(pipe);
}

TEST(random_packets_as_perf_reads_them)
{
	int version = perf_version();
	uint64_t state = seed();
	struct bytes trace = {};

	if (version < 601)
		SKIP("no perf 6.1 or newer on this host");
	ktap_note("perf %d.%d, %s words", version / 100, version % 100,
		  version >= NEW_WORDS_SINCE ? "all" : "unchanged");
	for (int i = 0; i < 20000; i++)
		put_random_packet(&trace, &state, version >= NEW_WORDS_SINCE);
	compare(&trace);
	bytes_fini(&trace);
}

/* A byte that begins an operation, an event, an address or an extension. */
static bool has_newer_words(uint8_t byte)
{
	return (byte & 0xcf) == 0x42 || (byte & 0xfc) == 0x48 ||
	       (byte & 0xfc) == 0x20 || (byte & 0xf8) == 0xb0;
}

/* Nearly all of it is no packet: where does each side go on? */
TEST(random_bytes_as_perf_reads_them)
{
	int version = perf_version();
	uint64_t state = seed();
	struct bytes trace = {};

	if (version < 601)
		SKIP("no perf 6.1 or newer on this host");
	while (trace.size < 50000) {
		uint8_t byte = random_next(&state) >> 56;

		if (byte == 0x48 ||
		    (version < NEW_WORDS_SINCE && has_newer_words(byte)))
			continue;
		put(&trace, byte, 1);
	}
	compare(&trace);
	bytes_fini(&trace);
}

KTAP_MAIN
