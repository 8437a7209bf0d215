// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed programs, and programs with compressed symbols or sections. */
#include "symbols_scenario.h"

static const char source[] =
	"volatile int sink;\n"
	"static __attribute__((noinline)) int hidden(int x)\n"
	"{ return x * 7 + sink; }\n"
	"int main(int argc, char **argv)\n"
	"{ return hidden(argc) + !argv; }\n";

#define BINARY " root/usr/bin/program"
#define CC     "cc -O2 -fPIE -pie -Wl,--build-id "
/* "mini.xz" has the symbols that are stripped from it. */
#define MADE                                                            \
	WRITE("program.c", source),                                     \
		NEED(CC "-Wl,-z,separate-code -o program program.c && " \
			"objcopy --only-keep-debug program mini && "    \
			"xz -k mini && "                                \
			"strip --strip-all -o bare program",            \
		     "no compiler here, no objcopy or no xz")
/* "fn_" is the start of names from unwind tables. */
#define HIDDEN	 IN("hidden"), NEW, FIND(0, "hidden*", 1)
#define BY_START IN("hidden"), NEW, FIND(0, "fn_*", 1)
#define NOTHING	 IN("hidden"), NEW, FIND(0, NULL, 0)
#define ADD_DATA(file) \
	RUN("objcopy --add-section .gnu_debugdata=" file " bare" BINARY)

/* Fedora keeps function symbols in .gnu_debugdata, for crash reports. */
SCENARIO(names_within_a_stripped_program, MADE, ADD_DATA("mini.xz"), HIDDEN);

SCENARIO(names_that_were_cut_short, MADE, RUN("head -c 200 mini.xz >cut"),
	 ADD_DATA("cut"), BY_START);

/* 45 KB that uncompress to 300 MB. */
SCENARIO(names_that_would_fill_the_memory, MADE,
	 RUN("head -c 300M /dev/zero | cat mini - | xz -0 >bomb"),
	 ADD_DATA("bomb"), NOTHING);

/* .lzma has no size in its header either. */
SCENARIO(names_of_another_format, MADE, RUN("xz -k --format=lzma mini"),
	 ADD_DATA("mini.lzma"), HIDDEN,
	 RUN("head -c 300M /dev/zero | cat mini - | "
	     "xz -0 --format=lzma >bomb"),
	 ADD_DATA("bomb"), NOTHING);

