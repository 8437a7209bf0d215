// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The members of variables. Each program prints the addresses of its own: what
 * the compiler says that an expression is, the library has to call so.
 */
#include "symbols_scenario.h"

#define PRINTS                                                        \
	"#include <stdio.h>\n"                                        \
	"#define IS(at, is) printf(\"%p %s\\n\", (void *)(at), is)\n" \
	"#define P(what) IS(&what, #what)\n"

static const char in_c[] = PRINTS
	"struct hidden;\n"
	"typedef struct { int hits; long misses; } stats_t;\n"
	"typedef volatile stats_t seen_t; typedef seen_t both_t;\n"
	"struct node { struct node *next; struct hidden *of; char key[12];\n"
	"  union { int number; struct { short low, high; }; };\n"
	"  union { double d; char text[16]; } value;\n"
	"  unsigned int a:3, b:9, c:20; unsigned char d:2; };\n"
	"struct node table[100], one; static stats_t stats = {1, 2};\n"
	"both_t often; struct { char c; int i; } holes;\n"
	"int grid[4][5]; struct { stats_t cell[3][4]; } matrix;\n"
	"struct { int nr; stats_t *p; char end[]; } tail; enum { A } kind;\n"
	"int (*call)(void); long scalar;\n"
	"static int in_function(void) {\n"
	"  static struct { int calls; stats_t s; } state;\n"
	"  { static int deep = 1; IS(&deep, \"*deep\"); }\n"
	"  IS(&state.s.misses, \"*.s.misses\"); return state.calls; }\n"
	"int main(void) {\n"
	"  P(stats.hits); P(stats.misses); P(often.misses); P(scalar);\n"
	"  P(table[0].next); P(table[7].of); P(table[99].key[3]);\n"
	"  IS(&table[7].number, \"table[7].number|low\");\n"
	"  IS(&table[7].high, \"table[7].number|high\"); P(one.next);\n"
	"  IS(&one.value.d, \"one.value.d|text[]\");\n"
	"  P(one.value.text[9]);\n"
	"  IS((char *)(&one.value + 1), \"one.a|b|c\");\n"
	"  IS((char *)(&one.value + 1) + 4, \"one.d\");\n"
	"  IS(&holes.c + 1, \"holes.[padding]\"); P(holes.i);\n"
	"  P(grid[3][4]); P(matrix.cell[2][3].misses);\n"
	"  P(tail.p); P(kind); P(call); return in_function(); }\n";

static const char in_cxx[] = PRINTS
	"namespace shop {\n"
	"struct Base { long id; virtual ~Base() {} };\n"
	"struct Empty {};\n"
	"struct Other { int other; };\n"
	"class Item : public Base, public Other, Empty { public:\n"
	"  static int made; int price; struct { int x, y; } at[2]; };\n"
	"int Item::made = 3; Item items[5]; Item first;\n"
	"template <typename T> struct Box { T value; T *next; };\n"
	"Box<Other> box; namespace { Box<int> hidden; } }\n"
	"using namespace shop;\n"
	"int main() {\n"
	"  IS(&first, \"shop::first._vptr.Base\");\n"
	"  IS(&first.id, \"shop::first.id\");\n"
	"  IS(&first.other, \"shop::first.other\");\n"
	"  IS(&items[3].price, \"shop::items[].price\");\n"
	"  IS(&items[3].at[1].y, \"shop::items[].at[].y\");\n"
	"  IS(&Item::made, \"shop::Item::made\");\n"
	"  IS(&box.value.other, \"shop::box.value.other\");\n"
	"  IS(&box.next, \"shop::box.next\");\n"
	"  IS(&hidden.next, \"shop::(anonymous namespace)::hidden.next\"); }\n";

static const char in_rust[] =
	"pub struct Stats { pub hits: u64, pub misses: [u32; 4] }\n"
	"pub enum Kind { Low(u32), High { left: u32, right: u32 } }\n"
	"pub struct Entry { pub next: usize, pub pair: (u64, u8),\n"
	"  pub kind: Kind }\n"
	"static mut STATS: Stats = Stats { hits: 1, misses: [0; 4] };\n"
	"static mut TABLE: [Entry; 9] = [const { Entry { next: 0,\n"
	"  pair: (0, 0), kind: Kind::Low(1) } }; 9];\n"
	"fn main() { unsafe {\n"
	"  macro_rules! p { ($e:expr, $is:expr) => {\n"
	"    println!(\"{:p} program::{}\", std::ptr::addr_of!($e), $is) } }\n"
	"  p!(STATS.hits, \"STATS.hits\");\n"
	"  p!(STATS.misses[2], \"STATS.misses[]\");\n"
	"  p!(TABLE[4].next, \"TABLE[].next\");\n"
	"  p!(TABLE[4].pair.0, \"TABLE[].pair.__0\");\n"
	"  TABLE[4].kind = Kind::High { left: STATS.misses[0], right: 2 };\n"
	"  if let Kind::High { ref left, ref right } = TABLE[4].kind {\n"
	"    println!(\"{:p} program::TABLE[].kind.Low|High\", left);\n"
	"    println!(\"{:p} program::TABLE[].kind.High.right\", right) } } "
	"}\n";

