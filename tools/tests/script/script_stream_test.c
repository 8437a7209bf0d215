// SPDX-License-Identifier: GPL-2.0-or-later
/* All fields of pmu_snapshot stream records, as script shows them. */
#include "scenario.h"
#include "session/records.h"

#define SAMPLE_TYPE \
	(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_IP | PMSCOPE_STREAM_SAMPLE_TYPE)
#define COUNTERS 3

struct whole {
	struct pmscope_record record;
	struct pmscope_record_counter counter[COUNTERS];
};

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
	size = stream_sample(&whole, &whole.record, SAMPLE_TYPE, 1,
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

STEP_IS(put_one, put_capture(&sc->b, step->data));
#define CAPTURE(record) TELL_OF(put_one, NULL, record, 0)
#define CAPTURES	BARE, APPLY(perfdata_read_groups), TYPE_IS(SAMPLE_TYPE)
#define ALL		CAPTURES, CAPTURE(&of_timer), CAPTURE(&of_spe), CAPTURE(&of_bpf)

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

SCENARIO(json_lines_have_all_of_a_record, ALL, COMMAND("script --format=jsonl"),
	 OUT(FRONT_JSON("1000") OF_TIMER COUNTERS_JSON FRONT_JSON("2000")
		     OF_SPE COUNTERS_JSON FRONT_JSON("3000")
			     OF_BPF COUNTERS_JSON));

SCENARIO(text_says_what_triggered, ALL, COMMAND("script"),
	 OUT("?               10/11        [1] 0.000001000: snapshot "
	     "id 77=5000 id 78=6 by timer timed-out stopped 12 throttled "
	     "lost 3\n"
	     "?               10/11        [1] 0.000002000: snapshot "
	     "id 77=5000 id 78=6 by spe aux 0x1000+0x400 pmbsr 0x20000 "
	     "frozen\n"
	     "?               10/11        [1] 0.000003000: snapshot "
	     "id 77=5000 id 78=6 by bpf cookie 0xfedcba9876543210\n"));

SCENARIO(fields_are_columns, ALL,
	 COMMAND("script --format=csv -F time,ticks,trigger,backend,result,"
		 "throttled,stopped,pmsscr,lost,cookie,spe_frozen,pmbsr,"
		 "pmbptr,aux_offset,aux_size,counters"),
	 OUT("time,ticks,trigger,backend,result,throttled,stopped,pmsscr,"
	     "lost,cookie,spe_frozen,pmbsr,pmbptr,aux_offset,aux_size,"
	     "counters\n"
	     "1000,900,timer,frozen,timed-out,1,12,,3,,,,,,,"
	     "31:0x8000000=0xffffffffffffffff|0:stale|2:0x23=0x77\n"
	     "2000,900,spe,hardware,captured,0,0,0x0,0,,1,0x20000,"
	     "0xffff000012345678,4096,1024,"
	     "31:0x8000000=0xffffffffffffffff|0:stale|2:0x23=0x77\n"
	     "3000,900,bpf,hardware,captured,0,0,0x0,0,0xfedcba9876543210,"
	     ",,,,,31:0x8000000=0xffffffffffffffff|0:stale|2:0x23=0x77\n"),
	 COMMAND("script -F trigger,aux_offset,cookie,counters"),
	 OUT("timer - - 31:0x8000000=0xffffffffffffffff,0:stale,"
	     "2:0x23=0x77\n"
	     "spe 4096 - 31:0x8000000=0xffffffffffffffff,0:stale,"
	     "2:0x23=0x77\n"
	     "bpf - 0xfedcba9876543210 "
	     "31:0x8000000=0xffffffffffffffff,0:stale,2:0x23=0x77\n"),
	 COMMAND("script --format=jsonl -F trigger,lost,aux_size,pmbsr"),
	 OUT("{\"trigger\":\"timer\",\"lost\":3}\n"
	     "{\"trigger\":\"spe\",\"lost\":0,\"aux_size\":1024,"
	     "\"pmbsr\":\"0x20000\"}\n"
	     "{\"trigger\":\"bpf\",\"lost\":0}\n"));

/* Files without streams keep the columns they had; the first are the same. */
STEP_OF(expect_columns)
{
	size_t nr = 0;

	for (const char *at = sc->out; *at && *at != '\n'; at++)
		nr += *at == ',';
	EXPECT_EQ(nr, step->v[0] - 1);
}

SCENARIO(csv_has_them_where_there_are_streams, ALL,
	 COMMAND("script --format=csv"), CALL(expect_columns, 43),
	 HAS(",offset,counts,trigger,backend,"),
	 HAS("\nsnapshot,1000,900,1,10,11,"));

/* The size of the raw data, after the fields and the group of two. */
#define RAW_SIZE_AT (8 + 8 * (6 + 1 + 2 * 2))

/* For three addresses, with the number that is claimed. */
STEP_OF(put_with_callchain)
{
	BYTES whole = {}, chained = {};
	uint16_t size;

	perfdata_attr(&sc->b)->sample_type =
		SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN;
	put_capture(&whole, &of_timer);
	bytes_add(&chained, whole.data, RAW_SIZE_AT);
	PUT(&chained, 8, step->v[0], 0x1000, 0x1001, 0x1002);
	bytes_add(&chained, whole.data + RAW_SIZE_AT, whole.size - RAW_SIZE_AT);
	size = chained.size;
	memcpy(chained.data + 6, &size, sizeof(size));
	bytes_add(&sc->b, chained.data, chained.size);
}

#define CHAINED(claimed) \
	CAPTURES, CALL(put_with_callchain, claimed), COMMAND("script")

SCENARIO(records_behind_a_callchain, CHAINED(3), HAS(" by timer"), ANEW,
	 CHAINED(1000), LACKS(" by timer"), ANEW, CHAINED(UINT64_MAX),
	 LACKS(" by timer"), ANEW, CHAINED(UINT64_MAX / 8), LACKS(" by timer"));

STEP_OF(claim_more)
{
	uint32_t size;

	memcpy(&size, sc->b.data + sc->last + RAW_SIZE_AT, 4);
	EXPECT_EQ(size, sizeof(struct whole) + 4);
	size += step->v[0];
	memcpy(sc->b.data + sc->last + RAW_SIZE_AT, &size, 4);
}

TEST(raw_data_that_claims_too_much_is_no_record)
{
	for (uint32_t more = 1; more; more *= 2)
		PLAY(CAPTURES, CAPTURE(&of_timer), CALL(claim_more, more),
		     COMMAND("script"), HAS("id 77=5000"), LACKS(" by timer"));
}
