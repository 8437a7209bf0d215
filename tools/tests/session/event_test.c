// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_sysfs.h"
#include "session/event.h"

static char devices[FAKE_SYSFS_PATH];
static struct event_list list;
static struct pmscope_error err;

static void make_devices(void)
{
	static const char *const files[][2] = {
		{"pmu_snapshot/type", "20\n"},
		{"pmu_snapshot/cpumask", "0-3\n"},
		{"pmu_snapshot/format/event", "config:0-15\n"},
		{"pmu_snapshot/names/cpu_cycles", "event=0x11\n"},
		{"pmu_snapshot/names/inst_retired", "event=0x8\n"},
		{"armv9_cortex_a710/type", "11\n"},
		{"armv9_cortex_a710/format/event", "config:0-15\n"},
		{"arm_spe_1/type", "22\n"},
		{"arm_spe_1/cpumask", "2-3\n"},
		{"arm_spe_1/format/ts_enable", "config:0\n"},
		{"arm_spe_0/type", "21\n"},
		{"arm_spe_0/cpumask", "0-1\n"},
		{"arm_spe_0/format/ts_enable", "config:0\n"},
		{"arm_spe_0/format/min_latency", "config2:0-11\n"},
		{"arm_spe_0/format/inv_event_filter", "config3:0-63\n"},
		{"arm_spe_0/format/split", "config1:0-3,60-63\n"},
		{"arm_spe_0/format/broken", "nonsense\n"},
		{"arm_spe_0/events/loop", "loop\n"},
		{"arm_spe_10/type", "23\n"},
	};

	fake_sysfs_make(devices);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fake_sysfs_text(devices, files[i][0], files[i][1]);
}

static int parse_on(const char *text, const struct cpulist *cpus)
{
	const struct event_rules rules = {
		.devices = devices, .pmu = "pmu_snapshot", .cpus = cpus};

	if (!devices[0])
		make_devices();
	events_free(&list);
	return events_parse(&list, text, &rules, &err);
}

static int parse(const char *text)
{
	return parse_on(text, NULL);
}

TEST(terms_fill_the_fields_that_format_names)
{
	ASSERT_EQ(parse("arm_spe_0/ts_enable=1,min_latency=0x20,split=0xa5/"),
		  0);
	ASSERT_EQ(list.nr, (size_t)1);
	EXPECT_EQ(list.event[0].attr.attr.type, 21u);
	EXPECT_EQ(list.event[0].attr.attr.config, 1u);
	EXPECT_EQ(list.event[0].attr.attr.config1, 0xa000000000000005u);
	EXPECT_EQ(list.event[0].attr.attr.config2, 0x20u);
	EXPECT_STREQ(list.event[0].pmu, "arm_spe_0");
	EXPECT_EQ(list.event[0].cpus.nr, (size_t)2);
}

TEST(the_attr_is_as_small_as_its_content_allows)
{
	ASSERT_EQ(parse("arm_spe_0/ts_enable/,arm_spe_0/inv_event_filter=3/"),
		  0);
	attr_set_size(&list.event[0].attr);
	attr_set_size(&list.event[1].attr);
	EXPECT_EQ(list.event[0].attr.attr.size, 128u);
	EXPECT_EQ(list.event[1].attr.attr.size, 136u);
	EXPECT_EQ(*attr_config(&list.event[1].attr, 3), 3u);
}

TEST(a_bare_name_is_of_the_default_pmu)
{
	ASSERT_EQ(parse("cpu_cycles,INST_RETIRED,r1B,cycles"), 0);
	ASSERT_EQ(list.nr, (size_t)4);
	EXPECT_EQ(list.event[0].attr.attr.config, 0x11u);
	EXPECT_EQ(list.event[1].attr.attr.config, 0x8u);
	EXPECT_EQ(list.event[2].attr.attr.config, 0x1bu);
	EXPECT_EQ(list.event[3].attr.attr.config, 0x11u);
	EXPECT_STREQ(list.event[0].name, "pmu_snapshot/cpu_cycles/");
	EXPECT_STREQ(list.event[3].name, "pmu_snapshot/cpu_cycles/");
}

TEST(software_events_need_no_pmu)
{
	ASSERT_EQ(parse("cpu-clock,page-faults"), 0);
	EXPECT_EQ(list.event[0].attr.attr.type, (uint32_t)PERF_TYPE_SOFTWARE);
	EXPECT_EQ(list.event[1].attr.attr.config,
		  (uint64_t)PERF_COUNT_SW_PAGE_FAULTS);
	EXPECT_TRUE(!list.event[0].pmu);
}

