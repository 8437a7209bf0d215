// SPDX-License-Identifier: GPL-2.0-or-later
/* SPE data: packets, their lines, records of the whole and in chunks. */
#include "chunks.h"
#include "fuzz.h"

/* Every packet has a text, and most survive encoding and decoding. */
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

static struct pmscope_decode_stats records(const struct spe_span *span,
					   unsigned int flags)
{
	struct pmscope_batch *batch = pmscope_batch_new(64);
	struct pmscope_decode_stats stats = {};
	size_t at = 0;

	ALWAYS(batch);
	do {
		batch->count = 0;
		at += pmscope_decode(span->data + at, span->size - at,
				     span->offset + at,
				     flags | PMSCOPE_DECODE_LAST, batch,
				     &stats);
		flags &= ~PMSCOPE_DECODE_RESYNC;
	} while (batch->count);
	ALWAYS(at == span->size);
	pmscope_batch_free(batch);
	return stats;
}

static struct pmscope_decode_stats
records_in_chunks(const struct spe_span *span, unsigned int flags)
{
	struct chunks chunks;

	chunks_begin(&chunks, span, 700, flags);
	ALWAYS(chunks.chunk.batch);
	while (chunks_next(&chunks))
		;
	pmscope_batch_free(chunks.chunk.batch);
	return chunks.stats;
}

/* The first byte chooses how; every byte is accounted for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmscope_decode_stats stats, in_chunks;
	struct spe_span span;
	unsigned int flags;

	if (!size)
		return 0;
	span = (struct spe_span){.data = data + 1, .size = size - 1};
	flags = data[0] & (PMSCOPE_DECODE_RESYNC | PMSCOPE_DECODE_SKIP_BY_SIZE);
	all_packets(data + 1, size - 1, data[0] & 8 ? 0x410fd0c0 : 0);
	stats = records(&span, flags);
	in_chunks = records_in_chunks(&span, flags);
	ALWAYS(!memcmp(&stats, &in_chunks, sizeof(stats)));
	ALWAYS(stats.bytes == size - 1);
	ALWAYS(!stats.bad_bytes || stats.first_bad < size - 1);
	ALWAYS(stats.bad_bytes + stats.cut_bytes + stats.records <=
	       2 * (uint64_t)size);
	return 0;
}
