-- SPDX-License-Identifier: GPL-2.0-or-later
-- The hosts whose mean latency is far from that of their peers: more than ten times
-- the median distance from the median, and more than a hundredth of it.
with per_host as (
	select host, 1e0 * sum(lat_sum) / sum(lat_samples) as mean
	from rollup group by host having sum(lat_samples) > 0
), middle as (
	select median(mean) as center from per_host
), spread as (
	select median(abs(mean - center)) as distance
	from per_host cross join middle
)
select host, round(mean, 1) as mean_latency, round(center, 1) as fleet
from per_host cross join middle cross join spread
where abs(mean - center) > greatest(10 * distance, 0.01 * center)
order by mean_latency desc, host
