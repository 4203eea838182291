/* playground.test.mjs -- the page of `make playground` in Chromium: edited, refused, undone, drawn on, given files.
 * What it shows is compared with lt-run and lt-llama.  PICTURES=FOLDER: of which pictures are made there. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { spawnSync } from 'node:child_process';
import { Browser, serve } from './chromium.mjs';
import { STORIES15M, STORIES260K, checkpoint, tokenizer } from '../js/tiny.mjs';

const built = process.env.O ?? 'build', site = `${built}/playground`, pictures = process.env.PICTURES;
const seed = Number(process.env.SEED ?? Date.now() % 2147483646 + 1);
console.log(`seed ${seed}`);
let server, browser, folder;
before(async () => {
	[server, browser, folder] = await Promise.all([serve(site), Browser.start(process.env.BROWSER ?? 'chromium'),
		mkdtemp(`${tmpdir()}/playground-`)]);
});
after(async () => {
	server?.close();
	await browser?.close();
	await rm(folder, { recursive: true, force: true });
});

const PRODUCT = `$1 = InputTensor(a, float32, [16, 16]);
$2 = InputTensor(b, float32, [16, 16]);
$3 = MatMulNode($1, $2);
result = $3;
`;
const idle = '!document.body.classList.contains("busy")';
const at = (id) => `document.getElementById(${JSON.stringify(id)})`;
const said = (id, words) => `${at(id)}.innerText.includes(${JSON.stringify(words)})`;
/* The page, when it is ready; hash: what the address holds. */
async function opened(hash = '', options = {}) {
	const page = await browser.page(options);
	await page.go(server.url + hash);
	await page.until(`document.documentElement.dataset.ready && ${idle}`);
	return page;
}
/* All of a field is replaced, as somebody types it. */
async function fill(page, selector, text) {
	await page.click(selector);
	await page.key('Control+a');
	await page.value('document.activeElement.select()');
	await page.type(text);
}
async function compiled(page, script) {
	await fill(page, '#script', script);
	await page.key('Control+Enter');
	await page.until(idle);
}
async function step(page, text) {
	await fill(page, '#step', text);
	await page.key('Enter');
	await page.until(idle);
}
const run = (...words) => {
	const done = spawnSync(`${built}/${words[0]}`, words.slice(1), { encoding: 'utf8' });
	assert.equal(done.error, undefined);
	return done;
};
const link = (of) => `#${new URLSearchParams({ script: PRODUCT, start: 'plain', ...of })}`;

test('it is loaded from its own server only, and says its version', async () => {
	const page = await opened();
	assert.equal(await page.text('version'), `version ${run('lt-run', '--version').stdout.match(/\d+\.\d+\.\d+/)[0]}`);
	const own = (url) => url.startsWith(server.url) || url.startsWith(`blob:${server.url}`);
	assert.deepEqual(page.requests.filter((url) => !own(url)), []);
	assert.deepEqual(page.said, []);
	/* Page and worker may ask nobody else. */
	const other = await serve(folder);
	const asked = (url) => `fetch(${JSON.stringify(url)}, { mode: 'no-cors' }).then(() => 'fetched', () => 'blocked')`;
	assert.equal(await page.value(asked(other.url)), 'blocked');
	assert.equal(await page.inWorker(asked(other.url)), 'blocked');
	assert.equal(await page.inWorker(asked(server.url)), 'fetched');
	other.close();
});

