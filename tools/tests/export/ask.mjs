// SPDX-License-Identifier: GPL-2.0-or-later
// ask.mjs MODULES SQL: DuckDB's answer, a line for each row, with tabs.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, sql] = process.argv.slice(2);
const require = createRequire(join(modules, '..', '/'));
const { DuckDBInstance } = require('@duckdb/node-api');
const base = await (await DuckDBInstance.create()).connect();
for (const row of (await base.runAndReadAll(sql)).getRows())
	console.log(row.join('\t'));
