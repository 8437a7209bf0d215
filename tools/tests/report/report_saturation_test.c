// SPDX-License-Identifier: GPL-2.0-or-later
/* Latencies at the limit of a CPU's counters, in reports. */
#include "scenario.h"

#define AT_LIMIT	   " total latencies are at the counter's limit of "
#define LIMIT_OF(nr, bits) HAS(" " nr AT_LIMIT bits ";")

/* The last record of each CPU has no address. */
#define LATENCY(time, cycles)                                               \
	T_PACKET(PMSCOPE_PACKET_COUNTER, PMSCOPE_COUNTER_TOTAL, 2, cycles), \
		T_TIME(time)
#define ADDRESSED(time, cycles)                                          \
	T_PACKET(PMSCOPE_PACKET_ADDRESS, PMSCOPE_ADDRESS_VA, 8, 0x9000), \
		LATENCY(time, cycles)
#define OF_12_BITS                                                 \
	ADDRESSED(1, 4095), ADDRESSED(2, 4095), ADDRESSED(3, 100), \
		LATENCY(4, 4095), AREA(0, 0, 0, NO_TID)
#define OF_16_BITS                                                    \
	ADDRESSED(1, 65535), ADDRESSED(2, 4095), ADDRESSED(3, 65534), \
		LATENCY(4, 4095), AREA(0, 1, 1, NO_TID)
#define BOTH		OF_12_BITS, OF_16_BITS
#define REPORT(options) COMMAND("report " options " 2>&1")
#define HAS_BOTH	LIMIT_OF("3", "4095"), LIMIT_OF("1", "65535")

SCENARIO(counters_of_12_and_of_16_bits, BOTH, REPORT("--sort=op"), HAS_BOTH,
	 REPORT("--sort=op --threads=1"), HAS_BOTH,
	 REPORT("--sort=op --format=csv"), HAS_BOTH,
	 REPORT("--sort=cpu --threads=2"), HAS_BOTH, REPORT("--timeline"),
	 HAS_BOTH, REPORT("--timeline --format=csv"), HAS_BOTH,
	 REPORT("--sort=op --format=jsonl"), HAS("\"saturated\":4,"),
	 REPORT("--timeline --format=jsonl"), HAS("\"saturated\":4"));

SCENARIO(only_those_that_cache_lines_count, BOTH, REPORT("--cachelines"),
	 HAS(", 2 samples without\n"), LIMIT_OF("2", "4095"),
	 LIMIT_OF("1", "65535"), REPORT("--cachelines --format=jsonl"),
	 HAS("\"saturated\":3"));

SCENARIO(filters_make_no_limit, OF_16_BITS,
	 REPORT("--sort=op --filter='lat<=5000'"), LACKS(AT_LIMIT),
	 REPORT("--cachelines --filter='lat<=5000'"), LACKS(AT_LIMIT),
	 REPORT("--timeline --filter='lat<=5000'"), LACKS(AT_LIMIT), ANEW, BOTH,
	 REPORT("--sort=op --filter='lat>=4000'"), LIMIT_OF("3", "4095"),
	 REPORT("--sort=op --filter='lat>=4096'"), LACKS("4095"),
	 LIMIT_OF("1", "65535"));
