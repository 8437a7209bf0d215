// SPDX-License-Identifier: GPL-2.0-or-later
// Overview, data sources, counters, instructions, and what the recording is.

function place_text(place) {
	const where = place.sym ? place.sym + (place.symoff !== undefined
		? '+0x' + place.symoff.toString(16) : '') : place.pc;
	const line = place.line ? ' (' + place.file.replace(/.*\//, '') + ':' +
		place.line + ')' : '';
	return where + line;
}

function card(title, value, note) {
	return make('div', { class: 'card' }, make('dt', {}, title),
		make('dd', {}, value), make('dd', {}, note));
}

function region_ipc() {
	if (!model.cycles)
		return null;
	if (!state.region)
		return model.ipc;
	let cycles_in = 0, instructions = 0;
	for (let s = state.region.t0; s <= Math.min(SLICES - 1, state.region.t1);
		s++) {
		cycles_in += model.cycles[s];
		instructions += model.instructions[s];
	}
	return cycles_in ? instructions / cycles_in : null;
}

// Six: beside the IPC, misses of the last level are a note of the first one's.
function overview_cards(sums) {
	const all = sums.all, ipc = region_ipc();
	const share = i => percent(all.samples ? all.events[i] / all.samples : NaN);
	const miss = (i, more) => card(EVENT_TITLES[i], share(i),
		count(all.events[i]) + ' samples' + more);
	const list = [
		card('Samples', count(all.samples), state.region
			? percent(all.samples / model.samples) + ' of all'
			: counted(model.rows, 'function')),
		card('Mean latency', cycles(all.timed ? all.cycles / all.timed
			: null), 'cycles, of ' + count(all.timed) + ' samples'),
	];
	if (ipc === null)
		return [...list, ...EVENTS.map((e, i) => miss(i, ''))];
	return [...list, card('IPC', ipc.toFixed(3), 'instructions per cycle'),
		miss(0, `; ${EVENT_TITLES[1]} ${share(1)}`), miss(2, ''), miss(3, '')];
}

// What operations of a cause are, without those that wait for them.
function who_of(cause) {
	return cause ? model.causes[cause].who.replace(', and what waits for them,', '')
		: 'operations without a cause to wait';
}

function function_name(number) {
	const row = model.functions[number];
	return row ? clean(row.sym) + ' (' + clean(row.dso) + ')' : 'other functions';
}

// Causes by their own cycles, the largest first.
function own_causes(sums) {
	return model.causes.map((c, i) => ({ i, name: c.name,
		...(sums.causes[i] || { samples: 0, own: 0, functions: new Map() }) }))
		.filter(c => c.own).sort((a, b) => b.own - a.own);
}

function most_of(cause) {
	return [...cause.functions].sort((a, b) => b[1] - a[1])[0];
}

function where_of(cause) {
	const [function_at, own] = most_of(cause);
	return `${percent(own / cause.own)} of that in ${function_name(function_at)}`;
}

// A sentence, and the code that it names.
function of_cause(cause, text) {
	return { text, place: model.functions[most_of(cause)[0]] };
}

// A selection has no waits before the issue: what counts are own cycles.
function selected_sentences(sums) {
	const all = sums.all, list = own_causes(sums);
	const own = list.reduce((n, c) => n + c.own, 0);
	const causes = list.filter(c => state.cause === null ? c.i
		: c.i === state.cause);
	const say = [{ text: `Selected: ${counted(all.samples, 'sample')}, ` +
		`${percent(all.samples / model.samples)} of all, with ` +
		`${percent(model[COST] ? all[COST] / model[COST] : NaN)} of the ` +
		COST_NAME + '.' }];
	if (!causes.length)
		return [...say,
			{ text: 'None of them waited for anything that SPE sees.' }];
	const [first, second] = causes;
	say.push(of_cause(first, (state.cause === null
		? 'Most own cycles of a cause: '
		: state.region ? 'Of the own cycles there: ' : 'Of all own cycles: ') +
		`${who_of(first.i)}, ${percent(first.own / own)}, ` +
		`${counted(first.samples, 'sample')}; ${where_of(first)}.`));
	if (second)
		say.push(of_cause(second, `Second, ${second.name}: ` +
			`${percent(second.own / own)}; ${where_of(second)}.`));
	return say;
}

// As enum row_cause orders them.
const CAUSE_COLOURS = ['var(--line)', '#b07cc6', '#b3261e', '#e0703a', '#e5c454',
	'#9acb6c', '#d97fa8', '#7f8fd9', '#8a6d3b', '#4fa3a5'];

function cause_bar(parts, label) {
	const bar = make('div', { class: 'stack causes', role: 'img',
		'aria-label': label + parts.map(p =>
			`${p.name} ${percent(p.share)}`).join(', ') });
	for (const part of parts) {
		const one = make('span', { onclick: part.select,
			onpointermove: event => show_tip(event, `${part.name}: ` +
				percent(part.share)), onpointerleave: hide_tip });
		one.style.width = 100 * part.share + '%';
		one.style.opacity = state.cause === null || !part.select ||
			part.i === state.cause ? 1 : 0.3;
		one.style.background = part.colour;
		bar.append(one);
	}
	return bar;
}

function select_cause(cause) {
	state.cause = state.cause === cause ? null : cause;
	changed();
}

// Of all cycles of latency as the sentences have them; of a selection own ones.
function cause_shares(sums) {
	const own = sums.causes.reduce((n, c) => n + c.own, 0);
	const shares = model.causes.map((c, i) => state.region
		? (sums.causes[i] && own ? sums.causes[i].own / own : 0) : c.share);
	shares[0] = Math.max(0, 1 - shares.slice(1).reduce((a, b) => a + b, 0));
	return shares;
}

function cause_parts(sums) {
	return cause_shares(sums).map((share, i) => ({ i, share,
		name: i ? model.causes[i].name : 'none of these',
		colour: CAUSE_COLOURS[i], select: () => select_cause(i) }))
		.filter(p => p.share >= 0.0005 || p.i === state.cause)
		.sort((a, b) => !a.i - !b.i || b.share - a.share);
}

function counter_in_region(pattern) {
	const counter = model.counters.find(c => pattern.test(c.event));
	if (!counter || !state.region)
		return counter ? counter.count : 0;
	return counter.slices.slice(state.region.t0, state.region.t1 + 1)
		.reduce((a, b) => a + b, 0);
}

// What counters tell: cycles that the front end or the back end lost.
function stall_parts() {
	const [all, front, back] = [/cpu_cycles/, /stall_frontend/, /stall_backend/]
		.map(counter_in_region);
	if (!all || !(front || back))
		return [];
	return [{ name: 'back end stalled', share: back / all, colour: '#e0703a' },
		{ name: 'front end stalled', share: front / all, colour: '#d97fa8' },
		{ name: 'not lost', share: Math.max(0, 1 - (front + back) / all),
			colour: 'var(--line)' }];
}

function part_legend(part) {
	const mark = make('i');
	mark.style.background = part.colour;
	const text = `${part.name} ${percent(part.share)}`;
	return make('li', {}, part.select ? make('button', { type: 'button',
		'aria-pressed': String(state.cause === part.i), onclick: part.select },
	mark, text) : make('span', {}, mark, text));
}

function build_causes(section) {
	const box = make('div', { id: 'causes' });
	section.append(box);
	on_change(sums => {
		const parts = cause_parts(sums), stalls = stall_parts();
		const again = box.contains(document.activeElement)
			? document.activeElement.textContent.replace(/ [\d.]+%$/, '') : null;
		box.replaceChildren(
			make('p', { class: 'dim' }, (state.region
				? 'Own cycles of the selected samples by cause'
				: 'Cycles of latency by cause') +
				'; press one to select its samples:'),
			cause_bar(parts, 'Cycles by cause: '),
			make('ul', { class: 'legend' }, ...parts.map(part_legend)));
		if (stalls.length)
			box.append(make('p', { class: 'dim' }, 'Cycles, as counted:'),
				cause_bar(stalls, 'Counted cycles: '),
				make('ul', { class: 'legend' }, ...stalls.map(part_legend)));
		for (const button of again ? box.querySelectorAll('button') : [])
			if (button.textContent.startsWith(again + ' '))
				button.focus();
	});
}

function all_sentences() {
	return model.verdict.map((text, i) => ({ text,
		place: model.verdict_places.find(p => p.sentence === i) }));
}

function sentence_item({ text, place }) {
	return make('li', {}, make('span', {}, clean(text)), ' ',
		place && code_link(place));
}

function build_sentences(section) {
	const list = make('ul', { class: 'verdict' });
	section.append(list);
	on_change(sums => list.replaceChildren(...(model.causes.length &&
		is_selected() ? selected_sentences(sums)
		: all_sentences()).map(sentence_item)));
}

function build_overview() {
	const cards = make('dl', { class: 'cards' });
	const section = at('overview');
	if (model.verdict && model.verdict.length)
		build_sentences(section);
	if (model.causes.length)
		build_causes(section);
	for (const line of model.losses)
		if (/lost|truncated|collision|missing/.test(line))
			section.append(make('p', { class: 'note' }, clean(line)));
	section.append(cards);
	on_change(sums => cards.replaceChildren(...overview_cards(sums)));
}

function build_sources() {
	const { box, body } = table_of('source-table', 'Table of data sources',
		['Data source', 'Samples', 'Share', 'Cycles', 'Mean latency'], ['name']);
	const none = make('p', { class: 'dim' });
	at('sources').append(box, none);
	on_change(sums => {
		const by = new Map();
		for (const [kind, of] of sums.kinds) {
			const source = (kinds[kind] || NO_KIND).source;
			if (!by.has(source))
				by.set(source, new_sums());
			add_sums(by.get(source), of);
		}
		const rest = by.get(-1);
		by.delete(-1);
		const sourced = sums.all.sourced;
		body.replaceChildren(...[...by].sort((a, b) =>
			b[1].samples - a[1].samples).map(([source, of]) => {
			const mark = make('i'), share = of.samples / sourced;
			mark.style.background = source_colour(source);
			return make('tr', {}, make('th', { scope: 'row', class: 'name' },
				make('span', { class: 'legend' }, make('span', {}, mark,
					sources[source]))),
			make('td', {}, count(of.samples)),
			cell_with_bar({ bar: () => share, text: () => percent(share) }),
			make('td', {}, percent(of.cycles / sums.all.cycles)),
			make('td', {}, cycles(of.timed ? of.cycles / of.timed : null)));
		}));
		none.textContent = rest ? count(rest.samples) +
			' samples have no data source: they are no loads, or the CPU ' +
			'does not tell.' : '';
	});
}

function build_counters() {
	if (!model.counters.length)
		return;
	const { box, body } = table_of('counter-table', 'Table of counters',
		['Event', 'Count', 'Per second', 'In the selected time', 'Readings'],
		['name']);
	const list = make('ol', { class: 'phases' });
	at('counters').hidden = false;
	at('counters').append(box, make('details', {}, make('summary', {},
		`Phases (${phases.length}): press one to select it`), list));
	if (model.counters_left_out)
		at('counters').append(make('p', { class: 'dim' },
			count(model.counters_left_out) + ' more events are not shown.'));
	list.append(...phases.map((begin, i) => {
		const end = i + 1 < phases.length ? phases[i + 1] : SLICES;
		return make('li', {}, make('button', { type: 'button', onclick: () =>
			set_region({ t0: begin, t1: end - 1, c0: 0, c1: CLASSES }) },
		milliseconds(slice_begin(begin)) + ' to ' +
			milliseconds(slice_begin(end))));
	}));
	on_change(() => body.replaceChildren(...model.counters.map(c => {
		const r = state.region;
		const part = r ? c.slices.slice(r.t0, r.t1 + 1)
			.reduce((a, b) => a + b, 0) : c.count;
		return make('tr', {}, make('th', { scope: 'row', class: 'name' },
			clean(c.event)), make('td', {}, count(c.count)),
		make('td', {}, c.ns ? count(c.count / c.ns * 1e9) : '–'),
		make('td', {}, count(part)), make('td', {}, count(c.snapshots)));
	})));
}

// The instructions that cost most.
const INSTRUCTIONS = 25;

function instruction_row(i, of, all) {
	const place = places[i];
	return make('tr', { 'data-pc': place.pc },
		make('th', { scope: 'row', class: 'name' }, place_text(place)),
		make('td', {}, count(of.samples)),
		cell_with_bar({ bar: () => of[COST] / all[COST],
			text: () => percent(of[COST] / all[COST]) }),
		make('td', {}, cycles(of.timed ? of.cycles / of.timed : null)),
		...of.events.map(n => make('td', {}, percent(n / of.samples))),
		make('td', {}, of.sourced
			? source_bar(sorted_sources(of.sources), of.sourced) : '–'));
}

function build_instructions() {
	const { box, body } = table_of('instruction-table', 'Table of instructions',
		['Instruction', 'Samples', 'Cost', 'Mean', ...EVENT_TITLES, 'Data sources'],
		{ 0: 'name', [4 + EVENT_TITLES.length]: 'left' });
	at('instructions').append(make('p', { class: 'dim' },
		`Those with the most ${COST_NAME}, of all threads. Code, below, shows them ` +
		'among the instructions around them.'), box);
	on_change(sums => {
		const list = [];
		sum_instructions(sums).forEach((of, i) => list.push([i, of]));
		list.sort((a, b) => b[1][COST] - a[1][COST] ||
			b[1].samples - a[1].samples);
		body.replaceChildren(...list.slice(0, INSTRUCTIONS).map(([i, of]) =>
			instruction_row(i, of, sums.all)));
	});
}

function build_recording() {
	const facts = make('dl', { class: 'facts' });
	const fact = (name, value) => facts.append(make('dt', {}, name),
		make('dd', {}, clean(value)));
	const p = model.provenance;
	fact('File', model.file);
	if (p.command)
		fact('Command', p.command.join(' '));
	for (const [title, key] of [['Host', 'host'], ['Kernel', 'kernel'],
		['Architecture', 'arch'], ['Recorded by', 'recorder'],
		['Page made by', 'reader'], ['CPUs online', 'cpus_online'],
		['CPU', 'cpu_desc']])
		if (p[key])
			fact(title, p[key]);
	for (const c of p.cpus)
		fact('SPE CPUs', (c.list ? c.list + ': ' : '') +
			(c.name || 'unknown model') + ', MIDR_EL1 ' + c.midr);
	for (const e of p.events)
		fact('Event', (e.name || 'unnamed') +
			(e.interval ? `, interval ${count(e.interval)} operations` : '') +
			(e.interval_changes ? ` at first, changed ${e.interval_changes} times, ` +
				`${count(e.interval_least)} to ${count(e.interval_most)}` : '') +
			(e.period ? `, period ${count(e.period)}` : '') +
			(e.frequency ? `, ${count(e.frequency)} samples per second`
				: '') + (e.settings ? ', ' + e.settings : ''));
	if (p.end)
		fact('Duration', milliseconds(p.end - p.begin));
	fact('Filter', model.filter ? model.filter + ': ' +
		count(model.filtered) + ' samples filtered out' : 'none');
	const lost = model.losses.length ? make('ul', {}, ...model.losses.map(l =>
		make('li', {}, clean(l)))) : make('p', {}, 'Nothing was lost.');
	at('recording').append(facts, make('h3', {}, 'Losses'), lost,
		make('h3', {}, 'What this page leaves out'), left_out());
}

function left_out() {
	const list = make('ul', { id: 'left-out' });
	const say = text => list.append(make('li', {}, text));
	const rest = rest_of_functions();
	const nr = model.rows - model.functions.length;
	say(nr ? `${count(nr)} of ${count(model.rows)} functions, with ` +
		`${percent(rest.samples / model.samples)} of the samples; pmscope ` +
		'report lists them all.' : 'No function is left out.');
	if (model.code.left_out)
		say(`The code of ${count(model.code.left_out)} of ` +
			`${count(model.code.left_out + code_functions.length)} functions; ` +
			'pmscope annotate shows it.');
	const single = places.filter(p => p.pc);
	const kept = single.reduce((n, p) => n + p.samples, 0);
	const alone = new Set(places.flatMap((p, i) =>
		p.pc ? [instruction_of[i]] : []));
	say(`${count(alone.size)} instructions are shown one by one, with ` +
		`${percent(kept / model.samples)} of the samples; others are summed ` +
		'by function and thread name.');
	say(`Time is kept in ${count(SLICES)} slices of ` +
		`${milliseconds(model.time.width)}, latency in ${CLASSES} classes.`);
	if (model.time.untimed)
		say(`${count(model.time.untimed)} samples have no time: they are in ` +
			'sums over all time only.');
	if (model.reduced)
		say('There were too many combinations of instruction, time and ' +
			'latency to keep: an instruction that became frequent late is ' +
			'counted among the other instructions of its function at first.');
	if (places[0].samples)
		say(`${count(places[0].samples)} samples are of functions that are ` +
			'not distinguished in selections and in the icicle.');
	return list;
}

function region_text() {
	const r = state.region;
	if (!r)
		return null;
	const time = r.t0 === 0 && r.t1 >= SLICES - 1 ? 'all time'
		: milliseconds(slice_begin(r.t0)) + ' to ' +
			milliseconds(slice_begin(Math.min(SLICES, r.t1 + 1)));
	const latency = r.c0 === 0 && r.c1 >= CLASSES ? 'any latency'
		: r.c0 >= CLASSES ? 'no latency'
			: 'latency ' + model.classes[r.c0] + ' to ' +
				class_last(Math.min(CLASSES - 1, r.c1)) + ' cycles';
	return time + ', ' + latency;
}

function build_selection() {
	const clear = at('clear');
	const reset = () => {
		state.focus = state.focus_name = state.focus_text = null;
		state.cause = null;
		set_region(null);
	};
	clear.addEventListener('click', reset);
	addEventListener('keydown', event => {
		if (event.key === 'Escape')
			reset();
	});
	on_change(sums => {
		const region = [region_text(), state.cause === null ? null
			: state.cause ? model.causes[state.cause].name : 'no cause']
			.filter(Boolean).join(', ');
		clear.hidden = !region && !state.focus;
		at('selection').textContent = (region
			? `Selected: ${region}: ${count(sums.all.samples)} of ` +
				`${count(model.samples)} samples`
			: `All ${count(model.samples)} samples`) +
			(state.focus ? `; the heat map shows ${state.focus_text}` : '');
	});
}

function build_top() {
	const p = model.provenance;
	at('subtitle').textContent = clean((p.command || []).join(' ') ||
		model.file) + (p.host ? ' on ' + clean(p.host) : '');
	document.title = 'pmscope: ' + clean(model.file);
	for (const section of document.querySelectorAll('main > section'))
		if (!section.hidden)
			at('nav').append(make('a', { href: '#' + section.id },
				section.querySelector('h2').textContent));
	build_theme(() => at('heat').redraw && at('heat').redraw());
}

build_selection();
build_overview();
build_heat();
build_functions();
build_instructions();
build_code();
build_icicle();
build_sources();
build_objects();
build_lines();
build_counters();
build_recording();
build_top();
changed();
