/* A page in headless Chromium: node tests/wasm/browser.mjs BROWSER FOLDER URL EXPRESSION prints what the expression, a
 * promise of a string, is in the page.  FOLDER: of the browser's own files.  Ends with code 1 after a minute. */
import { spawn } from 'node:child_process';

const [browser, folder, url, expression] = process.argv.slice(2);
const child = spawn(browser, ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
	`--user-data-dir=${folder}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
	env: { ...process.env, HOME: folder } });
const [to, from] = [child.stdio[3], child.stdio[4]];
const waits = new Map(), events = new Map();
let number = 0, text = '';

function end(code, said) {
	console[code ? 'error' : 'log'](said);
	child.on('exit', () => process.exit(code));
	if (child.exitCode !== null || !child.pid)
		process.exit(code);
	void ask('Browser.close');
	setTimeout(() => child.kill('SIGKILL'), 5000);
}
setTimeout(() => end(1, 'the page did not come to its end within a minute'), 60000);
child.on('error', (e) => end(1, e.message));
from.on('data', (piece) => {
	text += piece;
	for (let at; (at = text.indexOf('\0')) >= 0; text = text.slice(at + 1)) {
		const message = JSON.parse(text.slice(0, at));
		waits.get(message.id)?.(message.result ?? message);
		events.get(message.method)?.(message.params);
	}
});
const ask = (method, params = {}, sessionId) => new Promise((done) => {
	waits.set(++number, done);
	to.write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
});
const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
await ask('Page.enable', {}, sessionId);
const loaded = new Promise((done) => { events.set('Page.loadEventFired', done); });
await ask('Page.navigate', { url }, sessionId);
await loaded;
const { result, exceptionDetails } = await ask('Runtime.evaluate',
	{ expression, awaitPromise: true, returnByValue: true }, sessionId);
end(exceptionDetails ? 1 : 0, exceptionDetails ? JSON.stringify(exceptionDetails) : result.value);
