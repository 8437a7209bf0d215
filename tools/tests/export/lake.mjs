// SPDX-License-Identifier: GPL-2.0-or-later
// lake.mjs MODULES DIR CSV: compares the datasets of DIR with CSV, which is what
// `pmscope script --format=csv` prints of the same recording, in SQL. Prints a
// line for each comparison, with the number of rows that differ.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, directory, csv] = process.argv.slice(2);
const require = createRequire(join(modules, '..', '/'));
const { DuckDBInstance } = require('@duckdb/node-api');
const base = await (await DuckDBInstance.create()).connect();
const ask = async (sql) => (await base.runAndReadAll(sql)).getRows();

const part = (name) =>
	`read_parquet('${directory}/dataset=${name}/*/*/*.parquet')`;

// Columns that have the same name and meaning in both; addresses are text in CSV.
const same = ['cpu', 'pid', 'tid', 'comm', 'el', 'sym', 'dso', 'op', 'lat_total',
	'lat_issue', 'lat_xlat', 'source', 'source_name', 'time', 'cgroup', 'build_id',
	'file_offset', 'target_build_id', 'target_offset', 'counter', 'counter_value',
	'operations', 'object', 'member'];
const addresses = ['pc', 'va', 'pa', 'target', 'midr'];

// What perf's words for the operation say, for each flag.
const flags = {
	atomic: '(^| )AT( |$)', exclusive: '(^| )EXCL( |$)',
	acquire_release: '(^| )AR( |$)', sve: '(^| )SVE-',
};
// Without events it is not known whether a branch was taken.
const isBranch = `op = 'branch'`;
const bits = { 'L1D-REFILL': 3, 'TLB-REFILL': 5, 'NOT-TAKEN': 6, MISPRED: 7,
	'LLC-REFILL': 9 };

const text = (name) => `coalesce("${name}"::varchar, '')`;
const hex = (name) =>
	`case when "${name}" is null then '' else printf('0x%x', "${name}") end`;
const has = (word) => `list_contains(string_split(events, '|'), '${word}')`;

const ofParquet = [
	...same.map((name) => `${text(name)} as "${name}"`),
	...addresses.map((name) => `${hex(name)} as "${name}"`),
	...Object.keys(flags).map((name) => `coalesce("${name}", false) as ${name}`),
	'coalesce(conditional, false) as conditional',
	'coalesce(taken, false) as taken',
	`bit_count(coalesce(events, 0))::int as nr_events`,
	...Object.entries(bits).map(([word, bit]) =>
		`(coalesce(events, 0) >> ${bit}) & 1 = 1 as "${word}"`),
];
// A byte that is no UTF-8 is an escape there.
const ofCsv = [
	...[...same, ...addresses].map((name) =>
		`replace(${text(name)}, '\\ufffd', chr(65533)) as "${name}"`),
	...Object.entries(flags).map(([name, words]) =>
		`regexp_matches(${text('op_text')}, '${words}') as ${name}`),
	`coalesce(${isBranch}, false) and regexp_matches(op_text, 'COND')
		as conditional`,
	`coalesce(${isBranch} and not ${has('NOT-TAKEN')}, false) as taken`,
	`len(list_filter(string_split(coalesce(events, ''), '|'), e -> e != ''))::int
		as nr_events`,
	...Object.keys(bits).map((word) =>
		`coalesce(${has(word)}, false) as "${word}"`),
];

await ask(`create table printed as select ${ofCsv} from
	read_csv('${csv}', header = true, all_varchar = true, nullstr = '',
		quote = '"', escape = '"')
	where type = 'spe'`);
await ask(`create table stored as select ${ofParquet} from ${part('samples')}`);

const counted = `list_transform(regexp_extract_all(coalesce(counts, ''),
	'=([0-9]+)', 1), v -> v::hugeint)`;
const rows = (from, except) => `(select count(*) from
	(select * from ${from} except all select * from ${except}))`;
const sums = `sum(1)::hugeint samples, count(lat_total) lat_samples,
	coalesce(sum(lat_total), 0) lat_sum, count(lat_xlat) xlat_samples,
	count(*) filter ((events >> 3) & 1 = 1) l1d_refill,
	count(*) filter ((events >> 7) & 1 = 1) mispredicted,
	count(*) filter (lat_total between 16 and 31) lat_from_16,
	count(*) filter (lat_total between 256 and 511) lat_from_256,
	count(*) filter (lat_total = 0) lat_from_0`;
const key = 'build_id, file_offset, dso, op, source, source_name, midr, comm, cgroup';
const comparisons = {
	'samples that only script prints': `select ${rows('printed', 'stored')}`,
	'samples that only the dataset has': `select ${rows('stored', 'printed')}`,
	'rows of rollup': `with again as (select ${key}, ${sums} from
			${part('samples')} group by all),
		rollup as (select ${key}, ${['samples', 'lat_samples', 'lat_sum',
			'xlat_samples', 'l1d_refill', 'mispredicted', 'lat_from_16',
			'lat_from_256', 'lat_from_0'].map((name) => `sum(${name})`)}
			from ${part('rollup')} group by all)
		select ${rows('again', 'rollup')} + ${rows('rollup', 'again')}`,
	'buckets that do not add up': `select count(*) from ${part('rollup')} where
		lat_samples != list_sum(list_value(columns('lat_from_(.*)')))`
		.replace(`list_sum(list_value(columns('lat_from_(.*)')))`,
			[0, ...Array.from({ length: 16 }, (_, i) => 1 << i)]
				.map((from) => `lat_from_${from}`).join(' + ')),
	'mappings with other counts': `with again as (select build_id, dso,
			count(*) n from ${part('samples')} where pc is not null group by all)
		select ${rows('again', `(select build_id, dso, sum(samples) from
			${part('mappings')} where samples > 0 group by all)`)}`,
	'counts in CSV and not in counters': `select abs(
		(select coalesce(sum(list_sum(${counted})), 0) from
			read_csv('${csv}', header = true, all_varchar = true,
				quote = '"', escape = '"')
			where type != 'spe') -
		(select coalesce(sum(value), 0) from ${part('counters')}))`,
	'offsets of what is no file': `select count(*) from ${part('samples')} where
		file_offset is not null and build_id is null and not (el > 0 and
		(dso is null or dso not in ('[bpf]')) or regexp_matches(dso, '^/[^/]'))`,
	'samples that hosts does not count': `select abs((select sum(samples) from
		${part('hosts')}) - (select count(*) from ${part('samples')}))`,
};

for (const [name, sql] of Object.entries(comparisons))
	console.log(`${name}: ${(await ask(sql))[0][0]}`);
process.exit(0);
