// SPDX-License-Identifier: GPL-2.0-or-later
// Samples by place, kind, slice of time and class of latency, and sums over any
// region of time and latency.

const CLASSES = model.classes.length; // the next one: no latency
const SLICES = model.time.slices; // the next one: no time
const ROW = CLASSES + 1;

const EVENTS = ['L1D-REFILL', 'LLC-REFILL', 'TLB-REFILL', 'MISPRED'];
const EVENT_TITLES = ['L1 miss', 'LLC miss', 'TLB miss', 'Mispredict'];

function source_text(source) {
	if (!source)
		return null;
	return clean(source.name === undefined ? 'code ' + source.code
		: source.name);
}

const sources = []; // their names
const kinds = model.kinds.map(kind => {
	const name = source_text(kind.source);
	let source = -1;
	if (name !== null) {
		source = sources.indexOf(name);
		if (source < 0)
			source = sources.push(name) - 1;
	}
	return { source, events: EVENTS.map(e => kind.events.includes(e) ? 1 : 0),
		names: kind.events };
});
const NO_KIND = { source: -1, events: [0, 0, 0, 0], names: [] };

// A number has the kind in its low bits, and above them the cause.
const CAUSE = 9, KIND = (1 << CAUSE) - 1;

function cells_of(groups) {
	const total = groups.reduce((n, group) => n + group[2].length / 4, 0);
	const cells = { length: total, place: new Uint32Array(total),
		kind: new Uint16Array(total), cause: new Uint8Array(total), slice: new Uint16Array(total),
		class: new Uint8Array(total), samples: new Float64Array(total),
		cycles: new Float64Array(total), own: new Float64Array(total) };
	let i = 0;
	for (const [place, kind, list] of groups)
		for (let j = 0; j < list.length; j += 4, i++) {
			const of_class = list[j] % ROW;
			cells.place[i] = place;
			cells.kind[i] = kind & KIND;
			cells.cause[i] = kind >> CAUSE;
			cells.slice[i] = Math.floor(list[j] / ROW);
			cells.class[i] = of_class;
			cells.samples[i] = list[j + 1];
			cells.cycles[i] = list[j + 2] + (of_class < CLASSES
				? list[j + 1] * model.classes[of_class] : 0);
			cells.own[i] = list[j + 3];
		}
	return cells;
}

const cells = cells_of(model.cells);

function name_of(number) {
	return number === undefined ? null : clean(model.names[number]);
}

const places = model.places.map(p => ({ ...p, comm: name_of(p.comm),
	dso: name_of(p.dso), sym: name_of(p.sym), file: name_of(p.file),
	frames: name_of(p.frames),
	function: p.function === undefined ? -1 : p.function }));

// An instruction has a place for each thread name, and with call chains for each
// of its callers. The first of these stands for all.
const instruction_of = (() => {
	const first = new Map();
	return places.map((p, i) => {
		const key = [p.dso, p.sym,
			p.sym === null ? p.pc : p.symoff, !p.pc].join('\0');
		if (!first.has(key))
			first.set(key, i);
		return first.get(key);
	});
})();

// A clock tells the time of functions: what they have of its samples is divided by
// own cycles. How much of it a cycle has; without a function, of the others'.
model.ticks = model.clock_samples;
const ticks_per_cycle = (() => {
	const left = (of, key) => model.functions.reduce((n, f) => n - (f[of] || 0),
		model[key]);
	const rate = (ticks, own) => own ? ticks / own : 0;
	return { '-1': rate(left('clock_samples', 'ticks'), left('own', 'own')),
		...model.functions.map(f => rate(f.clock_samples || 0, f.own)) };
})();

function new_sums() {
	return { samples: 0, timed: 0, cycles: 0, own: 0, ticks: 0, events: [0, 0, 0, 0],
		sources: new Map(), sourced: 0, classes: new Float64Array(ROW) };
}

function add_cell(sums, i, kind) {
	const n = cells.samples[i];
	sums.samples += n;
	sums.cycles += cells.cycles[i];
	sums.own += cells.own[i];
	sums.ticks += cells.own[i] * ticks_per_cycle[places[cells.place[i]].function];
	if (cells.class[i] < CLASSES)
		sums.timed += n;
	sums.classes[cells.class[i]] += n;
	for (let e = 0; e < EVENTS.length; e++)
		sums.events[e] += kind.events[e] * n;
	if (kind.source >= 0) {
		sums.sourced += n;
		sums.sources.set(kind.source,
			(sums.sources.get(kind.source) || 0) + n);
	}
}

