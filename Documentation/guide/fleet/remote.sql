-- SPDX-License-Identifier: GPL-2.0-or-later
-- The share of loads that remote memory or a remote cache answered, by rack: its
-- label, or the part of a host's name before the first hyphen, or the name.
with loads as (
	select host, samples, remote, case when labels like 'rack=%'
			or labels like '%,rack=%' then substring(',' || labels,
				position(',rack=' in ',' || labels) + 6)
		end as label
	from rollup where op = 'load'
), racks as (
	select coalesce(substring(label, 1, position(',' in label || ',') - 1),
			substring(host, 1, position('-' in host || '-') - 1)) as rack,
		samples, remote
	from loads
)
select rack, sum(samples) as loads,
	round(100.0 * sum(remote) / sum(samples), 2) as percent
from racks
group by rack
order by percent desc, rack
limit 10
