// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes.h"

#include <pmscope/packet.h>
#include <pmscope/perfdata.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_UPDATE 2 /* PERF_EVENT_UPDATE__NAME */
#include <zstd.h>

/* Where things are in the files made here. */
enum {
	FILE_HEADER = 104,
	AT_DATA_SIZE = 48,
	AT_FLAGS = 72,
	AT_IDS = FILE_HEADER,
	AT_ATTR = AT_IDS + 8,
	ATTR_ENTRY = PERF_ATTR_SIZE_VER5 + 16,
	AT_RECORDS = AT_ATTR + ATTR_ENTRY,
};

void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (b->size + size > b->capacity) {
		b->capacity = 2 * (b->size + size);
		b->data = realloc(b->data, b->capacity);
		if (!b->data) {
			perror("realloc");
			exit(1);
		}
	}
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
}

void bytes_fini(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){};
}

void put(struct bytes *b, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++) {
		uint8_t byte = value >> (8 * i);

		bytes_add(b, &byte, 1);
	}
}

void put_zeros(struct bytes *b, size_t size)
{
	while (size--)
		put(b, 0, 1);
}

void put_packet(struct bytes *b, unsigned int type, unsigned int index,
		unsigned int payload_size, uint64_t payload)
{
	struct pmscope_packet packet = {
		.type = type,
		.index = index,
		/* Any random number will do. */
		.payload = payload & UINT64_MAX >> (64 - 8 * payload_size),
		.length = payload_size + (index > 7 ? 2 : 1),
	};
	uint8_t buf[PMSCOPE_PACKET_MAX];
	int n = pmscope_packet_encode(&packet, buf);

	if (n < 0) {
		fprintf(stderr, "no such packet: type %u\n", type);
		exit(1);
	}
	bytes_add(b, buf, n);
}

void put_timestamp(struct bytes *b, uint64_t ticks)
{
	put_packet(b, PMSCOPE_PACKET_TIMESTAMP, 0, 8, ticks);
}

/* A Non-secure EL0 address. */
static uint64_t user_pc(uint64_t address)
{
	return address | UINT64_C(1) << 63;
}

static void put_load_body(struct bytes *b, uint64_t va)
{
	put_zeros(b, 5);
	put_packet(b, PMSCOPE_PACKET_OPERATION, PMSCOPE_OPERATION_LOAD_STORE, 1,
		   0x00);
	put_packet(b, PMSCOPE_PACKET_EVENTS, 0, 2, 0x16);
	put_packet(b, PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_ISSUE, 2, 3);
	put_packet(b, PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TOTAL, 2, 9);
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, va);
	put_packet(b, PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TRANSLATE, 2, 1);
	put_zeros(b, 9);
	put_packet(b, PMSCOPE_PACKET_DATA_SOURCE, 0, 1, 8);
	put_zeros(b, 2);
}

void put_load(struct bytes *b, uint64_t pc, uint64_t va, uint64_t ticks)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   user_pc(pc));
	put_zeros(b, 5);
	put_load_body(b, va);
	put_timestamp(b, ticks);
}

void put_untimed(struct bytes *b, uint64_t pc)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   user_pc(pc));
	put(b, 1, 1); /* END */
}

void put_load_of(struct bytes *b, uint32_t tid, uint64_t pc, uint64_t va,
		 uint64_t ticks)
{
	put_packet(b, PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_PC, 8,
		   user_pc(pc));
	put_packet(b, PMSCOPE_PACKET_CONTEXT, 0, 4, tid);
	put_load_body(b, va);
	put_timestamp(b, ticks);
}

static void put_attr(struct bytes *b)
{
	struct perf_event_attr attr = {
		.type = 10,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_type = PERFDATA_SAMPLE_TYPE,
		.sample_id_all = 1,
	};

	bytes_add(b, &attr, PERF_ATTR_SIZE_VER5);
}

