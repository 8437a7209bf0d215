// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "elf.h"
#include "base/io.h"
#include "base/notes.h"
#include "files.h"

#include <elf.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

/* No module or symbol table is larger. MEMORY_LIMIT is what libdw allows. */
#define SIZE_LIMIT   (256U << 20)
#define MEMORY_LIMIT (1U << 30)
#define PIECE	     (32U << 10)
#define GZIP_WINDOW  (16 + MAX_WBITS)

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

struct output {
	int fd;
	size_t size;
	size_t limit;
};

static bool put(struct output *to, const void *data, size_t size)
{
	to->size += size;
	return to->size <= to->limit &&
	       write(to->fd, data, size) == (ssize_t)size;
}

static bool unpack_gzip(const void *data, size_t size, struct output *to)
{
	z_stream stream = {.next_in = (void *)data};
	uint8_t piece[PIECE];
	int ret;

	if (size > UINT32_MAX || inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return false;
	stream.avail_in = size;
	do {
		stream.next_out = piece;
		stream.avail_out = PIECE;
		ret = inflate(&stream, Z_NO_FLUSH);
	} while (put(to, piece, PIECE - stream.avail_out) && ret == Z_OK);
	inflateEnd(&stream);
	return ret == Z_STREAM_END && to->size <= to->limit;
}

static bool unpack_xz(const void *data, size_t size, struct output *to)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	uint8_t piece[PIECE];
	lzma_ret ret;

	/* Also decodes .lzma, which libdw accepts in .gnu_debugdata. */
	if (lzma_auto_decoder(&stream, MEMORY_LIMIT, 0) != LZMA_OK)
		return false;
	stream.next_in = data;
	stream.avail_in = size;
	do {
		stream.next_out = piece;
		stream.avail_out = PIECE;
		ret = lzma_code(&stream, LZMA_FINISH);
	} while (put(to, piece, PIECE - stream.avail_out) && ret == LZMA_OK);
	lzma_end(&stream);
	return ret == LZMA_STREAM_END && to->size <= to->limit;
}

/* There may be several frames. zstd itself limits its window to 128 MiB. */
static bool unpack_zstd(const void *data, size_t size, struct output *to)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer from = {data, size, 0};
	uint8_t piece[PIECE];
	size_t before, ret;
	ZSTD_outBuffer out;

	if (!stream)
		return false;
	do {
		before = from.pos;
		out = (ZSTD_outBuffer){piece, PIECE, 0};
		ret = ZSTD_decompressStream(stream, &out, &from);
	} while (put(to, piece, out.pos) && (ret || from.pos < size) &&
		 !ZSTD_isError(ret) && (from.pos > before || out.pos));
	ZSTD_freeDStream(stream);
	return !ret && to->size <= to->limit;
}

int unpack_symbols(const void *data, size_t size)
{
	struct output to = {.fd = memfd_create("pmscope", MFD_CLOEXEC),
			    .limit = SIZE_LIMIT};

	if (to.fd < 0)
		return -errno;
	if (unpack_xz(data, size, &to))
		return to.fd;
	close(to.fd);
	return to.size > SIZE_LIMIT ? -EFBIG : -EBADMSG;
}

static const struct format {
	const char *magic;
	size_t size;
	bool (*unpack)(const void *data, size_t size, struct output *to);
} formats[] = {
	{"\x1f\x8b", 2, unpack_gzip},
	{"\xfd"
	 "7zXZ\0",
	 6, unpack_xz},
	{"\x28\xb5\x2f\xfd", 4, unpack_zstd},
};

#define MAGIC_MAX 8

/* Reads the first bytes of @fd, padded with zeros. Returns 0 or -errno. */
static int read_magic(int fd, char magic[MAGIC_MAX])
{
	memset(magic, 0, MAGIC_MAX);
	return pread(fd, magic, MAGIC_MAX, 0) < 0 ? -errno : 0;
}

static bool is_elf(const char *magic)
{
	return !memcmp(magic, ELFMAG, SELFMAG);
}

/* A new file, or -errno; -ENOENT if the data has no ELF file in it. */
static int unpack_as(int fd, const struct format *format)
{
	struct output to = {.limit = SIZE_LIMIT};
	char magic[MAGIC_MAX];
	const uint8_t *data;
	size_t size;
	int ret = regular_map(fd, &data, &size);

	if (ret)
		return ret;
	to.fd = memfd_create("pmscope", MFD_CLOEXEC);
	if (to.fd < 0)
		ret = -errno;
	else if (!data || !format->unpack(data, size, &to))
		ret = -ENOENT;
	else
		ret = read_magic(to.fd, magic);
	regular_unmap(data, size);
	if (!ret && !is_elf(magic))
		ret = -ENOENT;
	if (ret && to.fd >= 0)
		close(to.fd);
	return ret ?: to.fd;
}

