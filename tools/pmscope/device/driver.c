// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `pmscope driver`: hand the SPE device to pmscope's driver, and back.
 *
 * Neither driver lets itself be unbound (suppress_bind_attrs): a driver lets
 * go of its devices when its module is unloaded.
 */
#include "cli/cli.h"
#include "session/modules.h"
#include "session/pmu.h"

#define DEVICES_MAX 64

/* The module and the platform driver have the same name. */
#define OURS	"pmscope"
#define IN_TREE "arm_spe_pmu"

/* Exit codes besides 0 and 1; the man page lists them. */
#define EXIT_IN_USE    2
#define EXIT_NO_DEVICE 3

struct driver_config {
	const char *device;
	const char *module;
};

#define CONFIG struct driver_config

static const struct option_row options[] = {
	OPT("device", 0, "NAME", device, string,
	    "only this device of /sys/bus/platform/devices"),
	OPT("module", 'm', "FILE", module, string,
	    "load the module from FILE instead of with modprobe"),
	{}};

static const struct command_help help = {
	.synopsis = "driver [OPTIONS] use|restore|status",
	.about = "Moves the SPE device from the kernel's driver (arm_spe_pmu) "
		 "to pmscope's, or\n"
		 "back.  Stop all recordings first: a device with open events "
		 "is not moved.\n"
		 "Exit status: 0 if the device is where it should be; 1 if "
		 "moving it failed;\n2 if the device is in use; 3 if there is "
		 "no SPE device.",
	.options = options,
};

struct devices {
	struct spe_device device[DEVICES_MAX];
	struct spe_device before[DEVICES_MAX];
	size_t nr;
};

static bool all_have(const struct devices *d, const char *driver,
		     const char *override)
{
	for (size_t i = 0; i < d->nr; i++)
		if (strcmp(d->device[i].driver, driver) ||
		    strcmp(d->device[i].override, override))
			return false;
	return true;
}

static bool any_has(const struct devices *d, const char *driver)
{
	for (size_t i = 0; i < d->nr; i++)
		if (!strcmp(d->device[i].driver, driver))
			return true;
	return false;
}

static void update(struct devices *d)
{
	for (size_t i = 0; i < d->nr; i++)
		spe_device_update(PMSCOPE_PLATFORM_BUS, &d->device[i]);
}

/* An empty @driver removes the override. */
static int set_one(const struct spe_device *device, const char *driver)
{
	int ret = sysfs_write(*driver ? driver : "\n",
			      "%s/devices/%s/driver_override",
			      PMSCOPE_PLATFORM_BUS, device->name);

	if (ret)
		error("%s: cannot set driver_override: %s", device->name,
		      strerror(-ret));
	return ret;
}

/* The override that the administrator had set. */
static void put_back(const struct devices *d)
{
	for (size_t i = 0; i < d->nr; i++)
		set_one(&d->before[i], d->before[i].override);
}

static int set_override(const struct devices *d, const char *driver)
{
	int ret;

	for (size_t i = 0; i < d->nr; i++) {
		ret = set_one(&d->device[i], driver);
		if (ret) {
			put_back(d);
			return ret;
		}
	}
	return 0;
}

/* Lets the drivers that are loaded look at the devices. */
static void probe(const struct devices *d)
{
	for (size_t i = 0; i < d->nr; i++)
		if (!d->device[i].driver[0])
			sysfs_write(d->device[i].name, "%s/drivers_probe",
				    PMSCOPE_PLATFORM_BUS);
}

static int unload(const char *module)
{
	int ret = module_unload(module);

	if (ret == -EBUSY)
		error("%s is in use: an event of one of its PMUs is open; end "
		      "the recording ('fuser', or perf in /proc/*/fd, finds "
		      "it) and try again",
		      module);
	else if (ret == -ENOENT)
		error("%s is built into this kernel and cannot be unloaded; "
		      "boot with 'initcall_blacklist=%s_init'",
		      module, module);
	else if (ret)
		error("cannot unload %s: %s", module, strerror(-ret));
	return ret;
}

static int load_ours(const struct driver_config *config)
{
	struct pmscope_error err;
	int ret = module_load(OURS, config->module, &err);

	if (ret)
		error("cannot load " OURS ": %s", err.text);
	return ret;
}

static int load_in_tree(void)
{
	struct pmscope_error err;
	int ret = module_load(IN_TREE, NULL, &err);

	if (ret)
		error("cannot load " IN_TREE ": %s", err.text);
	return ret;
}

static int check_result(struct devices *d, const char *driver)
{
	update(d);
	for (size_t i = 0; i < d->nr; i++) {
		if (!strcmp(d->device[i].driver, driver))
			continue;
		error("%s: %s did not take it; the kernel's log tells why "
		      "('dmesg')",
		      d->device[i].name, driver);
		return -ENODEV;
	}
	return 0;
}

