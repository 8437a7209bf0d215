// SPDX-License-Identifier: GPL-2.0-or-later
#include "read/load.h"
#include "read/caches.h"
#include "base/io.h"
#include "base/text.h"
#include "input/input.h"
#include "session/records.h"

#include <pmscope/events.h>

#include <sys/utsname.h>

#define DEFAULT_INPUT "perf.data"
#define PIPE_HEADER   16

/* At most this many files are reported one by one. */
#define MAX_UNREAD 8

#define OPEN_FILES "/proc/self/fd/"

/* The name that the user gave; see open_beside(). */
static const char *name_of(const char *path)
{
	static char target[PATH_MAX];
	ssize_t length = -1;

	if (!strncmp(path, OPEN_FILES, strlen(OPEN_FILES)))
		length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return path;
	target[length] = '\0';
	return target;
}

static const char *why(int err)
{
	switch (err) {
	case -ETIME:
		return "reading it took too long";
	case -EFBIG:
		return "it is too large, or reading it took too much memory";
	case -EBADMSG:
		return "its debug information is damaged";
	case -EOPNOTSUPP:
		return "its sections are compressed in a way that this build's "
		       "libelf cannot read; use objcopy "
		       "--decompress-debug-sections";
	case -ESTALE:
		return "it is not the recorded kernel's";
	case -EXDEV:
		return "it, or a link to it, is another user's; --force takes "
		       "it";
	}
	return strerror(-err);
}

static void warn_of(const char *path, int err)
{
	char clean[PATH_MAX];

	path = name_of(path);
	*text_clean(clean, path, strnlen(path, sizeof(clean) - 1)) = '\0';
	warning("cannot read symbols from %s: %s", clean, why(err));
}

/* Can files in @path be opened? 0 or -errno. */
static int directory_check(const char *path)
{
	char self[PATH_MAX + 2];

	snprintf(self, sizeof(self), "%s/.", path);
	return access(self, X_OK) ? -errno : 0;
}

/* Builds the name "@input@suffix"; false if there is no such file. */
static bool beside(const char *input, const char *suffix, char *path)
{
	return snprintf(path, PATH_MAX, "%s%s", input, suffix) < PATH_MAX &&
	       !access(path, F_OK);
}

/* Another user's link may lead to what he could not read himself. */
static int link_check(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret;
	char target[PATH_MAX];

	if (fd < 0)
		return -errno;
	ret = regular_link(fd, target);
	close(fd);
	return ret < 0 ? ret : 0;
}

/* NULL if it does not exist, or cannot be used (then a warning is printed). */
static const char *symfs_beside(struct load_config *config)
{
	char *path = config->beside_symfs;
	int ret;

	if (!beside(config->input, ".symfs", path))
		return NULL;
	ret = config->force ? 0 : link_check(path);
	if (!ret)
		ret = directory_check(path);
	if (ret)
		warn_of(path, ret);
	return ret ? NULL : path;
}

/*
 * Nobody chose this file: its directory may be another user's. What it is gets
 * decided once: the descriptor stays open as long as the program runs.
 */
static const char *open_beside(struct load_config *config, const char *suffix)
{
	char *path = config->beside_kallsyms;
	struct stat st;
	int fd;

	if (!beside(config->input, suffix, path))
		return NULL;
	fd = regular_open_trusted(path, config->force, &st);
	if (fd < 0 && fd != -ENOENT && fd != -EISDIR)
		warn_of(path, fd);
	if (fd < 0)
		return NULL;
	snprintf(path, PATH_MAX, OPEN_FILES "%d", fd);
	return path;
}

/* perf record --kcore leaves a directory that contains kallsyms. */
static const char *kallsyms_beside(struct load_config *config)
{
	const char *path = open_beside(config, ".kallsyms");

	return path ? path : open_beside(config, "/kcore_dir/kallsyms");
}

/* NULL if there is none. */
static const char *kcore_beside(struct load_config *config)
{
	return beside(config->input, "/kcore_dir/kcore", config->beside_kcore)
		       ? config->beside_kcore
		       : NULL;
}

static const char *default_of(const char *chosen, const char *packed)
{
	return chosen || !*packed ? chosen : packed;
}

/* Files beside a pack do not belong to it. */
static void take_pack(struct load_config *config)
{
	const struct pack *pack = &config->pack;

	config->symfs = default_of(config->symfs, pack->root);
	config->kallsyms = default_of(config->kallsyms, pack->kallsyms);
	config->vmlinux = default_of(config->vmlinux, pack->vmlinux);
	config->kcore = default_of(NULL, pack->kcore);
}

static void look_beside(struct load_config *config)
{
	if (!config->symfs)
		config->symfs = symfs_beside(config);
	if (!config->kallsyms)
		config->kallsyms = kallsyms_beside(config);
	config->kcore = kcore_beside(config);
}

