// SPDX-License-Identifier: GPL-2.0-or-later
/* All fields of pmu_snapshot stream records, as script shows them. */
#include "bytes.h"
#include "command.h"
#include "ktap.h"
#include "session/stream_sample.h"

#include <pmscope/stream.h>

#define SAMPLE_TYPE \
	(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_IP | PMSCOPE_STREAM_SAMPLE_TYPE)
#define COUNTERS 3

/* A record as the module writes it. */
struct whole {
	struct pmscope_record record;
	struct pmscope_record_counter counter[COUNTERS];
};

static void begin(struct bytes *b)
{
	perfdata_begin(b);
	perfdata_read_groups(b);
	perfdata_set_sample_type(b, SAMPLE_TYPE);
}

/* With a cycle counter, a counter that is away, and somebody else's. */
static void put_capture(struct bytes *b, const struct pmscope_record *r)
{
	static uint64_t sample[8192];
	struct whole whole = {
		.record = *r,
		.counter = {{.number = 31,
			     .flags = PMSCOPE_COUNTER_MEMBER,
			     .type = 0x8000000,
			     .value = UINT64_MAX,
			     .id = PERFDATA_ID,
			     .count = 5000},
			    {.flags = PMSCOPE_COUNTER_MEMBER |
				      PMSCOPE_COUNTER_STALE,
			     .id = PERFDATA_ID + 1,
			     .count = 6},
			    {.number = 2, .type = 0x23, .value = 0x77}},
	};
	size_t size;

	whole.record.size = sizeof(whole);
	whole.record.magic = PMSCOPE_RECORD_MAGIC;
	whole.record.version = PMSCOPE_RECORD_VERSION;
	whole.record.counters_at = sizeof(whole.record);
	whole.record.counter_size = sizeof(whole.counter[0]);
	whole.record.nr_counters = COUNTERS;
	whole.record.cpu = 1;
	whole.record.pid = 10;
	whole.record.tid = 11;
	whole.record.id = PERFDATA_ID;
	whole.record.cntvct = 900;
	size = pmscope_stream_sample(&whole, &whole.record, SAMPLE_TYPE, 1,
				     (struct perf_event_header *)sample);
	bytes_add(b, sample, size);
}

static const struct pmscope_record of_timer = {
	.trigger = PMSCOPE_TRIGGER_TIMER,
	.backend = PMSCOPE_BACKEND_FROZEN,
	.result = PMSCOPE_TIMED_OUT,
	.flags = PMSCOPE_RECORD_THROTTLED,
	.time = 1000,
	.stopped = 12,
	.lost = 3,
};

static const struct pmscope_record of_spe = {
	.trigger = PMSCOPE_TRIGGER_SPE,
	.backend = PMSCOPE_BACKEND_HARDWARE,
	.flags = PMSCOPE_RECORD_HAS_SPE | PMSCOPE_RECORD_SPE_FROZEN,
	.time = 2000,
	.pmsscr = 0x0,
	.pmbsr = 0x20000,
	.pmbptr = 0xffff000012345678,
	.aux_offset = 4096,
	.aux_size = 1024,
};

static const struct pmscope_record of_bpf = {
	.trigger = PMSCOPE_TRIGGER_BPF,
	.backend = PMSCOPE_BACKEND_HARDWARE,
	.time = 3000,
	.cookie = 0xfedcba9876543210,
};

/* The output of script for these three. */
static void read_script(char *text, size_t size, const char *arguments)
{
	BYTES b = {};

	begin(&b);
	put_capture(&b, &of_timer);
	put_capture(&b, &of_spe);
	put_capture(&b, &of_bpf);
	perfdata_end(&b);
	EXPECT_EQ(command_pmscope_text(&b, arguments, text, size), 0);
}

