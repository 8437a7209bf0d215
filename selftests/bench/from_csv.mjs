// SPDX-License-Identifier: GPL-2.0-or-later
// from_csv.mjs MODULES CSV PARQUET: what a user without datasets would do, by
// DuckDB on one CPU.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, csv, parquet] = process.argv.slice(2);
const { DuckDBInstance } =
	createRequire(join(modules, '..', '/'))('@duckdb/node-api');
const base = await DuckDBInstance.create(':memory:', { threads: '1' });

await (await base.connect()).run(`copy (from read_csv('${csv}', header = true))
	to '${parquet}' (format parquet, compression zstd)`);
process.exit(0);
