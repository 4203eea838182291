/* chromium.mjs -- Chromium without a screen, by its DevTools protocol over a pipe, and a server of files for it. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const KEYS = { Enter: 13, Space: 32, Delete: 46, Tab: 9, Home: 36, End: 35, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39,
	ArrowDown: 40 };
const wait = (ms) => new Promise((next) => { setTimeout(next, ms); });

/** python3 -m http.server of a folder: { url, close }. */
export async function serve(folder) {
	const server = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '-d', folder],
		{ stdio: ['ignore', 'pipe', 'ignore'] });
	const port = await new Promise((done, failed) => {
		let said = '';
		server.stdout.on('data', (piece) => {
			said += piece;
			const found = /port (\d+)/.exec(said);
			if (found)
				done(found[1]);
		});
		server.on('error', failed);
		server.on('exit', () => failed(new Error(`python3 -m http.server ended: ${said}`)));
	});
	return { url: `http://127.0.0.1:${port}/`, close: () => server.kill() };
}

export class Browser {
	#child; #waits = new Map(); #listeners = []; #number = 0; #folder;

	static async start(program) {
		const browser = new Browser();
		browser.#folder = await mkdtemp(`${tmpdir()}/chromium-`);
		browser.#child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
			'--hide-scrollbars', '--font-render-hinting=none', `--user-data-dir=${browser.#folder}`, 'about:blank'],
			{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: browser.#folder } });
		let text = '';
		browser.#child.stdio[4].setEncoding('utf8').on('data', (piece) => {
			text += piece;
			for (let at; (at = text.indexOf('\0')) >= 0; text = text.slice(at + 1))
				browser.#got(JSON.parse(text.slice(0, at)));
		});
		browser.#child.on('exit', () => {
			for (const { failed } of browser.#waits.values())
				failed(new Error('Chromium ended'));
		});
		return browser;
	}
	#got(message) {
		const wait = this.#waits.get(message.id);
		this.#waits.delete(message.id);
		if (message.error)
			wait?.failed(new Error(message.error.message));
		else
			wait?.done(message.result);
		if (message.method)
			this.#listeners.forEach((listen) => listen(message));
	}
	ask(method, params = {}, sessionId = undefined) {
		return new Promise((done, failed) => {
			this.#waits.set(++this.#number, { done, failed });
			this.#child.stdio[3].write(`${JSON.stringify({ id: this.#number, method, params, sessionId })}\0`);
		});
	}
	listen(to) { this.#listeners.push(to); }
	/** A page of its own: nothing that another one kept is in it.  before: a script that runs first in it. */
	async page({ before = '', width = 1400, height = 1000, dark = false } = {}) {
		const { browserContextId } = await this.ask('Target.createBrowserContext');
		const { targetId } = await this.ask('Target.createTarget', { url: 'about:blank', browserContextId });
		const { sessionId } = await this.ask('Target.attachToTarget', { targetId, flatten: true });
		const page = new Page(this, sessionId);
		await page.begin(before, width, height, dark);
		return page;
	}
	async close() {
		const ended = new Promise((done) => { this.#child.on('exit', done); });
		this.#child.kill();
		await ended;
		await wait(100);
		await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

class Page {
	#browser; #session; #workers = []; requests = []; said = [];

	constructor(browser, session) {
		this.#browser = browser;
		this.#session = session;
		browser.listen(({ method, params, sessionId }) => {
			if (sessionId !== session)
				return;
			if (method === 'Network.requestWillBeSent')
				this.requests.push(params.request.url);
			if (method === 'Target.attachedToTarget')
				this.#workers.push(params.sessionId);
			if (method === 'Runtime.exceptionThrown')
				this.said.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
			if (method === 'Log.entryAdded' && params.entry.level === 'error')
				this.said.push(params.entry.text);
		});
	}
	ask(method, params) { return this.#browser.ask(method, params, this.#session); }
	async begin(before, width, height, dark) {
		for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'DOM'])
			await this.ask(`${domain}.enable`);
		await this.ask('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
		if (before)
			await this.ask('Page.addScriptToEvaluateOnNewDocument', { source: before });
		await this.size(width, height);
		await this.look(dark);
	}
	size(width, height, mobile = false) {
		return this.ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
	}
	look(dark) {
		return this.ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme',
			value: dark ? 'dark' : 'light' }] });
	}
	go(url) { return this.ask('Page.navigate', { url }); }
	/** What an expression is in the page; a promise's value. */
	value(expression) { return this.#value(expression, this.#session); }
	/** ... and in the worker that it started last. */
	inWorker(expression) { return this.#value(expression, this.#workers.at(-1)); }
	async #value(expression, session) {
		const { result, exceptionDetails } = await this.#browser.ask('Runtime.evaluate', { expression, awaitPromise: true,
			returnByValue: true }, session);
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}
	/** Waits until an expression holds, and gives it. */
	async until(expression, seconds = 60) {
		for (const end = Date.now() + 1000 * seconds; Date.now() < end; await wait(20)) {
			const value = await this.value(expression).catch(() => false);
			if (value)
				return value;
		}
		throw new Error(`after ${seconds} s this does not hold: ${expression}; the page says: `
			+ `${await this.value('document.body.innerText.slice(0, 600)').catch(() => '?')} ${this.said.join('; ')}`);
	}
	text(id) { return this.value(`document.getElementById(${JSON.stringify(id)}).innerText`); }
	/** A click in the middle of what a selector finds, as a mouse makes it. */
	async click(selector) {
		const [x, y] = await this.middle(selector);
		for (const type of ['mousePressed', 'mouseReleased'])
			await this.ask('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1, clickCount: 1 });
	}
	async type(text) { await this.ask('Input.insertText', { text }); }
	/** "Enter", "ArrowDown", "Control+z". */
	async key(name) {
		const [key, ...held] = name.split('+').reverse(), text = { Enter: '\r', Space: ' ' }[key];
		const modifiers = held.includes('Control') ? 2 : 0, number = KEYS[key] ?? key.toUpperCase().charCodeAt(0);
		for (const type of ['keyDown', 'keyUp'])
			await this.ask('Input.dispatchKeyEvent', { type, key: key === 'Space' ? ' ' : key, code: key, modifiers,
				windowsVirtualKeyCode: number, ...text && type === 'keyDown' && !modifiers ? { text } : {} });
	}
	/** The mouse, pressed, along points. */
	async drag(points) {
		const at = ([x, y], type) => this.ask('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1 });
		await at(points[0], 'mousePressed');
		for (const point of points)
			await at(point, 'mouseMoved');
		await at(points.at(-1), 'mouseReleased');
	}
	/** A finger along points. */
	async swipe(points) {
		const at = (type, touchPoints) => this.ask('Input.dispatchTouchEvent', { type, touchPoints });
		await at('touchStart', [{ x: points[0][0], y: points[0][1] }]);
		for (const [x, y] of points)
			await at('touchMove', [{ x, y }]);
		await at('touchEnd', []);
	}
	/** Files, dropped in the middle of what a selector finds. */
	async drop(selector, files) {
		const [x, y] = await this.middle(selector), data = { items: [], files, dragOperationsMask: 1 };
		for (const type of ['dragEnter', 'dragOver', 'drop'])
			await this.ask('Input.dispatchDragEvent', { type, x, y, data });
	}
	middle(selector) {
		return this.value(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
			e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect();
			return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
	}
	/** Files, chosen in a field of files. */
	async choose(selector, files) {
		const { root } = await this.ask('DOM.getDocument');
		const { nodeId } = await this.ask('DOM.querySelector', { nodeId: root.nodeId, selector });
		await this.ask('DOM.setFileInputFiles', { nodeId, files });
	}
	async picture(file) {
		const { data } = await this.ask('Page.captureScreenshot', { format: 'png' });
		await writeFile(file, Buffer.from(data, 'base64'));
	}
}
