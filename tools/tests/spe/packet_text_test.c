// SPDX-License-Identifier: GPL-2.0-or-later
/* The words and the lines of perf report -D. */
#include "ktap.h"
#include "base/std.h"

#include <pmscope/events.h>
#include <pmscope/packet.h>

#define NEOVERSE_N1 0x410fd0c0

static size_t parse_hex(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	char *end;

	while (*hex) {
		bytes[n++] = strtoul(hex, &end, 16);
		hex = end + (*end == ' ');
	}
	return n;
}

struct row {
	const char *bytes;
	const char *text;
};

static void check_row(const struct row *row, uint64_t midr)
{
	char text[PMSCOPE_PACKET_TEXT_MAX];
	struct pmscope_packet packet;
	uint8_t bytes[16];
	size_t size = parse_hex(row->bytes, bytes);

	ASSERT_EQ(pmscope_packet_decode(bytes, size, 0, &packet), (int)size);
	EXPECT_EQ(pmscope_packet_text(&packet, midr, text), strlen(text));
	EXPECT_STREQ(text, row->text);
}

#define ROWS(name, midr, ...)                                   \
	TEST(name)                                              \
	{                                                       \
		static const struct row rows[] = {__VA_ARGS__}; \
                                                                \
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)   \
			check_row(&rows[i], midr);              \
	}

ROWS(addresses, 0,
     {"b0 00 10 00 00 00 80 ff a0", "PC 0xff800000001000 el1 ns=1"},
     {"b0 00 10 00 00 00 80 ff c0", "PC 0xff800000001000 el2 ns=1"},
     {"b0 f0 ff 00 00 aa aa 00 80", "PC 0xaaaa0000fff0 el0 ns=1"},
     {"b0 00 00 00 00 00 00 00 00", "PC 0x0 el0 ns=0"},
     {"b1 34 12 00 00 00 00 00 e0", "TGT 0x1234 el3 ns=1"},
     {"b4 34 12 00 00 00 00 00 90", "PBT 0x1234 el0 ns=1"},
     {"b2 01 02 03 04 05 06 07 5a", "VA 0x5a07060504030201"},
     {"b3 00 20 00 40 00 00 00 80", "PA 0x40002000 ns=1 ch=0 pat=0"},
     {"b3 00 20 00 40 00 00 00 4b", "PA 0x40002000 ns=0 ch=1 pat=b"},
     {"b5 01 00 00 00 00 00 00 00", "ADDR 0x1 (5)"},
     {"21 b2 01 00 00 00 00 00 00 00", "ADDR 0x1 (10)"},
     {"20 b0 01 00 00 00 00 00 00 00", "PC 0x1 el0 ns=0"});

ROWS(counters_contexts_and_single_values, 0, {"98 0b 00", "LAT 11 TOT"},
     {"99 ff 0f", "LAT 4095 ISSUE"}, {"9a ff ff", "LAT 65535 XLAT"},
     {"9e 07 00", "LAT 7 "}, {"23 9f 07 00", "LAT 7 "},
     {"64 39 30 00 00", "CONTEXT 0x3039 el1"},
     {"65 00 00 00 80", "CONTEXT 0x80000000 el2"},
     {"67 01 00 00 00", "CONTEXT 0x1 el4"}, {"43 0e", "DATA-SOURCE 14"},
     {"53 34 12", "DATA-SOURCE 4660"},
     {"73 ff ff ff ff ff ff ff ff", "DATA-SOURCE 18446744073709551615"},
     {"71 00 00 00 00 01 00 00 00", "TS 4294967296"},
     {"71 00 00 00 00 00 00 00 80", "TS 9223372036854775808"},
     {"71 ff ff ff ff ff ff ff ff", "TS 18446744073709551615"}, {"01", "END"},
     {"00 00 00", "PAD"});

