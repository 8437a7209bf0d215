// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify/verify.h"
#include "print/table.h"

#include <glob.h>
#include <sys/utsname.h>

#define SECONDS 16 /* for all PMUs; what has begun is ended */

struct kind_view {
	const struct verify_kind *kind;
	const struct verify_row *row;
};

/* clang-format off */
enum { CPUS, NAME, NUMBER, KEY, WORDS, RATIO, LOOP, COUNTED, EXPECTED, SILENT,
       USED, NOTE };
/* clang-format on */

static struct cell get(const void *view, size_t column, char *room)
{
	const struct kind_view *v = view;
	const struct verify_row *r = v->row;
	int64_t number;

	switch (column) {
	case CPUS:
		return cell_text(v->kind->cpus);
	case NAME:
		return cell_text(r->name);
	case NUMBER:
		return cell_if(r->number >= 0, cell_hex(r->number));
	case KEY:
		return cell_text(verdict_keys[r->verdict]);
	case WORDS:
		snprintf(room, CELL_ROOM, "%s%s", r->text,
			 r->is_silent ? ", no overflow" : "");
		return cell_text(room);
	case RATIO:
		return cell_if(r->ratio > 0, cell_real(r->ratio));
	case LOOP:
		return cell_text(r->loop);
	case COUNTED:
	case EXPECTED:
		number = llround(column == COUNTED ? r->counted : r->expected);
		return cell_if(r->loop,
			       (struct cell){CELL_SIGNED, {.number = number}});
	case SILENT:
		return cell_if(r->loop, cell_bool(!r->is_silent));
	case USED:
		return cell_bool(r->used);
	default:
		return cell_text(*r->note ? r->note : NULL);
	}
}

#define COLUMN(title, number, ...)                                    \
	{                                                             \
		.name = title, .arg = number, .get = get, __VA_ARGS__ \
	}
#define TEXT(title_, width_, ...) \
	.text = {.title = title_, .width = width_, __VA_ARGS__}

static const struct table_column columns[] = {
	COLUMN("cpus", CPUS, ),
	COLUMN("event", NAME, TEXT("event", 24, .left = true)),
	COLUMN("number", NUMBER, TEXT("number", 6, )),
	COLUMN("verdict", KEY, ),
	COLUMN("words", WORDS, TEXT("verdict", 32, .left = true)),
	COLUMN("ratio", RATIO, .decimals = 4),
	COLUMN("counted", COUNTED, TEXT("counted", 9, )),
	COLUMN("expected", EXPECTED, TEXT("expected", 9, )),
	COLUMN("loop", LOOP, TEXT("loop", 13, .left = true)),
	COLUMN("overflow", SILENT, ),
	COLUMN("used", USED, ),
	COLUMN("note", NOTE, TEXT("note", 0, .left = true, .is_ragged = true)),
};

static void put_kind(const struct verify_kind *kind, enum print_format format)
{
	const char *name = midr_name(kind->midr) ?: "CPU of unknown kind";
	struct json json = {.out = stdout};
	struct utsname uts = {};

	uname(&uts);
	/* A builder's words behind the version are nobody's business. */
	uts.release[strspn(uts.release, "0123456789.")] = '\0';
	if (format == PRINT_JSONL) {
		json_begin_line(&json);
		json_text(&json, "type", "cpus");
		json_text(&json, "cpus", kind->cpus);
		json_hex(&json, "midr", kind->midr);
		json_text(&json, "name", name);
		json_text(&json, "pmu", kind->pmu.name);
		json_text(&json, "kernel", uts.release);
		json_text(&json, "tool", PMSCOPE_VERSION);
		json_unsigned(&json, "page_size", kind->memory.size[SMALL]);
		json_bool(&json, "counts_kernel", kind->kernel);
		json_bool(&json, "cache_sizes_known", !kind->memory.assumed);
		json_unsigned(&json, "stolen_ticks", kind->stolen);
		json_end_line(&json);
	}
	if (format != PRINT_TEXT)
		return;
	printf("CPU %s: %s, MIDR_EL1 0x%016" PRIx64 ", PMU %s, Linux %s\n",
	       kind->cpus, name, kind->midr, kind->pmu.name, uts.release);
	if (!kind->kernel)
		puts("This user may not count the kernel, so filters are not "
		     "tested.");
	if (kind->memory.assumed)
		puts("The kernel does not know the sizes of the caches: they "
		     "are assumed to be small.");
	if (kind->stolen)
		printf("The hypervisor took the CPU away for %" PRIu64
		       " ticks; what it interrupted was run again.\n",
		       kind->stolen);
}

