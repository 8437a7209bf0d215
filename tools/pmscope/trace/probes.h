/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loaded programs of trace.bpf.c. */
#ifndef PMSCOPE_TRACE_PROBES_H
#define PMSCOPE_TRACE_PROBES_H

#include "trace/trace.h"

#include <bpf/libbpf.h>

#include "trace.skel.h"

/* @fentry: objects of one function each, with the maps of @main. */
struct trace_probes {
	const struct trace_plan *plan;
	struct trace_bpf *main;
	struct trace_bpf **fentry;
	size_t nr_fentry;
	struct bpf_link **link;
	size_t nr_links;
};

#endif /* PMSCOPE_TRACE_PROBES_H */
