// SPDX-License-Identifier: GPL-2.0-or-later
// What is at data addresses: variables, blocks of the heap, stacks, with their members.

function object_row(object) {
	const row = row_of_function(object);
	const number = n => make('td', {}, n === null ? '–' : count(n));
	return make('tr', {},
		make('th', { scope: 'row', class: 'name' }, clean(object.object)),
		make('td', { class: 'name' }, clean(object.member)),
		number(row.samples),
		cell_with_bar({ bar: () => row.share, text: () => percent(row.share) }),
		make('td', {}, cycles(row.mean)), number(row.p90), number(row.p99),
		number(row.max), number(object.threads),
		make('td', { class: 'left' }, object.costliest ? clean(object.costliest) +
			' ' + percent(object.costs / row.own) : '–'),
		make('td', {}, row.sourced
			? source_bar(sorted_sources(row.sources), row.sourced) : '–'));
}

function build_objects() {
	const { box, body } = table_of('object-table', 'Table of data objects',
		['Object', 'Member', 'Samples', 'Share', 'Mean', 'p90', 'p99', 'max',
			'Threads', 'Costliest source', 'Data sources'],
		{ 0: 'name', 1: 'name', 9: 'left', 10: 'left' });
	const more = model.objects_total - model.objects.length;
	at('objects').hidden = !model.objects.length;
	at('objects').append(make('p', { class: 'dim' }, 'Of the whole recording, ' +
		`also with a selection. Share is that of all ${model.own ? 'own cycles'
			: 'samples'}; beside the ` +
		"source with the most of an object's own cycles is its part of these."),
	box, make('p', { class: 'dim' }, more ? `${count(more)} more: see pmscope ` +
		'report --sort=object,member.' : ''));
	body.append(...model.objects.map(object_row));
}