#define COUNTERS_JSON                                                 \
	"\"counters\":[{\"number\":31,\"type\":\"0x8000000\","        \
	"\"value\":\"0xffffffffffffffff\",\"id\":77,\"count\":5000}," \
	"{\"number\":0,\"stale\":1,\"id\":78,\"count\":6},"           \
	"{\"number\":2,\"type\":\"0x23\",\"value\":\"0x77\"}]}\n"

#define FRONT_JSON(time)                                                       \
	"{\"type\":\"snapshot\",\"schema\":1,\"time\":" time ",\"ticks\":900," \
	"\"cpu\":1,\"pid\":10,\"tid\":11,\"counts\":[{\"id\":77,"              \
	"\"value\":5000},{\"id\":78,\"value\":6}],"

#define OF_TIMER                                        \
	"\"trigger\":\"timer\",\"backend\":\"frozen\"," \
	"\"result\":\"timed-out\",\"throttled\":1,"     \
	"\"stopped\":12,\"lost\":3,"
#define OF_SPE                                          \
	"\"trigger\":\"spe\",\"backend\":\"hardware\"," \
	"\"result\":\"captured\",\"throttled\":0,"      \
	"\"stopped\":0,\"pmsscr\":\"0x0\",\"lost\":0,"  \
	"\"spe_frozen\":1,\"pmbsr\":\"0x20000\","       \
	"\"pmbptr\":\"0xffff000012345678\","            \
	"\"aux_offset\":4096,\"aux_size\":1024,"
#define OF_BPF                                          \
	"\"trigger\":\"bpf\",\"backend\":\"hardware\"," \
	"\"result\":\"captured\",\"throttled\":0,"      \
	"\"stopped\":0,\"pmsscr\":\"0x0\",\"lost\":0,"  \
	"\"cookie\":\"0xfedcba9876543210\","

TEST(json_lines_have_all_of_a_record)
{
	char text[8192];

	read_script(text, sizeof(text), "script --format=jsonl");
	EXPECT_STREQ(text,
		     FRONT_JSON("1000")
			     OF_TIMER COUNTERS_JSON FRONT_JSON("2000")
				     OF_SPE COUNTERS_JSON FRONT_JSON("3000")
					     OF_BPF COUNTERS_JSON);
}

TEST(text_says_what_triggered)
{
	char text[8192];

	read_script(text, sizeof(text), "script");
	EXPECT_STREQ(
		text,
		"?               10/11        [1] 0.000001000: snapshot "
		"id 77=5000 id 78=6 by timer timed-out stopped 12 throttled "
		"lost 3\n"
		"?               10/11        [1] 0.000002000: snapshot "
		"id 77=5000 id 78=6 by spe aux 0x1000+0x400 pmbsr 0x20000 "
		"frozen\n"
		"?               10/11        [1] 0.000003000: snapshot "
		"id 77=5000 id 78=6 by bpf cookie 0xfedcba9876543210\n");
}

TEST(fields_are_columns)
{
	char text[8192];

	read_script(text, sizeof(text),
		    "script --format=csv -F time,ticks,trigger,backend,result,"
		    "throttled,stopped,pmsscr,lost,cookie,spe_frozen,pmbsr,"
		    "pmbptr,aux_offset,aux_size,counters");
	EXPECT_STREQ(
		text,
		"time,ticks,trigger,backend,result,throttled,stopped,pmsscr,"
		"lost,cookie,spe_frozen,pmbsr,pmbptr,aux_offset,aux_size,"
		"counters\n"
		"1000,900,timer,frozen,timed-out,1,12,,3,,,,,,,"
		"31:0x8000000=0xffffffffffffffff|0:stale|2:0x23=0x77\n"
		"2000,900,spe,hardware,captured,0,0,0x0,0,,1,0x20000,"
		"0xffff000012345678,4096,1024,"
		"31:0x8000000=0xffffffffffffffff|0:stale|2:0x23=0x77\n"
		"3000,900,bpf,hardware,captured,0,0,0x0,0,0xfedcba9876543210,"
		",,,,,31:0x8000000=0xffffffffffffffff|0:stale|2:0x23=0x77\n");
	read_script(text, sizeof(text),
		    "script -F trigger,aux_offset,cookie,counters");
	EXPECT_STREQ(text,
		     "timer - - 31:0x8000000=0xffffffffffffffff,0:stale,"
		     "2:0x23=0x77\n"
		     "spe 4096 - 31:0x8000000=0xffffffffffffffff,0:stale,"
		     "2:0x23=0x77\n"
		     "bpf - 0xfedcba9876543210 "
		     "31:0x8000000=0xffffffffffffffff,0:stale,2:0x23=0x77\n");
	read_script(text, sizeof(text),
		    "script --format=jsonl -F trigger,lost,aux_size,pmbsr");
	EXPECT_STREQ(text, "{\"trigger\":\"timer\",\"lost\":3}\n"
			   "{\"trigger\":\"spe\",\"lost\":0,\"aux_size\":1024,"
			   "\"pmbsr\":\"0x20000\"}\n"
			   "{\"trigger\":\"bpf\",\"lost\":0}\n");
}

