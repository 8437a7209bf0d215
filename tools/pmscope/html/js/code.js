// SPDX-License-Identifier: GPL-2.0-or-later
// The code of the heaviest functions: each instruction with what it costs. Its
// numbers are of the whole recording, as `pmscope annotate` prints them.

const code_functions = model.code.functions.map(f => ({ ...f,
	sym: name_of(f.sym), dso: name_of(f.dso),
	file: f.file === undefined ? null : name_of(f.file) }));

const code_view = { function: 0 };

function line_text([file, line, frames]) {
	if (file === undefined)
		return '';
	return name_of(file).replace(/.*\//, '') + ':' + line +
		(frames === undefined ? '' : '  ' + name_of(frames));
}

// What an instruction of the model is; see code.c.
function insn_of([offset, text, target, line, samples, timed, total, p90,
	...events]) {
	return { offset, text, target, line: line_text(line),
		samples: samples || 0, timed, total, p90, events };
}

function insn_measures(insn, most) {
	if (!insn.samples)
		return Array.from({ length: 4 + EVENTS.length }, () =>
			make('td', {}));
	const share = insn.samples / model.samples;
	return [make('td', {}, count(insn.samples)),
		cell_with_bar({ bar: () => insn.samples / most,
			text: () => percent(share) }),
		make('td', {}, cycles(insn.timed ? insn.total / insn.timed : null)),
		make('td', {}, insn.timed ? count(insn.p90) : '–'),
		...insn.events.map(n => make('td', {}, percent(n / insn.samples)))];
}

function insn_row(insn, most) {
	return make('tr', { class: insn.samples ? null : 'cold' },
		make('th', { scope: 'row' }, insn.offset === null ? '?'
			: '+0x' + insn.offset.toString(16)),
		...insn_measures(insn, most),
		make('td', { class: 'name' }, insn.text === null ? '–'
			: clean(insn.text), insn.target === null ? null
			: make('span', { class: 'dim' }, ' <' + clean(insn.target) + '>')),
		make('td', { class: 'name' }, insn.line));
}

function hidden_row(n) {
	return make('tr', { class: 'cold' }, make('td', { class: 'left',
		colspan: 7 + EVENTS.length }, `… ${count(n)} instructions`));
}

function code_rows(f) {
	const insns = f.insns.map(i => typeof i === 'number' ? i : insn_of(i));
	const most = insns.reduce((n, i) => Math.max(n, i.samples || 0), 1);
	return insns.map(i => typeof i === 'number' ? hidden_row(i)
		: insn_row(i, most));
}

function code_note(f) {
	const from = f.missing !== undefined ? `No code: ${clean(f.missing)}.`
		: `Code from ${f.file}, ` + (f.disassembled
			? `by ${clean(model.code.disassembler)}.`
			: 'not disassembled: there was no disassembler.');
	const hidden = f.insns.reduce((n, i) => n + (typeof i === 'number' ? i : 0),
		0);
	return `${count(f.samples)} samples, ` +
		`${percent(f.samples / model.samples)} of all; ` +
		`${percent(f.cycles / model.latency)} of the cycles of latency. ` +
		from + (f.cut ? ' The function is longer than what is shown.' : '') +
		(hidden ? ` ${count(hidden)} instructions are left out, with ` +
			`${count(f.hidden_samples)} samples.` : '');
}

// Shows the heaviest instruction, which may be far down.
function show_hottest(box, f) {
	const rows = [...box.querySelectorAll('tbody tr')];
	let best = 0;
	f.insns.forEach((insn, i) => {
		if ((insn[4] || 0) > (f.insns[best][4] || 0))
			best = i;
	});
	box.scrollTop = rows[best] ? rows[best].offsetTop - box.clientHeight / 2 : 0;
}

function draw_code(box, note) {
	const f = code_functions[code_view.function];
	note.textContent = code_note(f);
	box.querySelector('tbody').replaceChildren(...code_rows(f));
	show_hottest(box, f);
}

function code_table() {
	return make('table', { id: 'code-table' }, make('thead', {}, make('tr', {},
		...['Offset', 'Samples', 'Share', 'Mean', 'p90', ...EVENT_TITLES]
			.map(t => make('th', { scope: 'col' }, t)),
		make('th', { scope: 'col', class: 'left' }, 'Instruction'),
		make('th', { scope: 'col', class: 'left' }, 'Source line'))),
	make('tbody'));
}

function build_code() {
	if (!code_functions.length)
		return;
	const box = make('div', { class: 'scroll tall', tabindex: 0, role: 'region',
		'aria-label': 'Instructions of the function' }, code_table());
	const note = make('p', { class: 'dim', id: 'code-note' });
	const list = make('select', { id: 'code-function', onchange: () => {
		code_view.function = Number(list.value);
		draw_code(box, note);
	} }, ...code_functions.map((f, i) => make('option', { value: i },
		`${percent(f.samples / model.samples)}  ${f.sym}  ${f.dso}`)));
	at('code').hidden = false;
	at('code').append(make('div', { class: 'controls' },
		make('label', { for: 'code-function' }, 'Function'), list), note, box);
	draw_code(box, note);
	on_change(() => {
		const f = model.functions[state.focus_name];
		const i = f ? code_functions.findIndex(c => c.sym === clean(f.sym) &&
			c.dso === clean(f.dso)) : -1;
		if (i < 0 || i === code_view.function)
			return;
		list.value = code_view.function = i;
		draw_code(box, note);
	});
}