/* Each function loads once; the names of variables are those of each thread. */
static const char of_arm64[] =
	"typedef struct { long hits, misses[4]; } stats_t;\n"
	"_Thread_local volatile stats_t table[8]; _Thread_local volatile int "
	"i;\n"
	"_Thread_local volatile struct { char c; long l; } last\n"
	"  __attribute__((aligned(64)));\n"
	"long first(void) { return table[1].misses[2]; }\n"
	"long any(long n) { return table[n].hits; }\n"
	"int scalar(void) { return i; }\n"
	"long second(void) { return last.l; }\n"
	"long stack(long n) { volatile long room[16]; return room[n & 15]; }\n"
	"long pointer(long *p) { return *p; }\n"
	"int _start(void) { return 0; }\n";

/* Elements of arrays have no number. */
static void take_numbers(char *text)
{
	char *to = text;
	bool inside = false;

	for (; *text; text++) {
		inside &= *text != ']';
		if (!inside || *text < '0' || *text > '9')
			*to++ = *text;
		inside |= *text == '[';
	}
	*to = '\0';
}

static void expect_member(struct scenario *sc, char *line)
{
	struct pmscope_member member = {};
	char *name;

	sc->place.dso = "/usr/bin/program";
	sc->place.pid = 10;
	sc->place.file_offset = strtoull(line, &name, 16) -
				fixture_gap("root/usr/bin/program", "RW");
	name += *name == ' ';
	take_numbers(name);
	EXPECT_EQ(pmscope_symbols_member(symbols_of(sc), &sc->place, 0,
					 &member),
		  0);
	expect_words(member.path, name);
}

STEP_IS(expect_members,
	EXPECT_EQ(each_line_printed(sc, expect_member), step->v[0]));

/* The only instruction of a function with memory that is known, if any has. */
STEP_OF(expect_memory)
{
	uint64_t at = fixture_address("root/usr/bin/program", step->text) -
		      fixture_gap("root/usr/bin/program", "R E");
	int memory = PMSCOPE_MEMORY_UNKNOWN;
	const char *path = NULL;

	sc->place.dso = "/usr/bin/program";
	sc->place.pid = 10;
	for (uint64_t i = 0; i < 64 && !memory; i += 4) {
		sc->place.file_offset = at + i;
		memory = pmscope_symbols_memory(symbols_of(sc), &sc->place, 0,
						&path);
	}
	EXPECT_EQ(memory, (int)step->v[0]);
	EXPECT_STREQ(path, step->data);
}
#define MEMORY(function, is, path) \
	TELL_OF(expect_memory, function, path, PMSCOPE_MEMORY_##is)
#define BUILT(source, name, compiler)                              \
	WRITE(name, source),                                       \
		NEED(compiler " -g -o root/usr/bin/program " name, \
		     compiler " is not here or has not this")
#define MEMBERS(nr) CALL(expect_members, nr), ALL_READ
#define IN_C(options) \
	BUILT(in_c, "p.c", "cc -no-pie -Wno-address-of-packed-member " options)
#define IN_CXX(options) BUILT(in_cxx, "p.cc", "c++ -no-pie " options)

SCENARIO(members_in_c, IN_C("-gdwarf-5 -O1"), MEMBERS(23), IN_C("-gdwarf-4"),
	 MEMBERS(23), IN_C("-gdwarf-3 -gstrict-dwarf"), MEMBERS(23));
SCENARIO(members_of_types_in_other_units, IN_C("-fdebug-types-section"),
	 MEMBERS(23), IN_CXX("-fdebug-types-section"), MEMBERS(9));
SCENARIO(members_in_split_dwarf, IN_C("-gsplit-dwarf"), MEMBERS(23));
SCENARIO(members_by_clang, BUILT(in_c, "p.c", "clang -no-pie"), MEMBERS(23));
SCENARIO(members_in_cxx, IN_CXX("-O1"), MEMBERS(9));
SCENARIO(members_in_rust,
	 BUILT(in_rust, "program.rs",
	       "rustc -A warnings -C relocation-model=static"),
	 MEMBERS(6));

/* A function ends within 64 bytes, and the next one's memory is not its own. */
SCENARIO(memory_of_threads, WRITE("t.c", of_arm64),
	 NEED("clang --target=aarch64-linux-gnu -O1 -g "
	      "-falign-functions=64 -fno-stack-protector -nostdlib -static "
	      "-no-pie -fno-pie -Wl,-z,separate-code "
	      "-o root/usr/bin/program t.c",
	      "no compiler for arm64"),
	 MEMORY("first", THREAD, "table[].misses[]"),
	 MEMORY("any", THREAD, "table[].hits"), MEMORY("scalar", THREAD, "i"),
	 MEMORY("second", THREAD, "last.l"), MEMORY("stack", STACK, NULL),
	 MEMORY("pointer", UNKNOWN, NULL), ALL_READ);