test('a script is compiled, a step is proven, another is refused, undone and redone', async () => {
	const page = await opened(), tree = () => page.value(`${at('text')}.textContent`);
	await writeFile(`${folder}/product.lt`, PRODUCT);
	const expected = async (...steps) => {
		await writeFile(`${folder}/steps`, `${['schedule 1', ...steps].join('\n')}\n`);
		const backend = await page.value(`${at('backend')}.value`);
		const { stdout } = run('lt-run', `${folder}/product.lt`, '-b', backend === 'wasm' ? 'sim' : backend, '--schedule',
			`${folder}/steps`, '--dump=tree');
		return stdout.replace(/^target .*$/m, '');
	};
	const same = async (...steps) => assert.equal((await tree()).replace(/^target .*$/m, ''), await expected(...steps));
	await compiled(page, PRODUCT);
	await same();
	await step(page, 'split m 8');
	await same('split m 8');
	assert.match(await page.text('said'), /split m 8: proven.* a run \(median of \d+\)/);
	assert.equal(await page.value(`document.querySelectorAll('[role=treeitem]').length`), 6);
	await step(page, 'parallel k');
	const refused = run('lt-run', `${folder}/product.lt`, '-b', 'sim', '--schedule', `${folder}/steps`,
		'--apply', 'parallel k', '-i', '*=ones').stderr;
	const why = await page.text('refusal');
	for (const part of [/: (the parallel .*?); /, /; (.*)\n/])
		assert.ok(why.includes(part.exec(refused)[1]), `${why}\n${refused}`);
	const marks = await page.value(`[...document.querySelectorAll('.iterations .mark')].map((e) => e.textContent).sort()`);
	assert.deepEqual(marks, ['1', '2']);
	/* One cell from the other along k, and in the same row. */
	const [first, second] = await page.value(`['first', 'second'].map((c) => {
		const e = document.querySelector('.iteration.' + c);
		return ['x', 'y'].map((axis) => Number(e.getAttribute(axis))); })`);
	assert.equal(first[1], second[1]);
	assert.equal(second[0] - first[0], 34);
	assert.ok((await page.value(`document.querySelector('.iterations').getAttribute('aria-label')`)).includes('k = 1'));
	await same('split m 8');
	if (pictures) {
		await page.size(1200, 820);
		await page.value('document.activeElement.blur(); scrollTo(0, 0)');
		await page.picture(`${pictures}/playground-refused.png`);
	}
	await step(page, "unroll m'");
	await same('split m 8', "unroll m'");
	assert.equal(await page.value(`${at('refusal')}.hidden`), true);
	await page.click('#undo');
	await page.until(idle);
	await same('split m 8');
	await page.click('#step');
	await page.key('Control+z');
	await page.until(`${idle} && ${at('undo')}.disabled`);
	await same();
	for (let i = 0; i < 2; i++) {
		await page.click('#redo');
		await page.until(idle);
	}
	await same('split m 8', "unroll m'");
	assert.equal(await page.value(`${at('redo')}.disabled`), true);
	/* Each step has a time, one of them the best, the others are so many times as long. */
	const ratios = await page.value(`[...document.querySelectorAll('.steps .ratio')].map((e) => e.innerText)`);
	assert.equal(ratios.length, 3);
	assert.ok(ratios.includes('best') && ratios.every((r) => r === 'best' || Number(r.slice(2)) >= 1), ratios.join());
	assert.match(await page.value(`${at('kernel')}.textContent`), /^kernel 1/);
	assert.ok((await page.value(`${at('wasm')}.textContent`)).length > 20);
	assert.deepEqual(page.said, []);
});

