// SPDX-License-Identifier: GPL-2.0-or-later
// The page of `pmscope diff --format=html`: its rows are the objects that
// --format=jsonl prints.

const summary = model.lines.find(line => line.type === 'summary');
const rows = model.lines.filter(line => line.type !== 'summary');

const view = { changed: false, selected: 0 };

const MEASURES = {
	cost: 'Cost', share: 'Share of samples', lat_mean: 'Mean latency',
	lat_p50: 'p50 of latency', lat_p90: 'p90 of latency',
	lat_p99: 'p99 of latency', issue_mean: 'Mean issue latency',
	xlat_mean: 'Mean translation latency', l1d_refill: 'L1 misses',
	llc_refill: 'LLC misses', tlb_refill: 'TLB misses',
	mispred: 'Mispredictions',
};

const SHARES = ['share', 'l1d_refill', 'llc_refill', 'tlb_refill', 'mispred'];

function figure(measure, value) {
	if (value === undefined)
		return '…'; // a limit that the samples do not give
	return SHARES.includes(measure) ? (100 * value).toFixed(2) + '%'
		: value.toFixed(1);
}

function signed(measure, value) {
	return (value > 0 ? '+' : '') + figure(measure, value);
}

function name_of_row(row) {
	return row.type === 'total' ? 'all samples'
		: model.keys.map(key => clean(row[key] ?? '?')).join('  ');
}

function is_changed(row) {
	return !['within noise', 'too few samples'].includes(row.verdict);
}

// A bar to the right for more, to the left for less, as wide as its part of
// the largest change.
function change_cell(row, most) {
	const cost = row.measures.cost;
	if (!cost)
		return make('td', {}, '–');
	const bar = make('i', { class: cost.change > 0 ? 'more' : 'less' });
	const width = most ? 50 * Math.abs(cost.change) / most : 0;
	bar.style.width = width + '%';
	bar.style.left = (cost.change > 0 ? 50 : 50 - width) + '%';
	return make('td', { class: 'share' }, bar,
		make('span', {}, signed('cost', cost.change)));
}

function interval_text(measure, of) {
	return `${signed(measure, of.low)} to ${signed(measure, of.high)}`;
}

function old_new_cells(row, measure) {
	const of = row.measures[measure];
	return ['old', 'new'].map(side => make('td', {}, of
		? figure(measure, of[side]) : '–'));
}

function row_element(row, i, most, redraw) {
	return make('tr', { class: i === view.selected ? 'focused' : null },
		make('th', { scope: 'row', class: 'name' }, make('button', {
			type: 'button', 'aria-pressed': String(i === view.selected),
			onclick: () => {
				view.selected = i;
				redraw();
			} }, name_of_row(row))),
		make('td', { class: 'left' }, row.verdict),
		change_cell(row, most),
		make('td', {}, row.measures.cost
			? interval_text('cost', row.measures.cost) : '–'),
		...old_new_cells(row, 'share'), ...old_new_cells(row, 'lat_p90'),
		make('td', {}, count(row.samples_old)),
		make('td', {}, count(row.samples_new)));
}

const ROW_TITLES = ['Cost ±', 'Interval', 'Share, old', 'new', 'p90, old', 'new',
	'Samples, old', 'new'];

function draw_rows(body, redraw) {
	const most = rows.reduce((n, row) => row.type === 'total' ? n
		: Math.max(n, Math.abs((row.measures.cost || { change: 0 }).change)),
	0);
	body.replaceChildren(...rows.map((row, i) => [row, i])
		.filter(([row]) => !view.changed || row.type === 'total' ||
			is_changed(row))
		.map(([row, i]) => row_element(row, i, row.type === 'total'
			? Math.abs((row.measures.cost || { change: 0 }).change)
			: most, redraw)));
}

function measure_row(title, measure, of) {
	const limits = side => of[side + '_low'] === undefined &&
		of[side + '_high'] === undefined ? '' : ` (${figure(measure,
		of[side + '_low'])} to ${figure(measure, of[side + '_high'])})`;
	return make('tr', {}, make('th', { scope: 'row', class: 'name' }, title),
		...['old', 'new'].map(side => make('td', {},
			figure(measure, of[side]) + limits(side))),
		make('td', {}, signed(measure, of.change)),
		make('td', {}, interval_text(measure, of)),
		make('td', { class: 'left' }, of.changed ? 'changed'
			: 'within noise'));
}