/* Back to the in-tree driver after a failure half way. */
static void undo_use(struct devices *d, bool was_in_tree)
{
	put_back(d);
	update(d);
	if (!was_in_tree)
		return;
	if (!module_loaded(IN_TREE))
		load_in_tree();
	probe(d);
}

static int use(struct devices *d, const struct driver_config *config)
{
	bool was_in_tree = any_has(d, IN_TREE);
	int ret;

	if (module_loaded(OURS) && config->module)
		warning("%s is not loaded: " OURS " is already loaded",
			config->module);
	if (all_have(d, OURS, OURS))
		return 0;
	/* First what may fail without any harm. */
	ret = module_loaded(OURS) ? 0 : load_ours(config);
	if (!ret)
		ret = set_override(d, OURS);
	if (ret)
		return ret;
	if (was_in_tree) {
		ret = unload(IN_TREE);
		if (ret) {
			put_back(d);
			return ret;
		}
	}
	update(d);
	probe(d);
	ret = check_result(d, OURS);
	if (ret)
		undo_use(d, was_in_tree);
	else if (was_in_tree && config->device)
		/* Devices that were not asked for go back to it. */
		ret = load_in_tree();
	return ret;
}

/* To the in-tree driver, once ours has let go of the device. */
static int give_back(struct devices *d)
{
	int ret = set_override(d, "");

	if (ret)
		return ret;
	update(d);
	probe(d);
	return check_result(d, IN_TREE);
}

static int restore(struct devices *d, const struct driver_config *config)
{
	bool was_ours = any_has(d, OURS), had_ours = module_loaded(OURS);
	int ret;

	if (all_have(d, IN_TREE, ""))
		return 0;
	/* First what may fail without any harm. */
	ret = module_loaded(IN_TREE) ? 0 : load_in_tree();
	if (!ret && was_ours)
		ret = unload(OURS);
	if (ret)
		return ret;
	ret = give_back(d);
	if (ret)
		put_back(d);
	/* pmu_snapshot needs no device, so its users keep it. */
	if (had_ours && !module_loaded(OURS) && load_ours(config))
		warning("pmu_snapshot is unavailable until " OURS
			" is loaded again");
	return ret;
}

static void print_status(const struct devices *d)
{
	for (size_t i = 0; i < d->nr; i++)
		printf("%s: %s%s%s\n", d->device[i].name,
		       d->device[i].driver[0] ? d->device[i].driver
					      : "no driver",
		       d->device[i].override[0] ? ", kept for " : "",
		       d->device[i].override);
}

static int find_devices(struct devices *d, const char *name)
{
	size_t nr = spe_devices(PMSCOPE_PLATFORM_BUS, d->device, DEVICES_MAX);

	for (size_t i = 0; i < nr; i++)
		if (!name || !strcmp(d->device[i].name, name))
			d->device[d->nr++] = d->device[i];
	memcpy(d->before, d->device, sizeof(d->before));
	if (d->nr)
		return 0;
	if (name)
		error("%s: no such SPE device", name);
	else
		error("the firmware of this machine describes no SPE device "
		      "(device tree arm,statistical-profiling-extension-v1, "
		      "ACPI MADT SPE interrupt)");
	return -ENODEV;
}

static bool is_action(const char *what)
{
	return !strcmp(what, "use") || !strcmp(what, "restore") ||
	       !strcmp(what, "status");
}

/* Half way the device has no driver: signals wait until it has one. */
static int hand_over(struct devices *d, const char *what,
		     const struct driver_config *config)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	ret = strcmp(what, "use") ? restore(d, config) : use(d, config);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

static int run(struct devices *d, const char *what,
	       const struct driver_config *config)
{
	bool changes = strcmp(what, "status");
	int ret = 0;

	if (changes && geteuid()) {
		error("driver %s: must be run as root", what);
		return 1;
	}
	if (changes)
		ret = hand_over(d, what, config);
	if (ret)
		return ret == -EBUSY ? EXIT_IN_USE : 1;
	update(d);
	print_status(d);
	return 0;
}

int driver_main(int argc, char **argv)
{
	struct driver_config config = {};
	struct devices d = {};
	int at;

	at = options_parse(&help, argc, argv, &config);
	if (at <= 0)
		return at < 0;
	if (at != argc - 1 || !is_action(argv[at])) {
		error("driver: give one action: use, restore or status");
		return 1;
	}
	if (config.module && !strcmp(argv[at], "status")) {
		error("driver: --module requires use or restore");
		return 1;
	}
	if (find_devices(&d, config.device))
		return EXIT_NO_DEVICE;
	return run(&d, argv[at], &config);
}