/* As unpack_file(), but leaves @fd open. */
static int unpack_any(int fd)
{
	char magic[MAGIC_MAX];
	int ret = read_magic(fd, magic);

	if (ret || is_elf(magic))
		return ret ? ret : fd;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!memcmp(magic, formats[i].magic, formats[i].size))
			return unpack_as(fd, &formats[i]);
	return -ENOENT;
}

int unpack_file(int fd)
{
	int ret = fd < 0 ? fd : unpack_any(fd);

	if (fd >= 0 && ret != fd)
		close(fd);
	return ret;
}

int unpack_open(const char *path)
{
	struct stat st;

	return unpack_file(regular_open(path, 0, &st));
}

/* Debug information unpacks to 2 to 10 times its compressed size. */
#define UNPACKED_SMALL (UINT64_C(64) << 20)
#define UNPACKED_TIMES 32

static bool ends(const char *file, size_t size, const GElf_Shdr *strings)
{
	uint64_t end = strings->sh_offset + strings->sh_size;

	return !strings->sh_size || end < strings->sh_size || end > size ||
	       !file[end - 1];
}

bool sections_strings_end(Elf *file)
{
	size_t size;
	const char *data = elf_rawfile(file, &size);
	GElf_Shdr header;

	for (Elf_Scn *s = NULL; data && (s = elf_nextscn(file, s));)
		if (gelf_getshdr(s, &header) && header.sh_type == SHT_STRTAB &&
		    !ends(data, size, &header))
			return false;
	return true;
}

/* The older .zdebug format: "ZLIB", then the size as a big-endian number. */
static uint64_t size_in_zdebug(Elf_Scn *scn)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	uint64_t size = 0;

	if (!bytes || data->d_size < 12 || memcmp(bytes, "ZLIB", 4) != 0)
		return 0;
	for (size_t i = 4; i < 12; i++)
		size = size << 8 | bytes[i];
	return size;
}

static uint64_t unpacked_size(Elf *file, Elf_Scn *scn)
{
	struct section s;
	GElf_Chdr packed;

	if (!gelf_getshdr(scn, &s.header) || s.header.sh_type == SHT_NOBITS)
		return 0;
	if (s.header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &packed) ? packed.ch_size : 0;
	return section_read(file, scn, &s) && !strncmp(s.name, ".zdebug", 7)
		       ? size_in_zdebug(scn)
		       : 0;
}

uint64_t sections_unpacked(Elf *file, uint64_t limit)
{
	uint64_t total = 0;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));) {
		uint64_t more = unpacked_size(file, s);

		if (more > limit - total)
			return UINT64_MAX;
		total += more;
	}
	return total;
}

/*
 * Checks that the compressed sections unpack to no more than a compiler would
 * write. libdw unpacks them all, and sections may overlap in the file.
 */
static bool are_bounded(Elf *file)
{
	uint64_t limit;
	size_t size;

	if (!elf_rawfile(file, &size))
		return false;
	limit = UNPACKED_SMALL + UNPACKED_TIMES * (uint64_t)size;
	return sections_unpacked(file, limit) <= limit;
}

/* Header and compression of a section; returns false if it is not packed. */
static bool is_packed(Elf_Scn *scn, GElf_Shdr *header, GElf_Chdr *packed)
{
	return gelf_getshdr(scn, header) && header->sh_type != SHT_NOBITS &&
	       header->sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, packed);
}

bool sections_are_readable(Elf *file)
{
	GElf_Shdr header;
	GElf_Chdr packed;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));)
		if (is_packed(s, &header, &packed) &&
		    packed.ch_type != ELFCOMPRESS_ZLIB &&
		    elf_compress(s, 0, 0) < 0)
			return false;
	return true;
}

/* Writes the header of @scn in the file's own class and byte order. */
static bool put_header(int fd, Elf *file, Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf32_Shdr narrow = {h->sh_name,   h->sh_type,	 h->sh_flags,
			     h->sh_addr,   h->sh_offset, h->sh_size,
			     h->sh_link,   h->sh_info,	 h->sh_addralign,
			     h->sh_entsize};
	size_t size = gelf_fsize(file, ELF_T_SHDR, 1, EV_CURRENT);
	Elf_Data from = {.d_buf = size == sizeof(narrow) ? (void *)&narrow
							 : (void *)h,
			 .d_type = ELF_T_SHDR,
			 .d_version = EV_CURRENT,
			 .d_size = size};
	char bytes[sizeof(*h)];
	Elf_Data to = {.d_buf = bytes, .d_version = EV_CURRENT, .d_size = size};
	GElf_Ehdr elf;

	return gelf_getehdr(file, &elf) &&
	       gelf_xlatetof(file, &to, &from, elf.e_ident[EI_DATA]) &&
	       pwrite(fd, bytes, size, elf.e_shoff + elf_ndxscn(scn) * size) ==
		       (ssize_t)size;
}

