// SPDX-License-Identifier: GPL-2.0-or-later
/* Notes of segments, which a file that lies has many of, or many times. */
#include "ktap.h"
#include "program.h"

#include "base/notes.h"

#define FILE_SIZE 8192

static bool are_sound(uint16_t segments, uint64_t size)
{
	const Elf64_Ehdr header = program_header(ET_DYN, segments, 0, 0, 0);
	const Elf64_Phdr notes = {.p_type = PT_NOTE, .p_filesz = size};
	BYTES b = {};
	bool sound;
	Elf *elf;

	elf_version(EV_CURRENT);
	bytes_add(&b, &header, sizeof(header));
	for (uint16_t i = 0; i < segments; i++)
		bytes_add(&b, &notes, sizeof(notes));
	put_zeros(&b, FILE_SIZE - b.size);
	elf = elf_memory((char *)b.data, b.size);
	EXPECT_TRUE(elf);
	sound = notes_are_sound(elf);
	elf_end(elf);
	return sound;
}

TEST(notes_of_segments)
{
	EXPECT_TRUE(are_sound(0, 0));
	EXPECT_TRUE(are_sound(3, 64));
	EXPECT_TRUE(are_sound(1, FILE_SIZE));
	EXPECT_FALSE(are_sound(2, FILE_SIZE - 64));
	EXPECT_FALSE(are_sound(1, UINT64_MAX));
	EXPECT_FALSE(are_sound(100, 12));
}