int load_operand(struct load_config *config, int argc, char **argv, int first)
{
	int ret = 0;

	if (first < argc && !config->input)
		config->input = argv[first++];
	if (first < argc) {
		error("%s: unexpected argument '%s'", argv[0], argv[first]);
		return -EINVAL;
	}
	if (!config->input)
		config->input = DEFAULT_INPUT;
	if (!*config->input) {
		error("%s: '' is not a valid FILE", argv[0]);
		return -EINVAL;
	}
	if (config->symfs && *config->symfs)
		ret = directory_check(config->symfs);
	if (ret) {
		error("%s: --symfs=%s: %s", argv[0], config->symfs,
		      strerror(-ret));
		return -EINVAL;
	}
	if (config->vmlinux && access(config->vmlinux, R_OK)) {
		error("%s: --vmlinux=%s: %s", argv[0], config->vmlinux,
		      strerror(errno));
		return -EINVAL;
	}
	if (!config->raw && strcmp(config->input, "-") != 0 &&
	    pack_open(&config->pack, config->input))
		return -EINVAL;
	if (*config->pack.dir)
		take_pack(config);
	else
		look_beside(config);
	return 0;
}

static bool feature_is(const struct pmscope_perfdata *reader,
		       enum pmscope_perf_feature feature, const char *value)
{
	const char *recorded = pmscope_perfdata_feature(reader, feature);

	return recorded && !strcmp(recorded, value);
}

/* Was it recorded here? Then names of files and of the kernel hold here. */
static bool same_machine(const struct pmscope_recording *recording)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(recording);
	struct utsname here;

	return reader && !uname(&here) &&
	       feature_is(reader, PMSCOPE_FEATURE_ARCH, here.machine) &&
	       feature_is(reader, PMSCOPE_FEATURE_OSRELEASE, here.release) &&
	       feature_is(reader, PMSCOPE_FEATURE_HOSTNAME, here.nodename);
}

/*
 * Drop pages that were read, so that memory does not grow with the recording.
 * With several threads, do so only if no thread has come by since the last
 * time.
 */
static void release(void *context)
{
	struct load *load = context;

	if (!load->shared || atomic_exchange(&load->unused, true))
		pmscope_input_release(load->input);
}

#define COPIED " is first copied to a file in TMPDIR, or /tmp"
#define TOO_MUCH                                                        \
	"more than 16 GiB, which would have to be copied to a file in " \
	"TMPDIR, "                                                      \
	"as this view needs two passes; write them to a file first"

/* The input could be read, but not mapped. */
static const char *advice_on(const char *input)
{
	bool standard = !strcmp(input, "-");
	struct stat st;

	if (standard ? fstat(STDIN_FILENO, &st)
		     : access(input, R_OK) || stat(input, &st))
		return "";
	if (S_ISDIR(st.st_mode))
		return "; a directory" COPIED;
	return standard || S_ISFIFO(st.st_mode) ? "; a pipe" COPIED : "";
}

/* A recording in pipe form begins with its events and features. */
static bool is_pipe_form(const uint8_t *data, size_t size)
{
	return size >= PIPE_HEADER && pmscope_perfdata_is(data, size) &&
	       get64(data + 8) == PIPE_HEADER;
}

static struct pmscope_input *open_any_input(const struct load_config *config)
{
	const char *path =
		*config->pack.dir ? config->pack.recording : config->input;

	if (config->raw)
		return input_open_kind(path, NULL);
	return config->two_passes ? input_open_kind(path, pmscope_perfdata_is)
				  : input_open_stream(path, pmscope_perfdata_is,
						      is_pipe_form);
}

static int open_input(struct load *load, const struct load_config *config)
{
	const char *advice = "";
	int err;

	load->input = open_any_input(config);
	load->stream = load->input && input_is_stream(load->input);
	if (load->input)
		return 0;
	err = errno;
	if (err == ENOENT && !strcmp(config->input, DEFAULT_INPUT))
		advice = "; create it with 'pmscope record', or name another "
			 "file with --input=FILE";
	else if (err != EISDIR)
		advice = advice_on(config->input);
	if (err == EOVERFLOW)
		error("%s: " TOO_MUCH, config->input);
	else
		error("%s: %s%s", config->input, strerror(err), advice);
	return -err;
}

static int64_t more(void *context)
{
	struct load *load = context;

	return input_more(load->input);
}

static void done(void *context, size_t offset)
{
	struct load *load = context;

	input_done(load->input, offset);
}

/* CLOCK_DATA: version, clock, wall clock and that clock at the same moment. */
static void read_wall(struct load *load)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(load->recording);
	size_t size = 0;
	const uint8_t *clocks =
		reader ? pmscope_perfdata_feature_data(
				 reader, PMSCOPE_FEATURE_CLOCK_DATA, &size)
		       : NULL;

	load->has_wall = clocks && size >= 24;
	if (!load->has_wall)
		return;
	load->wall_at = get64(clocks + 8);
	load->wall = load->wall_at - get64(clocks + 16);
}

