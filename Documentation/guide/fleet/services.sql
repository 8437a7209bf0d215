-- SPDX-License-Identifier: GPL-2.0-or-later
-- The services that cost most cycles of latency over the fleet: control groups, or,
-- where the recording does not tell them, threads by name.
with costs as (
	select coalesce(cgroup, comm, 'unknown') as service,
		count(distinct host) as hosts,
		sum(lat_sum * coalesce(1e0 * operations / samples, 1)) as cycles
	from rollup group by coalesce(cgroup, comm, 'unknown')
)
select service, hosts, round(cycles) as cycles,
	round(100 * cycles / sum(cycles) over (), 1) as percent
from costs
order by cycles desc, service
limit 20
