-- SPDX-License-Identifier: GPL-2.0-or-later
-- The functions whose operations got slower from one build of a file to the next
-- one. The newest build is the one that was seen first last.
with builds as (
	select dso, build_id, min(date) as since
	from rollup where build_id is not null group by dso, build_id
), ranked as (
	select dso, build_id,
		row_number() over (partition by dso order by since desc) as age
	from builds
), costs as (
	select r.dso as file, r.sym as symbol, k.age as age,
		1e0 * sum(r.lat_sum) as cycles, sum(r.lat_samples) as timed
	from rollup r
	join ranked k on k.dso = r.dso and k.build_id = r.build_id
	where k.age <= 2 and r.sym is not null
	group by r.dso, r.sym, k.age
)
select n.file as file, n.symbol as symbol, o.timed as samples_before,
	round(o.cycles / o.timed, 1) as mean_before,
	n.timed as samples_after, round(n.cycles / n.timed, 1) as mean_after,
	round((n.cycles / n.timed) / (o.cycles / o.timed), 2) as ratio
from costs n
join costs o on o.file = n.file and o.symbol = n.symbol
where n.age = 1 and o.age = 2 and n.timed >= 100 and o.timed >= 100
	and n.cycles / n.timed > 1.2 * (o.cycles / o.timed)
order by ratio desc, file, symbol
