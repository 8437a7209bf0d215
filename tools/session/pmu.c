// SPDX-License-Identifier: LGPL-2.1-or-later OR BSD-2-Clause
#include "pmu.h"
#include "system.h"
#include "base/names.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>

#define TERMS_MAX 512
/* An event may refer to other events; this limit ends a cycle. */
#define NESTING_MAX 4

static int parse_u64(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || *end ? -EINVAL : 0;
}

static int pmu_read_cpus(struct pmu *pmu)
{
	static const char *const files[] = {"cpumask", "cpus",
					    "supported_cpus"};
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		ret = cpulist_read(&pmu->cpus, "%s/%s/%s", pmu->devices,
				   pmu->name, files[i]);
		if (ret != -ENOENT)
			return ret;
	}
	return 0;
}

/* A PMU of the module exists only while it is loaded and has the device. */
static const char *why_missing(const char *name)
{
	return !strcmp(name, SNAPSHOT_PMU) || !strncmp(name, "arm_spe", 7)
		       ? "; 'pmscope doctor' shows why"
		       : "";
}

int pmu_open(struct pmu *pmu, const char *devices, const char *name,
	     struct pmscope_error *err)
{
	char text[32];
	uint64_t type;
	int ret;

	memset(pmu, 0, sizeof(*pmu));
	pmu->devices = devices;
	if (!*name || strchr(name, '/') || strlen(name) >= sizeof(pmu->name))
		return pmscope_fail(err, ENOENT, "no PMU '%s'", name);
	strcpy(pmu->name, name);
	ret = sysfs_read(text, sizeof(text), "%s/%s/type", devices, name);
	if (ret < 0)
		return pmscope_fail(
			err, ENOENT,
			"no PMU '%s' on this machine (%s/%s/type: %s)%s", name,
			devices, name, strerror(-ret), why_missing(name));
	if (parse_u64(text, &type) || type > UINT32_MAX || pmu_read_cpus(pmu))
		return pmscope_fail(err, EIO,
				    "%s/%s: type or cpumask is invalid",
				    devices, name);
	pmu->type = type;
	return 0;
}

void pmu_close(struct pmu *pmu)
{
	cpulist_free(&pmu->cpus);
}

/* The number of "arm_spe_12" in the family "arm_spe" or "arm_spe_", or -1. */
static long instance_number(const char *name, const char *family)
{
	size_t len = strlen(family);
	uint64_t number;

	if (!len || strncmp(name, family, len))
		return -1;
	name += len;
	if (family[len - 1] != '_' && *name++ != '_')
		return -1;
	if (strlen(name) > 6 || strspn(name, "0123456789") != strlen(name) ||
	    parse_u64(name, &number))
		return -1;
	return number;
}

int pmu_instance(const char *devices, const char *family, unsigned int index,
		 char name[PMSCOPE_PMU_NAME_MAX])
{
	long lowest, last = -1;
	struct dirent *entry;
	DIR *dir;

	dir = opendir(devices);
	if (!dir)
		return -ENOENT;
	do {
		lowest = -1;
		rewinddir(dir);
		while ((entry = readdir(dir))) {
			long n = instance_number(entry->d_name, family);

			if (n <= last || (lowest >= 0 && n >= lowest))
				continue;
			lowest = n;
			snprintf(name, PMSCOPE_PMU_NAME_MAX, "%.*s",
				 PMSCOPE_PMU_NAME_MAX - 1, entry->d_name);
		}
		last = lowest;
	} while (lowest >= 0 && index--);
	closedir(dir);
	return lowest < 0 ? -ENOENT : 0;
}

bool pmu_has_arm_events(const char *name)
{
	return !strcmp(name, SNAPSHOT_PMU) ||
	       !fnmatch(PMSCOPE_PMU_CORE, name, 0);
}

/* What is in events/, stock perf opens on this PMU too, asked or not. */
const char *pmu_event_folder(const char *name)
{
	return strcmp(name, SNAPSHOT_PMU) ? "events" : "names";
}

int pmu_event_terms(const struct pmu *pmu, const char *event, char *terms,
		    size_t size)
{
	const char *folder = pmu_event_folder(pmu->name);
	char lower[PMSCOPE_PMU_NAME_MAX];
	size_t len = strlen(event);
	int ret;

	if (!len || len >= sizeof(lower) || strpbrk(event, "/.="))
		return -ENOENT;
	ret = sysfs_read(terms, size, "%s/%s/%s/%s", pmu->devices, pmu->name,
			 folder, event);
	if (ret >= 0)
		return 0;
	/* The Arm ARM writes CPU_CYCLES where sysfs has cpu_cycles. */
	for (size_t i = 0; i <= len; i++)
		lower[i] = tolower((unsigned char)event[i]);
	ret = sysfs_read(terms, size, "%s/%s/%s/%s", pmu->devices, pmu->name,
			 folder, lower);
	return ret < 0 ? -ENOENT : 0;
}

/* The next "lo" or "lo-hi" of a format file; 0 at its end. */
static int next_bits(const char **text, unsigned int *lo, unsigned int *hi)
{
	int used;

	if (!**text)
		return 0;
	if (sscanf(*text, "%u-%u%n", lo, hi, &used) != 2) {
		if (sscanf(*text, "%u%n", lo, &used) != 1)
			return -EIO;
		*hi = *lo;
	}
	if (*hi < *lo || *hi > 63)
		return -EIO;
	*text += used;
	if (**text == ',')
		(*text)++;
	return 1;
}

