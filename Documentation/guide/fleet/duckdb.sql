-- SPDX-License-Identifier: GPL-2.0-or-later
-- The datasets below ./lake as tables, in DuckDB.
create view samples as select * from
	read_parquet('lake/dataset=samples/*/*/*.parquet', hive_partitioning = true);
create view rollup as select * from
	read_parquet('lake/dataset=rollup/*/*/*.parquet', hive_partitioning = true);
create view losses as select * from
	read_parquet('lake/dataset=losses/*/*/*.parquet', hive_partitioning = true);
