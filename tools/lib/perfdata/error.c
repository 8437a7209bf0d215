// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
/* What went wrong with reading or writing a file, in words. */
#include "reader.h"
#include "writer.h"

int reader_fail(struct pmscope_perfdata *r, uint64_t offset, const char *fmt,
		...)
{
	va_list args;
	int n;

	if (*r->error)
		return -EBADMSG;
	n = snprintf(r->error, sizeof(r->error), "offset 0x%" PRIx64 ": ",
		     offset);
	va_start(args, fmt);
	vsnprintf(r->error + n, sizeof(r->error) - n, fmt, args);
	va_end(args);
	return -EBADMSG;
}

const char *pmscope_perfdata_error(const struct pmscope_perfdata *reader)
{
	return reader->error;
}

int writer_fail(struct pmscope_writer *w, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->error, sizeof(w->error), fmt, args);
	va_end(args);
	return -code;
}

int writer_fail_nomem(struct pmscope_writer *w)
{
	w->failed = -ENOMEM;
	return writer_fail(w, ENOMEM, "out of memory");
}

int writer_ready(struct pmscope_writer *w)
{
	if (w->failed)
		return w->failed;
	if (w->state == WRITER_BEGUN)
		return 0;
	return writer_fail(w, EINVAL,
			   w->state == WRITER_NEW
				   ? "the recording has not begun"
				   : "the recording is finished");
}

const char *pmscope_writer_error(const struct pmscope_writer *w)
{
	return w->error;
}
