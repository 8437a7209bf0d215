// SPDX-License-Identifier: GPL-2.0-or-later
/* pmscope script --packets: what perf report -D prints of SPE traces. */
#include "script/script.h"
#include "spe/spe.h"

/* Errors in the traces: their number, and the first place. */
struct fault {
	uint64_t bad_bytes;
	uint64_t first_bad; /* offsets in the file */
	bool bad_is_cut;    /* a packet begins there that does not end */
	bool open;	    /* a record began that has no end */
	uint64_t opened;
};

static void note_bad(struct fault *fault, uint64_t at, int why)
{
	if (fault->bad_bytes++)
		return;
	fault->first_bad = at;
	fault->bad_is_cut = why == -ENODATA;
}

/* Padding may have one byte or two. */
static bool is_padding(const uint8_t *packet)
{
	return !packet[0] || (packet_is_extended(packet[0]) && !packet[1]);
}

/* Remembers whether the record goes on after this packet. */
static void note_packet(struct fault *fault, uint64_t at, const uint8_t *packet)
{
	if (is_padding(packet))
		return;
	if (!fault->open)
		fault->opened = at;
	fault->open = packet[0] != 0x01 && packet[0] != 0x71;
}

/* Prints as many lines as there is room for. Returns where it stopped. */
#define LINES 64

static size_t print_lines(char **end, const struct pmscope_trace *trace,
			  size_t at, struct fault *fault)
{
	char *p = *end;
	size_t length;

	for (int i = 0; i < LINES && at < trace->size; i++) {
		uint64_t place = trace->data_offset + at;
		int ret = packet_line(trace->data + at, trace->size - at, at,
				      place, trace->midr, p, &length);

		p += length;
		if (ret < 0)
			note_bad(fault, place, ret);
		else
			note_packet(fault, place, trace->data + at);
		at += ret > 0 ? ret : 1;
	}
	*end = p;
	return at;
}

/* Memory of printed data is released in steps of this size. */
#define RELEASE ((size_t)64 << 20)

static void print_packets(struct output *out, const struct load *load,
			  const struct pmscope_trace *trace, size_t *held,
			  struct fault *fault)
{
	for (size_t at = 0; at < trace->size && !out->failed;) {
		char *p = output_reserve(out, LINES * PMSCOPE_PACKET_LINE_MAX);
		size_t next;

		if (!p)
			return;
		next = print_lines(&p, trace, at, fault);
		output_commit(out, p);
		*held += next - at;
		at = next;
		if (*held < RELEASE)
			continue;
		pmscope_input_release(load->input);
		*held = 0;
	}
}

/* As C's %#x: no prefix for 0. */
static char *hex(char *p, uint64_t value)
{
	return text_hex(value ? text_string(p, "0x") : p, value, 1);
}

/* Prints the lines that perf puts before the packets of AUXTRACE data. */
static void print_head(struct output *out, const struct pmscope_trace *trace)
{
	char *p = output_reserve(out, 512);

	if (!p)
		return;
	p = hex(text_string(p, "\n0 0 "), trace->file_offset);
	p = text_string(p, " [0x30]: PERF_RECORD_AUXTRACE size: ");
	p = hex(p, trace->size);
	p = hex(text_string(p, "  offset: "), trace->offset);
	p = hex(text_string(p, "  ref: "), trace->reference);
	p = text_unsigned(text_string(p, "  idx: "), trace->index);
	p = text_signed(text_string(p, "  tid: "), (int32_t)trace->tid);
	p = text_signed(text_string(p, "  cpu: "), (int32_t)trace->cpu);
	p = text_string(p, "\n.\n. ... ARM SPE data: size ");
	p = hex(p, trace->size);
	p = text_string(p, " bytes\n");
	output_commit(out, p);
}

static int packets_verdict(const struct load *load, const struct fault *fault)
{
	if (exit_status(load))
		return 1;
	if (fault->bad_bytes)
		error("%s: offset 0x%" PRIx64 ": %s, and the next %" PRIu64
		      " bytes are invalid too",
		      load->name, fault->first_bad,
		      fault->bad_is_cut
			      ? "the packet that begins here is cut short"
			      : "no SPE packet begins here",
		      fault->bad_bytes - 1);
	else if (load->raw && fault->open)
		error("%s: offset 0x%" PRIx64
		      ": cut short: the record that begins here is incomplete",
		      load->name, fault->opened);
	else
		return 0;
	return 1;
}

int script_packets(const struct load *load)
{
	size_t nr = pmscope_recording_nr_traces(load->recording);
	struct output out = {};
	struct fault fault = {};
	size_t held = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pmscope_trace trace;

		pmscope_recording_trace(load->recording, i, &trace);
		if (!load->raw)
			print_head(&out, &trace);
		print_packets(&out, load, &trace, &held, &fault);
	}
	return output_finish(&out) ? 1 : packets_verdict(load, &fault);
}