TEST(braces_make_groups_with_shared_modifiers)
{
	ASSERT_EQ(parse("{cpu-clock,cpu_cycles}:Su,cs,{cs,cs:k}"), 0);
	ASSERT_EQ(list.nr, (size_t)5);
	EXPECT_EQ(list.nr_groups, 3u);
	EXPECT_EQ(list.event[1].group, 0u);
	EXPECT_EQ(list.event[2].group, 1u);
	EXPECT_EQ(list.event[4].group, 2u);
	EXPECT_TRUE(list.event[0].sample_read && list.event[1].sample_read);
	EXPECT_FALSE(list.event[2].sample_read);
	EXPECT_TRUE(list.event[1].attr.attr.exclude_kernel);
	EXPECT_TRUE(list.event[4].attr.attr.exclude_user);
	EXPECT_FALSE(list.event[3].attr.attr.exclude_user);
}

/* G and H are both set, or neither, if nothing is excluded. */
TEST(modifiers_of_guests_and_of_how_to_count)
{
	const struct perf_event_attr *attr;

	ASSERT_EQ(parse("cs:G,cs:H,cs:GH,cs:uI,cs:De,cs:pp,cs:pppp"), 0);
	attr = &list.event[0].attr.attr;
	EXPECT_TRUE(attr->exclude_host && !attr->exclude_guest);
	EXPECT_FALSE(attr->exclude_user || attr->exclude_kernel);
	EXPECT_FALSE(list.event[0].sample_read);
	attr = &list.event[1].attr.attr;
	EXPECT_TRUE(attr->exclude_guest && !attr->exclude_host);
	attr = &list.event[2].attr.attr;
	EXPECT_FALSE(attr->exclude_host || attr->exclude_guest);
	EXPECT_FALSE(attr->exclude_idle);
	attr = &list.event[3].attr.attr;
	EXPECT_TRUE(attr->exclude_idle && attr->exclude_hv);
	attr = &list.event[4].attr.attr;
	EXPECT_TRUE(attr->pinned && attr->exclusive);
	EXPECT_FALSE(attr->precise_ip);
	EXPECT_EQ(list.event[5].attr.attr.precise_ip, 2U);
	EXPECT_EQ(list.event[6].attr.attr.precise_ip, 3U);
}

/* As in perf: modifiers of a group, or after name=, are not part of a name. */
TEST(modifiers_are_part_of_names)
{
	ASSERT_EQ(parse("cs:u,{cs,cs:pk}:u,cpu_cycles:k,arm_spe_1//u,"
			"arm_spe_1/name=x/u,pmu_snapshot/event=0x8/:u,cs:"),
		  0);
	EXPECT_STREQ(list.event[0].name, "cs:u");
	EXPECT_STREQ(list.event[1].name, "cs");
	EXPECT_STREQ(list.event[2].name, "cs:pk");
	EXPECT_STREQ(list.event[3].name, "pmu_snapshot/cpu_cycles/k");
	EXPECT_STREQ(list.event[4].name, "arm_spe_1//u");
	EXPECT_STREQ(list.event[5].name, "x");
	EXPECT_STREQ(list.event[6].name, "pmu_snapshot/event=0x8/u");
	EXPECT_STREQ(list.event[7].name, "cs");
}

/* The kernel accepts them for no other event. */
TEST(leaders_alone_are_pinned_or_exclusive)
{
	ASSERT_EQ(parse("{cs,cs}:D,{cs,cs:e},cs"), 0);
	EXPECT_TRUE(list.event[0].attr.attr.pinned);
	EXPECT_FALSE(list.event[1].attr.attr.pinned);
	EXPECT_TRUE(list.event[2].attr.attr.exclusive);
	EXPECT_FALSE(list.event[3].attr.attr.exclusive);
	EXPECT_FALSE(list.event[4].attr.attr.pinned);
	ASSERT_EQ(parse("cs,cs:D"), 0);
	events_join(&list);
	EXPECT_TRUE(list.event[0].attr.attr.pinned);
	EXPECT_FALSE(list.event[1].attr.attr.pinned);
}

TEST(a_list_without_braces_can_become_one_group)
{
	ASSERT_EQ(parse("cpu_cycles,inst_retired,cs"), 0);
	EXPECT_EQ(list.nr_groups, 3u);
	events_join(&list);
	EXPECT_EQ(list.nr_groups, 1u);
	EXPECT_EQ(list.event[2].group, 0u);
	ASSERT_EQ(parse("{cpu_cycles,inst_retired},cs"), 0);
	events_join(&list);
	EXPECT_EQ(list.nr_groups, 2u);
}

