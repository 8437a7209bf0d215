-- SPDX-License-Identifier: GPL-2.0-or-later
-- Cache lines that several threads of a process use, each at addresses of its own,
-- and some of them write. It needs samples that were exported with --addresses.
select host, pid, va - va % 64 as line, count(*) as n,
	count(distinct tid) as threads
from samples
where va is not null and tid is not null
group by host, pid, va - va % 64
having count(distinct tid) > 1 and sum(case when op = 'store' then 1 else 0 end) > 0
	and count(distinct tid * 64 + va % 64) = count(distinct va % 64)
order by n desc, host, pid, line
limit 20
