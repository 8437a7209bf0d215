// SPDX-License-Identifier: GPL-2.0-or-later
// fleet.mjs MODULES RECIPES: runs each recipe of the guide on ./lake in DuckDB and
// in ClickHouse. Prints a line for each: its name, "same" or "differs", and the
// rows as JSON.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, recipes] = process.argv.slice(2);
const require = createRequire(join(modules, '..', '/'));
const { DuckDBInstance } = require('@duckdb/node-api');
const { Session } = require('chdb');
const read = (name) => readFileSync(join(recipes, name), 'utf8');
const engines = ['duckdb.sql', 'clickhouse.sql'];

const duckdb = await (await DuckDBInstance.create()).connect();
await duckdb.run(read('duckdb.sql'));
const clickhouse = new Session();
for (const statement of read('clickhouse.sql').split(';'))
	if (/^[^-]/m.test(statement.trim()))
		clickhouse.query(statement);

// Numbers and texts as both engines have them: some print large numbers as text.
const plain = (value) => value === null || typeof value === 'string' &&
	(value === '' || !Number.isFinite(Number(value)) || /^[0-9a-f]{40}$/.test(value))
	? value : Number(value);

async function ask(sql) {
	const mine = await duckdb.runAndReadAll(sql);
	const other = clickhouse.query(sql, 'JSONCompact');

	return [mine.getRowsJson(), JSON.parse(other).data]
		.map((rows) => JSON.stringify(rows.map((row) => row.map(plain))));
}

for (const name of readdirSync(recipes).sort()) {
	if (!name.endsWith('.sql') || engines.includes(name))
		continue;
	const [mine, other] = await ask(read(name));

	console.log(`${name} ${mine === other ? 'same' : 'differs'} ${mine}`);
	if (mine !== other)
		console.log(`ClickHouse: ${other}`);
}
// Hosts that are as good as equal.
await duckdb.run(`create or replace view rollup as select * from (values
	('a', 40000, 1000, 'zone=a,rack=7', 'load', 10, 1),
	('b-1', 40000, 1000, 'rack=7', 'load', 30, 2),
	('c-1', 40001, 1000, null, 'load', 10, 0),
	('d', 40000, 1000, 'track=7', 'load', 10, 0))
	as hosts(host, lat_sum, lat_samples, labels, op, samples, remote)`);
const rowsOf = async (name) =>
	JSON.stringify((await duckdb.runAndReadAll(read(name))).getRowsJson());
console.log(`equal ${await rowsOf('outliers.sql')}`);
console.log(`racks ${await rowsOf('remote.sql')}`);
clickhouse.cleanup?.();
process.exit(0);