TEST(a_family_stands_for_all_its_pmus)
{
	ASSERT_EQ(parse("arm_spe/ts_enable=1/u"), -EINVAL);
	ASSERT_EQ(parse("arm_spe//u,cs"), 0);
	ASSERT_EQ(list.nr, (size_t)4);
	EXPECT_EQ(list.nr_groups, 4u);
	EXPECT_STREQ(list.event[0].pmu, "arm_spe_0");
	EXPECT_STREQ(list.event[1].pmu, "arm_spe_1");
	EXPECT_STREQ(list.event[2].pmu, "arm_spe_10");
	EXPECT_TRUE(list.event[2].attr.attr.exclude_kernel);
	EXPECT_EQ(list.event[3].group, 3u);
	EXPECT_EQ(parse("{arm_spe//,cs}"), -EINVAL);
}

static int parse_on_cpu(const char *text, int cpu)
{
	return parse_on(text, &(struct cpulist){.cpu = &cpu, .nr = 1});
}

/* Also with terms that others lack. arm_spe_10 may belong to any CPU. */
TEST(of_a_family_the_pmus_of_a_cpu_are_chosen)
{
	ASSERT_EQ(parse_on_cpu("arm_spe/ts_enable=1/,cs", 0), -EINVAL);
	fake_sysfs_text(devices, "arm_spe_10/cpumask", "8\n");
	ASSERT_EQ(parse_on_cpu("arm_spe/min_latency=1/,cs", 0), 0);
	ASSERT_EQ(list.nr, (size_t)2);
	EXPECT_STREQ(list.event[0].pmu, "arm_spe_0");
	EXPECT_EQ(list.event[1].group, 1u);
	ASSERT_EQ(parse_on_cpu("{arm_spe//,cs}", 2), 0);
	ASSERT_EQ(list.nr, (size_t)2);
	EXPECT_STREQ(list.event[0].pmu, "arm_spe_1");
	EXPECT_EQ(parse_on_cpu("arm_spe/min_latency=1/", 2), -EINVAL);
}

/* An event that cannot be opened, with its error message. */
TEST(pmus_that_have_no_cpu_of_these_stay)
{
	EXPECT_EQ(parse_on_cpu("arm_spe//,cs", 9), 0);
	EXPECT_EQ(list.nr, (size_t)4);
	EXPECT_EQ(parse_on_cpu("arm_spe_0//,cs", 2), 0);
	EXPECT_EQ(list.nr, (size_t)2);
}

/* With large pages the kernel writes lists of more than 4 KiB. */
TEST(a_pmu_of_very_many_cpus)
{
	char text[16384], *end = text;

	for (int cpu = 1000; cpu < 4000; cpu += 2)
		end += sprintf(end, "%d,", cpu);
	strcpy(end, "4000\n");
	if (!devices[0])
		make_devices();
	fake_sysfs_text(devices, "many/type", "33\n");
	fake_sysfs_text(devices, "many/cpumask", text);
	ASSERT_EQ(parse("many//"), 0);
	EXPECT_EQ(list.event[0].cpus.nr, (size_t)1501);
	EXPECT_FALSE(cpulist_has(&list.event[0].cpus, 1001));
}

TEST(name_and_period_are_terms)
{
	ASSERT_EQ(parse("arm_spe_0/period=1024,name=mine/"), 0);
	EXPECT_STREQ(list.event[0].name, "mine");
	EXPECT_EQ(list.event[0].attr.attr.sample_period, 1024u);
}

/* As perf takes them. */
TEST(a_name_in_quotes_may_hold_what_else_ends_it)
{
	ASSERT_EQ(parse("{arm_spe_0/name='a,b/{c}:d',period=512/u,cs}"), 0);
	ASSERT_EQ(list.nr, (size_t)2);
	EXPECT_STREQ(list.event[0].name, "a,b/{c}:d");
	EXPECT_EQ(list.event[0].attr.attr.sample_period, 512u);
	EXPECT_TRUE(list.event[0].attr.attr.exclude_kernel);
	EXPECT_EQ(list.nr_groups, 1u);
}

TEST(what_is_wrong_is_named)
{
	static const struct {
		const char *text;
		int ret;
		const char *says;
	} bad[] = {
		{"", -EINVAL, "the end"},
		{"cpu_cycles,", -EINVAL, "the end"},
		{"{cpu_cycles", -EINVAL, "'}'"},
		{"{}", -EINVAL, "}"},
		{"cpu_cycles}", -EINVAL, "','"},
		{"no_such_event", -EINVAL, "no_such_event"},
		{"no_pmu/x/", -ENOENT, "no_pmu"},
		{"arm_spe_7//", -ENOENT, "'pmscope doctor'"},
		{"arm_spe_0/nope=1/", -EINVAL, "nope"},
		{"arm_spe_0/min_latency=0x1000/", -EINVAL, "config2:0-11"},
		{"arm_spe_0/min_latency=ten/", -EINVAL, "ten"},
		{"arm_spe_0/broken=1/", -EIO, "nonsense"},
		{"arm_spe_0/ts_enable=1", -EINVAL, "PMU/TERMS/"},
		{"arm_spe_0/name='a/", -EINVAL, "PMU/TERMS/"},
		{"arm_spe_0/name=/", -EINVAL, "name"},
		{"arm_spe_0/name/", -EINVAL, "name"},
		{"arm_spe_0/name='',period=512/", -EINVAL, "name"},
		{"cpu_cycles:q", -EINVAL, "q"},
		{"../x/y/", -ENOENT, ".."},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ktap_note("'%s'", bad[i].text);
		EXPECT_EQ(parse(bad[i].text), bad[i].ret);
		EXPECT_TRUE(strstr(err.text, bad[i].says));
		EXPECT_EQ(list.nr, (size_t)0);
	}
}

