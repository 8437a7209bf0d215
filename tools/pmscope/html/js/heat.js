// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map of time and latency, and below it strips over the same time.

const heat_map = { left: 74, right: 10, top: 8, row: 11, strip: 44, gap: 16 };

// Only the classes between the first and the last with samples have rows.
const class_rows = (() => {
	const used = new Set(cells.class);
	const all = [...used].filter(c => c < CLASSES).sort((a, b) => a - b);
	const rows = [];
	for (let c = all[0]; all.length && c <= all[all.length - 1]; c++)
		rows.push(c);
	if (used.has(CLASSES))
		rows.unshift(CLASSES);
	return rows.reverse(); // the longest on top
})();

// What the strips show: [title, value of each slice or null].
function strip_list() {
	const samples = new Float64Array(SLICES + 1);
	const timed = new Float64Array(SLICES + 1);
	const latency = new Float64Array(SLICES + 1);
	for (let i = 0; i < cells.length; i++) {
		samples[cells.slice[i]] += cells.samples[i];
		if (cells.class[i] < CLASSES)
			timed[cells.slice[i]] += cells.samples[i];
		latency[cells.slice[i]] += cells.cycles[i];
	}
	const list = [['Samples', Array.from(samples.subarray(0, SLICES))],
		['Mean latency, cycles', Array.from({ length: SLICES }, (_, i) =>
			timed[i] ? latency[i] / timed[i] : null)]];
	if (model.cycles)
		list.push(['Instructions per cycle', model.cycles.map((c, i) =>
			c ? model.instructions[i] / c : null)]);
	for (const counter of model.counters.slice(0, 4))
		list.push([clean(counter.event), counter.slices]);
	return list;
}

const strips = strip_list();

// A phase begins where some number changes by half, as in report --timeline.
function find_phases() {
	const differs = (a, b) => Math.max(a, b) >= 16 &&
		Math.max(a, b) > 1.5 * Math.min(a, b);
	const [samples, means] = [strips[0][1], strips[1][1]];
	const begins = [];
	let sum = null;
	for (let i = 0; i < SLICES; i++) {
		const counts = [samples[i], ...model.counters.map(c => c.slices[i])];
		// The first and the last one are parts of a slice.
		const other = sum && i > 1 && i + 1 < SLICES &&
			(counts.some((c, k) => differs(sum.counts[k] / sum.nr, c)) ||
				(sum.timed >= 16 && samples[i] >= 16 && means[i] !== null &&
					differs(sum.cycles / sum.timed, means[i])));
		if (!sum || other || i === 1) {
			sum = { nr: 0, counts: counts.map(() => 0), timed: 0, cycles: 0 };
			if (i !== 1)
				begins.push(i);
		}
		sum.nr++;
		counts.forEach((c, k) => { sum.counts[k] += c; });
		if (means[i] !== null) {
			sum.timed += samples[i];
			sum.cycles += means[i] * samples[i];
		}
	}
	return begins;
}

const phases = find_phases();

const MAX_PHASES = 12; // drawn in the map

function heat_size(width) {
	const m = heat_map;
	m.width = width;
	m.plot = width - m.left - m.right;
	m.bottom = m.top + class_rows.length * m.row;
	m.axis = m.bottom + 22;
	m.height = m.axis + strips.length * (m.strip + m.gap) + 4;
	m.column = m.plot / Math.max(1, SLICES);
}

function heat_context(canvas) {
	const scale = devicePixelRatio || 1;
	heat_size(canvas.clientWidth || 800);
	canvas.width = Math.round(heat_map.width * scale);
	canvas.height = Math.round(heat_map.height * scale);
	canvas.style.height = heat_map.height + 'px';
	const g = canvas.getContext('2d');
	g.scale(scale, scale);
	g.clearRect(0, 0, heat_map.width, heat_map.height);
	g.font = '11px system-ui, sans-serif';
	return g;
}

// More is brighter on a dark page, and hotter on a light one.
const DARK_HEAT = [[38, 56, 78], [47, 95, 143], [106, 138, 150],
	[226, 172, 96], [255, 238, 190]];