static bool is_wrong(const struct verify_row *row)
{
	return row->used && (verdict_is_bad(row->verdict) || row->is_silent);
}

static void put_names(const struct verify_kind *kind, const char *before,
		      bool (*has)(const struct verify_row *row))
{
	for (size_t i = 0; i < kind->nr; i++) {
		if (!has(&kind->row[i]))
			continue;
		printf("%s%s", before, kind->row[i].name);
		before = ", ";
	}
	if (*before == ',')
		puts("");
}

static bool is_open(const struct verify_row *row)
{
	return row->verdict == VERDICT_UNDECIDED && row->listed;
}

static void put_summary(const struct verify_kind *kind)
{
	const char *comma = "";
	size_t nr[NR_VERDICTS] = {};

	for (size_t i = 0; i < kind->nr; i++)
		nr[kind->row[i].verdict]++;
	for (size_t v = 0; v < NR_VERDICTS; v++) {
		if (!nr[v])
			continue;
		printf("%s%zu %s", comma, nr[v], verdict_words[v]);
		comma = ", ";
	}
	puts("");
	put_names(kind, "No loop decides, of what the CPU reports: ", is_open);
	put_names(kind, "Wrong, and used by pmscope's own views: ", is_wrong);
}

/* Text leaves out what is not decided, which the summary tells. */
static int put_rows(const struct verify_kind *kind, enum print_format format,
		    bool first)
{
	struct table table = {.format = format, .type = "counter"};

	put_kind(kind, format);
	table_add(&table, columns, sizeof(columns) / sizeof(*columns));
	table_begin(&table, first || format == PRINT_TEXT);
	for (size_t i = 0; i < kind->nr; i++)
		if (format != PRINT_TEXT ||
		    kind->row[i].verdict != VERDICT_UNDECIDED)
			table_row(&table,
				  &(struct kind_view){kind, &kind->row[i]});
	if (table_end(&table))
		return -ENOMEM;
	if (format == PRINT_TEXT)
		put_summary(kind);
	return 0;
}

static bool any_wrong(const struct verify_kind *kind)
{
	for (size_t i = 0; i < kind->nr; i++)
		if (is_wrong(&kind->row[i]))
			return true;
	return false;
}

static bool may_count_kernel(const struct verify_kind *kind)
{
	struct counting counting;
	char text[96];
	bool may;

	snprintf(text, sizeof(text), "%s/event=0x11/k", kind->pmu.name);
	may = !counting_open(&counting, text);
	counting_close(&counting);
	return may;
}

/* For the commands that count these events. */
static void save(const struct verify_kind *kind, FILE *saved)
{
	char words[80];

	for (size_t i = 0; i < kind->nr; i++) {
		const struct verify_row *r = &kind->row[i];
		bool bad = verdict_is_bad(r->verdict);

		if (r->number < 0 || (!bad && !r->is_silent))
			continue;
		snprintf(words, sizeof(words), "%s%s",
			 r->verdict == VERDICT_DEAD ? "is " : "",
			 bad ? r->text : "does not interrupt at overflow");
		verified_add(saved, kind->midr, r->number, r->name, words);
	}
}

