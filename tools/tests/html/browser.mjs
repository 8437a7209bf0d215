// SPDX-License-Identifier: GPL-2.0-or-later
// usage: node browser.mjs PAGE REPORT ANNOTATE CALLERS SCREENSHOTS PMSCOPE ARGUMENT...
//
// Opens PAGE (of report --format=html) in a headless browser, offline, and compares
// what it shows with REPORT and ANNOTATE (report and annotate --format=jsonl of the
// same recording), and CALLERS (report --sort=callers,sym). For what it selects, it
// runs PMSCOPE with the ARGUMENTs, which name the recording. SCREENSHOTS may be
// empty. PMSCOPE_CONSUMERS is the directory that `tools/machine/build consumers`
// made. Prints a line for each mistake; the exit status is 1 if there is one.
import { execFileSync } from 'node:child_process';
import { check_accessible, check_inert, check_screens, expect, expect_true, look,
	number, open_page, parse_lines, read_lines, shot, table } from './page.mjs';

const [page_file, report_file, annotate_file, callers_file, screenshots, pmscope,
	...recording] = process.argv.slice(2);
const lines = read_lines(report_file);
const summary = lines.find(line => line.type === 'summary');
const rows = lines.filter(line => line.type === 'row');

async function selected(page) {
	return page.$eval('#selection', e => e.textContent);
}

async function check_functions(page) {
	const shown = await table(page, 'function-table');
	expect('functions on the first screen', shown.length,
		Math.min(25, rows.length));
	shown.forEach((cells, i) => {
		const row = rows[i], total = row.total;
		expect(`samples of function ${i}`, number(cells[1]), row.samples);
		expect(`share of function ${i}`, cells[2], (100 * row.share).toFixed(
			row.share && row.share < 0.1 ? 2 : 1) + '%');
		expect_true(`operations of function ${i}: ${cells[3]}`, Math.abs(parseFloat(
			cells[3]) - 100 * row.samples / summary.samples) < 0.06);
		if (total)
			expect(`latencies of function ${i}`, cells.slice(4, 9).map(number),
				[Number(total.mean.toFixed(1)), total.p50, total.p90,
					total.p99, total.max]);
		const misses = (row.events['L1D-REFILL'] || 0) / (row.samples || 1);
		expect(`L1 misses of function ${i}`, number(cells[9]),
			Number((100 * misses).toFixed(misses && misses < 0.1 ? 2 : 1)));
	});
}

async function check_sources(page) {
	const by_name = new Map();
	for (const row of rows)
		for (const s of row.sources) {
			const name = s.name || `code ${s.code}`;
			by_name.set(name, (by_name.get(name) || 0) + s.samples);
		}
	const shown = await table(page, 'source-table');
	expect('data sources', shown.map(([name, n]) => [name, number(n)]).sort(),
		[...by_name].sort());
}

// Objects, as report has them; and the members in the grids of lines.
async function check_objects(page) {
	const all = printed('', 'report', '--sort=object,member', '--weight=cost')
		.filter(row => row.type === 'row' && row.object !== 'none');
	const shown = await table(page, 'object-table');
	expect('objects', shown.length, Math.min(100, all.length));
	expect('objects are shown if there are any', await page.isVisible('#objects'),
		all.length > 0);
	shown.forEach((cells, i) => {
		const row = all[i], total = row.total;
		expect(`object ${i}`, [cells[0], cells[1], number(cells[2]), cells[3],
			...cells.slice(4, 8).map(number)],
		[shown_name(row.object), shown_name(row.member), row.samples,
			(100 * row.share).toFixed(row.share && row.share < 0.1 ? 2 : 1) +
				'%', ...total ? [Number(total.mean.toFixed(1)), total.p90,
				total.p99, total.max] : [0, 0, 0, 0]]);
	});
	const heads = await page.$$eval('.grid thead th[data-member]', list => list.map(e =>
		[e.dataset.member, e.textContent, e.style.boxShadow]));
	for (const [member, text, colour] of heads)
		expect_true(`grid names ${member}: ${text} ${colour}`,
			text.endsWith(' ' + member) && colour &&
			heads.every(h => (h[0] === member) === (h[2] === colour) ||
				heads.length > 8));
}