function cell_colour(x) {
	return document.documentElement.dataset.theme === 'dark'
		? blend(DARK_HEAT, x) : heat(x);
}

function draw_scale(scale, grid) {
	const most = grid.reduce((a, b) => Math.max(a, b), 0);
	scale.replaceChildren('Samples in a cell: ' + (most ? 1 : 0) + ' ',
		...[0.12, 0.34, 0.56, 0.78, 1].map(x => {
			const colour = make('span', { class: 'scale' });
			colour.style.background = cell_colour(x);
			return colour;
		}), ' ' + count(most));
}

function draw_cells(g, grid) {
	const m = heat_map;
	const top = Math.log1p(grid.reduce((a, b) => Math.max(a, b), 0)) || 1;
	g.fillStyle = css('--cold');
	g.fillRect(m.left, m.top, m.plot, m.bottom - m.top);
	class_rows.forEach((c, row) => {
		for (let s = 0; s < SLICES; s++) {
			const n = grid[s * ROW + c];
			if (!n)
				continue;
			g.fillStyle = cell_colour(0.12 + 0.88 * Math.log1p(n) / top);
			g.fillRect(m.left + s * m.column, m.top + row * m.row,
				Math.max(1, m.column - (m.column > 4 ? 0.5 : 0)),
				m.row - 0.5);
		}
	});
}

// Of an axis, in ns: 1, 2 or 5 and zeros, at most so many times.
function round_step(length, most) {
	const digit = 10 ** Math.floor(Math.log10(Math.max(1, length / most)));
	return digit * [1, 2, 5, 10].find(n => n * digit * most >= length);
}

function draw_axes(g) {
	const m = heat_map;
	g.fillStyle = css('--dim');
	g.textAlign = 'right';
	g.textBaseline = 'middle';
	class_rows.forEach((c, row) => {
		const first = c < CLASSES ? model.classes[c] : 'none';
		if (c === CLASSES || c % 2 === 0 || class_rows.length < 12)
			g.fillText(String(first), m.left - 6,
				m.top + (row + 0.5) * m.row);
	});
	g.textBaseline = 'top';
	const length = SLICES * model.time.width;
	const [unit, name] = unit_of(length);
	const step = round_step(length, Math.max(2, Math.floor(m.plot / 90)));
	for (let at_ns = 0; at_ns <= length && length; at_ns += step) {
		const x = m.left + at_ns / model.time.width * m.column;
		g.textAlign = at_ns === 0 ? 'left'
			: x > m.width - 40 ? 'right' : 'center';
		g.fillText(+(at_ns / unit).toFixed(6) + ' ' + name, x, m.bottom + 4);
	}
	g.save();
	g.translate(10, (m.top + m.bottom) / 2);
	g.rotate(-Math.PI / 2);
	g.textAlign = 'center';
	g.textBaseline = 'middle';
	g.fillText('latency, cycles', 0, 0);
	g.restore();
}

function draw_strip(g, [title, values], y) {
	const m = heat_map;
	const top = values.reduce((a, b) => Math.max(a, b || 0), 0) || 1;
	g.fillStyle = css('--cold');
	g.fillRect(m.left, y, m.plot, m.strip);
	g.fillStyle = css('--bar');
	values.forEach((v, s) => {
		const height = (v || 0) / top * m.strip;
		g.fillRect(m.left + s * m.column, y + m.strip - height,
			Math.max(1, m.column - (m.column > 4 ? 0.5 : 0)), height);
	});
	g.fillStyle = css('--dim');
	g.textAlign = 'right';
	g.textBaseline = 'top';
	g.fillText(strip_text(top, large), m.left - 6, y);
	g.textAlign = 'left';
	g.textBaseline = 'bottom';
	g.fillText(title, m.left, y - 1);
}

function draw_phases(g) {
	const m = heat_map;
	if (phases.length > MAX_PHASES)
		return;
	g.strokeStyle = css('--dim');
	g.setLineDash([2, 3]);
	for (const slice of phases.slice(1)) {
		g.beginPath();
		g.moveTo(m.left + slice * m.column, m.top);
		g.lineTo(m.left + slice * m.column, m.height);
		g.stroke();
	}
	g.setLineDash([]);
}