void perfdata_begin(struct bytes *b)
{
	bytes_add(b, "PERFILE2", 8);
	put(b, FILE_HEADER, 8);
	put(b, ATTR_ENTRY, 8);
	put(b, AT_ATTR, 8);
	put(b, ATTR_ENTRY, 8);
	put(b, AT_RECORDS, 8);
	put_zeros(b, 8); /* their size: perfdata_end() */
	put_zeros(b, 16 + 32);
	put(b, PERFDATA_ID, 8);
	put_attr(b);
	put(b, AT_IDS, 8);
	put(b, 8, 8);
}

void perfdata_set_sample_type(struct bytes *b, uint64_t type)
{
	memcpy(b->data + AT_ATTR +
		       offsetof(struct perf_event_attr, sample_type),
	       &type, sizeof(type));
}

void perfdata_set_read_format(struct bytes *b, uint64_t format)
{
	memcpy(b->data + AT_ATTR +
		       offsetof(struct perf_event_attr, read_format),
	       &format, sizeof(format));
}

void perfdata_read_groups(struct bytes *b)
{
	perfdata_set_sample_type(b, PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_READ);
	perfdata_set_read_format(b, PERF_FORMAT_GROUP | PERF_FORMAT_ID);
}

static struct perf_event_attr attr_get(const struct bytes *b)
{
	struct perf_event_attr attr;

	memcpy(&attr, b->data + AT_ATTR, PERF_ATTR_SIZE_VER5);
	return attr;
}

static void attr_set(struct bytes *b, const struct perf_event_attr *attr)
{
	memcpy(b->data + AT_ATTR, attr, PERF_ATTR_SIZE_VER5);
}

void perfdata_inherit(struct bytes *b)
{
	struct perf_event_attr attr = attr_get(b);

	attr.inherit = 1;
	attr_set(b, &attr);
}

void perfdata_use_clockid(struct bytes *b, int32_t clockid)
{
	struct perf_event_attr attr = attr_get(b);

	attr.use_clockid = 1;
	attr.clockid = clockid;
	attr_set(b, &attr);
}

void perfdata_end(struct bytes *b)
{
	uint64_t size = b->size - AT_RECORDS;

	for (int i = 0; i < 8; i++)
		b->data[AT_DATA_SIZE + i] = size >> (8 * i);
}

void perfdata_put_feature(struct bytes *b, unsigned int bit,
			  const struct bytes *data)
{
	b->data[AT_FLAGS + bit / 8] |= 1 << bit % 8;
	put(b, b->size + 16, 8);
	put(b, data->size, 8);
	bytes_add(b, data->data, data->size);
}

