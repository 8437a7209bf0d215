// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of places that allocate. Each program prints call chains, and what it
 * calls them: the function and the line that want the memory.
 */
#include "symbols_scenario.h"

#define CALLERS                                                           \
	"#include <stdio.h>\n#include <stdlib.h>\n"                       \
	"static char at[99]; static const char *who, *is = \"\";\n"       \
	"#define HERE(what) (sprintf(at, AT, __LINE__), who = __func__, " \
	"what)\n"                                                         \
	"__attribute__((noinline)) void *take(size_t n) {\n"              \
	"  char **frame = (char **)__builtin_frame_address(0), **next;\n" \
	"  for (int i = 0; i < 12; i++, frame = next) {\n"                \
	"    printf(\"%p \", frame[1]); next = (char **)*frame;\n"        \
	"    if (next <= frame || next - frame > 1000) break; }\n"        \
	"  printf(\"= [heap] %s%s%s\\n\", who, at, is); return malloc(n); }\n"

static const char in_c[] = CALLERS
	"__attribute__((noinline)) void *xmalloc(size_t n) {\n"
	"  void *volatile p = take(n); return p; }\n"
	"static inline __attribute__((always_inline)) void *MyAllocate(int n) "
	"{\n"
	"  void *volatile p = take(n); return p; }\n"
	"__attribute__((noinline)) void *direct(void) {\n"
	"  void *volatile p = HERE(take(8));\n"
	"  return p; }\n"
	"__attribute__((noinline)) void *wrapped(void) {\n"
	"  void *volatile p = HERE(xmalloc(8)); return p; }\n"
	"__attribute__((noinline)) void *inlined(void) {\n"
	"  return HERE(MyAllocate(8)); }\n"
	"int main(void) { return !direct() + !wrapped() + !inlined(); }\n";

static const char in_cxx[] = CALLERS
	"#include <new>\n#include <vector>\n"
	"void *operator new(size_t n) { void *volatile p = take(n); return p; "
	"}\n"
	"void operator delete(void *p) noexcept { free(p); }\n"
	"void operator delete(void *p, size_t) noexcept { free(p); }\n"
	"#include <map>\n#include <unordered_map>\n#include <list>\n"
	"namespace shop { struct Item { long a, stock; };\n"
	"std::map<long, Item> tree; std::unordered_map<int, Item> *hash;\n"
	"std::list<Item> list;\n"
	"__attribute__((noinline)) Item *make() {\n"
	"  Item *made = HERE(new Item); return made; }\n"
	"__attribute__((noinline)) void fill(long i) {\n"
	"  is = \";64 40 *._M_storage.second.a\"; HERE(tree[i]);\n"
	"  is = \";32 24 *._M_storage.stock\"; HERE(list.push_back({1, 2}));\n"
	"  is = \";64 24 Item[].stock\"; HERE(std::vector<Item>(i)); } }\n"
	"int main() { is = \";16 8 Item.stock\"; shop::make(); shop::fill(4); "
	"}\n";

/* Each function calls once, and has what it gets; memory is never there. */
static const char of_arm64[] =
	"typedef unsigned long size_t; void *take(size_t n);\n"
	"struct item { int price, stock; };\n"
	"struct entry { struct entry *next; struct item item[3]; };\n"
	"typedef struct { long low, high; } range_t;\n"
	"struct shop { long id; struct { struct item *all; range_t *r; } has; "
	"};\n"
	"static struct entry *volatile table; struct entry *globals[2];\n"
	"void use(void *p); char *text(void) {\n"
	"  char *t = take(100); use(t); return t; }\n"
	"long local(long n) { struct entry *e = take(n * sizeof(*e));\n"
	"  use(e); return e->next != 0; }\n"
	"struct entry *checked(void) { struct entry *e;\n"
	"  range_t *r; e = take(sizeof(*e)); r = 0; use(r);\n"
	"  if (!e) return 0; e->next = e; use(e); return e; }\n"
	"void global(void) { table = take(24); }\n"
	"void member(struct shop *s) {\n"
	"  s->has.r = take(sizeof(*s->has.r)); use(s); }\n"
	"static inline __attribute__((always_inline)) void fill(range_t *r) {\n"
	"  r->low = 1; use(r); }\n"
	"void passes(void) { fill(take(64)); }\n"
	"struct item *item_alloc(void) { return take(8); }\n"
	"void pointers(struct shop *s) { struct entry **all = take(80);\n"
	"  use(all); use(s); }\n"
	"long *sized_alloc(long n) { long *p = take(n + 8);\n"
	"  if (!p) return 0; *p = n; return p + 1; }\n"
	"void *any_alloc(long n, long m) { char *p = take(n); use(p);\n"
	"  return p + m; }\n"
	"void shifted(void) { range_t *r = (range_t *)sized_alloc(32);\n"
	"  use(r); r = any_alloc(32, 8); use(r); }\n"
	"void _start(void) {}\nvoid *take(size_t n) { return (void *)n; }\n"
	"void use(void *p) { __asm__ volatile(\"\" : : \"r\"(p)); }\n";

