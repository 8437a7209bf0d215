// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* Features after the records or, in a pipe, between them. */
#include "base/names.h"
#include "reader.h"

#define FEATURE_COMPRESSED 27
#define FEATURE_META_INFO  129 /* simpleperf's; and names and mappings */
#define FEATURE_INIT_MAP   134
#define FLAG_BYTES	   32
#define BUILD_ID_BODY	   28 /* pid, 20 bytes, their count, padding */
#define BUILD_ID_HAS_SIZE  (1 << 15)
#define BUILD_ID_SIZE_AT   24

/* With perf record --vmlinux, the kernel has the name of that file. */
static bool is_of_kernel(uint16_t misc, const char *name)
{
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		       PERF_RECORD_MISC_KERNEL &&
	       !module_is(name);
}

/* Is the newest build-id the kernel's? The name of its mapping wins. */
static void find_kernel(struct pmscope_perfdata *r, uint16_t misc,
			const char *name)
{
	if (!strcmp(name, KERNEL_NAME) ||
	    (!r->kernel_build_id && is_of_kernel(misc, name)))
		r->kernel_build_id = r->nr_build_ids;
}

static int build_id_add(struct pmscope_perfdata *r, uint16_t misc,
			const uint8_t *body, size_t size)
{
	struct pmscope_build_id *id;
	char *name;

	if (size <= BUILD_ID_BODY)
		return -EBADMSG;
	/* Skip guests: a host file may have the same name. */
	if (is_of_guest(misc))
		return 0;
	if (array_room(r->build_ids, r->nr_build_ids, r->max_build_ids))
		return -ENOMEM;
	name = strndup((const char *)body + BUILD_ID_BODY,
		       size - BUILD_ID_BODY);
	if (!name)
		return -ENOMEM;
	id = &r->build_ids[r->nr_build_ids++];
	id->name = name;
	memcpy(id->id, body + 4, sizeof(id->id));
	id->size = build_id_size(id->id);
	if (misc & BUILD_ID_HAS_SIZE && body[BUILD_ID_SIZE_AT] <= BUILD_ID_MAX)
		id->size = body[BUILD_ID_SIZE_AT];
	find_kernel(r, misc, name);
	return 0;
}

int build_id_read_event(struct pmscope_perfdata *r,
			const struct pmscope_perf_event *event)
{
	return build_id_add(r, event->misc, event->body, event->size);
}

static int read_build_ids(struct pmscope_perfdata *r, struct span s)
{
	/* In a pipe they are padded. */
	for (size_t at = 0; s.size - at >= 8;) {
		uint16_t size = get16(s.data + at + 6);
		int ret;

		if (size < 8 || size > s.size - at)
			return -EBADMSG;
		ret = build_id_add(r, get16(s.data + at + 4), s.data + at + 8,
				   size - 8);
		if (ret)
			return ret;
		at += size;
	}
	return 0;
}

/* A string is stored as its length, including padding, and the bytes. */
static int read_string(struct pmscope_perfdata *r, unsigned int feature,
		       struct span s)
{
	uint32_t length;
	char *text;

	if (s.size < 4)
		return -EBADMSG;
	length = get32(s.data);
	if (length > s.size - 4)
		return -EBADMSG;
	length = strnlen((const char *)s.data + 4, length);
	text = arena_alloc(&r->texts, (size_t)length + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, s.data + 4, length);
	text[length] = '\0';
	/* A pipe may repeat a feature; pointers to the old text stay valid. */
	r->features[feature] = text;
	return 0;
}

