// SPDX-License-Identifier: GPL-2.0-or-later
// usage: node diff.mjs PAGE LINES [SCREENSHOTS]
//
// Compares what PAGE (of diff --format=html) shows in a browser with LINES
// (--format=jsonl of the same recordings): see page.mjs.
import { check_accessible, check_inert, check_screens, expect, expect_true, look,
	number, open_page, read_lines, shot, table } from './page.mjs';

const [page_file, lines_file, screenshots] = process.argv.slice(2);
const lines = read_lines(lines_file);
const summary = lines.find(line => line.type === 'summary');
const rows = lines.filter(line => line.type !== 'summary');

function cost_cells(row) {
	const signed = n => n === undefined ? '…'
		: (n > 0 ? '+' : '') + n.toFixed(1);
	const of = row.measures.cost;
	return of ? [signed(of.change), `${signed(of.low)} to ${signed(of.high)}`]
		: ['–', '–'];
}

function share_cells(row) {
	const of = row.measures.share;
	return of ? [of.old, of.new].map(n => (100 * n).toFixed(2) + '%')
		: ['–', '–'];
}

async function check_rows(page) {
	const shown = await table(page, 'row-table');
	expect('rows', shown.length, rows.length);
	shown.forEach((cells, i) => {
		const row = rows[i];
		expect(`row ${i}`, [cells[1], ...cells.slice(2, 6),
			...cells.slice(8).map(number)],
		[row.verdict, ...cost_cells(row), ...share_cells(row),
			row.samples_old, row.samples_new]);
		if (row.type === 'row' && /^[a-z_]*$/.test(row.sym))
			expect(`name of row ${i}`, cells[0], row.sym);
	});
	expect('work', await page.$eval('#work', e => e.textContent),
		summary.work_text);
	expect_true('how many rows changed', (await page.$eval('#work + p', e =>
		e.textContent)).startsWith(
		`${summary.changed} of ${summary.rows} rows changed`));
}

// The measures of the second row, chosen by keyboard.
async function check_measures(page) {
	await page.focus('#row-table tbody tr:nth-child(2) button');
	await page.keyboard.press('Enter');
	const names = { cost: 'Cost', lat_p90: 'p90 of latency' };
	const shown = await table(page, 'measure-table');
	for (const [measure, title] of Object.entries(names)) {
		const of = rows[1].measures[measure];
		const cells = shown.find(row => row[0] === title);
		expect(`${measure} of a row`, !cells, !of);
		if (of)
			expect(`${measure} of a row`, [cells[1].split(' ')[0],
				cells[2].split(' ')[0], cells[5]],
			[of.old.toFixed(1), of.new.toFixed(1),
				of.changed ? 'changed' : 'within noise']);
	}
	expect('the button keeps the focus', await page.evaluate(() =>
		document.activeElement.getAttribute('aria-pressed')), 'true');
}

async function check_recordings(page) {
	const shown = await table(page, 'recording-table');
	const of = name => shown.find(row => row[0] === name).slice(1);
	expect('samples', of('samples').map(number), [summary.old.samples,
		summary.new.samples]);
	expect('lost', of('lost'), ['old', 'new'].map(side => Object.entries(
		summary[side].lost).filter(([, n]) => n).map(([what, n]) =>
		`${n} ${what}`).join(', ') || 'nothing'));
}

async function check_filter(page) {
	await page.check('#only-changed');
	const changed = rows.filter(row => row.type === 'total' ||
		!['within noise', 'too few samples'].includes(row.verdict));
	expect('rows that changed', (await table(page, 'row-table')).length,
		changed.length);
	await page.uncheck('#only-changed');
}

await look(async browser => {
	const page = await open_page(browser, page_file, { colorScheme: 'light' });
	await check_rows(page);
	await check_measures(page);
	await check_recordings(page);
	await check_filter(page);
	await shot(page, screenshots, 'light');
	await check_accessible(page, 'light');
	await check_inert(page);
	await check_screens(browser, page_file, screenshots);
});