/* "config1:0-7,32" and a value, lowest bits first. */
static int format_store(const char *format, uint64_t value, union attr *attr)
{
	unsigned int index = 0, lo, hi, width;
	uint64_t *config, mask;
	int ret;

	if (strncmp(format, "config", 6))
		return -EIO;
	format += 6;
	if (isdigit((unsigned char)*format))
		index = *format++ - '0';
	if (*format++ != ':' || index >= PMSCOPE_ATTR_CONFIGS)
		return -EIO;
	config = attr_config(attr, index);
	while ((ret = next_bits(&format, &lo, &hi)) > 0) {
		width = hi - lo + 1;
		mask = width == 64 ? UINT64_MAX : (1ULL << width) - 1;
		*config = (*config & ~(mask << lo)) | (value & mask) << lo;
		value = width == 64 ? 0 : value >> width;
	}
	if (ret < 0)
		return ret;
	return value ? -ERANGE : 0;
}

static int encode_builtin(const char *name, uint64_t value, union attr *attr)
{
	if (!strcmp(name, "config"))
		*attr_config(attr, 0) = value;
	else if (!strncmp(name, "config", 6) && name[6] >= '1' &&
		 name[6] <= '4' && !name[7])
		*attr_config(attr, name[6] - '0') = value;
	else if (!strcmp(name, "period"))
		attr->attr.sample_period = value;
	else if (!strcmp(name, "freq")) {
		attr->attr.sample_freq = value;
		attr->attr.freq = 1;
	} else
		return -ENOENT;
	return 0;
}

static int encode_field(const struct pmu *pmu, const char *name,
			const char *text, union attr *attr,
			struct pmscope_error *err)
{
	char format[128];
	uint64_t value = 1;
	int ret;

	if (text && parse_u64(text, &value))
		return pmscope_fail(err, EINVAL, "'%s=%s': not a number", name,
				    text);
	if (strchr(name, '/') ||
	    sysfs_read(format, sizeof(format), "%s/%s/format/%s", pmu->devices,
		       pmu->name, name) < 0) {
		if (!encode_builtin(name, value, attr))
			return 0;
		return pmscope_fail(err, EINVAL,
				    "'%s': PMU %s has no such event or field "
				    "(see %s/%s/%s and format)",
				    name, pmu->name, pmu->devices, pmu->name,
				    pmu_event_folder(pmu->name));
	}
	ret = format_store(format, value, attr);
	if (ret == -ERANGE)
		return pmscope_fail(err, EINVAL,
				    "'%s=%s': too large for the field %s", name,
				    text, format);
	if (ret)
		return pmscope_fail(err, EIO,
				    "%s/%s/format/%s: '%s' is invalid",
				    pmu->devices, pmu->name, name, format);
	return 0;
}

size_t pmu_term_length(const char *text, const char *ends)
{
	bool quoted = false;
	size_t len = 0;

	while (text[len] && (quoted || !strchr(ends, text[len])))
		quoted ^= text[len++] == '\'';
	return len;
}

static int check_name(const char *name, struct pmscope_error *err)
{
	if (name && name[strspn(name, "'")])
		return 0;
	return pmscope_fail(err, EINVAL, "'name=': a name is missing");
}

static int encode_terms(const struct pmu *pmu, const char *terms,
			union attr *attr, int depth, struct pmscope_error *err);

static int encode_term(const struct pmu *pmu, char *term, union attr *attr,
		       int depth, struct pmscope_error *err)
{
	char *value = strchr(term, '=');
	char inner[TERMS_MAX];

	if (!value && depth < NESTING_MAX &&
	    !pmu_event_terms(pmu, term, inner, sizeof(inner)))
		return encode_terms(pmu, inner, attr, depth + 1, err);
	if (value)
		*value++ = '\0';
	if (!strcmp(term, "name"))
		return check_name(value, err);
	return encode_field(pmu, term, value, attr, err);
}

static int encode_terms(const struct pmu *pmu, const char *terms,
			union attr *attr, int depth, struct pmscope_error *err)
{
	char term[TERMS_MAX];
	size_t len;
	int ret = 0;

	if (strlen(terms) >= sizeof(term))
		return pmscope_fail(err, EINVAL, "'%s': too long", terms);
	while (*terms && !ret) {
		len = pmu_term_length(terms, ",");
		memcpy(term, terms, len);
		term[len] = '\0';
		if (len)
			ret = encode_term(pmu, term, attr, depth, err);
		terms += len + (terms[len] == ',');
	}
	return ret;
}

int pmu_encode(const struct pmu *pmu, const char *terms, union attr *attr,
	       struct pmscope_error *err)
{
	attr->attr.type = pmu->type;
	return encode_terms(pmu, terms, attr, 0, err);
}

#define MIDR_IMPLEMENTER(midr) ((midr) >> 24 & 0xff)
#define IMPLEMENTER_ARM	       0x41

static const struct pmscope_event_name names[] = {
#define PMSCOPE_EVENT(name, number, text) \
	{#name, number, PMSCOPE_EVENT_LISTED, text},
#include <events/pmuv3.def>
#undef PMSCOPE_EVENT
#define PMSCOPE_EVENT(name, number, text) \
	{#name, number, PMSCOPE_EVENT_COMMON, text},
#include <events/pmuv3_more.def>
#undef PMSCOPE_EVENT
#define PMSCOPE_EVENT(name, number, text) \
	{#name, number, PMSCOPE_EVENT_ARM, text},
#include <events/arm.def>
#undef PMSCOPE_EVENT
};

const struct pmscope_event_name *event_names(size_t *nr)
{
	*nr = ARRAY_SIZE(names);
	return names;
}

const struct pmscope_event_name *event_name_find(const char *name,
						 uint64_t midr)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(names[i].name, name))
			continue;
		if (names[i].source == PMSCOPE_EVENT_ARM &&
		    MIDR_IMPLEMENTER(midr) != IMPLEMENTER_ARM)
			continue;
		return &names[i];
	}
	return NULL;
}
