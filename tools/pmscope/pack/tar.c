// SPDX-License-Identifier: GPL-2.0-or-later
#include "pack/pack.h"

#define SIZE_IN_HEADER ((UINT64_C(1) << 33) - 1) /* eleven octal digits */

struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char time[12];
	char sum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char padding[12];
};

_Static_assert(sizeof(struct header) == TAR_BLOCK, "a header is one block");

static void set_octal(char *to, size_t room, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%0*" PRIo64, (int)room - 1, value);
	memcpy(to, digits, room);
}

/* Numbers end with a space or NUL, or with the field. */
static bool get_octal(const char *from, size_t room, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	while (i < room && from[i] == ' ')
		i++;
	for (; i < room && from[i] >= '0' && from[i] <= '7'; i++)
		*value = *value << 3 | (from[i] - '0');
	return i == room || !from[i] || from[i] == ' ';
}

/* The field of the sum itself counts as spaces. */
static unsigned int sum_of(const struct header *h)
{
	const uint8_t *bytes = (const uint8_t *)h;
	unsigned int sum = 0;

	for (size_t i = 0; i < sizeof(*h); i++)
		sum += i >= offsetof(struct header, sum) &&
				       i < offsetof(struct header, type)
			       ? ' '
			       : bytes[i];
	return sum;
}

/* As much as there is room for: the whole name is in a pax header, then. */
static void set_text(char *to, size_t room, const char *text)
{
	memcpy(to, text, strnlen(text, room));
}

static void put_header(uint8_t *to, const struct tar_member *member)
{
	struct header h = {.magic = "ustar", .version = {'0', '0'}};

	set_text(h.name, sizeof(h.name), member->name);
	set_text(h.link, sizeof(h.link), member->link);
	set_octal(h.mode, sizeof(h.mode), 0644);
	set_octal(h.uid, sizeof(h.uid), 0);
	set_octal(h.gid, sizeof(h.gid), 0);
	set_octal(h.size, sizeof(h.size),
		  member->size > SIZE_IN_HEADER ? 0 : member->size);
	set_octal(h.time, sizeof(h.time), member->time & SIZE_IN_HEADER);
	h.type = member->type;
	set_octal(h.sum, sizeof(h.sum) - 1, sum_of(&h));
	memcpy(to, &h, sizeof(h));
}

/* A record is "SIZE KEY=VALUE\n"; the size counts its own digits. */
static size_t put_record(char *to, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, size = rest + 1;

	while (size != rest + (size_t)snprintf(NULL, 0, "%zu", size))
		size++;
	return sprintf(to, "%zu %s=%s\n", size, key, value);
}

static size_t put_pax(uint8_t *to, const struct tar_member *member)
{
	struct tar_member pax = {.name = "pax", .type = TAR_PAX};
	char *records = (char *)to + TAR_BLOCK, number[24];
	size_t size = 0, padded;

	pax.time = member->time;
	if (strlen(member->name) > sizeof(((struct header *)0)->name))
		size += put_record(records + size, "path", member->name);
	if (strlen(member->link) > sizeof(((struct header *)0)->link))
		size += put_record(records + size, "linkpath", member->link);
	snprintf(number, sizeof(number), "%" PRIu64, member->size);
	if (member->size > SIZE_IN_HEADER)
		size += put_record(records + size, "size", number);
	if (!size)
		return 0;
	pax.size = size;
	padded = size + tar_padding(size);
	memset(records + size, 0, padded - size);
	put_header(to, &pax);
	return TAR_BLOCK + padded;
}

size_t tar_write(const struct tar_member *member, uint8_t *to)
{
	size_t size = put_pax(to, member);

	put_header(to + size, member);
	return size + TAR_BLOCK;
}

bool tar_is(const uint8_t *block)
{
	const struct header *h = (const struct header *)block;
	uint64_t sum;

	return !memcmp(h->magic, "ustar", 5) &&
	       get_octal(h->sum, sizeof(h->sum), &sum) && sum == sum_of(h);
}

/* @prefix, of a name that others cut in two, comes first. */
static void get_text(char *to, const char *prefix, size_t prefix_room,
		     const char *text, size_t room)
{
	size_t length = strnlen(prefix, prefix_room);

	memcpy(to, prefix, length);
	if (length)
		to[length++] = '/';
	memcpy(to + length, text, strnlen(text, room));
	to[length + strnlen(text, room)] = '\0';
}

bool tar_read(const uint8_t *block, struct tar_member *member)
{
	const struct header *h = (const struct header *)block;
	bool is_gnu = h->magic[5] == ' '; /* has no prefix */

	if (!tar_is(block) ||
	    !get_octal(h->size, sizeof(h->size), &member->size))
		return false;
	get_text(member->name, h->prefix, is_gnu ? 0 : sizeof(h->prefix),
		 h->name, sizeof(h->name));
	get_text(member->link, "", 0, h->link, sizeof(h->link));
	get_octal(h->time, sizeof(h->time), &member->time);
	member->type = h->type ? h->type : TAR_FILE;
	return true;
}

static void take_record(const char *record, size_t size,
			struct tar_member *next)
{
	static const char path[] = "path=", bytes[] = "size=";
	size_t length = size - strlen(path);

	if (size <= strlen(path))
		return;
	if (!memcmp(record, path, strlen(path)) && length < PATH_MAX) {
		memcpy(next->name, record + strlen(path), length);
		next->name[length] = '\0';
	} else if (!memcmp(record, bytes, strlen(bytes))) {
		next->size = strtoull(record + strlen(bytes), NULL, 10);
	}
}

void tar_read_pax(const char *data, size_t size, struct tar_member *next)
{
	size_t at = 0;

	while (at < size) {
		char *end;
		size_t record = strtoull(data + at, &end, 10);
		size_t head = end - (data + at) + 1;

		if (*end != ' ' || record <= head || record > size - at)
			break;
		take_record(data + at + head, record - head - 1, next);
		at += record;
	}
}
