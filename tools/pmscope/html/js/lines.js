// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of memory: who uses what part of them, in the selection.

// Bits of what a sample did, as in enum line_access.
const LOADS = 1, STORES = 2, ATOMIC = 4, PEER = 8;

function new_use() {
	return { samples: 0, loads: 0, stores: 0, atomics: 0, peer: 0, timed: 0,
		cycles: 0 };
}

function add_use(to, use) {
	for (const what of Object.keys(to))
		to[what] += use[what];
}

// The sums of a list of [position, access, samples, cycles above the class].
function selected_use(list) {
	const use = new_use();
	for (let i = 0; i < list.length; i += 4) {
		const of_class = list[i] % ROW, n = list[i + 2];
		if (!is_in_region(Math.floor(list[i] / ROW), of_class))
			continue;
		const did = bit => list[i + 1] & bit ? n : 0;
		const access = list[i + 1];
		use.loads += did(LOADS);
		use.stores += did(STORES);
		use.atomics += did(ATOMIC);
		use.peer += did(PEER);
		use.samples += did(LOADS) + did(STORES) +
			(access & (LOADS | STORES) ? 0 : n);
		use.timed += of_class < CLASSES ? n : 0;
		use.cycles += list[i + 3] + (of_class < CLASSES
			? n * model.classes[of_class] : 0);
	}
	return use;
}

function thread_key(t) {
	return t.tid ? 'thread ' + t.tid : 'CPU ' + t.cpu;
}

// As pmscope judges a line: the threads write to it, and to the same parts of it,
// or not.
function line_verdict(offsets) {
	const threads = new Set(offsets.flatMap(p => p.threads.map(thread_key)));
	const writes = t => t.stores || t.atomics;
	if (threads.size < 2)
		return 'one thread';
	if (!offsets.some(p => p.threads.some(writes)))
		return 'read only';
	return offsets.some(p => p.threads.length > 1 && p.threads.some(writes))
		? 'true sharing' : 'false sharing';
}

// The line as it is in the selection; null if nobody uses it there.
function selected_line(line) {
	if (!state.region || !line.offsets.every(p => p.threads.every(t =>
		t.moments)))
		return { ...line, whole: Boolean(state.region) };
	const sums = selected_use(line.others || []);
	const offsets = line.offsets.map(part => ({ ...part, threads: part.threads
		.map(t => ({ ...t, ...selected_use(t.moments) }))
		.filter(t => t.samples) })).filter(part => part.threads.length);
	offsets.forEach(part => part.threads.forEach(t => add_use(sums, t)));
	return sums.samples ? { ...line, ...sums, offsets, threads: new Set(
		offsets.flatMap(p => p.threads.map(thread_key))).size,
	verdict: line_verdict(offsets) } : null;
}

function selected_lines() {
	return model.lines.map(selected_line).filter(Boolean);
}

// Samples of the lines for which the page has no time.
function lines_without_time() {
	const all = { t0: 0, t1: SLICES, c0: 0, c1: CLASSES };
	const region = state.region;
	state.region = all;
	const known = selected_lines().reduce((n, l) => n + l.samples, 0);
	state.region = region;
	return model.lines.reduce((n, l) => n + l.samples, 0) - known;
}

// The threads of a line, with what each does at each offset.
function line_threads(line) {
	const threads = new Map();
	for (const part of line.offsets)
		for (const t of part.threads) {
			const key = thread_key(t);
			if (!threads.has(key))
				threads.set(key, { name: clean(t.comm || '?') + ' ' +
					(t.tid || 'CPU ' + t.cpu), parts: new Map() });
			const use = threads.get(key).parts.get(part.offset) || new_use();
			add_use(use, t);
			threads.get(key).parts.set(part.offset, use);
		}
	return [...threads.values()];
}

// Parts of one member have a line of one colour.
const MEMBER_COLOURS = ['#e0703a', '#5aa469', '#7f8fd9', '#e5c454', '#b07cc6',
	'#4fa3a5', '#d97fa8', '#8a6d3b'];

function mark_member(cell, line, part) {
	const members = [...new Set(line.offsets.map(p => p.member))].filter(Boolean);
	const nr = members.indexOf(part.member);
	if (nr >= 0)
		cell.style.boxShadow = 'inset 0 -3px ' +
			MEMBER_COLOURS[nr % MEMBER_COLOURS.length];
	return cell;
}

function grid_cell(use) {
	if (!use)
		return make('td', {});
	const writes = use.stores || use.atomics, reads = use.loads;
	return make('td', { class: writes ? 'w' : 'r', title:
		`${use.loads} loads, ${use.stores} stores` },
	writes && reads ? 'RW' : writes ? 'W' : 'R');
}

const LINE_THREADS = 48; // rows of a line

