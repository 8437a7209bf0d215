// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/doctor.h"
#include "base/names.h"
#include "session/modules.h"
#include "session/event.h"

#include <glob.h>
#include <sys/utsname.h>
#include <syslog.h>

/* The kinds of CPUs that a machine has. */

static size_t first_of(const uint64_t *midr, uint64_t kind)
{
	size_t cpu = 0;

	while (midr[cpu] != kind)
		cpu++;
	return cpu;
}

static void put_cpus(FILE *text, const uint64_t *midr, size_t nr, uint64_t kind)
{
	const char *comma = "";
	size_t end;

	for (size_t cpu = 0; cpu < nr; cpu = end) {
		end = cpu + 1;
		if (midr[cpu] != kind)
			continue;
		while (end < nr && midr[end] == kind)
			end++;
		fprintf(text, "%s%zu", comma, cpu);
		if (end > cpu + 1)
			fprintf(text, "-%zu", end - 1);
		comma = ",";
	}
}

void doctor_kinds(char *out, size_t size, const uint64_t *midr, size_t nr)
{
	FREED char *kinds = NULL;
	size_t length;
	FILE *text = open_memstream(&kinds, &length);
	const char *comma = "";

	out[0] = '\0';
	if (!text)
		return;
	for (size_t cpu = 0; cpu < nr; cpu++) {
		if (!midr[cpu] || first_of(midr, midr[cpu]) != cpu)
			continue;
		fprintf(text, "%s0x%016" PRIx64 " (CPU ", comma, midr[cpu]);
		put_cpus(text, midr, nr, midr[cpu]);
		fprintf(text, ")");
		comma = ", ";
	}
	if (!*comma)
		fprintf(text, "unknown");
	if (!fclose(text))
		snprintf(out, size, "%s", kinds);
}

#define DEVICES_MAX    16
#define CAPS	       PMSCOPE_PMU_DEVICES "/" SNAPSHOT_PMU "/caps/"
#define EXTERNAL       PMSCOPE_PMU_DEVICES "/pmu_external/"
#define CAPS_MAX       (64 * 1024 + 1)
#define KINDS_TEXT_MAX 200
#define SECURE_BOOT                  \
	"/sys/firmware/efi/efivars/" \
	"SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* Facts that several checks need, collected first. */
struct machine {
	struct utsname uts;
	bool arm64;
	struct spe_device device[DEVICES_MAX];
	size_t nr_devices;
	char spe_pmu[PMSCOPE_PMU_NAME_MAX];
	bool has_spe_pmu;
	bool has_snapshot_pmu;
	bool has_core_pmu;
};

static bool has_pmu(const char *name)
{
	struct pmu pmu;
	bool found = !pmu_open(&pmu, PMSCOPE_PMU_DEVICES, name, NULL);

	pmu_close(&pmu);
	return found;
}

/* The PMU of the CPUs themselves, by any of the names it has. */
static bool has_core_pmu(void)
{
	glob_t found;
	bool has = !glob(PMSCOPE_PMU_DEVICES "/" PMSCOPE_PMU_CORE, GLOB_NOSORT,
			 NULL, &found);

	if (has)
		globfree(&found);
	return has;
}

static void machine_look(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	uname(&m->uts);
	m->arm64 = !strcmp(m->uts.machine, "aarch64");
	m->nr_devices =
		spe_devices(PMSCOPE_PLATFORM_BUS, m->device, DEVICES_MAX);
	m->has_spe_pmu =
		!pmu_instance(PMSCOPE_PMU_DEVICES, "arm_spe", 0, m->spe_pmu);
	m->has_snapshot_pmu = has_pmu(SNAPSHOT_PMU);
	m->has_core_pmu = has_core_pmu();
}