CASE(an_event_made_of_itself_ends,
     EXPECT_EQ(parse("arm_spe_0/loop/"), -EINVAL));

TEST(a_failed_parse_leaves_the_list_alone)
{
	const struct event_rules rules = {.devices = devices};

	ASSERT_EQ(parse("cs,{cs,faults}"), 0);
	EXPECT_EQ(events_parse(&list, "{cs,cs},x", &rules, &err), -EINVAL);
	EXPECT_EQ(list.nr, (size_t)3);
	EXPECT_EQ(list.nr_groups, 2u);
}

/* The first kind without room decides. */
static void expect_too_many(const char *last)
{
	char text[3 * 1024 + 64] = "";

	for (int i = 0; i < 1024; i++)
		memcpy(text + 3 * i, "cs,", 3);
	snprintf(text + 3 * 1024 - 1, 64, "%s", last);
	EXPECT_EQ(parse(text), *last ? -EINVAL : 0);
	EXPECT_STREQ(err.text, *last ? "more than 1024 events" : "");
	EXPECT_EQ(list.nr, *last ? (size_t)0 : (size_t)1024);
}

TEST(more_events_than_a_list_takes_are_counted)
{
	expect_too_many("");
	expect_too_many(",faults");
	expect_too_many(",arm_spe_0//");
}

TEST(without_the_pmu_the_reason_is_reported)
{
	const struct event_rules rules = {.devices = devices,
					  .pmu = "not_here"};

	events_free(&list);
	EXPECT_EQ(events_parse(&list, "cpu_cycles", &rules, &err), -ENOENT);
	EXPECT_TRUE(strstr(err.text, "not_here"));
}

static void __attribute__((destructor)) clean_up(void)
{
	events_free(&list);
	if (devices[0])
		fake_sysfs_remove(devices);
}

/* Events without a bit in PMCEID<n>_EL0 have no file in sysfs. */
TEST(names_that_sysfs_lacks_are_known)
{
	ASSERT_EQ(parse("l1d_cache_miss,pmu_snapshot/STALL_BACKEND_MEMBOUND/,"
			"armv9_cortex_a710/l1d_cache_miss/"),
		  0);
	EXPECT_EQ(list.event[0].attr.attr.config, 0x8144u);
	EXPECT_EQ(list.event[1].attr.attr.config, 0x8164u);
	EXPECT_EQ(list.event[2].attr.attr.config, 0x8144u);
	EXPECT_STREQ(list.event[0].name, "pmu_snapshot/l1d_cache_miss/");
}

/* If PMCEID<n>_EL0 had it, so would sysfs. */
TEST(names_that_the_cpu_denies_are_refused)
{
	EXPECT_EQ(parse("l3d_cache"), -EINVAL);
	EXPECT_EQ(parse("pmu_snapshot/l3d_cache/"), -EINVAL);
}

TEST(names_of_a_maker_need_its_cpu)
{
	const uint64_t neoverse_n1 = 0x413fd0c1, thunderx2 = 0x431f0af1;

	ASSERT_TRUE(event_name_find("ld_spec", neoverse_n1));
	EXPECT_EQ(event_name_find("ld_spec", neoverse_n1)->number, 0x70);
	EXPECT_FALSE(event_name_find("ld_spec", thunderx2));
	EXPECT_FALSE(event_name_find("ld_spec", 0));
	EXPECT_TRUE(event_name_find("br_retired", 0));
}

TEST(each_event_has_one_name_and_one_number)
{
	const struct pmscope_event_name *name;
	size_t nr;

	name = event_names(&nr);
	EXPECT_GT(nr, 200);
	for (size_t i = 1; i < nr; i++) {
		if (name[i].source == name[i - 1].source)
			EXPECT_LT(name[i - 1].number, name[i].number);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(name[i].name, name[k].name))
				EXPECT_STREQ(name[i].name, "twice");
	}
}
