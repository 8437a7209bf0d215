// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Machine code from files of all kinds, compared with what objdump reads from
 * them.
 */
#include "symbols_scenario.h"

#include "symbols/reader.h"

#define COUNT 4 /* bytes compared; functions are aligned to that */

static const char source[] = "volatile int sink;\n"
			     "int first(int x) { return x * 7 + sink; }\n"
			     "int second(int x) { return x - sink; }\n"
			     "int main(void) { return first(1); }\n";

#define MADE PROGRAM(source, "-g")
/* The start of a function of "program". */
#define START(function) IN(function), PLUS(-1)

static uint8_t bytes[1 << 20];
static struct pmscope_code code;

STEP_OF(read_code)
{
	uint64_t at = step->v[0] == HERE ? sc->place.file_offset : step->v[0];

	memset(&code, 0, sizeof(code));
	EXPECT_EQ(pmscope_symbols_code(symbols_of(sc), &sc->place, at, bytes,
				       step->v[1], &code),
		  -(int)step->v[2]);
	if (step->v[2])
		EXPECT_EQ(code.size, 0U);
}
#define CODE(address)		NEW, CALL(read_code, address, COUNT, 0)
#define NO_CODE(address, error) NEW, CALL(read_code, address, COUNT, error)

/* As at the place in the file, which was moved. */
STEP_OF(expect_dumped)
{
	char text[2 * COUNT + 1], *p = text;

	for (size_t i = 0; i < COUNT; i++)
		p += sprintf(p, "%02x", bytes[i]);
	EXPECT_STREQ(text, fixture_dumped(step->text,
					  sc->place.file_offset - step->v[0]));
}
#define AS_IN(program, moved) CALL_SAY(expect_dumped, program, moved)

STEP_OF(expect_text)
{
	EXPECT_EQ(code.size, strlen(step->text));
	EXPECT_EQ(memcmp(bytes, step->text, code.size), 0);
	EXPECT_EQ(code.address, step->v[0]);
}
#define AS_TEXT(address, words) CALL_SAY(expect_text, words, address)

STEP_OF(expect_second)
{
	EXPECT_EQ(code.address, fixture_address("program", "second"));
	EXPECT_EQ(code.size, (size_t)COUNT);
}

SCENARIO(code_of_a_program, MADE, START("second"), CODE(0x5555),
	 CALL(expect_second), AS_IN("program", 0));

STEP_OF(expect_end_of_section)
{
	uint64_t end = strtoull(
		fixture_output("readelf -SW program | sed -n "
			       "'s/.* .text *PROGBITS *\\([0-9a-f]*\\) "
			       "[0-9a-f]* \\([0-9a-f]*\\) .*/0x\\1 0x\\2/p' | "
			       "while read a n; do echo $((a + n)); done"),
		NULL, 10);

	ASSERT_TRUE(end > 0);
	EXPECT_EQ(code.address + code.size, end);
}

SCENARIO(code_ends_with_its_section, MADE, START("second"),
	 CALL(read_code, 0, sizeof(bytes), 0), CALL(expect_end_of_section));

SCENARIO(a_file_of_another_build_or_without_code, MADE, START("second"),
	 BUILD_ID("program"),
	 RUN("rm root/usr/bin/program; "
	     "objcopy --only-keep-debug program d.dbg && "
	     "keep d.dbg"),
	 NO_CODE(0, ENODATA), SET(dso, "/usr/bin/other"), NO_BUILD_ID,
	 NO_CODE(0, ENOENT), PROGRAM_ID(source, "-O0", "md5"),
	 RUN("mv root/usr/bin/program root/usr/bin/other && "
	     "rm -r root/usr/lib"),
	 SET(build_id, "some other build-id."), SET(build_id_size, 16),
	 NO_CODE(0, ENOENT));

STEP_IS(expect_here, EXPECT_EQ(code.address, sc->place.file_offset));
STEP_IS(expect_file, expect_words(code.file, step->text));
#define OF_FILE(words) CALL_SAY(expect_file, words, 0)

