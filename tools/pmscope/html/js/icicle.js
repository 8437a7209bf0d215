// SPDX-License-Identifier: GPL-2.0-or-later
// The icicle: binary, file, functions inlined into each other, line, instruction,
// thread name. Width and colour are what the lists say.

const LEVEL_HEIGHT = 22;
const SMALLEST = 0.002; // of the width

const WIDTHS = [
	...(model.by_time ? [['ticks', 'samples of the clock', s => s.ticks]] : []),
	...(model.by_cost ? [['own', 'own cycles', s => s.own]] : []),
	['samples', 'samples', s => s.samples],
	['cycles', 'cycles of latency', s => s.cycles],
	...EVENT_TITLES.map((title, i) => ['event' + i, title.toLowerCase() + 'es',
		s => s.events[i]]),
];

const COLOURS = [
	...(model.by_time ? [['mean_time', 'time for an operation',
		s => s.samples ? s.ticks / s.samples / (model.ticks / model.samples)
			: null, x => x.toFixed(2) + ' × the mean']] : []),
	...(model.by_cost ? [['mean_own', 'mean own cycles',
		s => s.timed ? s.own / s.timed : null, cycles]] : []),
	['mean', 'mean latency', s => s.timed ? s.cycles / s.timed : null,
		cycles],
	...EVENT_TITLES.map((title, i) => ['rate' + i, 'share with ' +
		title.toLowerCase(), s => s.samples ? s.events[i] / s.samples : null,
	percent]),
];

const CALLERS = [['no', 'not shown'], ['yes', 'with callers (estimate)']];

const icicle_view = { width: WIDTHS[0][0], colour: COLOURS[0][0], callers: 'no',
	root: [] };

// The callers of a place, the outermost first.
function callers_of(place) {
	const stack = place.callers === undefined ? null
		: model.stacks[place.callers];
	return stack ? stack.map(name => ['caller', name_of(name)])
		: [['caller', '[callers unknown]']];
}