// Those with the most samples, and how many there are.
function most_threads(line) {
	const all = line_threads(line);
	const size = thread => [...thread.parts.values()].reduce((n, use) =>
		n + use.samples, 0);
	return [all.map(t => [size(t), t]).sort((a, b) => b[0] - a[0])
		.slice(0, LINE_THREADS).map(([, t]) => t), all.length];
}

function line_grid(line) {
	const [threads, nr] = most_threads(line);
	const name = part => '+' + part.offset + (part.variable
		? ' ' + clean(part.member || part.variable) : '');
	return make('div', { class: 'scroll', tabindex: 0, role: 'region',
		'aria-label': 'Threads by bytes of line ' + line.address },
	make('table', { class: 'grid' },
	nr > threads.length ? make('caption', { class: 'left' },
		`The ${threads.length} of ${count(nr)} threads with the most samples`)
		: null,
	make('thead', {}, make('tr', {},
		make('th', { scope: 'col', class: 'left' }, 'Thread \\ byte'),
		...line.offsets.map(part => mark_member(make('th', { scope: 'col',
			'data-member': part.member && clean(part.member) },
		name(part)), line, part)))),
	make('tbody', {}, ...threads.map(thread => make('tr', {},
		make('th', { scope: 'row', class: 'left' }, thread.name),
		...line.offsets.map(part => mark_member(grid_cell(
			thread.parts.get(part.offset)), line, part)))))));
}

function line_summary(line) {
	const syms = [...new Set(line.offsets.map(p => p.sym && clean(p.sym))
		.filter(Boolean))].slice(0, 4).join(', ');
	return `: ${counted(line.samples, 'sample')}, ` +
		`${counted(line.loads, 'load')}, ${counted(line.stores, 'store')}, ` +
		`${counted(line.threads, 'thread')}, mean ` +
		cycles(line.timed ? line.cycles / line.timed : null) + ' cycles' +
		(line.peer ? `, ${count(line.peer)} from another core's cache` : '') +
		(syms ? ': ' + syms : '') +
		(line.whole ? ' (of the whole recording)' : '');
}

// Lines that someone opened or closed stay so.
const lines_open = new Map();

function line_key(line) {
	return line.address + ' ' + line.pid;
}

function line_item(line, i) {
	const shared = /sharing/.test(line.verdict);
	const open = lines_open.get(line_key(line)) ?? (shared && i < 3);
	const grid = event => {
		lines_open.set(line_key(line), event.target.open);
		if (event.target.open && event.target.children.length < 2)
			event.target.append(line_grid(line));
	};
	return make('details', { open, 'data-line': line_key(line), ontoggle: grid },
	make('summary', {}, make('code', {}, line.address), ' ',
		make('span', { class: shared ? 'verdict-bad' : null }, line.verdict),
		line_summary(line)), open ? line_grid(line) : null);
}

let alone_open = null; // unless someone chose: where there is nothing else

// Lines that others use first, then those of one thread in one row.
function line_items(lines) {
	const is_alone = line => line.verdict === 'one thread';
	const alone = lines.filter(is_alone);
	const items = lines.filter(line => !is_alone(line)).map(line_item);
	if (alone.length)
		items.push(make('details', { open: alone_open ?? !items.length,
			ontoggle: event => { alone_open = event.target.open; } },
		make('summary', {}, counted(alone.length, 'line') + ' of one thread'),
		...alone.map(line_item)));
	return items;
}

function lines_note(lines) {
	const shared = lines.filter(l => /sharing/.test(l.verdict)).length;
	const unused = model.lines.length - lines.length;
	return `${shared || 'None'} of the ${count(lines.length)} lines shown ` +
		`${shared === 1 ? 'is' : 'are'} used by several threads, and at least ` +
		'one of them writes. R: read, W: written.' + (unused
		? ` ${count(unused)} more have no samples in the selection.` : '');
}

function build_lines() {
	if (!model.lines.length)
		return;
	const note = make('p', { id: 'lines-note' });
	const list = make('div', { id: 'line-list' });
	const timeless = lines_without_time();
	at('lines').hidden = false;
	at('lines').append(note, list);
	if (timeless)
		at('lines').append(make('p', { class: 'note' }, 'For ' +
			`${count(timeless)} samples of these lines the page has no ` +
			'time: a selection leaves them out.'));
	if (model.lines_total > model.lines.length)
		at('lines').append(make('p', { class: 'dim' },
			count(model.lines_total - model.lines.length) +
			' more lines: see pmscope report --cachelines.'));
	if (model.lines_left_out)
		at('lines').append(make('p', { class: 'note' },
			count(model.lines_left_out) + ' samples are in no line: there ' +
			'were too many different addresses.'));
	on_change(() => {
		const lines = selected_lines();
		note.textContent = lines_note(lines);
		list.replaceChildren(...line_items(lines));
	});
}