/* "lie": "mini" with a value in the header of its symbol table. */
STEP_OF(write_lie)
{
	static uint8_t file[1 << 16];
	FILE *mini = fopen(fixture_path("mini"), "rb");
	size_t length = mini ? fread(file, 1, sizeof(file), mini) : 0;
	const Elf64_Ehdr *header = (const void *)file;
	Elf64_Shdr *sections = (void *)(file + header->e_shoff);

	if (mini)
		fclose(mini);
	for (size_t i = 0; length && i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			memcpy((uint8_t *)&sections[i] + step->v[0],
			       &step->v[2], step->v[1]);
	EXPECT_TRUE(length && fixture_write("lie", file, length));
}

#define LIE(member, size, value)                                    \
	CALL(write_lie, offsetof(Elf64_Shdr, member), size, value), \
		RUN("xz -fk lie"), ADD_DATA("lie.xz"), NOTHING

/* libdwfl discards such symbols, but keeps using their count. */
SCENARIO(names_of_a_table_that_lies, MADE, LIE(sh_info, 4, UINT32_MAX),
	 LIE(sh_info, 4, 1 << 20), LIE(sh_entsize, 8, 1), LIE(sh_entsize, 8, 0),
	 LIE(sh_entsize, 8, 48), LIE(sh_size, 8, sizeof(Elf64_Sym)),
	 LIE(sh_size, 8, UINT64_MAX), LIE(sh_offset, 8, UINT64_MAX),
	 LIE(sh_link, 4, 0), LIE(sh_link, 4, UINT32_MAX));

/* Adds zeros as .debug_info to the program. */
#define ZEROS(size, format)                                           \
	RUN("head -c " size " /dev/zero >bomb && "                    \
	    "objcopy --add-section .debug_info=bomb "                 \
	    "--set-section-flags .debug_info=debug program whole && " \
	    "objcopy --compress-debug-sections=" format " whole" BINARY)

#define EITHER(format) \
	ZEROS("80M", format), NOTHING, ZEROS("10M", format), HIDDEN

SCENARIO(sections_that_would_fill_the_memory, MADE, EITHER("zlib-gabi"),
	 EITHER("zlib-gnu"), EITHER("zstd"));

/* The line of "hidden", or 0; and why it cannot be read, or 0. */
STEP_OF(expect_line)
{
	struct pmscope_line line = {};
	const char *path = NULL;

	sc->place = fixture_place("hidden");
	pmscope_symbols_line(symbols_of(sc), &sc->place, 0, &line);
	EXPECT_EQ(line.line, step->v[0]);
	EXPECT_EQ(pmscope_symbols_unread(sc->symbols, 0, &path),
		  -(int)step->v[1]);
	EXPECT_EQ(path != NULL, step->v[1] != 0);
}

#define MADE_WITH_ZSTD                                                 \
	MADE,                                                          \
		NEED("objcopy --compress-debug-sections=zstd program " \
		     "packed",                                         \
		     "this objcopy has no zstd"),                      \
		RUN(CC "-g -o program program.c && strip -o bare program")
#define PACK(format) "objcopy --compress-debug-sections=" format " program "

#define PACKED(command)                                                \
	RUN("to=root/usr/bin/program && rm -f $to d.dbg && " command), \
		CALL(expect_line, 3, 0)

/* Where the DWARF is; each command makes it of "program". */
SCENARIO(sections_packed_with_any_format, MADE_WITH_ZSTD,
	 PACKED(PACK("zlib-gnu") "$to"), PACKED(PACK("zlib-gabi") "$to"),
	 PACKED(PACK("zstd") "$to"),
	 PACKED(PACK("zstd") "packed && zstd -q packed -o $to"),
	 /* a debug file: by its build-id, then by its CRC alone */
	 PACKED("objcopy --only-keep-debug "
		"--compress-debug-sections=zstd program d.dbg && "
		"cp d.dbg root/usr/bin/d.dbg && "
		"objcopy --add-gnu-debuglink=d.dbg bare $to"),
	 PACKED("cp program plain && objcopy -R .note.gnu.build-id plain "
		"&& objcopy --only-keep-debug "
		"--compress-debug-sections=zstd plain d.dbg && "
		"cp d.dbg root/usr/bin/d.dbg && "
		"strip -R .note.gnu.build-id -o bare plain && "
		"objcopy --add-gnu-debuglink=d.dbg bare $to"));

TEST(sections_that_cannot_be_unpacked)
{
/* In the compression header of .debug_info, or behind it. */
#define CHANGED(at, bytes, error)                                            \
	RUN(PACK("zstd") "packed && printf '" bytes "' | dd of=packed bs=1 " \
			 "seek=$(($(start packed debug_info) + " #at         \
			 ")) conv=notrunc && "                               \
			 "cp packed" BINARY),                                \
		CALL(expect_line, 0, error), HIDDEN
	PLAY(MADE_WITH_ZSTD,
	     CHANGED(0, "\\003", EOPNOTSUPP), /* no known format */
	     CHANGED(24, "none", EBADMSG),    /* no magic of zstd */
	     CHANGED(8, "\\001\\000", EBADMSG) /* another size */);
}

/* Moves the program to a server, as the debug file of "bare". */
#define SERVE                                                       \
	RUN("rm -rf cache && serve" BINARY " debuginfo program && " \
	    "cp bare" BINARY)

TEST(sections_of_a_server_that_would_fill_the_memory)
{
	PLAY(MADE, SERVER, ZEROS("80M", "zlib-gabi"), SERVE, BY_START,
	     ZEROS("10M", "zlib-gabi"), SERVE, HIDDEN);
	unsetenv("DEBUGINFOD_URLS");
}

/* Only .zdebug sections are compressed in this format. */
SCENARIO(section_that_looks_compressed, MADE,
	 RUN("printf 'ZLIB header missing' >text && "
	     "objcopy --add-section .other=text program" BINARY),
	 HIDDEN);

/* Of a packer that is not here the answer is that of the one before. */
#define BY_PACKER(packer, begin, end) \
	RUN("command -v " packer " >here || exit 0; " begin packer end)
#define WITH_PACKERS(begin, end, answer)                                    \
	BY_PACKER("gzip", begin, end), answer, BY_PACKER("xz", begin, end), \
		answer, BY_PACKER("zstd", begin, end), answer

SCENARIO(program_that_is_compressed, MADE,
	 WITH_PACKERS("", " -c program >" BINARY, HIDDEN));

SCENARIO(compressed_program_that_is_cut_or_changed, MADE,
	 WITH_PACKERS("", " -c program | head -c 1000 >" BINARY, NOTHING),
	 WITH_PACKERS("",
		      " -c program >" BINARY " && printf bad | "
		      "dd of=root/usr/bin/program bs=1 seek=400 conv=notrunc",
		      NOTHING));

SCENARIO(compressed_program_that_would_fill_the_memory, MADE,
	 WITH_PACKERS("head -c 300M /dev/zero | cat program - | ",
		      " -1 >" BINARY, NOTHING));

/* Puts the debug file beside the stripped program, with a .gnu_debuglink. */
#define DEBUG_FILE(pack)                                                \
	RUN(pack " >root/usr/bin/d.dbg && objcopy --add-gnu-debuglink=" \
		 "root/usr/bin/d.dbg bare" BINARY)
#define BOMB "head -c 300M /dev/zero | cat program - | gzip -1"

SCENARIO(debug_file_that_is_compressed, MADE, DEBUG_FILE("gzip -c program"),
	 HIDDEN);

SCENARIO(debug_file_that_would_fill_the_memory, MADE, DEBUG_FILE(BOMB),
	 BY_START, RUN("objcopy --remove-section .note.gnu.build-id bare"),
	 DEBUG_FILE("mv root/usr/bin/d.dbg copy; cat copy"), BY_START);

/* A .gnu_debuglink with CRC 0 would be taken for a .gnu_debugaltlink. */
SCENARIO(debug_file_that_is_linked_to_as_another, MADE,
	 RUN(BOMB " >root/usr/bin/d.dbg && "
		  "printf 'd.dbg\\0\\0\\0\\0\\0\\0\\0' >link && "
		  "objcopy --add-section .gnu_debuglink=link bare" BINARY),
	 NOTHING);
