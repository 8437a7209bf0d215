// SPDX-License-Identifier: GPL-2.0-or-later
/* What the child that reads files asks of DWARF. */
#include "fuzz.h"

#include "symbols/source_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unreadable_files missing = {};
	const struct debug_search search = {.missing = &missing,
					    .symfs = "/nonexistent"};
	struct pmscope_frame frames[PMSCOPE_FRAMES_MAX];
	struct pmscope_around around;
	struct variables variables = {}, of_threads = {.of_threads = true};
	static struct layout layout;
	struct lines lines = {};
	int fd = memfd_create("file", MFD_CLOEXEC);

	ALWAYS(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	lines_open(&lines, fd, "file", &search);
	for (uint64_t at = 0; at < 0x200; at += 0x10) {
		ALWAYS(lines_frames(&lines, at, frames, &around) <=
		       PMSCOPE_FRAMES_MAX);
		if (variables_find(&variables, &lines, at, &layout))
			ALWAYS(at - layout.start < layout.size);
		for (int passes_on = 0; passes_on < 2; passes_on++)
			ALWAYS(!block_type(&variables, &lines, at, passes_on,
					   &layout) ||
			       layout.nr);
		if (variables_find(&of_threads, &lines, at, &layout))
			ALWAYS(at - layout.start < layout.size);
	}
	variables_fini(&variables);
	variables_fini(&of_threads);
	lines_fini(&lines);
	unreadable_fini(&missing);
	return 0;
}
