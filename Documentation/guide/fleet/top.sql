-- SPDX-License-Identifier: GPL-2.0-or-later
-- The code that costs most cycles of latency over the fleet. A sample stands for
-- operations / samples operations, or for one, if the interval is not known.
select r.build_id as build, r.file_offset as place, max(r.dso) as file,
	max(r.sym) as symbol, count(distinct r.host) as hosts,
	round(sum(r.lat_sum * coalesce(1e0 * r.operations / r.samples, 1))) as cycles
from rollup r
group by r.build_id, r.file_offset
order by cycles desc, build, place
limit 20