// What things cost: time, as report decides; else cycles from issue to completion;
// samples without any.
const COST = model.by_time ? 'ticks' : model.by_cost ? 'own' : 'samples';
const COST_NAME = { ticks: 'time', own: 'own cycles', samples: 'samples' }[COST];

// The region: slices and classes from-to, or null for all of them; a cause, or
// null; and the function or places that the heat map shows.
const state = { region: null, cause: null, focus: null };

function is_in_region(slice, of_class) {
	const r = state.region;
	return !r || (slice >= r.t0 && slice <= r.t1 && of_class >= r.c0 &&
		of_class <= r.c1);
}

// Else sums are of all samples.
function is_selected() {
	return Boolean(state.region) || state.cause !== null;
}

function in_region(i) {
	return is_in_region(cells.slice[i], cells.class[i]);
}

function is_of_cause(i) {
	return state.cause === null || state.cause === cells.cause[i];
}

function add_cause(to, i, of) {
	to.samples += cells.samples[i];
	to.own += cells.own[i];
	to.functions.set(of, (to.functions.get(of) || 0) + cells.own[i]);
}

// Sums over the region and the selected cause: of all, of each function, place and
// kind; and over the region of each cause.
function sum_region() {
	const sums = { all: new_sums(), functions: new Map(), places: [],
		kinds: new Map(), causes: [] };
	for (let i = 0; i < cells.length; i++) {
		if (!in_region(i))
			continue;
		const kind = kinds[cells.kind[i]] || NO_KIND;
		const place = cells.place[i], of = places[place].function;
		const cause = cells.cause[i];
		sums.causes[cause] = sums.causes[cause] ||
			{ samples: 0, own: 0, functions: new Map() };
		add_cause(sums.causes[cause], i, of);
		if (!is_of_cause(i))
			continue;
		if (!sums.functions.has(of))
			sums.functions.set(of, new_sums());
		if (!sums.places[place])
			sums.places[place] = new_sums();
		if (!sums.kinds.has(cells.kind[i]))
			sums.kinds.set(cells.kind[i], new_sums());
		add_cell(sums.all, i, kind);
		add_cell(sums.functions.get(of), i, kind);
		add_cell(sums.places[place], i, kind);
		add_cell(sums.kinds.get(cells.kind[i]), i, kind);
	}
	if (!is_selected())
		sums.all.ticks = model.ticks; // some functions have no cycles
	return sums;
}

// Sums by instruction, at the numbers of the places that stand for them.
function sum_instructions(sums) {
	const list = [];
	sums.places.forEach((of, i) => {
		if (!places[i].pc)
			return;
		const to = list[instruction_of[i]] || new_sums();
		list[instruction_of[i]] = to;
		add_sums(to, of);
		to.sourced += of.sourced;
		for (const [source, n] of of.sources)
			to.sources.set(source, (to.sources.get(source) || 0) + n);
	});
	return list;
}

// Samples by slice and class, of the places in focus.
function sum_grid() {
	const grid = new Float64Array((SLICES + 1) * ROW);
	for (let i = 0; i < cells.length; i++)
		if ((!state.focus || state.focus.has(cells.place[i])) &&
			is_of_cause(i))
			grid[cells.slice[i] * ROW + cells.class[i]] +=
				cells.samples[i];
	return grid;
}

function class_last(number) {
	return number + 1 < CLASSES ? model.classes[number + 1] - 1 : 65535;
}

function class_text(number) {
	if (number >= CLASSES)
		return 'none';
	const first = model.classes[number], last = class_last(number);
	return first === last ? String(first) : first + '–' + last;
}

// The class in which the percentile is: latencies are exact in no finer way.
function percentile_class(sums, share) {
	let below = 0;
	for (let c = 0; c < CLASSES; c++) {
		below += sums.classes[c];
		if (sums.timed && below >= share * sums.timed)
			return c;
	}
	return null;
}

function slice_begin(slice) {
	return slice * model.time.width;
}

const listeners = [];

function on_change(listener) {
	listeners.push(listener);
}

function changed() {
	const sums = sum_region();
	for (const listener of listeners)
		listener(sums);
}
