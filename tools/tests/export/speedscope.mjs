// SPDX-License-Identifier: GPL-2.0-or-later
// speedscope.mjs MODULES PROFILE: what speedscope makes of a profile of pprof, in a
// headless browser, offline. It writes that as its own format: prints a line with the
// type and the sum of each profile there.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, profile] = process.argv.slice(2);
const require = createRequire(join(modules, '..', '/'));
const { chromium } = require('playwright-core');
const viewer = join(dirname(require.resolve('speedscope/package.json')),
	'dist/release/index.html');
const PATIENCE = 300000; // ms, on a busy machine

const browser = await chromium.launch({
	executablePath: process.env.PMSCOPE_BROWSER || '/usr/bin/chromium',
	timeout: PATIENCE, args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
try {
	const page = await browser.newPage();
	page.setDefaultTimeout(PATIENCE);
	await page.goto(pathToFileURL(viewer).href);
	await page.setInputFiles('input[type=file]', profile);
	await page.getByText('Export').waitFor();
	const [written] = await Promise.all([page.waitForEvent('download'),
		page.getByText('Export').click()]);
	const { profiles } = JSON.parse(readFileSync(await written.path(), 'utf8'));
	for (const { type, startValue, endValue } of profiles)
		console.log(`${type} ${endValue - startValue}`);
} finally {
	await browser.close();
}