SCENARIO(a_stripped_file_has_its_code, MADE, STEP(strip), START("first"),
	 CODE(0), OF_FILE("*root/usr/bin/program"), CALL(expect_here),
	 AS_IN("program", 0));

/* The place is a function of that file, which was moved. */
STEP_OF(place_in)
{
	sc->place.file_offset =
		fixture_address(step->text, step->data) + step->v[0];
	EXPECT_TRUE(sc->place.file_offset > 0);
}
#define PLACE_IN(file, function, moved) TELL_OF(place_in, file, function, moved)

STEP_IS(read_module,
	read_code(sc, &(struct step)CALL(read_code,
					 step->v[0] + sc->place.file_offset,
					 COUNT, 0)));

/* A compressed module, whose offsets count from its load address. */
TEST(code_of_a_module)
{
	const uint64_t loaded = 0xffff80007a000000;

	PLAY(WRITE("module.c", "int pad(int x) { return x + 9; }\n"
			       "int second(int x) { return x * 77; }\n"),
	     NEED("cc -O2 -g -c module.c && ld -r --build-id=sha1 -o a.ko "
		  "module.o && mkdir -p root/lib/modules/6.1 "
		  "&& xz -k a.ko && mv a.ko.xz root/lib/modules/6.1",
		  "no compiler or no xz here"),
	     KERNEL_AT("/lib/modules/6.1/a.ko", 0),
	     PLACE_IN("a.ko", "second", 0), CALL(read_module, loaded),
	     AS_IN("a.ko", 0));
}

STEP_IS(refer_here, sc->place.reference_address = sc->place.file_offset);

/* The kernel was moved, and its vmlinux is found by its build-id. */
TEST(code_of_the_kernel_from_vmlinux)
{
	const uint64_t moved = 0x1a5000000;

	PLAY(WRITE("vmlinux.c", "void _text(void) {}\n"
				"int start(int x) { return x * 77; }\n"),
	     NEED("cc -O2 -nostdlib -static -fno-pie -no-pie "
		  "-Wl,--build-id=sha1,-Ttext=0xffff800008010000 "
		  "-Wl,-e,start -o vmlinux vmlinux.c && "
		  "put vmlinux root/boot/vmlinux",
		  "no compiler here"),
	     KERNEL_AT(KERNEL_DSO "_text", 0), SET(reference, "_text"),
	     PLACE_IN("vmlinux", "_text", moved), CALL(refer_here),
	     PLACE_IN("vmlinux", "start", moved), BUILD_ID("vmlinux"),
	     CODE(HERE), CALL(expect_here), AS_IN("vmlinux", moved),
	     SET(reference_address, 0), SET(reference, NULL),
	     NO_CODE(0, ENOENT));
}

/* A core file with the bytes @text at @address. */
STEP_OF(put_kcore)
{
	const uint64_t at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
	const Elf64_Phdr note = {.p_type = PT_NOTE, .p_vaddr = step->v[0]};
	const Elf64_Phdr load = {.p_type = PT_LOAD,
				 .p_offset = at,
				 .p_vaddr = step->v[0],
				 .p_filesz = strlen(step->text)};
	Elf64_Ehdr header = program_header(ET_CORE, 2, 0, 0, 0);

	bytes_add(&sc->file, &header, sizeof(header));
	bytes_add(&sc->file, &note, sizeof(note));
	bytes_add(&sc->file, &load, sizeof(load));
	bytes_add(&sc->file, step->text, strlen(step->text));
}

STEP_OF(expect_machine)
{
	EXPECT_EQ(code.machine, (unsigned int)EM_AARCH64);
	EXPECT_STREQ(code.file, fixture_path("kcore"));
}