function draw_region(g) {
	const m = heat_map, r = state.region;
	if (!r)
		return;
	const rows = class_rows.map((c, row) => [c, row])
		.filter(([c]) => c >= r.c0 && c <= r.c1).map(([, row]) => row);
	const x = m.left + Math.min(r.t0, SLICES) * m.column;
	const width = (Math.min(r.t1, SLICES - 1) - r.t0 + 1) * m.column;
	g.strokeStyle = css('--select');
	g.lineWidth = 2;
	if (rows.length)
		g.strokeRect(x, m.top + rows[0] * m.row, width,
			(rows[rows.length - 1] - rows[0] + 1) * m.row);
	g.globalAlpha = 0.16;
	g.fillStyle = css('--select');
	g.fillRect(x, m.axis, width, m.height - m.axis);
	g.globalAlpha = 1;
	g.lineWidth = 1;
}

function draw_heat(canvas, grid) {
	const g = heat_context(canvas);
	draw_cells(g, grid);
	draw_axes(g);
	strips.forEach((strip, i) => draw_strip(g, strip,
		heat_map.axis + heat_map.gap + i * (heat_map.strip + heat_map.gap)));
	draw_phases(g);
	draw_region(g);
}

// The slice and class at a position; below the map only the slice.
function heat_at(canvas, event) {
	const box = canvas.getBoundingClientRect(), m = heat_map;
	const slice = Math.floor((event.clientX - box.left - m.left) / m.column);
	const y = event.clientY - box.top;
	const row = Math.floor((y - m.top) / m.row);
	return { slice: Math.max(0, Math.min(SLICES - 1, slice)),
		row: Math.max(0, Math.min(class_rows.length - 1, row)),
		below: y > m.bottom + 2 };
}

function region_of(a, b) {
	const classes = [a.row, b.row].map(row => class_rows[row]);
	return { t0: Math.min(a.slice, b.slice), t1: Math.max(a.slice, b.slice),
		c0: a.below ? 0 : Math.min(...classes),
		c1: a.below ? CLASSES : Math.max(...classes) };
}

// Is a region all of time and latency?
function set_region(region) {
	state.region = region;
	for (const [id, value] of [['from', 't0'], ['to', 't1'], ['low', 'c0'],
		['high', 'c1']])
		if (at('select-' + id))
			at('select-' + id).value = region ? region[value]
				: { t0: 0, t1: SLICES, c0: 0, c1: CLASSES }[value];
	changed();
}

// Counts are whole numbers; means and the IPC are not.
function strip_text(value, large_text) {
	if (value === null)
		return '–';
	return Number.isInteger(value) || value >= 10 ? large_text(value)
		: value.toFixed(2);
}

function heat_tip(event, where, grid) {
	const time = milliseconds(slice_begin(where.slice)) + ' to ' +
		milliseconds(slice_begin(where.slice + 1));
	if (where.below)
		return show_tip(event, time + '\n' + strips.map(([title, values]) =>
			title + ': ' + strip_text(values[where.slice], count)).join('\n'));
	const c = class_rows[where.row];
	show_tip(event, `${time}\n${class_text(c)} cycles\n` +
		count(grid[where.slice * ROW + c]) + ' samples');
}

function follow_pointer(canvas, get_grid) {
	let begin = null;
	canvas.addEventListener('pointerdown', event => {
		begin = heat_at(canvas, event);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointermove', event => {
		const where = heat_at(canvas, event);
		heat_tip(event, where, get_grid());
		if (begin)
			set_region(region_of(begin, where));
	});
	canvas.addEventListener('pointerup', event => {
		if (begin)
			set_region(region_of(begin, heat_at(canvas, event)));
		begin = null;
	});
	canvas.addEventListener('pointercancel', () => { begin = null; });
	canvas.addEventListener('pointerleave', hide_tip);
}

