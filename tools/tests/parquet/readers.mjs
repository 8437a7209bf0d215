// SPDX-License-Identifier: GPL-2.0-or-later
// readers.mjs MODULES FILE READER...: one line for each reader of Parquet, with
// the number of rows and, for each column, how many values there are and their
// sum: of numbers modulo 1000003, of the bytes of texts, of twice a double.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [modules, file, ...wanted] = process.argv.slice(2);
const require = createRequire(join(modules, '..', '/'));
const MODULUS = 1000003;

async function duckdb() {
	const { DuckDBInstance } = require('@duckdb/node-api');
	const base = await (await DuckDBInstance.create()).connect();
	const ask = async (sql) => (await base.runAndReadAll(sql)).getRows();
	const types = await ask(`describe select * from '${file}'`);
	const sums = types.map(([name, type]) => {
		const sum = type === 'VARCHAR' ? `sum(strlen("${name}"))`
			: type === 'DOUBLE' ? `sum(2 * "${name}")`
			: type === 'BOOLEAN' ? `sum("${name}"::int)`
			: `sum("${name}" % ${MODULUS})`;
		return `count("${name}"), coalesce(${sum}, 0)::hugeint`;
	});
	return (await ask(`select count(*), ${sums} from '${file}'`))[0];
}

function clickhouse() {
	const { query } = require('chdb');
	const from = `file('${file}', Parquet)`;
	const types = query(`describe ${from}`, 'TSV').trim().split('\n');
	const sums = types.map((line) => {
		const [name, type] = line.split('\t');
		const sum = type.includes('String') ? `sum(length(${name}))`
			: type.includes('Float') ? `sum(toInt64(2 * ${name}))`
			: type.includes('Bool') ? `sum(toUInt8(${name}))`
			: `sum(${name} % ${MODULUS})`;
		return `count(${name}), ifNull(${sum}, 0)`;
	});
	return query(`select count(*), ${sums} from ${from}`, 'TSV')
		.trim().split('\t');
}

function sumOf(values) {
	let count = 0, sum = 0;

	for (const value of values) {
		if (value === null || value === undefined)
			continue;
		count++;
		sum += typeof value === 'string' ? Buffer.byteLength(value)
			: typeof value === 'bigint' ? Number(value % BigInt(MODULUS))
			: typeof value === 'boolean' ? Number(value)
			: Number.isInteger(value) ? value % MODULUS : value;
	}
	return [count, sum];
}

// The texts and halves of a double are told apart by the type of the column.
function sumColumn(values, isDouble) {
	const [count, sum] = sumOf(values);

	return [count, isDouble ? 2 * sum : sum];
}

async function hyparquet() {
	const load = (name) => import(pathToFileURL(join(modules, name)));
	const { asyncBufferFromFile, parquetMetadataAsync, parquetRead } =
		await load('hyparquet/src/node.js');
	const { compressors } =
		await load('hyparquet-compressors/src/index.js');
	const buffer = await asyncBufferFromFile(file);
	const metadata = await parquetMetadataAsync(buffer);
	const result = [metadata.num_rows];

	for (const { name, type } of metadata.schema.slice(1)) {
		let values = [];

		await parquetRead({
			file: buffer, metadata, compressors, columns: [name],
			onComplete: (rows) => { values = rows.map((row) => row[0]); },
		});
		result.push(...sumColumn(values, type === 'DOUBLE'));
	}
	return result;
}

function polars() {
	const pl = require('nodejs-polars');
	const frame = pl.readParquet(file);
	const result = [frame.height];

	for (const name of frame.columns) {
		const column = frame.getColumn(name);
		const kind = column.dtype.toString();

		result.push(...sumColumn(column.toArray(), /Float/.test(kind)));
	}
	return result;
}

// How often a row is out of order in its row group, by "code" then "offset".
async function order() {
	const { DuckDBInstance } = require('@duckdb/node-api');
	const base = await (await DuckDBInstance.create()).connect();
	const group = 1 << 20;
	const found = await base.runAndReadAll(`
		with rows as (
			select file_row_number as row, coalesce(code, '') as code,
				"offset", lag(coalesce(code, '')) over by_row as code0,
				lag("offset") over by_row as offset0
			from read_parquet('${file}', file_row_number = true)
			window by_row as (order by file_row_number))
		select count(*) from rows where row % ${group} > 0
			and (code0, offset0) > (code, "offset")`);

	return found.getRows()[0];
}

const readers = { duckdb, clickhouse, hyparquet, polars, order };

for (const name of wanted)
	console.log(`${name}: ${(await readers[name]()).join(' ')}`);
process.exit(0);