static int open_recording(struct load *load, const struct load_config *config)
{
	struct pmscope_recording_options options = {
		.size = sizeof(options),
		.midr = config->midr,
		.raw = config->raw,
		.progress = load->stream ? NULL : release,
		.more = load->stream ? more : NULL,
		.done = done,
		.context = load,
		.shared = load->threads > 1,
		.ahead = load->stream ? 0 : load->threads,
		.brief = config->brief,
		.skip_by_size = config->skip_unknown,
		.mappings = config->mappings,
		.chains = config->chains,
		.clocks = config->clocks,
	};
	struct pmscope_intervals intervals;
	int ret;

	ret = pmscope_recording_open(pmscope_input_data(load->input),
				     pmscope_input_size(load->input), &options,
				     &load->recording);
	/* What is in it is shown, which is nothing, and then what is wrong. */
	if (ret && ret != -EBADMSG) {
		error("%s: %s", config->input, strerror(-ret));
		return ret;
	}
	pmscope_recording_read_blocks(load->recording);
	pmscope_recording_intervals(load->recording, &intervals);
	load->varies = intervals.least != intervals.most;
	read_wall(load);
	return 0;
}

/* Call chains are read first, so the samples of a pipe have to wait. */
static int wait_for_callers(struct load *load, const struct load_config *config)
{
	int ret;

	if (!load->stream ||
	    !(config->callers || load->filter->deps & DEP_CALLERS) ||
	    !stacks_are_in(pmscope_recording_perfdata(load->recording)))
		return 0;
	pmscope_recording_free(load->recording);
	load->recording = NULL;
	load->stream = false;
	ret = input_keep(load->input);
	if (ret == -EOVERFLOW)
		error("%s: " TOO_MUCH, config->input);
	else if (ret)
		error("%s: %s; a pipe with call chains" COPIED, config->input,
		      strerror(-ret));
	return ret ? ret : open_recording(load, config);
}

static int open_symbols(struct load *load, const struct load_config *config)
{
	struct pmscope_symbols_options options = {
		.size = sizeof(options),
		.symfs = config->symfs,
		.kallsyms = config->kallsyms,
		.same_machine = load->same_machine,
		.mangled = config->mangled,
		.kcore = config->kcore,
		.vmlinux = config->vmlinux,
		.force = config->force,
	};
	int ret;

	load->symbols = pmscope_symbols_new(&options);
	if (load->symbols)
		return 0;
	ret = -errno;
	if (config->kallsyms && ret == -ENODATA)
		error("%s: no symbols, or all at address 0; was "
		      "kernel.kptr_restrict set when it was copied?",
		      name_of(config->kallsyms));
	else
		error("%s: %s",
		      config->kallsyms ? name_of(config->kallsyms) : "symbols",
		      strerror(-ret));
	return ret;
}

static int open_filter(struct load *load, const struct load_config *config)
{
	FREED char *text = NULL;

	load->filter = calloc(1, sizeof(*load->filter));
	if (!load->filter)
		return no_memory();
	if (config->filter) {
		text = load_filter_times(load, config->filter);
		if (!text)
			return -EINVAL;
	}
	return filter_parse(load->filter, text);
}

/* The file that on_bus_error() names. */
static const char *watched;
static const uint8_t *watched_begin;
static size_t watched_size;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

/*
 * Only async-signal-safe functions may be called here. If several threads fail,
 * one prints the message.
 */
static void on_bus_error(int, siginfo_t *info, void *)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	size_t offset = (const uint8_t *)info->si_addr - watched_begin;
	char text[32];

	while (atomic_flag_test_and_set(&told))
		pause();
	say("pmscope: ");
	if (offset < watched_size) {
		*text_hex(text, offset, 1) = '\0';
		say(watched);
		say(": was truncated while it was read, before offset 0x");
		say(text);
	} else {
		say("a file with symbols was truncated while it was read");
	}
	say("\n");
	_exit(1);
}

/*
 * Files may get shorter while they are mapped, as when recorded anew. From now
 * on a read past the end of a truncated file ends the program with exit status
 * 1 and one line; for @input with the offset. @name must stay valid.
 */
static void watch_input(const char *name, const struct pmscope_input *input)
{
	const struct sigaction action = {.sa_sigaction = on_bus_error,
					 .sa_flags = SA_SIGINFO};

	watched = name;
	watched_begin = pmscope_input_data(input);
	watched_size = pmscope_input_size(input);
	sigaction(SIGBUS, &action, NULL);
}

