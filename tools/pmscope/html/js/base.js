// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
// The page's own few functions for text, numbers and elements. Names come from
// files: they are only ever set as text, never as markup.

const model = JSON.parse(document.getElementById('model').textContent);

function at(id) {
	return document.getElementById(id);
}

// An element with attributes and children; strings become text.
function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith('on'))
			element.addEventListener(name.slice(2), value);
		else if (value === true)
			element.setAttribute(name, '');
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(name, value);
	}
	for (const child of children)
		if (child !== null && child !== undefined)
			element.append(child);
	return element;
}

// Control characters and marks that change the direction of text are shown as
// what they are.
const STEERS = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f' +
	'\\u2028-\\u202e\\u2066-\\u2069]', 'g');

function clean(text) {
	return String(text).replace(STEERS, c =>
		'\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

function count(n) {
	return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function counted(n, thing) {
	return `${count(n)} ${thing}${n === 1 ? '' : 's'}`;
}

function percent(share) {
	if (!isFinite(share))
		return '–';
	return (100 * share).toFixed(share && share < 0.1 ? 2 : 1) + '%';
}

function cycles(mean) {
	return mean === null || !isFinite(mean) ? '–' : mean.toFixed(1);
}

// The unit for times up to @ns: its length in ns, name and decimals.
function unit_of(ns) {
	return ns < 1e6 ? [1e3, 'µs', 1] : ns < 1e10 ? [1e6, 'ms', 1]
		: [1e9, 's', 2];
}

function milliseconds(ns) {
	const [unit, name, decimals] = unit_of(ns);
	return (ns / unit).toFixed(decimals) + ' ' + name;
}

function large(n) {
	for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]])
		if (n >= 10 * size)
			return (n / size).toFixed(n < 100 * size ? 1 : 0) + unit;
	return count(n);
}

function css(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(name).trim();
}

// Colours from cold to hot, @x from 0 to 1; readable with dark text on top.
const HEAT = [[221, 233, 245], [158, 202, 225], [253, 219, 140],
	[244, 153, 84], [222, 86, 62]];

function blend(colours, x) {
	const place = Math.max(0, Math.min(1, x)) * (colours.length - 1);
	const i = Math.min(colours.length - 2, Math.floor(place)), f = place - i;
	const rgb = colours[i].map((v, c) =>
		Math.round(v + f * (colours[i + 1][c] - v)));
	return `rgb(${rgb.join(',')})`;
}

function heat(x) {
	return blend(HEAT, x);
}

// A tooltip for the mouse; the same text is the element's label.
const tip = at('tip');

function show_tip(event, text) {
	tip.textContent = text;
	tip.hidden = false;
	const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6);
	const below = event.clientY + 18;
	const y = below + tip.offsetHeight < innerHeight ? below
		: event.clientY - tip.offsetHeight - 10;
	tip.style.left = Math.max(4, x) + 'px';
	tip.style.top = Math.max(4, y) + 'px';
}

function hide_tip() {
	tip.hidden = true;
}

// Dark or light as the system says, until someone presses the button.
function build_theme(redraw) {
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const set = on => {
		document.documentElement.dataset.theme = on ? 'dark' : 'light';
		at('theme').setAttribute('aria-pressed', String(on));
		if (redraw)
			redraw();
	};
	at('theme').addEventListener('click', () =>
		set(document.documentElement.dataset.theme !== 'dark'));
	dark.addEventListener('change', () => set(dark.matches));
	set(dark.matches);
}

// A table in a box that scrolls: its columns have these titles and classes.
function table_of(id, label, titles, classes) {
	const body = make('tbody');
	const box = make('div', { class: 'scroll', tabindex: 0, role: 'region',
		'aria-label': label }, make('table', { id }, make('thead', {},
		make('tr', {}, ...titles.map((t, i) => make('th', { scope: 'col',
			...(classes[i] && { class: classes[i] }) }, t)))), body));
	return { box, body };
}