// Arrows move the end of the selection; without Shift its begin, too.
function follow_keys(canvas) {
	let begin = null, end = null;
	canvas.addEventListener('keydown', event => {
		const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0],
			ArrowUp: [0, -1], ArrowDown: [0, 1] };
		const step = steps[event.key];
		if (!step || !class_rows.length)
			return;
		event.preventDefault();
		if (!state.region || !end)
			end = { slice: 0, row: 0 };
		else
			end = { slice: Math.max(0, Math.min(SLICES - 1,
				end.slice + step[0])),
			row: Math.max(0, Math.min(class_rows.length - 1,
				end.row + step[1])) };
		if (!event.shiftKey || !begin)
			begin = end;
		set_region(region_of(begin, end));
	});
}

// A selection by lists: for those who cannot draw one.
function number_controls() {
	const read = () => {
		const [t0, t1, c0, c1] = ['from', 'to', 'low', 'high'].map(id =>
			Number(at('select-' + id).value));
		const all = t0 === 0 && t1 >= SLICES && c0 === 0 && c1 === CLASSES;
		state.region = all ? null : { t0: Math.min(t0, t1),
			t1: Math.max(t0, t1), c0: Math.min(c0, c1), c1: Math.max(c0, c1) };
		changed();
	};
	const list = (id, label, options) => make('label', {}, label + ' ',
		make('select', { id: 'select-' + id, onchange: read },
			...options.map(([value, text]) =>
				make('option', { value }, text))));
	const times = Array.from({ length: SLICES }, (_, i) =>
		[i, milliseconds(slice_begin(i))]);
	const ends = Array.from({ length: SLICES }, (_, i) =>
		[i, milliseconds(slice_begin(i + 1))]);
	const classes = model.classes.map((c, i) => [i, String(c)]);
	const last = model.classes.map((c, i) => [i, String(class_last(i))]);
	const controls = make('div', { class: 'controls' },
		list('from', 'Time from', times),
		list('to', 'to', [...ends, [SLICES, 'the end']]),
		list('low', 'latency from', [...classes, [CLASSES, 'none']]),
		list('high', 'to', [...last, [CLASSES, 'any']]));
	return controls;
}

function build_heat() {
	const section = at('heat');
	if (!cells.length && !model.counters.length) {
		section.append(make('p', {}, 'No samples.'));
		return;
	}
	let grid = sum_grid();
	const scale = make('p', { class: 'dim' });
	const draw = () => {
		draw_heat(canvas, grid);
		draw_scale(scale, grid);
	};
	const canvas = make('canvas', { tabindex: 0, role: 'img',
		'aria-label': 'Heat map: samples by time and latency. Arrow keys ' +
			'select, Shift with arrow keys extends the selection, Escape ' +
			'clears it. The lists below select, too.' });
	section.append(make('p', { class: 'dim' },
		`Each column is ${milliseconds(model.time.width)}. Draw a rectangle: ` +
		'everything on this page then counts only the samples in it. In the ' +
		'strips below, draw to select a time.' + (phases.length > 1 && phases.length <= MAX_PHASES
			? ' Dashed lines begin a phase.' : '')),
	canvas, scale, number_controls(), latency_table());
	at('select-to').value = SLICES;
	at('select-high').value = CLASSES;
	on_change(() => {
		grid = sum_grid();
		draw();
	});
	follow_pointer(canvas, () => grid);
	follow_keys(canvas);
	addEventListener('resize', draw);
	section.redraw = draw;
}

function latency_table() {
	const { box, body } = table_of('latency-table', 'Samples by latency',
		['Latency, cycles', 'Samples', 'Share'], []);
	on_change(sums => {
		body.replaceChildren(...class_rows.filter(c => sums.all.classes[c])
			.map(c => make('tr', {}, make('th', { scope: 'row' },
				class_text(c)), make('td', {}, count(sums.all.classes[c])),
			make('td', {}, percent(sums.all.classes[c] /
				sums.all.samples)))));
	});
	return make('details', {}, make('summary', {}, 'As a table'), box);
}