/* Runs and prints all of a kind; 1 if what is used is wrong. */
static int verify_kind(struct verify_kind *kind, enum print_format format,
		       bool first, FILE *saved)
{
	int ret = loop_run_on(kind->cpu);

	if (ret) {
		error("doctor: this process may not run on CPU %d", kind->cpu);
		return ret;
	}
	kind->kernel = may_count_kernel(kind);
	ret = loop_memory_open(&kind->memory, kind->cpu) ?:
	      verify_counters(kind) ?: verify_spe(kind) ?:
	      verify_snapshots(kind) ?:
	      put_rows(kind, format, first);
	if (ret)
		error("doctor: %s", strerror(-ret));
	else
		ret = any_wrong(kind);
	save(kind, saved);
	loop_memory_close(&kind->memory);
	free(kind->row);
	return ret;
}

/* Names the CPUs of the kind as "0,2"; false if an earlier one has named it. */
static bool is_first(struct verify_kind *kind, const struct cpulist *online)
{
	size_t used = 0;

	for (size_t i = 0; i < online->nr && used < sizeof(kind->cpus); i++) {
		int cpu = online->cpu[i];

		if (!cpulist_has(&kind->pmu.cpus, cpu) ||
		    sysfs_midr(PMSCOPE_CPUS, cpu) != kind->midr)
			continue;
		if (cpu < kind->cpu)
			return false;
		used += snprintf(kind->cpus + used, sizeof(kind->cpus) - used,
				 "%s%d", used ? "," : "", cpu);
	}
	return used;
}

/* One CPU of each MIDR_EL1; adds up how many were run. */
static int verify_pmu(const char *name, enum print_format format, double until,
		      size_t *nr, FILE *saved)
{
	struct cpulist online = {};
	struct pmu pmu;
	int wrong = pmu_open(&pmu, PMSCOPE_PMU_DEVICES, name, NULL)
			    ?: cpulist_online(&online);

	for (size_t i = 0; i < online.nr && wrong >= 0; i++) {
		struct verify_kind kind = {
			.pmu = pmu,
			.cpu = online.cpu[i],
			.midr = sysfs_midr(PMSCOPE_CPUS, online.cpu[i]),
			.until = until,
		};
		int ret;

		if (!cpulist_has(&pmu.cpus, kind.cpu) ||
		    !is_first(&kind, &online))
			continue;
		ret = verify_kind(&kind, format, !*nr, saved);
		wrong = ret < 0 ? ret : wrong | ret;
		++*nr;
	}
	cpulist_free(&online);
	pmu_close(&pmu);
	return wrong;
}

int verify_main(enum print_format format)
{
	struct pmscope_error err;
	glob_t found = {};
	char *lines = NULL;
	size_t nr = 0, size;
	int wrong = 0;
	FILE *saved;

	if (!loops[0].run) {
		error("doctor: --verify runs loops of arm64 instructions: it "
		      "requires an arm64 machine");
		return 1;
	}
	glob(PMSCOPE_PMU_DEVICES "/" PMSCOPE_PMU_CORE, 0, NULL, &found);
	if (!found.gl_pathc)
		error("doctor: the kernel has no CPU PMU ('pmscope doctor' "
		      "says why)");
	saved = open_memstream(&lines, &size);
	if (!saved)
		wrong = told(pmscope_fail_nomem(&err), &err);
	for (size_t i = 0; i < found.gl_pathc && wrong >= 0; i++) {
		int ret =
			verify_pmu(strrchr(found.gl_pathv[i], '/') + 1, format,
				   verify_now() + SECONDS / found.gl_pathc, &nr,
				   saved);

		wrong = ret < 0 ? ret : wrong | ret;
	}
	globfree(&found);
	if (saved)
		fclose(saved);
	/* A machine without a place for it is no failure. */
	if (nr && verified_save(lines, &err))
		warning("cannot keep the verdicts for other commands: %s",
			err.text);
	free(lines);
	return output_written() || wrong || !nr;
}