int load_open(struct load *load, const struct load_config *config)
{
	int ret;

	*load = (struct load){
		.name = config->input,
		.raw = config->raw,
		.quiet = config->quiet,
		.pack_error = config->pack.error,
	};
	ret = open_input(load, config);
	if (ret)
		return ret;
	load->threads = pool_threads(config->threads);
	watch_input(load->name, load->input);
	ret = open_recording(load, config)
		      ?: open_filter(load, config)
		      ?: wait_for_callers(load, config);
	load->same_machine = !ret && same_machine(load->recording);
	if (!ret)
		name_source_init(&load->names, load->recording);
	if (!ret)
		ret = open_symbols(load, config);
	if (ret)
		load_close(load);
	return ret;
}

void load_close(struct load *load)
{
	pmscope_symbols_free(load->symbols);
	pmscope_recording_free(load->recording);
	pmscope_input_free(load->input);
	if (load->filter)
		filter_fini(load->filter);
	free(load->filter);
	filter_memo_free(load->memo);
	stacks_free(load->stacks);
	saturation_fini(&load->saturation);
}

/* The runs, and how far they are. */
struct reading {
	struct load *load;
	bool in_order;
	struct progress progress;
};

/* An event has no name if the CPUs disagree about it. */
static void take_midr(struct load *load, uint64_t midr)
{
	if (!load->midr_seen)
		load->midr = midr;
	load->midr_seen = true;
	if (!load->midr || midr == load->midr ||
	    (midr && midr == load->midr_alike))
		return;
	load->midr_alike = midr;
	for (unsigned int bit = 0; bit < 64; bit++)
		if (pmscope_event_name(bit, midr) !=
		    pmscope_event_name(bit, load->midr))
			load->midr = 0;
}

static int next_run(void *source, struct pmscope_run *run)
{
	struct reading *reading = source;
	struct load *load = reading->load;
	int ret = pmscope_recording_next_run(load->recording, reading->in_order,
					     run);

	load->has_data |= ret == 1;
	if (ret == 1 && !run->group)
		take_midr(load, run->midr);
	progress_set(&reading->progress,
		     pmscope_recording_losses(load->recording)->decode.bytes);
	return ret;
}

static size_t ahead(void *source)
{
	struct load *load = ((struct reading *)source)->load;

	if (load->unused && atomic_exchange(&load->unused, false))
		pmscope_input_release(load->input);
	return pmscope_recording_ahead(load->recording);
}

/* Names that did not fit in memory are missing from the output. */
static bool lacks_names(const struct load *load)
{
	const struct pmscope_place nowhere = {.pid = PMSCOPE_NO_ID};
	struct pmscope_symbol symbol;

	return pmscope_symbols_find(load->symbols, &nowhere, 0, &symbol) ==
	       -ENOMEM;
}

static void warn_of_unread(const struct load *load)
{
	const char *path;
	size_t nr = 0;
	int err;

	for (; (err = pmscope_symbols_unread(load->symbols, nr, &path)); nr++)
		if (nr < MAX_UNREAD)
			warn_of(path, err);
	if (nr > MAX_UNREAD)
		warning("cannot read symbols from %zu more files",
			nr - MAX_UNREAD);
}

static void warn_of_late(const struct load *load)
{
	uint64_t late = pmscope_recording_losses(load->recording)->late_samples;

	if (late)
		warning("%s: %" PRIu64 " samples came so late in the pipe that "
			"threads and mappings of a later time were used",
			load->name, late);
}

int load_runs(struct load *load, const struct work *work)
{
	struct reading reading = {.load = load, .in_order = work->in_order};
	struct work whole = *work;
	struct worker_pool *pool;
	int ret;

	whole.next = next_run;
	whole.ahead = ahead;
	whole.source = &reading;
	whole.recording = load->recording;
	pool = pool_new(&whole);
	if (!pool)
		return -ENOMEM;
	if (!load->quiet && (!work->out || !progress_is_among_lines()))
		progress_begin(&reading.progress, load->name,
			       load->stream ? 0
					    : pmscope_recording_trace_size(
						      load->recording));
	load->shared = work->threads > 1;
	ret = pool_run(pool);
	load->shared = false;
	progress_end(&reading.progress);
	pool_free(pool);
	warn_of_unread(load);
	warn_of_late(load);
	return !ret && lacks_names(load) ? -ENOMEM : ret;
}

bool load_has_streams(const struct load *load)
{
	const struct pmscope_perfdata *reader =
		pmscope_recording_perfdata(load->recording);
	size_t nr = reader ? pmscope_perfdata_nr_attrs(reader) : 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t type =
			pmscope_perfdata_attr(reader, i)->attr.sample_type;

		if ((type & PMSCOPE_STREAM_SAMPLE_TYPE) ==
		    PMSCOPE_STREAM_SAMPLE_TYPE)
			return true;
	}
	return false;
}
