-- SPDX-License-Identifier: GPL-2.0-or-later
-- The datasets below ./lake as tables, in ClickHouse.
set use_hive_partitioning = 1;
create view samples as select * from
	file('lake/dataset=samples/*/*/*.parquet', Parquet);
create view rollup as select * from
	file('lake/dataset=rollup/*/*/*.parquet', Parquet);
create view losses as select * from
	file('lake/dataset=losses/*/*/*.parquet', Parquet);
