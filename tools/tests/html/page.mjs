// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of pages share: a headless browser, offline, and a list of mistakes.
// PMSCOPE_BROWSER is Chromium or Firefox (/usr/bin/chromium). PMSCOPE_CONSUMERS is the
// directory that `tools/machine/build consumers` made.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(resolve(process.env.PMSCOPE_CONSUMERS, 'x'));
const { _bidiFirefox, chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const program = process.env.PMSCOPE_BROWSER || '/usr/bin/chromium';
const is_firefox = /firefox/.test(program);
const PATIENCE = 300000; // ms, on a busy machine
const mistakes = [];

export function parse_lines(text) {
	return text.split('\n').filter(Boolean).map(line => JSON.parse(line));
}

export function read_lines(file) {
	return parse_lines(readFileSync(file, 'utf8'));
}

export function expect(what, got, wanted) {
	if (JSON.stringify(got) !== JSON.stringify(wanted))
		mistakes.push(`${what}: ${JSON.stringify(got)}, expected ` +
			JSON.stringify(wanted));
}

export function expect_true(what, value) {
	if (!value)
		mistakes.push(what);
}

// What the table shows, as numbers: its spaces are thin ones.
export function number(text) {
	return Number(text.replace(/[^0-9.]/g, ''));
}

export async function open_page(browser, file, options) {
	const context = await browser.newContext({ offline: true, ...options });
	context.setDefaultTimeout(PATIENCE);
	const page = await context.newPage();
	page.on('console', m => mistakes.push(`console: ${m.text()}`));
	page.on('pageerror', e => mistakes.push(`error: ${e.message}`));
	page.on('dialog', d => {
		mistakes.push(`dialog: ${d.message()}`);
		d.dismiss();
	});
	page.on('request', r => {
		if (r.url() !== pathToFileURL(resolve(file)).href)
			mistakes.push(`fetched: ${r.url()}`);
	});
	await page.goto(pathToFileURL(resolve(file)).href);
	await page.waitForFunction(() => document.getElementById('subtitle')
		.textContent !== '');
	return page;
}

export async function table(page, id) {
	return page.$$eval(`#${id} tbody tr`, all => all.map(row =>
		[...row.children].map(cell => cell.textContent)));
}

// The policy of the page keeps axe from running as a script in it, so it is run
// as the tool of a debugger: that is not subject to it.
export async function check_accessible(page, what) {
	await page.evaluate(axe);
	const found = await page.evaluate(() => window.axe.run(document, {
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
	}));
	for (const v of found.violations)
		mistakes.push(`${what}: ${v.id}: ${v.help}: ` + v.nodes.slice(0, 3)
			.map(n => n.target.join(' ') + ' ' + n.failureSummary).join('; '));
}

async function check_fits(page, what) {
	const [width, view] = await page.evaluate(() =>
		[document.documentElement.scrollWidth, innerWidth]);
	expect_true(`${what}: the page is ${width} wide, the screen ${view}`,
		width <= view + 1);
}

async function check_policy(page) {
	const kept = await page.evaluate(async () => {
		const script = document.createElement('script');
		script.textContent = 'window.was_run = 1';
		document.body.append(script);
		const image = document.createElement('img');
		image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
		const blocked = new Promise(done => {
			image.onerror = () => done(true);
			image.onload = () => done(false);
		});
		document.body.append(image);
		return window.was_run === undefined && await blocked;
	});
	expect_true('the policy lets nothing else in', kept);
}

// What browsers say about check_policy(), some of them later, is no mistake.
function is_of_policy(mistake) {
	return /^fetched: data:/.test(mistake) ||
		(/Content Security Policy|violates the following directive/
			.test(mistake) && /inline script|data:/.test(mistake));
}

export async function shot(page, screenshots, name) {
	if (screenshots)
		await page.screenshot({ path: `${screenshots}${name}.png`,
			fullPage: true });
}

// Names and other files do nothing, and the page is no wider than the screen.
export async function check_inert(page) {
	await check_fits(page, 'desk');
	expect('what names made of themselves', await page.evaluate(() =>
		[String(window.hostile), document.querySelectorAll('main script, ' +
			'main img, main iframe, main a[href^="javascript"]').length]),
	['undefined', 0]);
	await check_policy(page);
}

export async function check_screens(browser, file, screenshots) {
	const dark = await open_page(browser, file, { colorScheme: 'dark' });
	await shot(dark, screenshots, 'dark');
	await check_accessible(dark, 'dark');
	const phone = await open_page(browser, file, { viewport: { width: 390,
		height: 844 }, isMobile: true, hasTouch: true });
	await shot(phone, screenshots, 'phone');
	await check_fits(phone, 'phone');
	await check_accessible(phone, 'phone');
}

// Debian's Firefox understands WebDriver BiDi, not playwright's own protocol.
// Chromium has no sandbox for root.
function launch() {
	if (is_firefox)
		return _bidiFirefox.launch({ executablePath: program,
			timeout: PATIENCE });
	return chromium.launch({ executablePath: program, timeout: PATIENCE,
		args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
}

// Lets @check use a browser, then prints a line for each mistake; the exit status is
// 1 if there is one.
export async function look(check) {
	const browser = await launch();
	console.log(`browser: ${browser.version()}`);
	try {
		await check(browser);
	} finally {
		await browser.close();
	}
	const all = mistakes.filter(mistake => !is_of_policy(mistake));
	for (const mistake of all)
		console.log(mistake.slice(0, 600));
	process.exitCode = all.length ? 1 : 0;
}
