// SPDX-License-Identifier: GPL-2.0-or-later
// The code of the heaviest functions: each instruction with what it costs. Without
// a selection its numbers are those of `pmscope annotate`.

const code_functions = model.code.functions.map(f => ({ ...f,
	sym: name_of(f.sym), dso: name_of(f.dso) }));
for (const f of code_functions) {
	const row = model.functions.findIndex(o => clean(o.sym) === f.sym &&
		clean(o.dso) === f.dso);
	f.ticks_per_cycle = ticks_per_cycle[row];
	f.ticks = f.own * f.ticks_per_cycle;
}

// Their numbers, the costliest first.
const code_order = code_functions.map((f, i) => i).sort((a, b) =>
	code_functions[b][COST] - code_functions[a][COST]);

const code_view = { function: code_order[0] };

// The places of each instruction, and all places of each function.
const code_places = (() => {
	const of = new Map();
	const add = (key, i) => of.set(key, [...of.get(key) || [], i]);
	places.forEach((p, i) => {
		if (p.sym === null)
			return;
		add(p.sym + '\0' + p.dso, i);
		if (p.pc)
			add(p.sym + '\0' + p.dso + '\0' + p.symoff, i);
	});
	return of;
})();

function code_key(f, offset) {
	return f.sym + '\0' + f.dso + (offset === undefined ? '' : '\0' + offset);
}

// Two functions with the same names have the same places.
function is_told_apart(f) {
	return code_functions.every(o => o === f || code_key(o) !== code_key(f));
}

function sums_of_places(list, sums) {
	const to = new_sums();
	for (const i of list.filter(i => sums.places[i])) {
		add_sums(to, sums.places[i]);
		sums.places[i].classes.forEach((n, c) => { to.classes[c] += n; });
	}
	return to;
}