void perfdata_begin_pipe(struct bytes *b)
{
	struct bytes body = {};

	bytes_add(b, "PERFILE2", 8);
	put(b, 16, 8);
	put_attr(&body);
	put(&body, PERFDATA_ID, 8);
	put_record(b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
	bytes_fini(&body);
}

void put_record(struct bytes *b, uint32_t type, uint16_t misc,
		const struct bytes *body)
{
	put(b, type, 4);
	put(b, misc, 2);
	put(b, 8 + body->size, 2);
	bytes_add(b, body->data, body->size);
}

void put_side_band(struct bytes *b, uint32_t type, uint16_t misc,
		   const struct bytes *body, const struct where *where)
{
	struct bytes whole = {};

	bytes_add(&whole, body->data, body->size);
	put_zeros(&whole, -whole.size & 7);
	put(&whole, where->pid, 4);
	put(&whole, where->tid, 4);
	put(&whole, where->time, 8);
	put(&whole, where->cpu, 4);
	put(&whole, 0, 4);
	put(&whole, PERFDATA_ID, 8);
	put_record(b, type, misc, &whole);
	bytes_fini(&whole);
}

void put_comm(struct bytes *b, uint16_t misc, const char *comm,
	      const struct where *where)
{
	struct bytes body = {};

	put(&body, where->pid, 4);
	put(&body, where->tid, 4);
	bytes_add(&body, comm, strlen(comm) + 1);
	put_side_band(b, PERF_RECORD_COMM, misc, &body, where);
	bytes_fini(&body);
}

static void put_mapping(struct bytes *b, uint64_t start, uint64_t length,
			uint64_t file_offset, const struct where *where)
{
	put(b, where->pid, 4);
	put(b, where->tid, 4);
	put(b, start, 8);
	put(b, length, 8);
	put(b, file_offset, 8);
}

void put_mmap2(struct bytes *b, uint64_t start, uint64_t length,
	       uint64_t file_offset, const char *name,
	       const struct where *where)
{
	struct bytes body = {};

	put_mapping(&body, start, length, file_offset, where);
	put_zeros(&body, 32); /* device, inode, protection, flags */
	bytes_add(&body, name, strlen(name) + 1);
	put_side_band(b, PERF_RECORD_MMAP2, 0, &body, where);
	bytes_fini(&body);
}

void put_mmap2_of(struct bytes *b, uint64_t start, uint64_t length,
		  const char *name, uint8_t id, unsigned int bytes,
		  const struct where *where)
{
	struct bytes body = {};

	put_mapping(&body, start, length, 0, where);
	put(&body, 20, 4); /* bytes of the build-id */
	for (unsigned int i = 0; i < 20; i++)
		put(&body, i < bytes ? id : 0, 1);
	put_zeros(&body, 8); /* protection, flags */
	bytes_add(&body, name, strlen(name) + 1);
	put_side_band(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID,
		      &body, where);
	bytes_fini(&body);
}

void put_fork(struct bytes *b, uint32_t ppid, uint32_t ptid,
	      const struct where *where)
{
	struct bytes body = {};

	put(&body, where->pid, 4);
	put(&body, ppid, 4);
	put(&body, where->tid, 4);
	put(&body, ptid, 4);
	put(&body, where->time, 8);
	put_side_band(b, PERF_RECORD_FORK, 0, &body, where);
	bytes_fini(&body);
}

void put_aux(struct bytes *b, uint64_t size, uint64_t flags,
	     const struct where *where)
{
	put_aux_at(b, 0, size, flags, where);
}

void put_aux_at(struct bytes *b, uint64_t offset, uint64_t size, uint64_t flags,
		const struct where *where)
{
	struct bytes body = {};

	put(&body, offset, 8);
	put(&body, size, 8);
	put(&body, flags, 8);
	put_side_band(b, PERF_RECORD_AUX, 0, &body, where);
	bytes_fini(&body);
}

void put_itrace_start(struct bytes *b, const struct where *where)
{
	struct bytes body = {};

	put(&body, where->pid, 4);
	put(&body, where->tid, 4);
	put_side_band(b, PERF_RECORD_ITRACE_START, 0, &body, where);
	bytes_fini(&body);
}

void put_time_conv(struct bytes *b, uint64_t shift, uint64_t mult,
		   uint64_t zero)
{
	struct bytes body = {};

	put(&body, shift, 8);
	put(&body, mult, 8);
	put(&body, zero, 8);
	put_record(b, PMSCOPE_RECORD_TIME_CONV, 0, &body);
	bytes_fini(&body);
}

void put_event_name(struct bytes *b, uint64_t id, const char *name)
{
	struct bytes body = {};

	put(&body, NAME_UPDATE, 8);
	put(&body, id, 8);
	bytes_add(&body, name, strlen(name) + 1);
	put_zeros(&body, -body.size & 7);
	put_record(b, PMSCOPE_RECORD_EVENT_UPDATE, 0, &body);
	bytes_fini(&body);
}

void put_snapshot_event(struct bytes *b, uint64_t id, uint64_t config,
			const char *name)
{
	const struct perf_event_attr attr = {
		.type = 20,
		.size = PERF_ATTR_SIZE_VER5,
		.config = config,
		.sample_type = PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
		.sample_id_all = 1,
	};
	struct bytes body = {};

	bytes_add(&body, &attr, PERF_ATTR_SIZE_VER5);
	put(&body, id, 8);
	put_record(b, PMSCOPE_RECORD_HEADER_ATTR, 0, &body);
	bytes_fini(&body);
	put_event_name(b, id, name);
}

void put_snapshot_group(struct bytes *b, uint32_t cpu, uint64_t time,
			const struct snapshot_value *values, size_t nr)
{
	struct bytes body = {};

	put(&body, values[0].id, 8);
	put(&body, 10, 4);
	put(&body, 10, 4);
	put(&body, time, 8);
	put(&body, cpu, 8);
	put(&body, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		put(&body, values[i].value, 8);
		put(&body, values[i].id, 8);
	}
	put_record(b, PERF_RECORD_SAMPLE, 0, &body);
	bytes_fini(&body);
}

void put_auxtrace_info(struct bytes *b, uint32_t type)
{
	struct bytes body = {};

	put(&body, type, 4);
	put(&body, 0, 4);
	put(&body, 10, 8); /* type of the PMU */
	put(&body, 1, 8);  /* an AUX area for each CPU */
	put_record(b, PMSCOPE_RECORD_AUXTRACE_INFO, 0, &body);
	bytes_fini(&body);
}

void put_auxtrace_info_v2(struct bytes *b, const uint64_t cpus[][4], size_t nr,
			  uint64_t params)
{
	struct bytes body = {};

	put(&body, 4, 4);
	put(&body, 0, 4);
	put(&body, 2, 8); /* version */
	put(&body, 4, 8); /* words of this header */
	put(&body, cpus[0][2], 8);
	put(&body, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t words[] = {cpus[i][1], cpus[i][2], 1024,
					  cpus[i][3], 5};

		put(&body, 0x1010101010101010, 8);
		put(&body, cpus[i][0], 8);
		put(&body, params, 8);
		for (uint64_t j = 0; j < params; j++)
			put(&body, j < 5 ? words[j] : 0, 8);
	}
	put_record(b, PMSCOPE_RECORD_AUXTRACE_INFO, 0, &body);
	bytes_fini(&body);
}

void put_auxtrace(struct bytes *b, uint32_t index, uint32_t cpu, uint32_t tid,
		  const struct bytes *trace)
{
	put_auxtrace_at(b, 0, index, cpu, tid, trace);
}

void put_auxtrace_at(struct bytes *b, uint64_t offset, uint32_t index,
		     uint32_t cpu, uint32_t tid, const struct bytes *trace)
{
	struct bytes body = {};

	put(&body, trace->size, 8);
	put(&body, offset, 8);
	put(&body, 0, 8); /* reference */
	put(&body, index, 4);
	put(&body, tid, 4);
	put(&body, cpu, 4);
	put(&body, 0, 4);
	put_record(b, PMSCOPE_RECORD_AUXTRACE, 0, &body);
	bytes_add(b, trace->data, trace->size);
	bytes_fini(&body);
}

void put_auxtrace_part(struct bytes *b, uint32_t cpu, const struct bytes *area,
		       size_t from, size_t to)
{
	struct bytes part = {};

	bytes_add(&part, area->data + from, to - from);
	put_auxtrace_at(b, from, cpu, cpu, UINT32_MAX, &part);
	bytes_fini(&part);
}

void put_packed(struct bytes *b, const struct bytes *plain)
{
	size_t room = ZSTD_compressBound(plain->size);
	uint8_t *packed = malloc(room);

	bytes_add(b, packed,
		  ZSTD_compress(packed, room, plain->data, plain->size, 3));
	free(packed);
}

void put_compressed(struct bytes *b, const struct bytes *plain, uint32_t type,
		    size_t piece)
{
	struct bytes packed = {};

	put_packed(&packed, plain);
	for (size_t at = 0; at < packed.size; at += piece) {
		size_t n = packed.size - at < piece ? packed.size - at : piece;
		struct bytes body = {};

		if (type == PMSCOPE_RECORD_COMPRESSED2)
			put(&body, n, 8);
		bytes_add(&body, packed.data + at, n);
		if (type == PMSCOPE_RECORD_COMPRESSED2)
			put_zeros(&body, -body.size & 7);
		put_record(b, type, 0, &body);
		bytes_fini(&body);
	}
	bytes_fini(&packed);
}
