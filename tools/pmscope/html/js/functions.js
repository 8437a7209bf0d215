// SPDX-License-Identifier: GPL-2.0-or-later
// The table of functions. Without a selection its numbers are those of
// `pmscope report`; in a selection, percentiles are known to a class of latency.

const SOURCE_COLOURS = [
	[/^L1/, '#5aa469'], [/^L2/, '#9acb6c'], [/peer|cluster|snoop|core/i, '#b07cc6'],
	[/L3|system cache|LLC|SLC/i, '#e5c454'], [/remote/i, '#b3261e'],
	[/dram|memory|HBM/i, '#e0703a'],
];
const OTHER_COLOURS = ['#8fa1b3', '#5b7f95', '#a8a29e', '#7d6b7d'];

function source_colour(index) {
	const known = SOURCE_COLOURS.find(([name]) => name.test(sources[index]));
	return known ? known[1] : OTHER_COLOURS[index % OTHER_COLOURS.length];
}

function source_bar(list, sourced) {
	const bar = make('div', { class: 'stack', role: 'img', 'aria-label':
		list.map(([s, n]) => sources[s] + ' ' + percent(n / sourced))
			.join(', ') || 'no data source' });
	for (const [source, n] of list) {
		const part = make('span', {});
		part.style.width = 100 * n / sourced + '%';
		part.style.background = source_colour(source);
		bar.append(part);
	}
	bar.addEventListener('pointermove', event =>
		show_tip(event, bar.getAttribute('aria-label').replaceAll(', ', '\n')));
	bar.addEventListener('pointerleave', hide_tip);
	return bar;
}

function sorted_sources(map) {
	return [...map].sort((a, b) => b[1] - a[1]);
}

// A row of the table from a row of report.
function row_of_function(f, index) {
	const by_source = new Map();
	for (const s of f.sources) {
		const index_of = sources.indexOf(source_text(s));
		if (index_of >= 0)
			by_source.set(index_of, (by_source.get(index_of) || 0) +
				s.samples);
	}
	const total = f.total;
	return { index, sym: clean(f.sym), dso: clean(f.dso), samples: f.samples,
		share: f.share, cycles: f.cycles, own: f.own,
		mean: total ? total.mean : null, p50: total ? total.p50 : null,
		p90: total ? total.p90 : null, p99: total ? total.p99 : null,
		max: total ? total.max : null,
		events: EVENTS.map(e => (f.events[e] || 0) / f.samples),
		sources: by_source,
		sourced: f.sources.reduce((n, s) => n + s.samples, 0) };
}

// The same from the sums of a selection.
function row_of_sums(sums, index, all) {
	const f = model.functions[index];
	const last = share => {
		const c = percentile_class(sums, share);
		return c === null ? null : class_last(c);
	};
	return { index, sym: f ? clean(f.sym) : 'all other functions',
		dso: f ? clean(f.dso) : '', samples: sums.samples,
		share: sums[COST] / all[COST], cycles: sums.cycles,
		own: sums.own,
		mean: sums.timed ? sums.cycles / sums.timed : null,
		p50: last(0.5), p90: last(0.9), p99: last(0.99), max: last(1),
		events: sums.events.map(n => n / sums.samples),
		sources: sums.sources, sourced: sums.sourced, rough: true };
}

function rest_of_functions() {
	const sums = { samples: model.samples, cycles: model.latency };
	for (const f of model.functions) {
		sums.samples -= f.samples;
		sums.cycles -= f.cycles;
	}
	return sums;
}

const FUNCTION_COLUMNS = [
	{ key: 'samples', title: 'Samples', value: r => r.samples,
		text: r => count(r.samples) },
	{ key: 'share', title: 'Share', note: COST_NAME, value: r => r.share, bar: r => r.share,
		text: r => percent(r.share) },
	{ key: 'ops', title: 'Operations', note: 'share', value: r => r.samples,
		text: (r, all) => percent(r.samples / all.samples) },
	{ key: 'mean', title: 'Mean', note: 'cycles', value: r => r.mean,
		text: r => cycles(r.mean) },
	...['p50', 'p90', 'p99', 'max'].map(key => ({ key, title: key,
		value: r => r[key], text: r => r[key] === null ? '–'
			: (r.rough ? '≤ ' : '') + count(r[key]) })),
	...EVENTS.map((event, i) => ({ key: event, title: EVENT_TITLES[i],
		value: r => r.events[i], text: r => percent(r.events[i]) })),
];

const function_view = { sort: 'share', limit: 25, match: '' };

function function_rows(sums) {
	if (is_selected())
		return [...sums.functions].map(([index, of]) =>
			row_of_sums(of, index, sums.all));
	return model.functions.map(row_of_function);
}

