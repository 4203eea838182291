/* llama.test.mjs -- models of llama2.c write the texts that lt-llama writes; files that are none get a sentence. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { checkpoint, tokenizer } from './tiny.mjs';

const built = process.env.O ?? 'build', program = `${built}/lt-llama`;
const { load, LooptreeError } = await import(new URL(`file://${process.cwd()}/${built}/js/looptree.js`));
const lt = await load();
const seed = Number(process.env.SEED ?? Date.now() % 2147483646 + 1);
console.log(`seed ${seed}`);
const model = checkpoint(seed), words = tokenizer();

const skip = spawnSync(program, ['--version']).status !== 0 && 'no lt-llama';
test('tokens and texts are those of lt-llama', { skip }, async () => {
	const folder = await mkdtemp(`${built}/js/llama-`), said = (...more) => {
		const { status, stdout, stderr } = spawnSync(program, [`${folder}/m.bin`, '-z', `${folder}/t.bin`, '-q', ...more],
			{ encoding: 'utf8' });
		assert.equal(status, 0, stderr);
		return stdout.slice(0, -1);
	};
	try {
		await writeFile(`${folder}/m.bin`, model);
		await writeFile(`${folder}/t.bin`, words);
		const m = lt.llama(model, { tokenizer: words });
		for (const prompt of ['', 'Once', 'the end é 語 \u{1f600}, and on and on in a line'])
			for (const steps of [1, 9, 64]) {
				const more = ['-i', prompt, '-t', '0', '-n', String(steps)];
				const tokens = [...m.write(prompt, { temperature: 0, steps })];
				assert.equal(tokens.map((t) => t.token).join(' '), said(...more, '--tokens'), `${prompt}, ${steps}`);
				/* Bytes that are no UTF-8 become what the decoder makes of them. */
				assert.equal(tokens.map((t) => t.text).join(''), said(...more), `${prompt}, ${steps}`);
			}
		m.free();
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('a seed decides what is drawn, and a text begins anew', () => {
	const m = lt.llama(model, { tokenizer: words });
	const draw = (seed) => [...m.write('on', { temperature: 2, top: 1, seed, steps: 12 })].map((t) => t.token).join();
	const one = draw(5);
	assert.equal(draw(5), one);
	assert.notEqual(draw(6), one);
	assert.equal(draw(5n), one);
	const [first] = m.write([259], { temperature: 0, steps: 3 });
	assert.deepEqual([first.token, first.made], [259, false]);
	m.free();
});

test('what files are', () => {
	assert.equal(lt.llamaFile(model), 'checkpoint');
	assert.equal(lt.llamaFile(words), 'tokenizer');
	assert.equal(lt.llamaFile(new TextEncoder().encode('$1 = InputTensor(x, float32, [4]);')), null);
	assert.equal(lt.llamaFile(new Uint8Array(0)), null);
});

test('other files and options are refused with a sentence', () => {
	const refused = (make, ...words) => assert.throws(make, (error) => {
		assert.ok(error instanceof LooptreeError, error.stack);
		words.forEach((word) => assert.ok(error.message.includes(word), error.message));
		return true;
	});
	refused(() => lt.llama(model.subarray(0, 1000)), 'model.bin', 'truncated');
	refused(() => lt.llama(model, { tokenizer: words.subarray(0, 999), tokenizerName: 'cut.bin' }), 'cut.bin');
	refused(() => lt.llama(words, { tokenizer: model }), 'tokenizer');
	refused(() => lt.llama('model.bin'), 'bytes');
	refused(() => lt.llama(model).encode('on'), 'tokenizer');
	const m = lt.llama(model, { tokenizer: words });
	for (const [name, value] of [['temperature', -1], ['temperature', NaN], ['top', 2], ['steps', 0], ['steps', 1.5],
		['seed', 0], ['seed', '5']])
		refused(() => m.write('on', { [name]: value }).next(), name);
	const broken = Buffer.from(model);
	broken.writeFloatLE(NaN, 28 + 4 * 16);
	refused(() => [...lt.llama(broken).write([1 + 1], { temperature: 0 })], 'not finite');
	m.free();
	assert.equal([...lt.llama(model).write([], { temperature: 0, steps: 2 })].length, 2);
});