// The samples of a source are shares of those with one.
function source_rows(row) {
	const whole = side => row.sources.reduce((n, s) => n + s[side], 0);
	return row.sources.filter(s => s.change !== undefined).map(s =>
		measure_row('Source: ' + clean(s.name ?? 'code ' + s.code), 'share',
			{ ...s, old: s.old / whole('old'), new: s.new / whole('new') }));
}

function draw_measures(body, note) {
	const row = rows[view.selected];
	note.textContent = `Of ${name_of_row(row)}. Press a row above to see its ` +
		'measures here.';
	body.replaceChildren(...Object.entries(MEASURES)
		.filter(([measure]) => row.measures[measure])
		.map(([measure, title]) => measure_row(title, measure,
			row.measures[measure])), ...source_rows(row));
}

function build_overview() {
	const section = at('overview');
	section.append(make('p', { id: 'work' }, clean(summary.work_text)));
	section.append(make('p', {}, `${count(summary.changed)} of ` +
		`${count(summary.rows)} rows changed beyond noise; ` +
		`${count(summary.compared)} have enough samples to tell. Cost is in ` +
		`${summary.cost}. Together, the ${count(summary.comparisons)} ` +
		`intervals have a confidence of ${100 * summary.confidence} %, if at ` +
		`most ${Number((100 * summary.noise).toFixed(4))} % of the samples of ` +
		'a row differ from run to run.'));
	for (const what of summary.recorded_with_other)
		section.append(make('p', { class: 'note' }, clean(
			`Recorded with other ${what}: ${summary.old[what]} → ` +
			summary.new[what])));
	if (summary.unlike_cpus)
		section.append(make('p', { class: 'note' }, 'The CPUs are of other ' +
			'kinds: cycles are those of each, data sources are compared by ' +
			'name, and codes of sources without a name are not compared.'));
	if (!summary.old.samples || !summary.new.samples)
		section.append(make('p', { class: 'note' },
			'One of them has no samples: nothing to compare.'));
}

function build_rows() {
	const all = table_of('row-table', 'Table of rows',
		[model.keys.map(clean).join(', '), 'Verdict', ...ROW_TITLES],
		['left', 'left']);
	const one = table_of('measure-table', 'Measures of the row', ['Measure',
		'Old', 'New', 'Change', 'Interval', 'Verdict'], { 0: 'left', 5: 'left' });
	const note = make('p', { class: 'dim', id: 'measure-note' });
	const redraw = () => {
		const had_focus = all.body.contains(document.activeElement);
		draw_rows(all.body, redraw);
		draw_measures(one.body, note);
		if (had_focus)
			all.body.querySelector('[aria-pressed=true]').focus();
	};
	const only = make('input', { type: 'checkbox', id: 'only-changed',
		onchange: () => {
			view.changed = only.checked;
			view.selected = 0;
			redraw();
		} });
	at('rows').append(make('div', { class: 'controls' }, only,
		make('label', { for: 'only-changed' }, 'Only what changed')), all.box);
	if (model.left_out)
		at('rows').append(make('p', { class: 'dim', id: 'left-out' },
			`${count(model.left_out)} more rows are left out; see --limit.`));
	at('measures').append(note, one.box);
	redraw();
}

// Of what was lost, only what is not 0.
function fact_text(value) {
	if (typeof value === 'number')
		return count(value);
	if (typeof value !== 'object')
		return clean(value);
	return Object.entries(value).filter(([, n]) => n).map(([what, n]) =>
		count(n) + ' ' + clean(what)).join(', ') || 'nothing';
}

function build_recordings() {
	const table = table_of('recording-table', 'Table of recordings',
		['What', 'Old', 'New'], ['left', 'left', 'left']);
	const keys = [...new Set([...Object.keys(summary.old),
		...Object.keys(summary.new)])];
	table.body.append(...keys.map(key => make('tr', {},
		make('th', { scope: 'row', class: 'left' }, clean(key)),
		...['old', 'new'].map(side => make('td', { class: 'left' },
			fact_text(summary[side][key] ?? '–'))))));
	at('recording').append(table.box);
}

function build_top() {
	at('subtitle').textContent = clean(summary.old.file) + ' → ' +
		clean(summary.new.file);
	document.title = 'pmscope diff: ' + at('subtitle').textContent;
	build_theme();
}

build_top();
build_overview();
build_rows();
build_recordings();