function cell_with_bar(column, row, all) {
	const cell = make('td', { class: 'share' });
	const bar = make('i');
	bar.style.width = Math.max(0, Math.min(1, column.bar(row, all))) * 100 + '%';
	cell.append(bar, make('span', {}, column.text(row, all)));
	return cell;
}

function focus_function(row) {
	const same = state.focus_name === row.index;
	state.focus_name = same ? null : row.index;
	state.focus = same ? null : new Set(places.map((p, i) => i)
		.filter(i => places[i].function === row.index));
	state.focus_text = same ? null : row.sym;
	changed();
}

function function_row(row, all) {
	const focused = state.focus_name === row.index;
	return make('tr', { class: focused ? 'focused' : null,
		'data-function': row.index },
	make('th', { scope: 'row', class: 'name' }, make('button', {
		type: 'button', 'aria-pressed': focused ? 'true' : 'false',
		title: row.sym + ' — ' + row.dso + '\nShow only it in the heat map',
		onclick: () => focus_function(row) }, row.sym)),
	...FUNCTION_COLUMNS.map(c => c.bar ? cell_with_bar(c, row, all)
		: make('td', {}, c.text(row, all))),
	make('td', {}, row.sourced
		? source_bar(sorted_sources(row.sources), row.sourced) : '–'),
	make('td', { class: 'name', title: row.dso }, row.dso.replace(/.*\//, '')));
}

function sort_button(column, redraw) {
	const sorted = function_view.sort === column.key;
	return make('th', { scope: 'col', 'aria-sort': sorted ? 'descending' : null },
		make('button', { type: 'button', 'data-sort': column.key,
			onclick: () => {
				function_view.sort = column.key;
				redraw();
				document.querySelector(
					`[data-sort="${column.key}"]`).focus();
			} }, column.title + (sorted ? ' ▾' : '')),
		column.note ? make('br') : null,
		column.note ? make('small', {}, column.note) : null);
}

function draw_functions(table, more, sums) {
	const redraw = () => draw_functions(table, more, sums);
	const column = FUNCTION_COLUMNS.find(c => c.key === function_view.sort);
	const all = is_selected() ? sums.all
		: { samples: model.samples, cycles: model.latency };
	const match = function_view.match.toLowerCase();
	const rows = function_rows(sums).filter(r =>
		(r.sym + ' ' + r.dso).toLowerCase().includes(match))
		.sort((a, b) => (column.value(b) ?? -1) - (column.value(a) ?? -1) ||
			b.samples - a.samples);
	const shown = rows.slice(0, function_view.limit);
	table.replaceChildren(
		make('thead', {}, make('tr', {},
			make('th', { scope: 'col', class: 'name' }, 'Function'),
			...FUNCTION_COLUMNS.map(c => sort_button(c, redraw)),
			make('th', { scope: 'col', class: 'left' }, 'Data sources'),
			make('th', { scope: 'col', class: 'left' }, 'File'))),
		make('tbody', {}, ...shown.map(r => function_row(r, all))));
	const hidden = rows.length - shown.length;
	more.replaceChildren(
		hidden ? make('button', { type: 'button', onclick: () => {
			function_view.limit = Infinity;
			redraw();
		} }, `Show ${count(hidden)} more`) : '');
	more.append(left_out_functions(sums));
}

function left_out_functions() {
	const nr = model.rows - model.functions.length;
	if (!nr || is_selected())
		return '';
	const rest = rest_of_functions();
	return make('span', { class: 'dim' },
		` ${count(nr)} other functions are not in this page; they have ` +
		`${percent(rest.samples / model.samples)} of the samples.`);
}

function legend() {
	return make('ul', { class: 'legend', 'aria-label':
		'Colours of data sources' }, ...sources.map((name, i) => {
		const mark = make('i');
		mark.style.background = source_colour(i);
		return make('li', {}, mark, name);
	}));
}

function build_functions() {
	const section = at('functions');
	if (!model.functions.length) {
		section.append(make('p', {}, 'No SPE samples.'));
		return;
	}
	const table = make('table', { id: 'function-table' });
	const more = make('p', {});
	const match = make('input', { type: 'search', id: 'function-match' });
	const note = make('p', { class: 'dim', id: 'function-note' });
	section.append(make('div', { class: 'controls' },
		make('label', { for: 'function-match' }, 'Find function'), match),
	note, make('div', { class: 'scroll', tabindex: 0, role: 'region',
		'aria-label': 'Table of functions' }, table), more, legend());
	let last = null;
	match.addEventListener('input', () => {
		function_view.match = match.value;
		draw_functions(table, more, last);
	});
	on_change(sums => {
		last = sums;
		note.textContent = is_selected()
			? 'Of the selection: counts and means are exact; a percentile is ' +
				'at most the number shown. Misses are shares of samples.'
			: 'Numbers are exact, as pmscope report prints them. Misses are ' +
				'shares of samples. Press a function to see only it in the ' +
				'heat map.';
		draw_functions(table, more, sums);
	});
}