/* Lines that do not say why a probe failed, or come with any such module. */
static bool says_nothing(const char *text)
{
	static const char *const words[] = {"probe with driver", "probe of ",
					    "taints kernel", "tainting kernel"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* The youngest error in the kernel's log with @word in it. */
static bool kernel_error(const char *word, char *line, size_t size)
{
	CLOSED int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192], *text;
	bool found = false;
	ssize_t n;

	if (fd < 0)
		return false;
	/* EPIPE: a line was overwritten before it was read. */
	while ((n = read(fd, record, sizeof(record) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = '\0';
		/* "LEVEL,NUMBER,TIME,FLAGS;TEXT" */
		text = strchr(record, ';');
		if (!text || !strstr(text, word) || says_nothing(text) ||
		    (atoi(record) & LOG_PRIMASK) > LOG_WARNING)
			continue;
		text[strcspn(text, "\n")] = '\0';
		snprintf(line, size, "%s", text + 1);
		found = true;
	}
	return found;
}

static void read_kinds(char *text, size_t size)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	FREED uint64_t *midr = nr > 0 ? calloc(nr, sizeof(*midr)) : NULL;

	if (!midr)
		nr = 0;
	for (long cpu = 0; cpu < nr; cpu++)
		midr[cpu] = sysfs_midr(PMSCOPE_CPUS, cpu);
	doctor_kinds(text, size, midr, nr);
}

static void check_machine(struct doctor_report *r, const struct machine *m)
{
	char kinds[KINDS_TEXT_MAX];

	if (!m->arm64) {
		doctor_add(r, "machine", FINDING_INFO,
			   "%s, Linux %s: this host can analyse recordings "
			   "(script, report); counters and SPE need an arm64 "
			   "machine",
			   m->uts.machine, m->uts.release);
		return;
	}
	read_kinds(kinds, sizeof(kinds));
	doctor_add(r, "machine", FINDING_OK,
		   "aarch64, Linux %s, %ld CPUs, MIDR_EL1 %s", m->uts.release,
		   sysconf(_SC_NPROCESSORS_ONLN), kinds);
}

static void check_paranoid(struct doctor_report *r)
{
	int level = perf_event_paranoid();
	struct finding *f;

	if (level == INT_MAX) {
		f = doctor_add(
			r, "perf-events", FINDING_BAD,
			"there is no /proc/sys/kernel/perf_event_paranoid");
		doctor_advise(f, "the kernel needs CONFIG_PERF_EVENTS; a "
				 "container needs /proc");
		return;
	}
	f = doctor_add(r, "perf-events",
		       level <= 1 || !geteuid() ? FINDING_OK
		       : level == 2		? FINDING_WARN
						: FINDING_BAD,
		       "kernel.perf_event_paranoid is %d, the user is %s",
		       level, geteuid() ? "not root" : "root");
	if (!geteuid())
		return;
	if (level > 2)
		doctor_advise(f,
			      "above 2, this kernel (a Debian addition) lets "
			      "only CAP_SYS_ADMIN use perf events: 'sysctl "
			      "kernel.perf_event_paranoid=2', then CAP_PERFMON "
			      "is enough ('setcap cap_perfmon+ep' on the "
			      "tool), or run as root");
	else if (level == 2)
		doctor_advise(
			f,
			"only user space of your own tasks can be measured; "
			"CAP_PERFMON or 'sysctl kernel.perf_event_paranoid=1' "
			"allows the kernel too, and 0 whole CPUs");
}

static void check_symbols(struct doctor_report *r)
{
	char text[32];
	int level;

	if (sysfs_read(text, sizeof(text), "/proc/sys/kernel/kptr_restrict") <
	    0)
		return;
	level = atoi(text);
	if (level && (geteuid() || level > 1))
		doctor_advise(doctor_add(r, "kernel-symbols", FINDING_WARN,
					 "kernel.kptr_restrict is %d: kernel "
					 "samples will have no symbols",
					 level),
			      "'sysctl kernel.kptr_restrict=0', or 1 as root");
}

static bool secure_boot(void)
{
	unsigned char var[5] = {};
	FILE *file = fopen(SECURE_BOOT, "re");
	size_t n = file ? fread(var, 1, sizeof(var), file) : 0;

	if (file)
		fclose(file);
	/* Four bytes of attributes, then the value. */
	return n == sizeof(var) && var[4] == 1;
}

static void check_lockdown(struct doctor_report *r)
{
	char mode[32] = "none";
	bool locked = module_lockdown(mode, sizeof(mode));
	bool secure = secure_boot(), enforced = module_signature_enforced();
	struct finding *f;

	if (!locked && !secure && !enforced)
		return;
	f = doctor_add(r, "secure-boot",
		       module_loaded("pmscope") ? FINDING_INFO : FINDING_WARN,
		       "Secure Boot is %s, kernel lockdown is '%s'%s",
		       secure ? "on" : "off", mode,
		       enforced ? ", module.sig_enforce is on" : "");
	if (!module_loaded("pmscope"))
		doctor_advise(
			f,
			"the kernel loads only modules that are " MODULE_TRUST);
}

static void check_module(struct doctor_report *r)
{
	char line[256];
	struct finding *f;

	if (module_loaded("pmscope")) {
		doctor_add(r, "module", FINDING_OK, "pmscope is loaded");
		return;
	}
	f = doctor_add(r, "module", FINDING_BAD, "pmscope is not loaded");
	if (kernel_error("pmscope:", line, sizeof(line)))
		doctor_advise(f, "the kernel log says: %s", line);
	else
		doctor_advise(f,
			      "'modprobe pmscope' ('make dkms' installs it)");
}

/* Opens the event for this process and closes it: can this user have it? */
static bool can_open(const char *text, struct pmscope_error *err)
{
	struct event_list list = {};
	struct perf_event_attr *attr;
	int fd;

	if (events_parse(&list, text, NULL, err))
		return false;
	attr = &list.event[0].attr.attr;
	attr->disabled = 1;
	attr->exclude_kernel = perf_event_paranoid() > 1 && geteuid();
	attr_set_size(&list.event[0].attr);
	fd = event_open(&list.event[0], &list.event[0].attr, 0, -1, -1, err);
	close_open(&fd);
	events_free(&list);
	return fd >= 0;
}

/* If CPUs differ, a file of caps/ has one line per CPU, up to a page. */
static void check_gate(struct doctor_report *r)
{
	static char backend[CAPS_MAX], gate[CAPS_MAX];

	sysfs_read(backend, sizeof(backend), CAPS "backend");
	sysfs_read(gate, sizeof(gate), CAPS "gate");
	doctor_gate(r, backend, gate);
}

/* Nothing that the module does gives a machine counters. */
static void check_core_pmu(struct doctor_report *r, const struct machine *m)
{
	if (m->has_core_pmu)
		return;
	doctor_advise(
		doctor_add(r, "pmu", FINDING_BAD,
			   "the kernel has no CPU PMU (armv8_*, armv9_*): "
			   "there are no counters to capture"),
		"firmware must describe the PMU's interrupt (device tree "
		"arm,armv8-pmuv3, or ACPI MADT), and a hypervisor must give "
		"the virtual machine one (QEMU/KVM: '-cpu host,pmu=on'); the "
		"kernel needs CONFIG_HW_PERF_EVENTS");
}

static void no_snapshots(struct doctor_report *r, const struct machine *m)
{
	bool loaded = module_loaded("pmscope");
	struct finding *f;

	f = doctor_add(r, "snapshots", FINDING_BAD, "%sthere is no PMU %s%s",
		       loaded ? "the module is loaded, but " : "", SNAPSHOT_PMU,
		       m->has_core_pmu ? "" : ", since the CPUs have no PMU");
	if (loaded && m->has_core_pmu)
		doctor_advise(f,
			      "load it with backend=frozen: 'modprobe pmscope "
			      "backend=frozen'; the kernel log has details");
}

static void check_access(struct doctor_report *r, const char *pmu)
{
	static char access[CAPS_MAX];

	if (sysfs_read(access, sizeof(access), "%s/%s/caps/access",
		       PMSCOPE_PMU_DEVICES, pmu) > 0)
		doctor_access(r, pmu, access);
}

/* Which CPUs others can count, where frames are named, and why not all. */
static void check_watching(struct doctor_report *r)
{
	static char frames[CAPS_MAX], cpus[CAPS_MAX];
	const char *refused;
	struct finding *f;

	if (sysfs_read(frames, sizeof(frames), EXTERNAL "caps/frames") <= 0 ||
	    sysfs_read(cpus, sizeof(cpus), EXTERNAL "cpumask") < 0)
		return;
	cpus[strcspn(cpus, "\n")] = '\0';
	refused = strstr(frames, "refused: ");
	f = doctor_add(r, "watching", refused ? FINDING_WARN : FINDING_OK,
		       "pmu_external counts %s%s from other CPUs",
		       *cpus ? "CPUs " : "no CPU", cpus);
	if (refused)
		doctor_advise(f, "a frame is %.*s", (int)strcspn(refused, "\n"),
			      refused);
}

static void check_snapshots(struct doctor_report *r, const struct machine *m)
{
	struct pmscope_error err;

	check_core_pmu(r, m);
	if (!m->has_snapshot_pmu) {
		no_snapshots(r, m);
		return;
	}
	check_access(r, SNAPSHOT_PMU);
	check_gate(r);
	r->snapshots = can_open(SNAPSHOT_PMU "/event=0x11/", &err);
	if (r->snapshots)
		doctor_add(r, "snapshots", FINDING_OK,
			   SNAPSHOT_PMU " counts for this user");
	else
		doctor_advise(doctor_add(r, "snapshots", FINDING_BAD,
					 SNAPSHOT_PMU " cannot be opened"),
			      "%s", err.text);
}

static bool kpti(void)
{
	char text[128];

	return sysfs_read(text, sizeof(text),
			  "/sys/devices/system/cpu/vulnerabilities/meltdown") >
		       0 &&
	       strstr(text, "PTI");
}

static void check_device(struct doctor_report *r, const struct spe_device *d)
{
	struct finding *f;
	char line[256];

	if (!strcmp(d->driver, "pmscope")) {
		doctor_add(r, "spe-driver", FINDING_OK,
			   "%s: bound to pmscope's driver", d->name);
	} else if (d->driver[0]) {
		f = doctor_add(r, "spe-driver", FINDING_WARN, "%s: bound to %s",
			       d->name, d->driver);
		doctor_advise(f, "it can be recorded; pmscope's driver has "
				 "more features: 'pmscope driver use'");
	} else {
		f = doctor_add(r, "spe-driver", FINDING_BAD,
			       "%s: bound to no driver", d->name);
		if (kernel_error(d->name, line, sizeof(line)))
			doctor_advise(f,
				      "the kernel log says: %s; 'pmscope "
				      "driver use' tries again",
				      line);
		else
			doctor_advise(f, "'pmscope driver use', or 'modprobe "
					 "arm_spe_pmu' for the kernel's own");
	}
}

static void check_errata(struct doctor_report *r, const struct machine *m)
{
	char text[256];

	if (sysfs_read(text, sizeof(text), "%s/%s/errata", PMSCOPE_PMU_DEVICES,
		       m->spe_pmu) > 0)
		doctor_advise(doctor_add(r, "spe-errata", FINDING_WARN,
					 "the CPUs of %s have erratum %s",
					 m->spe_pmu, text),
			      "do not trust the shares of single instructions "
			      "in a short loop");
}

static void check_spe(struct doctor_report *r, const struct machine *m)
{
	struct pmscope_error err;
	char text[128];

	if (!m->nr_devices)
		doctor_advise(
			doctor_add(r, "spe-device", FINDING_BAD,
				   "the firmware describes no SPE device"),
			"if the CPU has FEAT_SPE, the firmware must describe "
			"its interrupt (device tree "
			"arm,statistical-profiling-extension-v1, or ACPI MADT) "
			"and set MDCR_EL3.NSPB to 0b11; most virtual machines "
			"have none");
	for (size_t i = 0; i < m->nr_devices; i++)
		check_device(r, &m->device[i]);
	if (kpti())
		doctor_advise(
			doctor_add(r, "kpti",
				   m->has_spe_pmu ? FINDING_INFO : FINDING_BAD,
				   "the kernel isolates page tables (KPTI): "
				   "the SPE buffer is not mapped while user "
				   "code runs"),
			"boot with 'kpti=off' if the CPU does not need it");
	if (!m->has_spe_pmu) {
		doctor_add(r, "spe", FINDING_BAD, "there is no PMU arm_spe_0");
		return;
	}
	check_access(r, m->spe_pmu);
	check_errata(r, m);
	snprintf(text, sizeof(text), "%s/ts_enable=1,period=4096/", m->spe_pmu);
	r->spe = can_open(text, &err);
	if (r->spe)
		doctor_add(r, "spe", FINDING_OK,
			   "%s can be recorded by this user", m->spe_pmu);
	else
		doctor_advise(doctor_add(r, "spe", FINDING_BAD,
					 "%s cannot be opened", m->spe_pmu),
			      "%s", err.text);
}

void doctor_examine(struct doctor_report *report)
{
	struct machine m;

	machine_look(&m);
	check_machine(report, &m);
	check_paranoid(report);
	check_symbols(report);
	if (!m.arm64)
		return;
	check_lockdown(report);
	check_module(report);
	check_snapshots(report, &m);
	check_watching(report);
	check_spe(report, &m);
}