test('results are those of the inputs, and judged', async () => {
	const page = await opened(link({ given: 'a=ones\nb=2' }));
	await page.until(said('results', 'result'));
	assert.match(await page.text('results'), /result float32 \[16, 16\] 32 +32 +32/);
	await page.click('#judge');
	await page.until(said('said', 'Judged'));
	assert.equal(await page.text('said'), 'Judged: the results are right.');
	assert.match(await page.text('results'), /passed: 256 elements compared, 256 equal/);
	/* One of its own value. */
	await page.value(`document.getElementById('given-box').open = true`);
	await fill(page, '#given input[name=b]', '-3');
	await page.key('Enter');
	await page.until(`${idle} && ${said('results', '-48')}`);
	await fill(page, '#given input[name=b]', 'many');
	await page.key('Enter');
	await page.until(`${idle} && ${said('refusal', 'b: "many" is none of random')}`);
	/* Its field is there, and marked; the tree is, too, and takes steps. */
	const field = `document.querySelector('#given input[name=b]')`;
	const wrong = async (steps) => {
		assert.equal(await page.value(`${field}.value`), 'many');
		assert.equal(await page.value(`${field}.getAttribute('aria-invalid')`), 'true');
		assert.equal(await page.value(`${at('script-error')}.hidden`), true);
		assert.equal(await page.text('results'), '');
		assert.match(await page.value(`${at('text')}.textContent`), steps);
	};
	await wrong(/for m {2}#/);
	await page.click('#compile');
	await page.until(`${idle} && ${said('refusal', 'b: "many" is none of random')}`);
	await step(page, 'split m 8');
	await page.until(`${idle} && ${said('refusal', 'b: "many" is none of random')}`);
	await wrong(/for m step 8/);
	await fill(page, '#given input[name=b]', '2');
	await page.key('Enter');
	await page.until(`${idle} && ${said('results', '32')}`);
	assert.equal(await page.value(`${field}.getAttribute('aria-invalid')`), null);
	assert.match(await page.value(`${at('text')}.textContent`), /for m step 8/);
});

test('a script that is edited takes no steps until it is compiled; comments are none; lines are pasted', async () => {
	const page = await opened(link({})), count = () => page.value(`document.querySelectorAll('.steps li').length`);
	for (const text of ['# a comment', ' ;;; ']) {
		await step(page, text);
		assert.match(await page.text('said'), /^Type a step/);
		assert.equal(await count(), 1);
	}
	const paste = (text) => page.value(`(() => {
		const clipboardData = new DataTransfer();
		clipboardData.setData('text/plain', ${JSON.stringify(text)});
		${at('step')}.value = '';
		${at('step')}.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
		return ${at('step')}.value; })()`);
	assert.equal(await paste('split m 8 # eight\n\n# none\r\nsplit n 4\n'), 'split m 8; split n 4');
	await step(page, 'split m 8; split n 4; parallel k; unroll k');
	const why = await page.text('refusal');
	assert.ok(why.startsWith('Refused: parallel k: ') && why.includes('It is step 3 of 4: none of them is taken.'), why);
	assert.equal(await count(), 1);
	await step(page, `splt${'x'.repeat(3000)} m`);
	assert.ok((await page.text('refusal')).length < 300);
	await step(page, 'frobnicate m');
	assert.match(await page.text('refusal'), /'frobnicate'\.\s+Instead: "All steps" below lists them\.$/);
	const address = await page.value('location.hash');
	await fill(page, '#script', PRODUCT.replaceAll('16', '12'));
	assert.equal(await page.text('edited'), 'Edited: Ctrl+Enter compiles it.');
	await step(page, 'split m 4');
	assert.match(await page.text('said'), /was edited.* Compile it first/);
	assert.equal(await page.value(`${at('step')}.value`), 'split m 4');
	assert.equal(await page.value('location.hash'), address);
	await page.click('#compile');
	await page.until(`${idle} && ${said('results', '[12, 12]')}`);
	assert.equal(await page.value(`${at('edited')}.hidden`), true);
	await step(page, 'split m 4');
	assert.match(await page.value(`${at('text')}.textContent`), /for m step 4/);
	assert.deepEqual(page.said, []);
});

test('what a link has in vain is said', async () => {
	for (const [of, ...words] of [
		[link({ start: 'nope' }), '"start" is "nope"'], [link({ example: 'nope.lt', more: 'x' }), '"example", "more"'],
		[link({ backend: 'nope' }), 'backend nope, which is not here'], [link({ given: 'a=1\nx=2\nb' }), '"x"', '"b"'],
		['#steps=split+m+8&start=plain', 'no script', '"start", "steps"'],
		['#script=%ff', 'its "script" is no text in UTF-8'],
		['#script=%E0%A4%A&steps=%', '"script" is no', '"steps" is no']]) {
		const page = await opened(of);
		for (const each of words)
			await page.until(said('link-lost', each), 20);
		/* There is a tree all the same. */
		await page.until(`${idle} && ${at('script-error')}.hidden && ${at('text')}.textContent.includes('for m')`);
		assert.deepEqual(page.said, []);
	}
	const page = await opened(link({ steps: '# none\nsplit m 8\nparallel k\nunroll n\nsplit n 4', given: 'a=ones' }));
	await page.until(said('refusal', 'Behind it, not taken, either: unroll n, split n 4.'));
	assert.equal(await page.value(`${at('link-lost')}.hidden`), true);
});

test('what was asked of a tree is not shown of another one', async () => {
	const page = await opened(link({}));
	for (const [button, n, old] of [['judge', 12, 16], ['measure', 8, 12]]) {
		const of = (extent) => `result float32 [${extent}, ${extent}]`;
		await page.until(`${idle} && ${said('said', 'a run')} && ${said('results', of(old))}`);
		/* Both at once: the answer comes when another script is there.  Whatever is shown from then on is kept. */
		await page.value(`(() => {
			window.seen = { said: [], results: [] };
			window.looks = Object.keys(seen).map((id) => {
				const look = new MutationObserver(() => seen[id].push(document.getElementById(id).innerText));
				look.observe(document.getElementById(id), { childList: true, subtree: true });
				return look;
			});
			${at(button)}.click();
			${at('script')}.value = ${JSON.stringify(PRODUCT.replaceAll('16', n))};
			${at('compile')}.click();
		})()`);
		await page.until(`${idle} && ${said('said', 'a run')} && ${said('results', of(n))}`);
		const seen = await page.value('looks.forEach((look) => look.disconnect()), seen');
		/* None at first: those of another script are taken away. */
		const results = seen.results.filter(Boolean);
		assert.ok(results.length > 0 && results.every((text) => text.startsWith(of(n))), seen.results.join('\n'));
		assert.ok(seen.said.every((text) => /^(Compiled|compiling)/.test(text)), seen.said.join('\n'));
	}
	assert.deepEqual(page.said, []);
});

test('fused products are chosen where the engine has them', async () => {
	const page = await opened(link({ backend: 'sim' }));
	const option = await page.value(`(({ disabled, title }) => ({ disabled, title }))(
		[...${at('backend')}.options].find((o) => o.value === 'wasm:relaxed') ?? {})`);
	assert.match(option.title, option.disabled ? /no relaxed SIMD/ : /depend on the processor/);
	if (option.disabled)
		return;
	await page.value(`${at('backend')}.value = 'wasm:relaxed', ${at('backend')}.dispatchEvent(new Event('change'))`);
	await page.until(`${idle} && ${said('said', 'a run')}`);
	for (const words of ['split n 4', "vectorize n'"])
		await step(page, words);
	assert.match(await page.value(`${at('wasm')}.textContent`), /f32x4\.relaxed_madd/);
	assert.match(await page.value('location.hash'), /backend=wasm%3Arelaxed/);
	await page.click('#judge');
	await page.until(said('said', 'Judged'));
	assert.equal(await page.text('said'), 'Judged: the results are right.');
});

const plugin = process.env.PLUGIN;
test('a backend of PLUGINS= is chosen', { skip: !plugin && 'PLUGIN is not set' }, async () => {
	const page = await opened(link({ backend: plugin, given: 'a=ones\nb=2' }));
	await page.until(`${idle} && ${said('said', 'a run')}`);
	assert.equal(await page.value(`${at('backend')}.value`), plugin);
	assert.match(await page.text('results'), /result float32 \[16, 16\] 32 +32 +32/);
	assert.match(await page.value(`${at('explain')}.textContent`), new RegExp(plugin));
	/* It reports what runs have read when the program ends. */
	const [compiled, freed] = await page.value(`import('./looptree/looptree.js').then(async ({ load }) => {
		const lt = await load(), logged = [], p = lt.compile(${JSON.stringify(PRODUCT)}, { backend: ${JSON.stringify(plugin)},
			log: (level, text) => logged.push(text) });
		p.run({ a: new Float32Array(256), b: new Float32Array(256) });
		const n = logged.length;
		p.free();
		return [n, logged.length];
	})`);
	assert.ok(freed > compiled, `${compiled}, ${freed}`);
	await page.click('#judge');
	await page.until(said('said', 'Judged'));
	assert.equal(await page.text('said'), 'Judged: the results are right.');
});

test('a link holds script and steps', async () => {
	const page = await opened(link({ steps: "split m 8\nunroll m'" }));
	await page.until(said('said', 'a run'));
	const text = await page.value(`${at('text')}.textContent`);
	assert.match(text, /for m' unroll/);
	const url = await page.value('location.href'), again = await browser.page();
	await again.go(url);
	await again.until(`document.documentElement.dataset.ready && ${idle} && ${at('text')}.textContent`);
	assert.equal(await again.value(`${at('text')}.textContent`), text);
	/* Its second step is refused: the tree of the first is shown. */
	const bad = await opened(link({ steps: 'split m 8\nparallel k\nunroll n' }));
	await bad.until(said('refusal', 'rfactor'));
	assert.match(await bad.value(`${at('text')}.textContent`), /for m step 8/);
	for (const p of [page, again, bad])
		assert.deepEqual(p.said, []);
});

test('examples compile', async () => {
	const page = await opened();
	for (const name of ['softmax.lt', 'first.lt', 'roundings.lt']) {
		await page.value(`${at('example')}.value = ${JSON.stringify(name)};
			${at('example')}.dispatchEvent(new Event('change'))`);
		await page.until(`${idle} && ${at('example')}.value === ${JSON.stringify(name)} && ${at('text')}.textContent`);
		assert.equal(await page.value(`${at('script-error')}.hidden`), true);
		const { stdout } = run('lt-run', `${site}/examples/${name}`, '--dump=graph');
		assert.ok(stdout);
	}
});

test('a script is dropped', async () => {
	const page = await opened(link({}));
	await writeFile(`${folder}/dropped.lt`, PRODUCT.replaceAll('16', '12'));
	await writeFile(`${folder}/dropped.bin`, Buffer.from([1, 0, 255, 254]));
	await page.drop('#script', [`${folder}/dropped.lt`]);
	await page.until(`${idle} && ${said('results', '[12, 12]')}`);
	assert.equal(await page.value(`${at('script')}.value`), PRODUCT.replaceAll('16', '12'));
	await page.drop('#script', [`${folder}/dropped.bin`]);
	await page.until(said('script-error', 'dropped.bin is no script'));
	await page.drop('#script', [`${folder}/dropped.lt`, `${folder}/dropped.bin`]);
	await page.until(said('script-error', '2 files were dropped'));
	assert.equal(await page.value(`${at('script')}.value`), PRODUCT.replaceAll('16', '12'));
	assert.deepEqual(page.said, []);
});

test('a mistake in a script is a sentence with its place', async () => {
	const page = await opened();
	await compiled(page, '$1 = InputTensor(x, float32 [4]);\nresult = $1;\n');
	const { stderr } = spawnSync(`${built}/lt-run`, ['-', '--dump=graph'], { encoding: 'utf8',
		input: '$1 = InputTensor(x, float32 [4]);\nresult = $1;\n' });
	const [, column, why] = /:1:(\d+): (.*)/.exec(stderr);
	assert.equal(await page.text('script-error'), `Line 1, column ${column}: ${why}`);
	await step(page, 'split m 8');
	assert.match(await page.text('said'), /no tree yet/);
	await compiled(page, PRODUCT);
	assert.equal(await page.value(`${at('script-error')}.hidden`), true);
	await step(page, 'splt m 8');
	assert.match(await page.text('refusal'), /there is no primitive 'splt'\.\s+Did you mean 'split'\?$/);
	assert.deepEqual(page.said, []);
});

test('keyboard: tabs, boxes, what is offered', async () => {
	const page = await opened(link({}));
	await page.until(said('said', 'a run'));
	await page.value(`document.querySelector('[role=treeitem][tabindex="0"]').focus()`);
	await page.key('ArrowDown');
	assert.equal(await page.value(`document.activeElement.dataset.path`), 'k');
	await page.key('ArrowLeft');
	assert.equal(await page.value(`document.activeElement.dataset.path`), 'm');
	assert.equal(await page.value(`document.activeElement.getAttribute('aria-selected')`), 'true');
	const offers = await page.value(`[...document.querySelectorAll('#offers button')].map((b) => b.innerText)`);
	assert.ok(offers.includes('reorder k m') && offers.includes('parallel m'), offers.join());
	await page.value(`[...document.querySelectorAll('#offers button')].find((b) =>
		b.innerText === 'reorder k m').focus()`);
	await page.key('Enter');
	assert.equal(await page.value(`${at('step')}.value`), 'reorder k m');
	await page.key('Enter');
	await page.until(`${idle} && ${at('text')}.textContent.includes('tree\\nfor k')`);
	await page.value(`${at('tab-trees')}.focus()`);
	await page.key('ArrowRight');
	assert.equal(await page.value('document.activeElement.id'), 'tab-digit');
	assert.equal(await page.value(`${at('digit')}.hidden`), false);
	assert.equal(await page.value('location.hash'), '#digit');
	/* Whatever one can use has a name. */
	for (const tab of ['trees', 'digit', 'story']) {
		await page.click(`#tab-${tab}`);
		const { nodes } = await page.ask('Accessibility.getFullAXTree');
		const used = ['button', 'textbox', 'combobox', 'tab', 'treeitem', 'spinbutton', 'image', 'tabpanel', 'tree', 'meter'];
		assert.deepEqual(nodes.filter((n) => !n.ignored && used.includes(n.role?.value) && !n.name?.value)
			.map((n) => `${n.role.value} ${n.nodeId}`), []);
	}
});

test('a phone: nothing is wider than it, the head is low, and a finger has room', async () => {
	const page = await opened('', { width: 360, height: 740 });
	await page.size(360, 740, true);
	await page.ask('Emulation.setTouchEmulationEnabled', { enabled: true });
	await step(page, 'parallel k');
	await page.until(`!${at('refusal')}.hidden`);
	await page.value(`document.querySelector('#boxes .line').click()`);
	for (const tab of ['trees', 'digit', 'story']) {
		await page.value(`${at(`tab-${tab}`)}.click()`);
		await page.until(idle);
		assert.equal(await page.value('document.documentElement.scrollWidth'), 360, tab);
		assert.ok(await page.value(`document.querySelector('.top').offsetHeight`) <= 90, tab);
		/* Smaller letters in a field, and Safari makes the page larger. */
		const small = await page.value(`[...document.querySelectorAll('#${tab} :is(input, select, textarea)')]
			.filter((field) => field.offsetHeight && parseFloat(getComputedStyle(field).fontSize) < 16)
			.map((field) => field.id)`);
		assert.deepEqual(small, [], tab);
		const low = await page.value(`[...document.querySelectorAll('#${tab} :is(button, summary, .line)')]
			.filter((b) => b.offsetHeight && b.offsetHeight < 28).map((b) => b.id + b.innerText)`);
		assert.deepEqual(low, [], tab);
	}
	assert.deepEqual(page.said, []);
});

/* -- digits -- */

/* Points of the pad, from 0 to 1, close to each other. */
const STROKES = {
	0: Array.from({ length: 41 }, (_, i) => i * Math.PI / 20).map((a) =>
		[0.5 + 0.2 * Math.sin(a), 0.5 - 0.32 * Math.cos(a)]),
	1: [[0.52, 0.15], [0.48, 0.85]],
	7: [[0.28, 0.22], [0.72, 0.22], [0.42, 0.82]],
};
const close = (points) => points.slice(1).flatMap(([x, y], i) => Array.from({ length: 8 }, (_, t) =>
	[points[i][0] + (x - points[i][0]) * (t + 1) / 8, points[i][1] + (y - points[i][1]) * (t + 1) / 8]));
async function drawn(page, digit, by) {
	await page.click('#clear');
	const [left, top, size] = await page.value(`(() => { const b = ${at('pad')}.getBoundingClientRect();
		return [b.left, b.top, b.width]; })()`);
	await page[by](close(STROKES[digit]).map(([x, y]) => [left + x * size, top + y * size]));
	await page.until(`${idle} && ${said('class', 'sure')}`);
	return page.text('class');
}
/* npy, version 1: an image as the first of the twenty that mnist.lt wants. */
function npy(image) {
	const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (20, 28, 28), }`.padEnd(117) + '\n';
	const data = new Float32Array(20 * 784);
	data.set(image);
	return Buffer.concat([Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]), Buffer.from(header),
		Buffer.from(data.buffer)]);
}

test('a digit that is drawn is read', async () => {
	const page = await opened('#digit');
	for (const [digit, by] of [['7', 'drag'], ['1', 'drag'], ['0', 'swipe']]) {
		assert.match(await drawn(page, digit, by), new RegExp(`This is a ${digit}`));
		/* What the page says of each digit is what lt-run says of the same image. */
		const image = (await page.value(`${at('seen')}.dataset.image`)).split(' ').map(Number);
		assert.equal(image.length, 784);
		await writeFile(`${folder}/image.npy`, npy(image));
		const { stdout, stderr } = run('lt-run', 'examples/mnist/mnist.lt', '-w', 'examples/mnist/weights.safetensors', '-i',
			`image=${folder}/image.npy`, '-b', 'ref', '--json');
		const { results } = JSON.parse(stdout || assert.fail(stderr)).evaluations[0];
		const expected = results.find((r) => r.name === 'probability').data.slice(0, 10);
		const shown = await page.value(`[...document.querySelectorAll('#bars meter')].map((m) => m.value)`);
		expected.forEach((p, i) => assert.ok(Math.abs(p - shown[i]) < 1e-4, `${digit}, ${i}: ${p} ${shown[i]}`));
	}
	if (pictures) {
		await drawn(page, '7', 'drag');
		await page.size(1000, 660);
		await page.picture(`${pictures}/playground-digit.png`);
	}
	/* By keyboard: a line from top to bottom. */
	await page.click('#clear');
	assert.match(await page.text('class'), /Nothing is drawn/);
	await page.value(`${at('pad')}.focus()`);
	for (let i = 0; i < 11; i++)
		await page.key('ArrowUp');
	await page.key('Space');
	for (let i = 0; i < 22; i++)
		await page.key('ArrowDown');
	await page.key('Space');
	await page.until(`${idle} && ${said('class', 'sure')}`);
	assert.match(await page.text('class'), /This is a 1/);
	/* Of what is drawn, whatever it is: 100 % is said of nothing, and no digit is one that has less than a half. */
	await page.click('#clear');
	const [x, y] = await page.middle('#pad');
	await page.drag([[x, y]]);
	await page.until(`${idle} && ${said('class', 'sure')}`);
	const most = await page.value(`Math.max(...[...document.querySelectorAll('#bars meter')].map((m) => m.value))`);
	assert.match(await page.text('class'), most < 0.5 ? /^It is not sure: perhaps a \d, \d+ %\.$/ : /^This is a \d, /);
	await page.key('Delete');
	assert.match(await page.text('class'), /Nothing is drawn/);
	assert.deepEqual(page.said, []);
});

/* -- texts -- */

test('a model that is opened writes the tokens of lt-llama', async () => {
	const model = `${folder}/tiny.bin`, words = `${folder}/tok300.bin`, cut = `${folder}/cut.bin`;
	await writeFile(model, checkpoint(seed));
	await writeFile(words, tokenizer());
	await writeFile(cut, checkpoint(seed).subarray(0, 4000));
	await writeFile(`${folder}/notes.txt`, 'a text');
	const page = await opened('#story'), write = async (prompt, temperature, n) => {
		await page.value(`${at('prompt')}.value = ${JSON.stringify(prompt)}; ${at('temperature')}.value = ${temperature};
			${at('count')}.value = ${n}; ${at('tokens')}.textContent = ''`);
		await page.click('#write');
		await page.until(`${at('enough')}.disabled && ${idle}
			&& (${at('tokens')}.textContent || !${at('story-error')}.hidden)`);
		return page.value(`${at('tokens')}.textContent`);
	};
	assert.equal(await page.value(`${at('write')}.disabled`), true);
	await page.choose('#files', [`${folder}/notes.txt`]);
	await page.until(said('story-error', 'notes.txt: it is neither a checkpoint nor a tokenizer'));
	await writeFile(`${folder}/more.txt`, 'another text');
	await page.choose('#files', [`${folder}/notes.txt`, `${folder}/more.txt`]);
	for (const name of ['notes.txt', 'more.txt'])
		await page.until(said('story-error', `${name}: it is neither`));
	await page.choose('#files', [words, model]);
	/* It is made before a text is wanted. */
	await page.until(`!${at('write')}.disabled && ${said('speed', 'ready')}`);
	for (const [prompt, temperature, n] of [['Once and on', 0, 40], ['', 0, 12], ['the end é', 0.8, 30]]) {
		const more = ['-t', String(temperature), '-p', '0.9', '-s', '1', '-n', String(n), '-i', prompt, '-q'];
		assert.equal(await write(prompt, temperature, n),
			run('lt-llama', model, '-z', words, ...more, '--tokens').stdout.trim(), prompt);
		assert.equal((await page.value(`${at('written')}.textContent`)),
			run('lt-llama', model, '-z', words, ...more).stdout.slice(0, -1), prompt);
	}
	assert.match(await page.text('speed'), /tokens, .* a second/);
	/* Of the sizes of stories260K and stories15M, which want a backend that compiles. */
	if (await page.value(`${at('backend')}.value`) === 'wasm')
		for (const [sizes, n] of [[STORIES260K, 200], [STORIES15M, 40]]) {
			const large = `${folder}/${sizes.vocab}.bin`, its = `${folder}/${sizes.vocab}.tok`;
			await writeFile(large, checkpoint(seed, sizes));
			await writeFile(its, tokenizer(sizes));
			await page.choose('#files', [large, its]);
			await page.until(`${idle} && ${said('opened', large.split('/').pop())} && ${said('opened', its.split('/').pop())}`);
			const tokens = await write('Once on', 0, n);
			const { stdout, stderr } = run('lt-llama', large, '-z', its, '-t', '0', '-n', String(n), '-i', 'Once on', '--tokens',
				'-b', 'cpu:target=sse4', '--threads', '1');
			assert.equal(tokens, stdout.trim());
			console.log(`${sizes.vocab} tokens: ${await page.text('speed')}; lt-llama: ${stderr.trim().replace(/\s+/g, ' ')}`);
		}
	await page.drop('#drop', [cut]);
	await page.until(`${said('opened', 'cut.bin')} && ${said('story-error', 'but it has 4000')}`);
	await write('', 0, 4);
	assert.match(await page.text('story-error'), /cut\.bin: its header .* asks for .* but it has 4000/);
	await page.drop('#drop', [model, words]);
	await page.until(`${idle} && ${said('opened', 'tiny.bin')} && ${said('opened', 'tok300.bin')}`);
	assert.equal((await write('', 0, 12)).split(' ').length, 12);
	assert.deepEqual(page.said, []);
});

/* -- what goes wrong -- */

test('long work is stopped, and the page goes on', async () => {
	const page = await opened(link({}));
	await page.until(said('said', 'a run'));
	await page.value(`fetch('examples/tutorial.lt').then((r) => r.text()).then((t) => { ${at('script')}.value = t;
		${at('backend')}.value = 'ref'; ${at('compile')}.click(); })`);
	await page.until(said('said', 'A run would take about'));
	await page.click('#measure');
	await page.until(`!${at('stop')}.hidden`);
	/* The page answers meanwhile. */
	assert.equal(await page.value('1 + 1'), 2);
	await page.click('#stop');
	await page.until(said('said', 'Stopped.'));
	assert.equal(await page.value(`${at('stop')}.hidden`), true);
	await step(page, 'split m 8');
	await page.until(`${idle} && ${at('text')}.textContent.includes('for m step 8')`);
	/* While it compiles: nothing of the tree before is left. */
	await page.value(`${at('compile')}.click(), ${at('stop')}.click()`);
	await page.until(said('said', 'Stopped: there is no tree. "Compile" begins anew.'));
	for (const id of ['boxes', 'text', 'results'])
		assert.equal(await page.value(`${at(id)}.textContent`), '');
	assert.deepEqual(page.said, []);
});

test('a browser without WebAssembly or SIMD, and files that are missing: sentences', async () => {
	const without = await browser.page({ before: 'delete globalThis.WebAssembly' });
	await without.go(server.url);
	await without.until(said('banner', 'This browser has no WebAssembly'));
	const simd = await opened('', { before: 'WebAssembly.validate = () => false' });
	await simd.until(said('banner', 'This browser has no SIMD of WebAssembly'));
	await simd.until(said('said', 'a run'));
	for (const [file, id, words] of [['looptree/looptree.wasm', 'banner', '404'], ['looptree/looptree.js', 'banner',
		'looptree/looptree.js could not be loaded'], ['worker.js', 'banner', 'worker.js could not be loaded'],
		['trees.js', 'banner', 'The page\'s scripts are not here yet'], ['examples/matmul.lt', 'script-error', '404'],
		['examples/mnist.safetensors', 'class', '404']]) {
		await rm(`${folder}/site`, { recursive: true, force: true });
		await cp(site, `${folder}/site`, { recursive: true });
		await rm(`${folder}/site/${file}`);
		const other = await serve(`${folder}/site`), page = await browser.page();
		await page.go(other.url + (id === 'class' ? '#digit' : ''));
		if (id === 'class') {
			await page.until(said('class', 'No digit can be read'));
			const [x, y] = await page.middle('#pad');
			await page.drag([[x, y - 90], [x, y], [x, y + 90]]);
		}
		await page.until(said(id, words), 20);
		other.close();
	}
});

test('plain loops become a fast product, step by step', async (t) => {
	/* The walk of docs/playground.md. */
	const blocks = [...(await readFile('docs/playground.md', 'utf8')).matchAll(/^```\n([^]*?)^```$/gm)].map((m) => m[1]);
	const script = blocks.find((b) => b.includes('InputTensor')), steps = blocks.find((b) => b.startsWith('split'));
	const page = await opened(`#${new URLSearchParams({ script, start: 'plain', given: 'a=ones\nb=iota' })}`);
	if (await page.value(`${at('backend')}.value`) !== 'wasm') {
		t.skip('there is no backend wasm');
		return;
	}
	const results = () => page.text('results'), before = await results();
	for (const text of steps.trim().split('\n')) {
		await step(page, text);
		assert.equal(await page.value(`${at('refusal')}.hidden`), true, await page.text('refusal'));
		assert.equal(await results(), before);
	}
	assert.match(await page.value(`${at('wasm')}.textContent`), /\(module[^]*f32x4\.mul/);
	assert.match(await page.value(`${at('kernel')}.textContent`), /mul f32x4/);
	console.log((await page.text('steps')).replace(/\s+/g, ' '));
	if (pictures) {
		await page.size(1100, 760);
		await page.value('document.activeElement.blur(); scrollTo(0, 0)');
		await page.picture(`${pictures}/playground-steps.png`);
	}
	await page.click('#judge');
	await page.until(said('said', 'Judged: the results are right.'));
});

test('how long an edit takes of a product of 512', async (t) => {
	const script = PRODUCT.replaceAll('16', '512');
	const page = await opened(`#${new URLSearchParams({ script, start: 'default' })}`);
	if (await page.value(`${at('backend')}.value`) !== 'wasm') {
		t.skip('there is no backend wasm');
		return;
	}
	const times = [];
	for (let n = 4; n < 10; n++) {
		await step(page, `split %3.mul/k ${n}`);
		times.push(Number(await page.value('document.documentElement.dataset.edit')));
		await page.click('#undo');
		await page.until(idle);
	}
	console.log(`512^3: an edit, proven, made and run once: ${times.join(', ')} ms`);
});
