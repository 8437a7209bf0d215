-- SPDX-License-Identifier: GPL-2.0-or-later
-- Percentiles of the total latency by function, from the buckets: p90 is at least
-- p90_from and less than p90_to cycles. Buckets of many hosts add up, percentiles
-- do not.
with buckets as (
	select dso, sym, 0 as low, 1 as high, lat_from_0 as n from rollup
	union all select dso, sym, 1, 2, lat_from_1 from rollup
	union all select dso, sym, 2, 4, lat_from_2 from rollup
	union all select dso, sym, 4, 8, lat_from_4 from rollup
	union all select dso, sym, 8, 16, lat_from_8 from rollup
	union all select dso, sym, 16, 32, lat_from_16 from rollup
	union all select dso, sym, 32, 64, lat_from_32 from rollup
	union all select dso, sym, 64, 128, lat_from_64 from rollup
	union all select dso, sym, 128, 256, lat_from_128 from rollup
	union all select dso, sym, 256, 512, lat_from_256 from rollup
	union all select dso, sym, 512, 1024, lat_from_512 from rollup
	union all select dso, sym, 1024, 2048, lat_from_1024 from rollup
	union all select dso, sym, 2048, 4096, lat_from_2048 from rollup
	union all select dso, sym, 4096, 8192, lat_from_4096 from rollup
	union all select dso, sym, 8192, 16384, lat_from_8192 from rollup
	union all select dso, sym, 16384, 32768, lat_from_16384 from rollup
	union all select dso, sym, 32768, 65536, lat_from_32768 from rollup
), sums as (
	select dso, sym, low, high, sum(n) as timed from buckets
	where sym is not null group by dso, sym, low, high
), steps as (
	select dso, sym, low, high,
		sum(timed) over (partition by dso, sym order by low
			rows between unbounded preceding and current row) as until,
		sum(timed) over (partition by dso, sym) as samples
	from sums
)
select dso as file, sym as symbol, max(samples) as timed,
	min(case when until >= 0.5 * samples then low end) as p50_from,
	min(case when until >= 0.5 * samples then high end) as p50_to,
	min(case when until >= 0.9 * samples then low end) as p90_from,
	min(case when until >= 0.9 * samples then high end) as p90_to,
	min(case when until >= 0.99 * samples then low end) as p99_from,
	min(case when until >= 0.99 * samples then high end) as p99_to
from steps
where samples > 0
group by dso, sym
order by timed desc, file, symbol
limit 50
