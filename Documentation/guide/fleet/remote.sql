-- SPDX-License-Identifier: GPL-2.0-or-later
-- The share of loads that remote memory or a remote cache answered, by rack: the
-- part of a host's name before the first hyphen.
with loads as (
	select substring(host, 1, position('-' in host) - 1) as rack, samples, remote
	from rollup where op = 'load'
)
select rack, sum(samples) as loads,
	round(100.0 * sum(remote) / sum(samples), 2) as percent
from loads
group by rack
order by percent desc, rack
limit 10