static size_t commas(const char *text)
{
	size_t nr = 0;

	for (; *text && *text != '\n'; text++)
		nr += *text == ',';
	return nr;
}

/* Files without streams keep the columns they had; the first are the same. */
TEST(csv_has_them_where_there_are_streams)
{
	char text[8192];

	read_script(text, sizeof(text), "script --format=csv");
	EXPECT_EQ(commas(text), 42U);
	EXPECT_TRUE(strstr(text, ",offset,counts,trigger,backend,"));
	EXPECT_TRUE(strstr(text, "\nsnapshot,1000,900,1,10,11,"));
}

/* The size of the raw data, after the fields and the group of two. */
#define RAW_SIZE_AT (8 + 8 * (6 + 1 + 2 * 2))

/* For @nr addresses, with the number that is claimed. */
static void put_capture_with_callchain(struct bytes *b, uint64_t nr,
				       uint64_t told)
{
	BYTES whole = {}, chained = {};
	uint16_t size;

	put_capture(&whole, &of_timer);
	bytes_add(&chained, whole.data, RAW_SIZE_AT);
	put(&chained, told, 8);
	for (uint64_t i = 0; i < nr; i++)
		put(&chained, 0x1000 + i, 8);
	bytes_add(&chained, whole.data + RAW_SIZE_AT, whole.size - RAW_SIZE_AT);
	size = chained.size;
	memcpy(chained.data + 6, &size, sizeof(size));
	bytes_add(b, chained.data, chained.size);
}

TEST(records_behind_a_callchain)
{
	static const uint64_t told[] = {3, 1000, UINT64_MAX, UINT64_MAX / 8};
	char text[8192];

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		BYTES b = {};

		begin(&b);
		perfdata_set_sample_type(&b,
					 SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN);
		put_capture_with_callchain(&b, 3, told[i]);
		perfdata_end(&b);
		EXPECT_EQ(command_pmscope_text(&b, "script", text,
					       sizeof(text)),
			  0);
		EXPECT_EQ(!strstr(text, " by timer"), i > 0);
	}
}

TEST(raw_data_that_claims_too_much_is_no_record)
{
	char text[8192];
	BYTES b = {};
	size_t sample;
	uint32_t size;

	begin(&b);
	sample = b.size;
	put_capture(&b, &of_timer);
	perfdata_end(&b);
	memcpy(&size, b.data + sample + RAW_SIZE_AT, 4);
	ASSERT_EQ(size, sizeof(struct whole) + 4);
	for (uint32_t claimed = 1; claimed; claimed *= 2) {
		uint32_t lie = size + claimed;

		memcpy(b.data + sample + RAW_SIZE_AT, &lie, 4);
		EXPECT_EQ(command_pmscope_text(&b, "script", text,
					       sizeof(text)),
			  0);
		EXPECT_TRUE(strstr(text, "id 77=5000"));
		EXPECT_TRUE(!strstr(text, " by timer"));
	}
}

KTAP_MAIN