/* As the kernel was patched, whatever the vmlinux. */
TEST(code_of_the_kernel_from_kcore)
{
	const uint64_t address = 0xffff800008010000;

	PLAY(CALL_SAY(put_kcore, "abcdefghijklmn", address), STORE("kcore"),
	     WITH(symfs, "/nowhere"), WITH_FILE(kcore, "kcore"),
	     KERNEL_AT(KERNEL_DSO "_text", address + 4), CODE(address + 4),
	     AS_TEXT(address + 4, "efgh"), CALL(expect_machine),
	     CODE(address + 12), AS_TEXT(address + 12, "mn"),
	     NO_CODE(address + 14, ENOENT));
}

#define AT_TIME(when, address, words)                     \
	SET(time, when), CALL(read_code, address, 16, 0), \
		AS_TEXT(address, words)

/* Each time the code that was there then; moved code is that of its load. */
SCENARIO(generated_code, JIT(0), JIT_CODE(10, 42, 0x1000, "one", "first8by"),
	 JIT_CODE(20, 42, 0x1000, "two", "second"),
	 JIT_CODE(20, 42, 0x3000, "empty", ""),
	 JIT_MOVE(30, 42, 0x1000, 0x2000), STORE("root/tmp/jit-42.dump"),
	 AT("//anon", 0), SET(pid, 42), SET(jitdump, "/tmp/jit-42.dump"),
	 AT_TIME(15, 0x1000, "first8by"), AT_TIME(25, 0x1004, "nd"),
	 AT_TIME(0, 0x2000, "second"), AT_TIME(0, 0x1006, "by"),
	 CALL(read_code, 0x5000, 16, ENODATA));

static int temporary = -1;

static int read_mutant(const struct bytes *b, uint32_t section,
		       uint64_t address)
{
	struct pmscope_code got = {};
	uint8_t room[64 + COUNT];
	const struct code_request request = {room, 64, &got};
	int ret;

	memset(room, 0x5a, sizeof(room));
	if (ftruncate(temporary, 0) ||
	    pwrite(temporary, b->data, b->size, 0) != (ssize_t)b->size)
		return -EIO;
	ret = code_read(temporary, section, address, &request);
	EXPECT_TRUE(ret ? !got.size : got.size && got.size <= 64);
	for (size_t i = 64; i < sizeof(room); i++)
		EXPECT_EQ(room[i], 0x5a);
	return ret;
}

/* Headers with random bytes and lengths: an answer, in bounded time. */
TEST(malformed_headers)
{
	static const struct program_symbol symbol = {
		.name = "f", .at = PROGRAM_TEXT, .size = 16, .type = STT_FUNC};
	uint64_t state = 5;
	unsigned int read = 0;
	BYTES good = {};

	temporary = memfd_create("mutant", MFD_CLOEXEC);
	put_program(&good, &symbol, 1);
	EXPECT_EQ(read_mutant(&good, 0, PROGRAM_TEXT), 0);
	for (int i = 0; i < 3000; i++) {
		BYTES b = {};

		bytes_add(&b, good.data, good.size);
		for (uint32_t n = 1 + random_below(&state, 4); n; n--) {
			uint32_t at =
				random_below(&state, 2)
					? random_below(&state, 64)
					: good.size - 1 -
						  random_below(&state, 384);

			b.data[at] = random_below(&state, 2)
					     ? 0xff
					     : random_next(&state);
		}
		if (!random_below(&state, 4))
			b.size = random_below(&state, b.size);
		read += !read_mutant(&b, random_below(&state, 3),
				     random_below(&state, 2) ? PROGRAM_TEXT
							     : ~0ULL - i);
	}
	ktap_note("%u were read", read);
	EXPECT_TRUE(read > 100);
	close(temporary);
}

TEST(files_that_are_not_64_bit_ELF)
{
	Elf64_Ehdr header = program_header(ET_DYN, 0, 0, 0, 0);
	BYTES b = {};

	temporary = memfd_create("other", MFD_CLOEXEC);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	bytes_add(&b, &header, sizeof(header));
	EXPECT_EQ(read_mutant(&b, 0, 0), -ENOEXEC);
	b.size = 10;
	EXPECT_EQ(read_mutant(&b, 0, 0), -ENOEXEC);
	close(temporary);
}
