// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "section.h"

#include <string.h>

bool section_find(Elf *file, const char *name, struct section *found)
{
	size_t strings;

	if (elf_getshdrstrndx(file, &strings))
		return false;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(file, s));) {
		const char *text;

		if (!gelf_getshdr(s, &found->header))
			continue;
		text = elf_strptr(file, strings, found->header.sh_name);
		if (!text || strcmp(text, name) != 0)
			continue;
		found->scn = s;
		return true;
	}
	return false;
}
