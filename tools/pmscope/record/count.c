// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/count.h"
#include "cli/progress.h"

#include <pmscope/input.h>
#include <pmscope/recording.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

/* Drops pages that were read, so that memory does not grow. */
static void release(void *context)
{
	pmscope_input_release(context);
}

static int count(struct pmscope_recording *recording, const char *path,
		 uint64_t *samples)
{
	struct progress progress;
	struct pmscope_run run;
	int ret;

	progress_begin(&progress, path,
		       pmscope_recording_trace_size(recording));
	while ((ret = pmscope_recording_next_run(recording, false, &run)) ==
	       1) {
		*samples += run.group ? 0 : run.end - run.first;
		progress_set(&progress,
			     pmscope_recording_losses(recording)->decode.bytes);
	}
	progress_end(&progress);
	return ret;
}

int record_count(const char *path, uint64_t *samples)
{
	struct pmscope_recording_options options = {
		.size = sizeof(options), .progress = release, .brief = true};
	struct pmscope_recording *recording = NULL;
	struct pmscope_input *input;
	struct stat st;
	int ret;

	*samples = 0;
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return -EINVAL;
	input = pmscope_input_open(path);
	if (!input)
		return -errno;
	options.context = input;
	ret = pmscope_recording_open(pmscope_input_data(input),
				     pmscope_input_size(input), &options,
				     &recording);
	if (!ret)
		ret = count(recording, path, samples);
	pmscope_recording_free(recording);
	pmscope_input_free(input);
	return ret;
}