static void expect_site(struct scenario *sc, char *line)
{
	struct pmscope_place places[PMSCOPE_CALLERS_MAX] = {};
	uint64_t callers[PMSCOPE_CALLERS_MAX], size, at;
	struct pmscope_member member;
	struct pmscope_site site = {};
	size_t nr = 0;
	char *is;

	for (; *line != '='; line += *line == ' ') {
		places[nr] = (struct pmscope_place){.dso = "/usr/bin/program",
						    .pid = 10};
		callers[nr] = places[nr].file_offset =
			strtoull(line, &line, 16) - 1 -
			fixture_gap("root/usr/bin/program", "R E");
		nr++;
	}
	line += 2;
	is = strsep(&line, ";");
	EXPECT_EQ(pmscope_symbols_site(symbols_of(sc), places, callers, nr,
				       &site),
		  0);
	expect_words(site.name, is);
	if (!line)
		return;
	size = strtoull(line, &line, 10);
	at = strtoull(line, &line, 10);
	EXPECT_EQ(pmscope_symbols_site_member(symbols_of(sc), &site, size, at,
					      &member),
		  0);
	expect_words(member.path, line + 1);
}

STEP_IS(expect_sites,
	EXPECT_EQ(each_line_printed(sc, expect_site), step->v[0]));

#define BUILT(source, name, compiler)                                          \
	WRITE(name, source), NEED(compiler " -no-pie -fno-omit-frame-pointer " \
					   "-fno-optimize-sibling-calls "      \
					   "-o root/usr/bin/program " name,    \
				  "no compiler here")
#define LINES	  " -g -DAT='\" p.c:%d\"' "
#define SITES(nr) CALL(expect_sites, nr), ALL_READ

SCENARIO(sites_in_c, BUILT(in_c, "p.c", "cc -O1" LINES), SITES(3),
	 BUILT(in_c, "p.c", "clang -O2" LINES), SITES(3));
SCENARIO(sites_in_cxx, BUILT(in_cxx, "p.c", "c++ -x c++ -O1" LINES), SITES(4),
	 BUILT(in_cxx, "p.c", "c++ -x c++ -O0" LINES), SITES(4),
	 BUILT(in_cxx, "p.c", "clang++ -x c++ -O2" LINES), SITES(4));

/* Without DWARF, functions that were inlined are not known. */
SCENARIO(sites_without_lines,
	 BUILT(in_c, "p.c", "cc -O1 -fno-inline -DAT='\"\"'"), SITES(3));

/* Where the function's first call is in the file. */
static uint64_t call_in(const char *function)
{
	uint64_t at = fixture_address("root/usr/bin/program", function) -
		      fixture_gap("root/usr/bin/program", "R E");
	FILE *file = fopen(fixture_path("root/usr/bin/program"), "r");
	uint32_t code = 0;

	EXPECT_EQ(fseek(file, at, SEEK_SET), 0);
	while (code >> 26 != 0x25 && fread(&code, 4, 1, file) == 1)
		;
	at = ftell(file) - 1;
	fclose(file);
	return at;
}

/* A function, or one and whom it calls, which calls what allocates */
STEP_OF(expect_type)
{
	struct pmscope_place places[2] = {};
	struct pmscope_member member = {};
	struct pmscope_site site = {};
	char names[64], *rest = names, *name;
	uint64_t callers[2];
	size_t nr = 0;

	snprintf(names, sizeof(names), "%s", step->text);
	for (; (name = strsep(&rest, " ")); nr++) {
		callers[nr] = call_in(name);
		places[nr] = (struct pmscope_place){
			.dso = "/usr/bin/program",
			.pid = 10,
			.file_offset = callers[nr],
		};
	}
	EXPECT_EQ(pmscope_symbols_site(symbols_of(sc), places, callers, nr,
				       &site),
		  0);
	EXPECT_EQ(pmscope_symbols_site_member(symbols_of(sc), &site, step->v[0],
					      step->v[1], &member),
		  0);
	expect_words(member.path, step->data);
}
#define TYPE_OF(function, size, offset, path) \
	TELL_OF(expect_type, function, path, size, offset)
#define CROSS(options)                                                    \
	WRITE("t.c", of_arm64),                                           \
		NEED("clang --target=aarch64-linux-gnu -g -nostdlib "     \
		     "-fno-inline-functions -fno-optimize-sibling-calls " \
		     "-fno-stack-protector "                              \
		     "-static "                                           \
		     "-no-pie -fno-pie -Wl,-z,separate-code "             \
		     "-o root/usr/bin/program t.c " options,              \
		     "no compiler for arm64")
#define TYPES                                                             \
	TYPE_OF("local", 320, 8 * 32 + 16, "entry[].item[].price"),       \
		TYPE_OF("checked", 32, 12, "entry.item[].stock"),         \
		TYPE_OF("global", 64, 32, "entry[].next"),                \
		TYPE_OF("member", 16, 8, "range_t.high"),                 \
		TYPE_OF("passes", 64, 24, "range_t[].high"),              \
		TYPE_OF("item_alloc", 8, 4, "item.stock"),                \
		TYPE_OF("pointers", 80, 16, "entry *[]"),                 \
		TYPE_OF("sized_alloc shifted", 40, 16, "range_t[].high"), \
		TYPE_OF("sized_alloc shifted", 40, 4,                     \
			"[heap] shifted t.c:27+0x4"),                     \
		TYPE_OF("any_alloc shifted", 40, 16,                      \
			"[heap] shifted t.c:27+0x10"),                    \
		TYPE_OF("item_alloc global", 8, 4, "item.stock"),         \
		TYPE_OF("text", 100, 5, "[heap] text t.c:8+0x5"), ALL_READ

SCENARIO(types_without_optimization, CROSS("-O0"), TYPES);
SCENARIO(types_with_frame_pointers, CROSS("-O0 -fno-omit-frame-pointer"),
	 TYPES);
SCENARIO(types_with_optimization, CROSS("-O1"), TYPES, CROSS("-O2"), TYPES,
	 CROSS("-O2 -gdwarf-4"), TYPES);