/* Adds the section @scn to the copy @to, whose size is *@end. */
static int put_plain(int to, uint64_t *end, Elf *file, Elf_Scn *scn)
{
	size_t head = gelf_fsize(file, ELF_T_CHDR, 1, EV_CURRENT);
	Elf_Data *data = elf_rawdata(scn, NULL);
	struct output plain = {.fd = to};
	GElf_Shdr header;
	GElf_Chdr packed;

	if (!is_packed(scn, &header, &packed) ||
	    packed.ch_type == ELFCOMPRESS_ZLIB)
		return 0;
	if (packed.ch_type != ELFCOMPRESS_ZSTD)
		return -EOPNOTSUPP;
	*end = (*end + 15) & ~UINT64_C(15);
	plain.limit = packed.ch_size;
	if (!data || !data->d_buf || data->d_size < head ||
	    lseek(to, *end, SEEK_SET) < 0 ||
	    !unpack_zstd((char *)data->d_buf + head, data->d_size - head,
			 &plain) ||
	    plain.size != packed.ch_size)
		return -EBADMSG;
	header.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	header.sh_offset = *end;
	header.sh_size = packed.ch_size;
	header.sh_addralign = packed.ch_addralign;
	*end += plain.size;
	return put_header(to, file, scn, &header) ? 0 : -EBADMSG;
}

/* Returns a copy of @file in which no section is packed with zstd, or -errno */
static int copy_plain(Elf *file)
{
	int to = memfd_create("pmscope", MFD_CLOEXEC), ret;
	const char *data;
	uint64_t end;
	size_t size;

	if (to < 0)
		return -errno;
	data = elf_rawfile(file, &size);
	ret = data ? io_write(to, data, size) : -ENOMEM;
	end = size;
	for (Elf_Scn *s = NULL; !ret && (s = elf_nextscn(file, s));)
		ret = put_plain(to, &end, file, s);
	if (ret)
		close(to);
	return ret ? ret : to;
}

int sections_unpack(int *fd)
{
	Elf *file = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	bool zstd = false;
	GElf_Shdr header;
	GElf_Chdr packed;
	int ret = 0;

	for (Elf_Scn *s = NULL; file && (s = elf_nextscn(file, s));)
		zstd |= is_packed(s, &header, &packed) &&
			packed.ch_type == ELFCOMPRESS_ZSTD;
	if (zstd && (!are_bounded(file) ||
		     sections_unpacked(file, UINT64_MAX) > limits_memory()))
		ret = -EFBIG;
	else if (zstd)
		ret = copy_plain(file);
	else if (file && !sections_are_readable(file))
		ret = -EOPNOTSUPP;
	elf_end(file);
	if (ret <= 0)
		return ret;
	close(*fd);
	*fd = ret;
	return 0;
}

bool sections_are_sound(Elf *file)
{
	return sections_strings_end(file) && are_bounded(file) &&
	       notes_are_sound(file);
}

static bool is_sound(Elf *file, Elf_Scn *scn, const GElf_Shdr *symbols)
{
	size_t each = gelf_fsize(file, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *strings = elf_getscn(file, symbols->sh_link);
	GElf_Shdr header;

	return each && symbols->sh_entsize == each &&
	       symbols->sh_size % each == 0 &&
	       symbols->sh_info <= symbols->sh_size / each &&
	       elf_getdata(scn, NULL) && strings &&
	       gelf_getshdr(strings, &header) && header.sh_type == SHT_STRTAB &&
	       elf_getdata(strings, NULL);
}

bool sections_symbols_are_sound(Elf *file)
{
	GElf_Shdr header;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));)
		if (gelf_getshdr(s, &header) && header.sh_type == SHT_SYMTAB &&
		    !is_sound(file, s, &header))
			return false;
	return true;
}

bool section_read(Elf *file, Elf_Scn *scn, struct section *s)
{
	size_t strings;

	if (!scn || elf_getshdrstrndx(file, &strings) ||
	    !gelf_getshdr(scn, &s->header))
		return false;
	s->scn = scn;
	s->name = elf_strptr(file, strings, s->header.sh_name);
	return s->name;
}

bool section_find(Elf *file, const char *name, struct section *found)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));)
		if (section_read(file, s, found) && !strcmp(found->name, name))
			return true;
	return false;
}

bool link_shares(Elf *elf)
{
	struct section section;

	return section_find(elf, ".gnu_debugaltlink", &section);
}

bool link_is_sound(Elf *elf)
{
	return sections_are_sound(elf) && !link_shares(elf);
}