static int take_feature(struct pmscope_perfdata *r, unsigned int feature,
			struct span s)
{
	switch (feature) {
	case PMSCOPE_FEATURE_BUILD_ID:
		return read_build_ids(r, s);
	case PMSCOPE_FEATURE_EVENT_DESC:
		return attrs_read_description(r, s);
	case PMSCOPE_FEATURE_HOSTNAME:
	case PMSCOPE_FEATURE_OSRELEASE:
	case PMSCOPE_FEATURE_VERSION:
	case PMSCOPE_FEATURE_ARCH:
	case PMSCOPE_FEATURE_CPUDESC:
	case PMSCOPE_FEATURE_CPUID:
		return read_string(r, feature, s);
	case PMSCOPE_FEATURE_NUMA_TOPOLOGY:
		return topology_check_numa(s);
	case PMSCOPE_FEATURE_MEM_TOPOLOGY:
		return topology_check_memory(s);
	case FEATURE_COMPRESSED:
		/* version, type, level, ratio, bytes of the ring buffer */
		if (s.size < 20)
			return -EBADMSG;
		r->compressed_window = get32(s.data + 16);
		return 0;
	case FEATURE_META_INFO:
		r->simpleperf = true;
		return 0;
	case FEATURE_INIT_MAP:
		r->first_maps = s;
		return 0;
	default:
		return 0;
	}
}

/* An invalid feature is reported; the others are still read. */
static int read_feature(struct pmscope_perfdata *r, unsigned int feature,
			struct span s, uint64_t offset)
{
	int ret = take_feature(r, feature, s);

	if (feature < PMSCOPE_FEATURE_MAX && reader_has(r, s.data))
		r->feature_data[feature] = s;
	if (ret == -EBADMSG)
		reader_fail(r, offset, "feature %u is damaged", feature);
	return ret;
}

bool features_are_at(const struct pmscope_perfdata *r, const uint8_t *flags,
		     uint64_t offset)
{
	uint64_t sections = 0;

	for (unsigned int i = 0; i < FLAG_BYTES; i++)
		sections += __builtin_popcount(flags[i]);
	if (!sections)
		return offset == r->size;
	return offset <= r->size && r->size - offset >= 16 * sections &&
	       get64(r->data + offset) == offset + 16 * sections;
}

int features_read_sections(struct pmscope_perfdata *r, const uint8_t *flags,
			   uint64_t offset)
{
	for (unsigned int bit = 0; bit < 8 * FLAG_BYTES; bit++) {
		uint64_t from, size;
		struct span s;
		int ret;

		if (!(flags[bit / 8] & 1 << bit % 8))
			continue;
		if (offset > r->size || r->size - offset < 16)
			return reader_fail(r, r->size,
					   "cut short inside the features");
		from = get64(r->data + offset);
		size = get64(r->data + offset + 8);
		offset += 16;
		if (from > r->size || size > r->size - from) {
			reader_fail(r, offset - 16,
				    "feature %u lies outside the file", bit);
			continue;
		}
		s = (struct span){r->data + from, size};
		ret = read_feature(r, bit, s, from);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

int features_read_event(struct pmscope_perfdata *r,
			const struct pmscope_perf_event *event)
{
	struct span s = {event->body + 8, event->size - 8};

	if (event->size < 8 || get64(event->body) >= PMSCOPE_FEATURE_MAX)
		return 0;
	return read_feature(r, get64(event->body), s, event->offset);
}

void features_fini(struct pmscope_perfdata *r)
{
	arena_fini(&r->texts);
	for (size_t i = 0; i < r->nr_build_ids; i++)
		free((char *)r->build_ids[i].name);
	free(r->build_ids);
}

const char *pmscope_perfdata_feature(const struct pmscope_perfdata *reader,
				     enum pmscope_perf_feature feature)
{
	return feature < PMSCOPE_FEATURE_MAX ? reader->features[feature] : NULL;
}

const uint8_t *
pmscope_perfdata_feature_data(const struct pmscope_perfdata *reader,
			      unsigned int feature, size_t *size)
{
	struct span s = {0};

	if (feature < PMSCOPE_FEATURE_MAX)
		s = reader->feature_data[feature];
	*size = s.size;
	return s.data;
}

size_t pmscope_perfdata_nr_build_ids(const struct pmscope_perfdata *reader)
{
	return reader->nr_build_ids;
}

const struct pmscope_build_id *
pmscope_perfdata_build_id(const struct pmscope_perfdata *reader, size_t index)
{
	return index < reader->nr_build_ids ? &reader->build_ids[index] : NULL;
}