// The names of a place from the outermost to the innermost.
function path_of(place, with_callers) {
	const path = [...(with_callers ? callers_of(place) : []),
		['binary', place.dso || 'unknown file']];
	if (place.file)
		path.push(['file', place.file]);
	const frames = place.frames ? place.frames.split(' < ').reverse()
		: [place.sym || (place.pc ? '[unknown]' : 'all other places')];
	for (const frame of frames)
		path.push(['function', frame]);
	if (place.line)
		path.push(['line', (place.file || '').replace(/.*\//, '') + ':' +
			place.line]);
	if (place.pc)
		path.push(['instruction', (place.sym && place.symoff !== undefined
			? '+0x' + place.symoff.toString(16) : place.pc) +
			(place.text ? '  ' + place.text : '')]);
	else if (place.sym)
		path.push(['instruction', 'other instructions']);
	path.push(['comm', place.comm || 'unknown thread']);
	return path;
}

function paths_of(with_callers) {
	return places.map((place, i) => i ? path_of(place, with_callers)
		: [['binary', 'all other places']]);
}

const paths = { no: paths_of(false) };
if (model.chains)
	paths.yes = paths_of(true);

// Samples of each function, whatever its thread.
function samples_by_sym(list) {
	const by = new Map();
	for (const [i, n] of list)
		by.set(places[i].sym, (by.get(places[i].sym) || 0) + n);
	return by;
}

// Half the range, with 95 % confidence, of the samples of a node: if n chains
// end in a function with N samples, a caller's share p of them has the variance
// p * (1 - p) / n.
function caller_error(node, all) {
	const chains = new Map(places.filter(p => p.chains)
		.map(p => [p.sym, p.chains]));
	const whole = samples_by_sym(all.places);
	let variance = 0;
	for (const [sym, n] of samples_by_sym(node.places))
		if (chains.get(sym))
			variance += n * (whole.get(sym) - n) / chains.get(sym);
	return 1.96 * Math.sqrt(variance);
}

function add_sums(to, from) {
	to.samples += from.samples;
	to.timed += from.timed;
	to.cycles += from.cycles;
	to.own += from.own;
	to.ticks += from.ticks;
	from.events.forEach((n, i) => { to.events[i] += n; });
}

function new_node(level, name) {
	return { level, name, sums: new_sums(), children: new Map(), places: [] };
}

function tree_of(sums) {
	const root = new_node('all', 'all');
	sums.places.forEach((of, i) => {
		let node = root;
		add_sums(root.sums, of);
		root.places.push([i, of.samples]);
		for (const [level, name] of paths[icicle_view.callers][i]) {
			const key = level + '\0' + name;
			if (!node.children.has(key))
				node.children.set(key, new_node(level, name));
			node = node.children.get(key);
			add_sums(node.sums, of);
			node.places.push([i, of.samples]);
		}
	});
	return root;
}

function option_of(list, key) {
	return list.find(([name]) => name === key);
}

// Nodes that are wide enough, with their places, from 0 to 1.
function layout(node, width, begin, share, depth, path, list) {
	const of = width(node.sums);
	let x = begin;
	list.push({ node, x: begin, width: share, depth, path });
	const children = [...node.children].sort((a, b) =>
		width(b[1].sums) - width(a[1].sums));
	for (const [key, child] of children) {
		const part = of ? share * width(child.sums) / of : 0;
		if (part >= SMALLEST)
			layout(child, width, x, part, depth + 1, [...path, key], list);
		x += part;
	}
}

function node_text(node, root) {
	const all = root.sums;
	const [, width_name, width] = option_of(WIDTHS, icicle_view.width);
	const [, colour_name, colour, text] = option_of(COLOURS,
		icicle_view.colour);
	return `${node.level}: ${node.name}\n${count(width(node.sums))} ` +
		`${width_name}, ${percent(width(node.sums) / width(all))}\n` +
		`${count(node.sums.samples)} samples` + (node.level === 'caller'
		? `, estimated ± ${count(Math.ceil(caller_error(node, root)))}` : '') +
		'\n' +
		`${colour_name}: ${text(colour(node.sums))}`;
}

function descend(root, path) {
	let node = root;
	for (const key of path) {
		if (!node.children.has(key))
			break;
		node = node.children.get(key);
	}
	return node;
}

function colour_scale(list) {
	const [, , colour] = option_of(COLOURS, icicle_view.colour);
	const rate = !icicle_view.colour.startsWith('mean');
	const top = list.reduce((a, { node }) =>
		Math.max(a, colour(node.sums) || 0), 0) || 1;
	return node => {
		const value = colour(node.sums);
		if (value === null)
			return HEAT[0] && 'rgb(200,204,210)';
		return heat(rate ? value / top : Math.log1p(value) / Math.log1p(top));
	};
}

// Moves the focus: left and right among all, up to the parent, down to a child.
function icicle_keys(event, items, i, zoom) {
	const here = items[i];
	const inside = other => other.path.length === here.path.length + 1 &&
		here.path.every((key, k) => other.path[k] === key);
	const around = other => other.path.length === here.path.length - 1 &&
		other.path.every((key, k) => here.path[k] === key);
	const same = items.filter(o => o.depth === here.depth);
	const to = { ArrowDown: () => items.find(inside),
		ArrowUp: () => items.find(around),
		ArrowRight: () => same[same.indexOf(here) + 1],
		ArrowLeft: () => same[same.indexOf(here) - 1] }[event.key];
	if (event.key === 'Backspace') {
		event.preventDefault();
		zoom(icicle_view.root.slice(0, -1));
		return;
	}
	if (!to)
		return;
	event.preventDefault();
	const next = to();
	if (next) {
		here.element.tabIndex = -1;
		next.element.tabIndex = 0;
		next.element.focus();
	}
}

function draw_icicle(box, crumbs, sums, focus) {
	const root = tree_of(sums);
	const top = descend(root, icicle_view.root);
	const [, , width] = option_of(WIDTHS, icicle_view.width);
	const list = [];
	if (width(top.sums))
		layout(top, width, 0, 1, 0, icicle_view.root, list);
	const colour = colour_scale(list);
	const zoom = path => {
		icicle_view.root = path;
		draw_icicle(box, crumbs, sums, true);
	};
	const depth = list.reduce((a, item) => Math.max(a, item.depth), 0) + 1;
	box.style.height = depth * LEVEL_HEIGHT + 'px';
	box.replaceChildren(...list.map((item, i) => {
		const text = node_text(item.node, root);
		const element = make('div', { class: 'node', role: 'treeitem',
			tabindex: i ? -1 : 0, 'aria-level': item.depth + 1,
			'aria-selected': 'false',
			'aria-label': text.replaceAll('\n', ', '),
			onclick: () => zoom(item.path),
			onpointermove: event => show_tip(event, text),
			onpointerleave: hide_tip }, item.node.name);
		element.addEventListener('keydown', event => {
			if (event.key === 'Enter' || event.key === ' ') {
				event.preventDefault();
				zoom(item.path);
			} else {
				icicle_keys(event, list, i, zoom);
			}
		});
		element.style.left = 100 * item.x + '%';
		element.style.width = 100 * item.width + '%';
		element.style.top = item.depth * LEVEL_HEIGHT + 'px';
		element.style.height = LEVEL_HEIGHT + 'px';
		element.style.background = colour(item.node);
		item.element = element;
		return element;
	}));
	draw_crumbs(crumbs, root, zoom);
	if (focus && list.length)
		list[0].element.focus();
	if (!list.length)
		box.append(make('p', {}, 'No such samples.'));
}

function draw_crumbs(crumbs, root, zoom) {
	const parts = [make('button', { type: 'button', onclick: () => zoom([]) },
		'all')];
	icicle_view.root.forEach((key, i) => parts.push(' › ',
		make('button', { type: 'button',
			onclick: () => zoom(icicle_view.root.slice(0, i + 1)) },
		key.split('\0')[1])));
	crumbs.replaceChildren(...parts);
}

const CALLERS_NOTE = 'Callers are an estimate: SPE samples have no stack, so a ' +
	`sample gets the callers of one of ${count(model.chains || 0)} call ` +
	'chains, of the one that ends in the same function, is of the same thread, ' +
	'and is nearest in time. Each caller has its error, with 95 % confidence. ' +
	`At most ${model.callers_shown} callers are shown, the innermost ones.`;

function build_icicle() {
	const section = at('icicle');
	const box = make('div', { class: 'tree', role: 'tree', 'aria-label':
		'Programs, files, functions, lines, instructions and threads' });
	const crumbs = make('p', { class: 'levels' });
	let last = null;
	const list = (id, label, options) => make('label', {}, label + ' ',
		make('select', { id: 'icicle-' + id, onchange: event => {
			icicle_view[id] = event.target.value;
			if (id === 'callers')
				icicle_view.root = [];
			draw_icicle(box, crumbs, last);
		} }, ...options.map(([value, text]) =>
			make('option', { value }, text))));
	section.append(make('p', { class: 'dim' },
		'Each row divides the one above it: binary, source file, ' +
		'function (outermost first, then what was inlined), line, ' +
		'instruction, thread name. Press a part to enlarge it; Backspace goes back.'),
	make('div', { class: 'controls' }, list('width', 'Width', WIDTHS),
		list('colour', 'Colour', COLOURS),
		model.chains ? list('callers', 'Callers', CALLERS) : null),
	make('p', { class: 'dim' }, model.chains ? CALLERS_NOTE : ''), crumbs, box);
	on_change(sums => {
		last = sums;
		draw_icicle(box, crumbs, sums);
	});
}