// Instructions: their samples, and the order.
async function check_instructions(page) {
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const sums = new Map();
	for (const p of model.places.filter(p => p.pc)) {
		const key = [p.dso, p.sym, p.symoff ?? p.pc].join();
		const sum = sums.get(key) || { samples: 0, cost: 0 };
		const f = model.functions[p.function];
		sum.samples += p.samples;
		sum.cost += !model.by_cost ? p.samples : !model.by_time ? p.own
			: f && f.own ? p.own * f.clock_samples / f.own : 0;
		sums.set(key, sum);
	}
	const wanted = [...sums.values()].sort((a, b) => b.cost - a.cost ||
		b.samples - a.samples).slice(0, 25).map(p => p.samples);
	const shown = await table(page, 'instruction-table');
	expect('samples of instructions', shown.map(row => number(row[1])), wanted);
}

// What annotate prints for each function, with the functions' own lines.
function annotated_functions(printed = read_lines(annotate_file)) {
	const functions = [];
	for (const line of printed)
		if (line.type === 'function')
			functions.push({ ...line, insns: [] });
		else if (line.type === 'instruction')
			functions[functions.length - 1].insns.push(line);
	return functions;
}

// As the page shows an instruction.
function shown_insn(insn) {
	const percent = share => (100 * share).toFixed(
		share && share < 0.1 ? 2 : 1) + '%';
	const offset = insn.symoff === null ? '?' : '+0x' + insn.symoff.toString(16);
	const events = ['L1D-REFILL', 'LLC-REFILL', 'TLB-REFILL', 'MISPRED'];
	const measures = insn.samples ? [String(insn.samples), percent(insn.share),
		insn.total ? insn.total.mean.toFixed(1) : '–',
		insn.total ? String(insn.total.p90) : '–',
		...events.map(e => percent((insn.events[e] || 0) / insn.samples))]
		: Array(8).fill('');
	return [offset, ...measures, insn.text || insn.word || '–',
		(insn.line || '').replace(/.*\//, '')];
}

// The text of an instruction is followed by where it branches to.
function check_insn(what, cells, insn) {
	const wanted = shown_insn(insn);
	const got = cells.map(c => c.replaceAll('\u202f', ''));
	if (insn.target_sym !== undefined && / <.*>$/s.test(got[9]))
		got[9] = got[9].slice(0, wanted[9].length);
	got[10] = got[10].split('  ')[0];
	if (Math.abs(parseFloat(got[2]) - 100 * insn.share) < 0.011)
		got[2] = wanted[2]; // rounded once more
	expect(what, got, wanted);
}

// Each function that the page has the code of; rows for left out instructions
// have one cell.
async function check_code(page) {
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const functions = annotated_functions();
	const text = i => model.names[i];
	expect('functions with code or the reason why not', model.code.functions
		.length + model.code.left_out, functions.length);
	const shares = await page.$$eval('#code-function option', all =>
		all.map(o => parseFloat(o.textContent)));
	expect('order of functions with code', shares, [...shares].sort((a, b) => b - a));
	for (const [i, f] of model.code.functions.entries()) {
		await page.selectOption('#code-function', String(i));
		const of = functions.find(a => a.sym === text(f.sym) &&
			a.dso === text(f.dso) && a.samples === f.samples);
		const note = await page.$eval('#code-note', e => e.textContent);
		if (of.missing)
			expect_true(`code note: ${note}`,
				note.includes(`No code: ${of.missing}.`));
		const shown = await table(page, 'code-table');
		let at = 0, samples = 0;
		for (const cells of shown) {
			if (cells.length === 1) {
				at += number(cells[0]);
				continue;
			}
			samples += of.insns[at].samples;
			check_insn(`instruction ${at} of ${of.sym}`, cells,
				of.insns[at++]);
		}
		expect(`instructions of ${of.sym}`, at, of.insns.length);
		expect(`samples of ${of.sym}`, samples + f.hidden_samples,
			of.samples);
	}
}

// The outermost callers, with their samples and the error of these.
async function check_callers(page) {
	if (!await page.$('#icicle-callers'))
		return;
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const all = read_lines(callers_file).filter(line => line.type === 'row');
	const wanted = new Map(), whole = new Map();
	for (const row of all) {
		const outermost = row.callers === '[unknown]' ? '[callers unknown]'
			: row.callers.split(';')[0];
		wanted.set(outermost, (wanted.get(outermost) || 0) + row.samples);
		whole.set(row.sym, (whole.get(row.sym) || 0) + row.samples);
	}
	const chains = new Map(model.places.filter(p => p.chains).map(p =>
		[model.names[p.sym], p.chains]));
	const error_of = name => 1.96 * Math.sqrt(all.reduce((variance, row) => {
		if (row.callers.split(';')[0] !== name || !chains.has(row.sym))
			return variance;
		const n = whole.get(row.sym), p = all.reduce((sum, r) => sum +
			(r.sym === row.sym && r.callers.split(';')[0] === name
				? r.samples : 0), 0) / n;
		// Once for each function, not for each row of it.
		return variance + n * n * p * (1 - p) / chains.get(row.sym) *
			row.samples / (p * n);
	}, 0));
	await page.selectOption('#icicle-callers', 'yes');
	const shown = await page.$$eval('[role=treeitem][aria-level="2"]', list =>
		list.map(e => [e.textContent, e.getAttribute('aria-label')]));
	expect('outermost callers', shown.map(([name]) => name).sort(),
		[...wanted.keys()].sort());
	for (const [name, label] of shown) {
		const [, samples, error] =
			/, ([0-9\u202f]+) samples, estimated ± ([0-9\u202f]+)/.exec(label) ||
			[];
		expect(`samples called by ${name}`, samples && number(samples),
			wanted.get(name));
		expect(`error of ${name}`, error && number(error),
			Math.ceil(error_of(name)));
	}
	await shot(page, screenshots, 'callers');
	await page.selectOption('#icicle-callers', 'no');
}

// A quarter of the time, drawn in the strips below the map, then as numbers.
async function check_selection(page) {
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const wanted = (from, to) => model.cells.reduce((sum, [, , list]) => {
		for (let i = 0; i < list.length; i += 4) {
			const slice = Math.floor(list[i] / (model.classes.length + 1));
			if (slice >= from && slice <= to)
				sum += list[i + 1];
		}
		return sum;
	}, 0);
	const last = Math.max(0, Math.floor(model.time.slices / 4));
	await page.selectOption('#select-from', '0');
	await page.selectOption('#select-to', String(last));
	const text = await selected(page);
	expect('selected by number', number(text.split(': ').pop().split(' of ')[0]),
		wanted(0, last));
	const functions = await table(page, 'function-table');
	const all = await page.$('text=/^Show .* more$/');
	if (!all)
		expect('functions follow the selection', functions.reduce((n, row) =>
			n + number(row[1]), 0), wanted(0, last));
	const by_class = await table(page, 'latency-table');
	expect('the table follows the selection', by_class.reduce((n, row) =>
		n + number(row[1]), 0), wanted(0, last));
	await page.keyboard.press('Escape');
	expect_true('Escape clears the selection',
		(await selected(page)).startsWith('All '));
	const canvas = page.locator('#heat canvas');
	await canvas.scrollIntoViewIfNeeded();
	const box = await canvas.boundingBox();
	await page.mouse.move(box.x + box.width * 0.3, box.y + box.height - 12);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.6, box.y + box.height - 12,
		{ steps: 4 });
	await page.mouse.up();
	const drawn = [await page.inputValue('#select-from'),
		await page.inputValue('#select-to')].map(Number);
	expect_true(`a drawn selection is some of the time: ${drawn}`,
		drawn[1] >= drawn[0] && (model.time.slices < 4 ||
			drawn[1] < model.time.slices - 1));
	expect('selected by drawing', number((await selected(page)).split(': ').pop()
		.split(' of ')[0]), wanted(...drawn));
	await page.keyboard.press('Escape');
}

function printed(filter, ...command) {
	return parse_lines(execFileSync(pmscope, [...command, '--format=jsonl',
		...filter ? ['--filter=' + filter] : [], ...recording],
	{ encoding: 'utf8' }));
}

// As names are: what steers a terminal or turns text is told as what it is.
function shown_name(name) {
	return name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

// Each line of memory, as report counts it with a filter.
async function check_selected_lines(page, model, filter) {
	const wanted = new Map(printed(filter, 'report', '--cachelines').filter(
		line => line.type === 'line').map(line =>
		[line.address + ' ' + line.pid, line]));
	const shown = await page.$$eval('#line-list details[data-line]', all => all.map(e =>
		[e.dataset.line, e.querySelector('summary').textContent]));
	const names = model.lines.map(line => line.address + ' ' + line.pid)
		.filter(name => wanted.has(name));
	const alone = name => wanted.get(name).verdict === 'one thread';
	expect('lines in the selection, those of one thread last',
		shown.map(([name]) => name),
		[...names.filter(n => !alone(n)), ...names.filter(alone)]);
	const of = (n, thing) => n + ' ' + thing + (n === 1 ? '' : 's');
	for (const [name, text] of shown) {
		const line = wanted.get(name);
		if (!line)
			continue;
		const mean = line.timed ? (line.latency / line.timed).toFixed(1) : '–';
		expect_true(`line ${name}: ${text}, expected ${JSON.stringify(line)}`,
			text.replaceAll('\u202f', '').includes(`${line.verdict}: ` +
				`${of(line.samples, 'sample')}, ${of(line.loads, 'load')}, ` +
				`${of(line.stores, 'store')}, ${of(line.threads, 'thread')}, ` +
				`mean ${mean} cycles`));
	}
}

// The instructions, as annotate counts them with a filter.
async function check_selected_code(page, model, filter) {
	const functions = annotated_functions(printed(filter, 'annotate'));
	const name = i => model.names[i];
	for (const [i, f] of model.code.functions.entries()) {
		await page.selectOption('#code-function', String(i));
		const of = functions.find(a => a.sym === name(f.sym) &&
			a.dso === name(f.dso)) || { insns: [] };
		const wanted = new Map(of.insns.filter(insn => insn.samples).map(
			insn => ['+0x' + Number(insn.symoff).toString(16), insn]));
		for (const cells of await table(page, 'code-table')) {
			if (cells.length === 1 || cells[1] === '…')
				continue;
			const insn = wanted.get(cells[0]);
			const events = insn ? ['L1D-REFILL', 'LLC-REFILL', 'TLB-REFILL',
				'MISPRED'].map(e => Math.round(insn.samples * parseFloat(
				((insn.events[e] || 0) / insn.samples)))) : [];
			expect(`selected: ${f.sym} ${cells[0]}`, cells[1] === '' ? 0
				: number(cells[1]), insn ? insn.samples : 0);
			if (!insn)
				continue;
			expect(`mean of ${f.sym} ${cells[0]}`, cells[3], insn.total
				? insn.total.mean.toFixed(1) : '–');
			expect(`events of ${f.sym} ${cells[0]}`, cells.slice(5, 9).map(
				text => Math.round(parseFloat(text) * insn.samples / 100)),
			events);
		}
	}
}

// A part of the time, then of that the longer latencies.
async function check_parts(page) {
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const { begin, width, slices } = model.time;
	const last = Math.max(0, Math.floor(slices / 3));
	const first = Math.floor(last / 2);
	let filter = `time>=${begin + first * width},` +
		`time<${begin + (last + 1) * width}`;
	await page.selectOption('#select-from', String(first));
	await page.selectOption('#select-to', String(last));
	for (const low of [0, 9]) {
		if (low) {
			const last_class = String(model.classes.length - 1);
			await page.selectOption('#select-low', { value: String(low) });
			await page.selectOption('#select-high', { value: last_class });
			filter += `,lat>=${model.classes[low]}`;
		}
		if (model.lines.length)
			await check_selected_lines(page, model, filter);
		await check_selected_code(page, model, filter);
	}
	await page.keyboard.press('Escape');
}

// A sentence leads to the instruction that it names.
async function check_jumps(page) {
	const items = await page.$$('.verdict li:has(button)');
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const has_code = place => model.code.functions.some(f =>
		model.names[f.sym] === place.sym && f.missing === undefined);
	expect('sentences that lead to code', items.length,
		model.verdict_places.filter(has_code).length);
	for (const item of items) {
		const text = await item.$eval('span', e => e.textContent);
		await (await item.$('button')).click();
		const f = await page.$eval('#code-function', e =>
			e.selectedOptions[0].textContent);
		const [sym, dso] = f.split('  ').slice(1);
		expect_true(`${text}: leads to ${f}`, text.includes(`${sym} (${dso})`));
		const offset = await page.evaluate(() =>
			document.activeElement.querySelector('th').textContent);
		expect_true(`${text}: leads to ${offset}`, !/ at \+0x/.test(text) ||
			new RegExp(` at \\${offset}\\b`).test(text));
		expect_true(`${offset} is in view`, await page.evaluate(() => {
			const row = document.activeElement.getBoundingClientRect();
			return row.top >= 0 && row.bottom <= innerHeight;
		}));
	}
}

// Each cause selects its samples, and the sentences are of these.
async function check_causes(page) {
	const model = JSON.parse(await page.$eval('#model', e => e.textContent));
	const sentences = () => page.$$eval('.verdict li > span', all =>
		all.map(e => e.textContent));
	const before = await sentences();
	expect('sentences', before, model.verdict);
	const names = await page.$$eval('#causes .legend button', all =>
		all.map(e => e.textContent));
	for (const text of names) {
		const name = text.replace(/ [0-9.]+%$/, '');
		const cause = name === 'none of these' ? 0
			: model.causes.findIndex(c => c.name === name);
		let samples = 0;
		for (const [, kind, numbers] of model.cells)
			for (let i = 0; i < numbers.length; i += 4)
				samples += kind >> 9 === cause ? numbers[i + 1] : 0;
		if (cause)
			expect(`share of ${name}`, parseFloat(text.slice(name.length)),
				Number((100 * model.causes[cause].share).toFixed(
					model.causes[cause].share < 0.1 ? 2 : 1)));
		const button = page.locator('#causes .legend button', { hasText: name });
		await button.first().click();
		expect(`samples of ${name}`, number((await selected(page))
			.replace(/.*: /, '').replace(/ of .*/, '')), samples);
		expect_true(`sentences of ${name}`,
			(await sentences())[0].startsWith('Selected: '));
		await button.first().click();
		expect(`sentences behind ${name}`, await sentences(), before);
	}
}

async function check_keyboard(page) {
	await page.focus('#heat canvas');
	await page.keyboard.press('ArrowRight');
	const one = await selected(page);
	expect_true('an arrow key selects', one.startsWith('Selected:'));
	await page.keyboard.press('Shift+ArrowRight');
	await page.keyboard.press('Shift+ArrowDown');
	expect_true('Shift extends the selection', await selected(page) !== one ||
		await page.$eval('#select-to option', () => false));
	await page.keyboard.press('Escape');
	expect_true('Escape clears it', (await selected(page)).startsWith('All '));
	await page.focus('[role=tree] [tabindex="0"]');
	await page.keyboard.press('ArrowDown');
	expect('an arrow key goes to a child', await page.evaluate(() =>
		document.activeElement.getAttribute('aria-level')), '2');
	await page.keyboard.press('Enter');
	const crumbs = await page.$$eval('.levels button', all => all.length);
	expect('Enter enlarges a part', crumbs, 2);
	await page.keyboard.press('Backspace');
	expect('Backspace goes back', await page.$$eval('.levels button', all =>
		all.length), 1);
	await page.focus('[data-sort="p99"]');
	await page.keyboard.press('Enter');
	const p99 = (await table(page, 'function-table')).map(row =>
		number(row[7]));
	expect('sorted by p99', p99, [...p99].sort((a, b) => b - a));
	await page.focus('[data-sort="share"]');
	await page.keyboard.press('Enter');
	await page.focus('#function-table tbody button');
	await page.keyboard.press('Enter');
	expect_true('a function can be put in focus',
		/heat map shows/.test(await selected(page)));
	await page.keyboard.press('Escape');
}

async function check_first_picture(page) {
	const paint = await page.evaluate(() => performance
		.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0]);
	console.log(`first picture after ${Math.round(paint)} ms`);
}

await look(async browser => {
	const page = await open_page(browser, page_file, { colorScheme: 'light' });
	await check_first_picture(page);
	const nodes = await page.evaluate(() =>
		document.querySelectorAll('*').length);
	expect_true(`the page has ${nodes} elements`, nodes < 20000);
	expect('elements of class null', await page.locator('.null').count(), 0);
	expect_true(`samples: ${await selected(page)}`,
		number(await selected(page)) === summary.samples);
	await check_functions(page);
	await check_sources(page);
	await check_objects(page);
	await check_instructions(page);
	await check_code(page);
	await check_callers(page);
	await shot(page, screenshots, 'light');
	await check_accessible(page, 'light');
	if (summary.samples) {
		await check_selection(page);
		await check_parts(page);
		await check_jumps(page);
		await check_causes(page);
		await check_keyboard(page);
	}
	await check_inert(page);
	await check_screens(browser, page_file, screenshots);
});