ROWS(operations, 0, {"48 00", "OTHER INSN-OTHER"},
     {"48 01", "OTHER COND-SELECT"}, {"48 06", "OTHER ASE FP INSN-OTHER"},
     {"48 07", "OTHER ASE FP COND-SELECT"}, {"48 08", "SVE-OTHER EVLEN 32"},
     {"48 7e", "SVE-OTHER EVLEN 4096 FP PRED"}, {"48 88", "SME-OTHER ETS 128"},
     {"48 fe", "SME-OTHER ETS 4194304 FP"}, {"48 10", "OP-TYPE 0x10 (0)"},
     {"49 00", "LD GP-REG"}, {"49 01", "ST GP-REG"}, {"49 04", "LD SIMD-FP"},
     {"49 05", "ST SIMD-FP"}, {"49 02", "LD"}, {"49 1f", "ST AT EXCL AR"},
     {"49 16", "LD AT AR"}, {"49 10", "LD UNSPEC-REG"}, {"49 14", "LD MTE-TAG"},
     {"49 20", "LD MEMCPY"}, {"49 21", "ST MEMCPY"}, {"49 25", "ST MEMSET"},
     {"49 24", "LD"}, {"49 30", "LD NV-SYSREG"}, {"49 40", "LD GCS"},
     {"49 45", "ST GCS COMM"}, {"49 08", "LD SVE-SME-REG EVLEN 32"},
     {"49 ad", "ST SVE-SME-REG EVLEN 128 PRED SG"}, {"4a 00", "B"},
     {"4a 01", "B COND"}, {"4a 03", "B COND IND"}, {"4a 0e", "B IND GCS CR-BL"},
     {"4a 12", "B IND CR-RET"}, {"4a 18", "B CR-NON-BL-RET"},
     {"4b 12", "OP-TYPE 0x12 (3)"});

ROWS(events, 0, {"42 00", "EV"}, {"42 16", "EV RETIRED L1D-ACCESS TLB-ACCESS"},
     {"52 1e 03", "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS "
		  "LLC-ACCESS LLC-REFILL"},
     {"62 00 00 ff 03",
      "EV TXN SVE-PARTIAL-PRED SVE-EMPTY-PRED L2D-ACCESS L2D-MISS "
      "HITM LFB SNOOPED STREAMING-SVE SMCU"},
     {"52 01 1c", "EV EXCEPTION-GEN REMOTE-ACCESS ALIGNMENT IMPDEF:12"},
     {"72 00 00 00 00 00 00 01 80", "EV IMPDEF:48,63"});

TEST(impdef_event_of_a_known_cpu)
{
	static const struct row rows[] = {
		{"52 02 30", "EV RETIRED LATE-PREFETCH IMPDEF:13"},
		/* After all architected ones. */
		{"62 00 10 01 00", "EV TXN LATE-PREFETCH"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i], NEOVERSE_N1);
	EXPECT_TRUE(!pmscope_event_name(12, 0));
	EXPECT_TRUE(!pmscope_event_name(64, 0));
}

TEST(all_events_fit_the_text)
{
	struct pmscope_packet packet = {.type = PMSCOPE_PACKET_EVENTS,
					.payload = UINT64_MAX};
	char text[PMSCOPE_PACKET_TEXT_MAX];
	size_t n = pmscope_packet_text(&packet, NEOVERSE_N1, text);

	EXPECT_LT(n, sizeof(text));
	EXPECT_TRUE(strstr(text, ",62,63") == text + n - 6);
}

static void check_line(const char *hex, uint64_t offset, int consumed,
		       const char *expected)
{
	char line[PMSCOPE_PACKET_LINE_MAX + 1];
	uint8_t bytes[32];
	size_t length, size = parse_hex(hex, bytes);

	EXPECT_EQ(pmscope_packet_line(bytes, size, offset, 0, line, &length),
		  consumed);
	line[length] = '\0';
	EXPECT_STREQ(line, expected);
}

TEST(lines)
{
	check_line("98 0b 00", 0x18, 3,
		   ".  00000018:  98 0b 00                                     "
		   "   LAT 11 TOT\n");
	check_line("00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
		   0x123456789, 16,
		   ".  123456789:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
		   "00 00 PAD\n");
	check_line(
		"01", 1ULL << 32, 1,
		".  100000000:  01                                           "
		"   END\n");
	check_line("ff 00", 0, -EBADMSG,
		   ".  00000000:  ff                                           "
		   "   Bad packet!\n");
	check_line("71 01", 0, -ENODATA,
		   ".  00000000:  71                                           "
		   "   Bad packet!\n");
	check_line("", 0, 0, "");
}