function line_text([file, line, frames]) {
	if (file === undefined)
		return '';
	return name_of(file).replace(/.*\//, '') + ':' + line +
		(frames === undefined ? '' : '  ' + name_of(frames));
}

// What an instruction of the model is; see code.c.
function insn_of([offset, text, target, line, samples, timed, total, p90,
	own, ...events], f) {
	return { offset, text, target, line: line_text(line),
		samples: samples || 0, own, ticks: own * f.ticks_per_cycle, timed,
		total, p90, events };
}

// The same in a selection: @samples is null if the page does not know.
function insn_selected(insn, f, sums) {
	if (!insn.samples)
		return insn;
	const list = code_places.get(code_key(f, insn.offset));
	if (!list || !is_told_apart(f))
		return { ...insn, samples: null };
	const of = sums_of_places(list, sums), p90 = percentile_class(of, 0.9);
	return { ...insn, samples: of.samples, own: of.own,
		ticks: of.ticks, timed: of.timed, total: of.cycles,
		p90: p90 === null ? null : class_last(p90), events: of.events,
		rough: true };
}

function insn_measures(insn, all, most) {
	if (!insn.samples)
		return Array.from({ length: 4 + EVENTS.length }, (_, i) =>
			make('td', {}, insn.samples === null && i === 0 ? '…' : ''));
	return [make('td', {}, count(insn.samples)),
		cell_with_bar({ bar: () => insn[COST] / most,
			text: () => percent(insn[COST] / all) }),
		make('td', {}, cycles(insn.timed ? insn.total / insn.timed : null)),
		make('td', {}, insn.timed ? (insn.rough ? '≤ ' : '') +
			count(insn.p90) : '–'),
		...insn.events.map(n => make('td', {}, percent(n / insn.samples)))];
}

function insn_row(insn, all, most) {
	return make('tr', { class: insn.samples ? null : 'cold' },
		make('th', { scope: 'row' }, insn.offset === null ? '?'
			: '+0x' + insn.offset.toString(16)),
		...insn_measures(insn, all, most),
		make('td', { class: 'name' }, insn.text === null ? '–'
			: clean(insn.text), insn.target === null ? null
			: make('span', { class: 'dim' }, ' <' + clean(insn.target) + '>')),
		make('td', { class: 'name' }, insn.line));
}

function hidden_row(n) {
	return make('tr', { class: 'cold' }, make('td', { class: 'left',
		colspan: 7 + EVENTS.length }, `… ${count(n)} instructions`));
}

function code_insns(f, sums) {
	return f.insns.map(i => typeof i === 'number' ? i : is_selected()
		? insn_selected(insn_of(i, f), f, sums) : insn_of(i, f));
}

function code_rows(insns, all) {
	const most = insns.reduce((n, i) => Math.max(n, i[COST] || 0), 0) || 1;
	return insns.map(i => typeof i === 'number' ? hidden_row(i)
		: insn_row(i, all, most));
}

// What the function has in the selection, and what of that no row shows.
function code_selected(f, insns, sums) {
	const list = code_places.get(code_key(f)) || [];
	if (!is_told_apart(f))
		return 'Functions with the same name are not told apart in a ' +
			'selection. ';
	const of = sums_of_places(list, sums).samples;
	const shown = insns.reduce((n, i) => n + (i.samples || 0), 0);
	const whole = list.reduce((n, i) => n + places[i].samples, 0);
	return `In the selection: ${count(of)} samples, ` +
		`${percent(of / sums.all.samples)} of it` + (of > shown
		? `; ${count(of - shown)} are of instructions that are not shown ` +
			'or not distinguished' : '') + '. ' + (whole < f.samples
		? `For ${count(f.samples - whole)} samples of the function the page ` +
			'has no time. ' : '') + 'A p90 is at most the number shown; … ' +
		'is not distinguished. In the whole recording: ';
}

function code_note(f) {
	const from = f.missing !== undefined ? `No code: ${clean(f.missing)}.`
		: `Code of ${f.dso}, ` + (f.disassembled
			? `by ${clean(model.code.disassembler)}.`
			: 'not disassembled: there was no disassembler.');
	const hidden = f.insns.reduce((n, i) => n + (typeof i === 'number' ? i : 0),
		0);
	return `${count(f.samples)} samples, ` +
		`${percent(f.samples / model.samples)} of all; ` +
		`${percent(f[COST] / model[COST])} of the ${COST_NAME}. ` +
		from + (f.cut ? ' The function is longer than what is shown.' : '') +
		(hidden ? ` ${count(hidden)} instructions are left out, with ` +
			`${count(f.hidden_samples)} samples.` : '');
}

function hottest(f) {
	const cost = insn => insn[model.by_cost ? 8 : 4] || 0;
	return f.insns.reduce((best, insn, i) =>
		cost(insn) > cost(f.insns[best]) ? i : best, 0);
}

// Shows an instruction, which may be far down.
function show_insn(box, number) {
	const row = box.querySelectorAll('tbody tr')[number];
	box.scrollTop = row ? row.offsetTop - box.clientHeight / 2 : 0;
	return row;
}

function code_function(sym, dso) {
	return code_functions.findIndex(f => f.sym === clean(sym) &&
		f.dso === clean(dso));
}

// Leads to the instruction that a sentence names, or to the function's costliest.
function code_link({ sym, dso, symoff }) {
	const i = code_function(sym, dso);
	if (i < 0 || code_functions[i].missing !== undefined)
		return null;
	const number = code_functions[i].insns.findIndex(insn =>
		insn[0] !== undefined && insn[0] === symoff);
	return make('button', { type: 'button', onclick: () =>
		code_view.show(i, number) }, 'Show the code');
}

function draw_code(box, note, sums) {
	const f = code_functions[code_view.function];
	const insns = code_insns(f, sums);
	note.textContent = (is_selected() ? code_selected(f, insns, sums) : '') +
		code_note(f);
	box.querySelector('tbody').replaceChildren(...code_rows(insns,
		is_selected() ? sums.all[COST] : model[COST]));
	if (code_view.drawn !== f)
		show_insn(box, hottest(f));
	code_view.drawn = f;
}

function build_code() {
	if (!code_functions.length)
		return;
	const titles = ['Offset', 'Samples', 'Share', 'Mean', 'p90', ...EVENT_TITLES];
	const { box } = table_of('code-table', 'Instructions of the function',
		[...titles, 'Instruction', 'Source line'],
		{ [titles.length]: 'left', [titles.length + 1]: 'left' });
	box.classList.add('tall');
	const note = make('p', { class: 'dim', id: 'code-note' });
	let last = null;
	const list = make('select', { id: 'code-function', onchange: () => {
		code_view.function = Number(list.value);
		draw_code(box, note, last);
	} }, ...code_order.map(i => [i, code_functions[i]]).map(([i, f]) =>
		make('option', { value: i },
			`${percent(f[COST] / model[COST])}  ${f.sym}  ${f.dso}`)));
	code_view.show = (i, number) => {
		list.value = code_view.function = i;
		draw_code(box, note, last);
		const row = show_insn(box, number < 0 ? hottest(code_functions[i])
			: number);
		at('code').scrollIntoView();
		row.tabIndex = -1;
		row.focus({ preventScroll: true });
	};
	at('code').hidden = false;
	at('code').append(make('div', { class: 'controls' },
		make('label', { for: 'code-function' }, 'Function'), list), note, box);
	on_change(sums => {
		const f = model.functions[state.focus_name];
		const i = f ? code_function(f.sym, f.dso) : -1;
		if (i >= 0 && f !== code_view.focus)
			list.value = code_view.function = i;
		code_view.focus = f;
		last = sums;
		draw_code(box, note, sums);
	});
}
