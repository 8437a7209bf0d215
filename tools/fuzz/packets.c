// SPDX-License-Identifier: GPL-2.0-or-later
/* SPE data: packets, their lines, records by one thread and by two. */
#include "fuzz.h"

#include <pmscope/decoder.h>
#include <pmscope/packet.h>

#include <string.h>

/* Every packet has a line, and most come back from their encoding. */
static void all_packets(const uint8_t *data, size_t size, uint64_t midr)
{
	char line[PMSCOPE_PACKET_LINE_MAX];
	struct pmscope_packet packet;
	uint8_t again[16];
	size_t length;

	for (size_t at = 0; at < size;) {
		int n = pmscope_packet_line(data + at, size - at, at, midr,
					    line, &length);

		ALWAYS(n && length <= sizeof(line) && line[length - 1] == '\n');
		if (n > 0 && data[at] && (data[at] & 0xfc) != 0x20) {
			ALWAYS(pmscope_packet_decode(data + at, size - at, at,
						     &packet) == n);
			ALWAYS(pmscope_packet_encode(&packet, again) == n);
			ALWAYS(!memcmp(again, data + at, n));
		}
		at += n > 0 ? n : 1;
	}
}

static struct pmscope_decode_stats records(const uint8_t *data, size_t size,
					   unsigned int flags,
					   unsigned int threads)
{
	struct pmscope_decoder_options options = {
		.size = sizeof(options),
		.threads = threads,
		.flags = flags,
		.chunk = 700,
	};
	struct pmscope_span span = {.data = data, .size = size};
	struct pmscope_decoder *decoder =
		pmscope_decoder_new(&span, 1, &options);
	struct pmscope_decode_stats stats;

	ALWAYS(decoder);
	while (pmscope_decoder_next(decoder, NULL))
		;
	stats = *pmscope_decoder_stats(decoder);
	pmscope_decoder_free(decoder);
	return stats;
}

/* The first byte chooses how; all bytes are accounted for whatever it is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmscope_decode_stats stats;
	unsigned int flags;

	if (!size)
		return 0;
	flags = data[0] & (PMSCOPE_DECODE_RESYNC | PMSCOPE_DECODE_SKIP_BY_SIZE);
	all_packets(data + 1, size - 1, data[0] & 8 ? 0x410fd0c0 : 0);
	stats = records(data + 1, size - 1, flags, 1 + (data[0] >> 7));
	ALWAYS(stats.bytes == size - 1);
	ALWAYS(!stats.bad_bytes || stats.first_bad < size - 1);
	ALWAYS(stats.bad_bytes + stats.cut_bytes + stats.records <=
	       2 * (uint64_t)size);
	return 0;
}
